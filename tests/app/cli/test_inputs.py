"""Inputs that commands take or refuse."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest

from app.cli.terminal import show_progress
from tests.app.conftest import Command
from tests.gpu.problems.texts import points_text
from tests.processes import FOLDER, RING, refused, result, run

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
    assert set(endings) == {".jsonl", ".csv", ".tour", ".gpx", ".kml", ".geojson", ".frames"}
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


def test_a_packed_instance_is_piped_in_and_run_again(inside: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("solve", "-", *PIPED, "--json", "--out", out, stdin=gzip.compress(TEXT))
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
    assert said in refused(run("solve", "-", *PIPED, stdin=data))


ESCAPE = "\x1b]0;title\x07\x9b31m"
SQUARE = [(0, 0), (0, 3), (4, 3), (4, 0)]


@pytest.mark.parametrize("arguments", [["solve"], ["replay"], ["speedup"], []])
def test_names_of_files_are_printed_with_escapes(inside: Command, arguments: list[str]) -> None:
    line = refused(inside(*arguments, f"{ESCAPE}.jsonl"))
    assert r"\x1b]0;title\x07\x9b31m.jsonl: " in line
    assert line.isprintable()


def test_paths_of_sessions_are_printed_with_escapes(inside: Command, tmp_path: Path) -> None:
    path = tmp_path / f"{ESCAPE}.json"
    path.write_text("no session")
    assert refused(inside("replay", path)).isprintable()


def test_a_line_of_progress_is_shown_with_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    show_progress(f"reading {ESCAPE}.tsp")
    assert isinstance(sys.stderr, Terminal)
    assert sys.stderr.getvalue().removeprefix("\r\x1b[K").isprintable()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", [b"\xff\xfe.tsp", b"n" * 240 + b".tsp", b"\x1b[31m.tsp"])
def test_a_run_starts_whatever_the_file_is_called(
    inside: Command, tmp_path: Path, name: bytes
) -> None:
    path = os.fsencode(tmp_path) + b"/" + name
    text = points_text("EUC_2D", SQUARE, name="n" * 240).replace(
        "NAME", "NAME" if b"n" in name else "X"
    )
    Path(os.fsdecode(path)).write_text(text)
    options = ("--device", "cpu:1", "--seed", 1, "--iterations", 2, "--out", tmp_path / "out")
    solve = run if name[:1] == b"\xff" else inside  # a process gets the bytes of its arguments
    done = solve("solve", os.fsdecode(path), *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.replace("\n", "").isprintable()
    log, *others = sorted((tmp_path / "out").iterdir(), key=lambda one: one.suffix != ".jsonl")
    assert {one.suffix for one in (log, *others)} == {".jsonl", ".csv", ".tour", ".frames"}
    assert json.loads(log.read_text().splitlines()[0])["session"]["instance"]["path"]
    again = inside("replay", log)
    assert again.returncode == 0, again.stderr
    assert "the same tour as recorded" in again.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--debug", "download", "eil51", "--from", "http://ant:secret@127.0.0.1:9?token=secret"],
        ["download", "eil51", "--form", "http://ant:secret@127.0.0.1:9"],
        ["solve", "http://ant:secret@127.0.0.1:9/a.tsp", "https://host/b?token=secret"],
        ["solve", "https://host/b?token=secret"],
        ["solve", "http://ant:secret@127.0.0.1:9/a.tsp"],
        ["replay", "http://ant:secret@127.0.0.1:9/a.jsonl"],
        ["study", "none.toml", "--cluster", "tcp://ant:secret@127.0.0.1"],
    ],
)
def test_no_password_in_an_address_is_printed(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "none.toml").write_text(
        'instances = ["ring-50"]\n[budget]\niterations = 1\n[[colony]]\ncolony = "acs"\n'
    )
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "secret" not in done.stdout + done.stderr


def test_a_route_begins_and_ends_where_it_is_said(inside: Command, tmp_path: Path) -> None:
    options = ("--device", "cpu", "--colony", "acs", "--iterations", 5, "--seed", 1, "--json")
    ends = ("--from", 3, "--to", 20)
    done = inside("solve", RING, *ends, *options, "--out", tmp_path)
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["tour"][0], found["tour"][-1]) == (3, 20)
    assert sorted(found["tour"]) == list(range(1, 51))
    assert "an open route from city 3 to city 20" in found["notes"]
    (log,) = tmp_path.glob("*.jsonl")
    replayed = json.loads(inside("replay", log, "--json").stdout.splitlines()[-1])
    assert replayed["tour"] == found["tour"]
    unknown = inside("solve", RING, "--from", "Rome", *options)
    assert unknown.returncode == 2
    assert "there is no city 'Rome'; they have the numbers 1 to 50" in unknown.stderr
    graph = inside("solve", "queens-49", "--open", *options)
    assert graph.returncode == 2
    assert "it is a graph" in graph.stderr
