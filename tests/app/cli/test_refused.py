"""Commands that are refused: one line that says what to do, status 2, and nothing else."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.app.conftest import Command
from tests.golden import Golden
from tests.processes import refused, run

FILES = {
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
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def told(line: str) -> str:
        return refused(inside(*shlex.split(line)[1:])).removeprefix("formicarium: ")

    golden.table("refused-commands", told)
    assert {path.name for path in tmp_path.iterdir()} == {*FILES}


def test_a_process_refuses_a_bad_file_too(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsp"
    path.write_text(FILES["odd.tsp"])
    assert f"{path}: " in refused(run("solve", path))
