"""What the terminal shows."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli import ending
from app.cli.options import make_folder
from app.termination import BAD_INPUT, termination_signals
from gpu.core.errors import FormicariumError
from tests.app.conftest import Command
from tests.golden import Golden
from tests.processes import RING, refused


@pytest.mark.parametrize("system", ["win32", "linux"])
def test_without_a_console_windows_shows_in_a_box_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    shown: list[tuple[str, str]] = []

    def box(owner: None, text: str, title: str, icon: int) -> None:
        shown.append((title, text))

    library = SimpleNamespace(user32=SimpleNamespace(MessageBoxW=box))
    monkeypatch.setattr(ctypes, "windll", library, raising=False)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys, "argv", ["formicarium-gui", "no such file.tsp"])
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    status = ending.run()
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    assert status == BAD_INPUT
    if system == "win32":
        ((title, text),) = shown
        assert title == "Formicarium"
        assert text.startswith("no such file.tsp: there is no such file")
    else:
        assert not shown


def test_the_end_of_a_console_of_windows_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGILL, raising=False)
    heard: list[int] = []
    with termination_signals(heard.append):
        signal.raise_signal(signal.SIGILL)
    assert heard == [signal.SIGILL]


def test_a_folder_for_results_is_made_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(None)
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(FormicariumError, match=r"file/b: cannot be made"):
        make_folder(tmp_path / "file" / "b")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(FormicariumError, match="a: you may not write into this folder"):
        make_folder(tmp_path / "a")


@pytest.mark.parametrize("option", ["--out", "--picture"])
def test_a_run_does_not_begin_whose_results_cannot_be_kept(
    inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    what = tmp_path if option == "--out" else tmp_path / "a.png"
    done = inside("solve", RING, "--colony", "acs", "--iterations", 1, option, what)
    assert f"{tmp_path}: you may not write into this folder" in refused(done)
    assert not list(tmp_path.iterdir())


FILES = {
    "wrong.col": "p edge 3 7\ne 1 2\ne 2 3\n",
    "towns.csv": "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\nParis;48,9;2,352\n",
    "unit.tsp": "NAME: unit\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\n"
    "NODE_COORD_SECTION\n1 0.5 0.4\n2 0.6 0.1\n3 0.3 0.7\n4 0.9 0.9\nEOF\n",
}
CLOCK = re.compile(r"read in [^\n]* s since the program began|\b[\d.]+ (?:ms|s)\b")


def test_what_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Command, golden: Golden
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    # no instance that another test has downloaded, and no best known cost that it has kept
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")

    def told(line: str) -> str:
        done = inside(*shlex.split(line)[1:])
        return CLOCK.sub("#", f"{done.stdout}{done.stderr}") + f"[{done.returncode}]"

    golden.table("told-commands", told)


ODD_FILES = {
    "odd.tsp": "NAME: odd\nTYPE: TSP\nEDGE_WEIGHT_TYPE: SPECIAL\n",
    "towns.csv": "Berlin;52,52;13,405\nPotsdam;52,3906;13,0645\nErkner;52,42;13,75\n",
    "distances.csv": "0;29;80\n29;0;-55\n80;55;0\n",
    "wrong.csv": "Berlin;52,52;13,405\nRome;41,9028;12,4964\nNowhere;north;1\n",
    "a.tour": "TOUR_SECTION\n1 2 3 -1\n",
    "script.toml": "[[step]]\nwait = 'clik'\n",
}


def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Command, golden: Golden
) -> None:
    for name, text in ODD_FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def told(line: str) -> str:
        return refused(inside(*shlex.split(line)[1:])).removeprefix("formicarium: ")

    golden.table("refused-commands", told)
    assert {path.name for path in tmp_path.iterdir()} == {*ODD_FILES}
