"""Files that are refused, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu.core.errors import InstanceError
from gpu.core.machine.memory import SPARE
from gpu.core.words import shown
from gpu.problems.tsp import tsplib
from gpu.problems.tsp.tours import read_tour
from gpu.problems.tsp.tsplib import load
from tests.gpu.problems.texts import load_text, matrix_text, symmetric


def _refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InstanceError) as caught:
        load_text(folder, text)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'x.tsp'}: ")
    assert "\n" not in message
    return message.partition(": ")[2]


def test_what_is_no_tour_is_not_told_how_instances_are_written(tmp_path: Path) -> None:
    path = tmp_path / "tour.txt"
    for text in ("1\n2\n3\n", "[1, 2, 3]\n", "1,2,3\n", "first\n"):
        path.write_text(text)
        with pytest.raises(InstanceError, match="; write the tour as a TSPLIB file with a TOUR_SE"):
            read_tour(path)


def test_a_link_to_nothing_says_where_it_leads(tmp_path: Path) -> None:
    path = tmp_path / "x.tsp"
    for target, what in (("gone.tsp", ""), ("../.git/annex/objects/a/x", "; git annex get fet")):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        there = re.escape(f"it is a link to {path.readlink()}, which is not there{what}")
        with pytest.raises(InstanceError, match=there):
            load(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    for path, why in [
        (tmp_path, "it is a folder"),
        (tmp_path / "missing.tsp", "it cannot be read: No such file"),
        (tmp_path / "x.tsp" / "y.tsp", "it cannot be read"),
        (tmp_path / ("n" * 300), "it cannot be read: File name too long"),
        (tmp_path / "a\0b", "it cannot be read"),
        (Path("/dev/zero"), "it is a device or a pipe"),
    ]:
        with pytest.raises(InstanceError) as caught:
            load(path)
        assert str(caught.value).startswith(shown(f"{path}: {why}"))


@pytest.mark.parametrize("form", ["FULL_MATRIX", "UPPER_ROW"])
def test_a_matrix_that_does_not_fit_is_refused_before_its_numbers_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    text = matrix_text(form, symmetric(100))
    monkeypatch.setattr(tsplib, "free_memory", lambda: SPARE + 12 * 100**2)
    with monkeypatch.context() as patch:
        patch.setattr(tsplib, "_parse", None)
        message = _refused(tmp_path, text)
    assert message.startswith("its 100 × 100 distances need 0.0 GiB of memory")
    assert "an instance with coordinates" in message
    monkeypatch.setattr(tsplib, "free_memory", lambda: SPARE + 76 * 100**2)
    assert load_text(tmp_path, text).n == 100


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tsp"
    with path.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InstanceError, match="it has 1000000000000 bytes; at most"):
        load(path)
