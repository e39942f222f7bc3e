"""New lines of a log that another thread writes."""

from __future__ import annotations

from pathlib import Path

from app.files.log_tail import LogTail


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


def test_a_log_that_is_not_there_has_no_tail(tmp_path: Path) -> None:
    heard: list[list[str]] = []
    tail = LogTail(heard.append)
    tail.follow(tmp_path / "missing")
    tail.read()
    assert heard == []
