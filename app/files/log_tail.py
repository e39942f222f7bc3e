"""Reads the new lines of a file that another thread writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from gpu.core.errors import FormicariumError
from gpu.core.files import open_regular

LOOK_AT_LOG_EVERY = 0.25  # seconds between two looks at the file
LOG_LINE_LONGEST = (
    100_000  # bytes of a line that is given whole; a tour of a million cities has 7 million
)
LOG_PIECE = 131_072  # bytes


class LogTail:
    """Gives each complete new line of a file to ``listener``, long ones without their lists."""

    def __init__(self, listener: Callable[[list[str]], object]) -> None:
        self._listener = listener
        self._file: BinaryIO | None = None
        self._head = self._behind = b""  # of a line that has no end yet
        self._due = 0.0

    def follow(self, path: Path | None) -> None:
        """Read another file from its first line on; None for no file."""
        if self._file is not None:
            self._file.close()
        self._head = self._behind = b""
        self._due = 0.0
        try:
            self._file = open_regular(path, FormicariumError) if path is not None else None
        except (OSError, FormicariumError):  # the recorder has told the user why there is no log
            self._file = None

    def read_sometimes(self) -> None:
        """Read if the last look was at least ``LOOK_AT_LOG_EVERY`` seconds ago."""
        if time.monotonic() >= self._due:
            self.read()

    def read(self) -> None:
        """Read the new part of the file, a piece at a time."""
        self._due = time.monotonic() + LOOK_AT_LOG_EVERY
        lines = []
        while self._file is not None and (piece := self._file.read(LOG_PIECE)):
            first, *others = piece.split(b"\n")
            self._add(first)
            for other in others:
                lines.append(self._line())
                self._head = self._behind = b""
                self._add(other)
        if lines:
            self._listener(lines)

    def _add(self, part: bytes) -> None:
        """Lengthen the line; of a long one only its beginning and its end are kept."""
        room = LOG_LINE_LONGEST - len(self._head)
        self._head += part[:room]
        self._behind = (self._behind + part[room:])[-LOG_LINE_LONGEST:]

    def _line(self) -> str:
        """Return the line; in a long one, "…" stands for all from the first "[" to the last "]"."""
        line = self._head
        if self._behind:
            before, _, _ = self._head.partition(b"[")
            _, _, behind = self._behind.rpartition(b"]")
            line = before + '"…"'.encode() + behind
        return line.decode(errors="replace")
