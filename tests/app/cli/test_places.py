"""A table of places from the command line: solved, its route written, and run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.conftest import Command

ROWS = "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\nParis;48,8566;2,3522\n"
OPTIONS = ("--colony", "acs", "--device", "cpu:1", "--seed", 1, "--iterations", 2)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "towns.csv"
    path.write_text(ROWS)
    return path


def test_a_table_of_places(inside: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    read_as = ("--coordinates", "degrees", "--columns", "2,3")
    done = inside("solve", table, *OPTIONS, *read_as, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    assert f"{table}: lengths are in km" in done.stderr
    endings = {"".join(one.suffixes): one for one in out.iterdir() if "route" not in one.name}
    assert set(endings) == {".jsonl", ".csv", ".tour", ".geojson", ".frames"}
    (route,) = out.glob("*-route.csv")
    assert "Paris" in route.read_text()
    found = json.loads(done.stdout)
    said = "a table of 4 places: latitude is column 2, longitude column 3, the name column 1"
    assert f"{table}: {said}" in done.stderr
    assert (found["unit"], found["notes"]) == ("km", [said, "lengths are in km"])
    line = json.loads(endings[".geojson"].read_text())["features"][0]
    assert line["properties"]["length"] == found["best_length"]
    again = inside("replay", endings[".jsonl"])
    assert "the same tour as recorded" in again.stderr  # the numbers are read as degrees again
