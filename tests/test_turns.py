"""Who fills the GPU is alone on it, and comes before those who asked later."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.turns import turn

fcntl: Any = pytest.importorskip("fcntl", reason="needs locks that can be shared")
pytest_plugins = "pytester"
ROOT = Path(__file__).parents[1]


def wait_until_gate_is_taken(folder: Path) -> None:
    while True:
        with (folder / "gate").open("a") as gate:
            try:
                fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return


def test_who_asks_to_be_alone_waits_for_others_and_they_for_it(tmp_path: Path) -> None:
    order: list[str] = []

    def use(name: str, alone: bool) -> None:
        with turn(tmp_path, alone=alone):
            order.append(f"{name} begins")
            order.append(f"{name} ends")

    with turn(tmp_path, alone=False), turn(tmp_path, alone=False):  # two at a time
        filler = threading.Thread(target=use, args=("filler", True))
        filler.start()
        wait_until_gate_is_taken(tmp_path)
        late = threading.Thread(target=use, args=("late", False))
        late.start()
        order.append("both end")
    for thread in (filler, late):
        thread.join()
    assert order == ["both end", "filler begins", "filler ends", "late begins", "late ends"]


MARKED = """
import fcntl
import pytest
from tests.turns import FOLDER


def others_may(kind):
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "gpu").open("a") as gpu:
        try:
            fcntl.flock(gpu, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@pytest.mark.cuda
def test_shares():
    assert others_may(fcntl.LOCK_SH)
    assert not others_may(fcntl.LOCK_EX)


@pytest.mark.cuda(alone=True)
def test_fills():
    assert not others_may(fcntl.LOCK_SH)


def test_needs_none():
    assert others_may(fcntl.LOCK_EX)
"""


def test_marks_say_who_is_alone(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TMPDIR", str(pytester.path))
    pytester.makeini("[pytest]\nmarkers =\n    cuda: x")
    pytester.makeconftest("from tests.turns import gpu_in_turns")
    pytester.makepyfile(MARKED)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)
