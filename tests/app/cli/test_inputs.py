"""Instances that come as a table of places, or from standard input."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from tests.app.conftest import Command
from tests.processes import FOLDER, RING, command, environment, refused, result

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


TEXT = (FOLDER / f"{RING}.tsp").read_bytes()
PIPED = ("--colony", "focused", "--device", "cpu:1", "--seed", 1, "--iterations", 2)


def piped(data: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*arguments),
        input=data,
        capture_output=True,
        timeout=100,
        check=False,
        env=environment(),
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_a_packed_instance_is_piped_in_and_run_again(inside: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = piped(gzip.compress(TEXT), "solve", "-", *PIPED, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    assert result(done)["instance"] == RING
    (log,) = out.glob("*.jsonl")
    assert json.loads(log.read_text().splitlines()[0])["session"]["instance"]["path"] == ""
    # Bundled instances are found by their name; this one is not one of them any more.
    lines = log.read_text().replace(f'"name": "{RING}"', '"name": "piped"', 1)
    log.write_text(lines)
    assert "is not there; put the file beside the session's own, as piped.tsp" in refused(
        inside("replay", log)
    )
    (out / "piped.tsp.gz").write_bytes(gzip.compress(TEXT))
    again = inside("replay", log)
    assert again.returncode == 0, again.stderr
    assert "the same tour as recorded" in again.stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "standard input: it is empty"),
        (gzip.compress(TEXT, mtime=0)[:40], "standard input: it is a gzip file that is cut off"),
        (b"\x7fELF\0\0", "standard input: it is a binary file"),
    ],
    ids=["empty", "cut off", "binary"],
)
def test_what_is_no_instance(data: bytes, said: str) -> None:
    assert said in refused(piped(data, "solve", "-", *PIPED))
