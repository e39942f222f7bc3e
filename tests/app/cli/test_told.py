"""What commands tell people, and what they refuse: the golden files have it line by line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.app.conftest import Command
from tests.golden import Golden
from tests.processes import refused, run

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
    "towns.csv": "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\n",
    "distances.csv": "0;29;80\n29;0;55\n80;55;0\n",
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


def test_a_process_refuses_a_bad_file_too(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsp"
    path.write_text(ODD_FILES["odd.tsp"])
    assert f"{path}: " in refused(run("solve", path))
