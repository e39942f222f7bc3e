"""A table of places from the command line: solved, its route written, and run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.conftest import Command
from tests.processes import refused

ROWS = "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\nParis;48,8566;2,3522\n"
OPTIONS = ("--colony", "acs", "--device", "cpu:1", "--seed", 1, "--iterations", 2)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "towns.csv"
    path.write_text(ROWS)
    return path


def test_a_table_of_places(inside: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = inside("solve", table, *OPTIONS, "--coordinates", "degrees", "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    assert f"{table}: lengths are in km" in done.stderr
    endings = {"".join(one.suffixes): one for one in out.iterdir() if "route" not in one.name}
    assert set(endings) == {".jsonl", ".csv", ".tour", ".geojson", ".frames"}
    (route,) = out.glob("*-route.csv")
    assert "Paris" in route.read_text()
    found = json.loads(done.stdout)
    line = json.loads(endings[".geojson"].read_text())["features"][0]
    assert line["properties"]["length"] == found["best_length"]
    again = inside("replay", endings[".jsonl"])
    assert "the same tour as recorded" in again.stderr  # the numbers are read as degrees again


def test_what_is_said_of_its_coordinates(table: Path, inside: Command) -> None:
    done = inside("solve", table, *OPTIONS)
    assert done.returncode == 0, done.stderr
    assert "lengths are in 0.0001 of the table's unit" in done.stderr
    assert "--coordinates degrees takes them so" in done.stderr
    wrong = inside("solve", "ring-50", *OPTIONS, "--coordinates", "plane")
    assert wrong.returncode == 2
    assert "--coordinates is for tables of places alone: leave it out" in wrong.stderr
    table.write_text(ROWS + "Nowhere;north;1\n")
    assert f"{table}: line 5: 'north' in column 2 is no number" in refused(
        inside("solve", table, *OPTIONS)
    )
