"""New lines of a log that another thread writes."""

from __future__ import annotations

import json
from pathlib import Path

from app.files.log_tail import LOG_LINE_LONGEST, LogTail


def test_the_tail_gives_whole_lines_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    heard: list[list[str]] = []
    tail = LogTail(heard.append)
    tail.follow(path)
    tail.read()
    with path.open("ab") as file:
        file.write("o\ndreißig\n".encode())
    tail.read()
    tail.read()
    tail.follow(None)
    tail.read()
    assert heard == [["one"], ["two", "dreißig"]]


def test_a_long_line_comes_without_its_list(tmp_path: Path) -> None:
    path = tmp_path / "log"
    heard: list[list[str]] = []
    tail = LogTail(heard.append)
    outcome = {"kind": "outcome", "best": 7, "tour": list(range(LOG_LINE_LONGEST)), "seconds": 1.5}
    whole = json.dumps(outcome).encode() + b"\n"
    path.write_bytes(whole[:50_000])
    tail.follow(path)
    tail.read()
    with path.open("ab") as file:
        file.write(whole[50_000:] + b'{"kind": "next"}\n')
    tail.read()
    tail.follow(None)
    assert [json.loads(line) for line in heard[0]] == [{**outcome, "tour": "…"}, {"kind": "next"}]


def test_a_log_that_is_not_there_has_no_tail(tmp_path: Path) -> None:
    heard: list[list[str]] = []
    tail = LogTail(heard.append)
    tail.follow(tmp_path / "missing")
    tail.read()
    assert heard == []
