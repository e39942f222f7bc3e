"""Files of strangers on the command line: what is printed does nothing to a terminal."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from app.cli.terminal import show_progress
from tests.app.conftest import Command
from tests.gpu.problems.texts import points_text
from tests.processes import refused, run

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
