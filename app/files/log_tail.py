"""Reads the new lines of a file that another thread writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from gpu.core.errors import FormicariumError
from gpu.core.files import open_regular

EVERY = 0.25  # seconds between two looks at the file
LONGEST = 100_000  # bytes of a line that is given whole; a tour of a million cities has 7 million


class LogTail:
    """Gives each complete new line of a file to ``listener``, long ones without their lists."""

    def __init__(self, listener: Callable[[list[str]], object]) -> None:
        self._listener = listener
        self._file: BinaryIO | None = None
        self._parts: list[bytes] = []  # of a line that has no end yet
        self._due = 0.0

    def follow(self, path: Path | None) -> None:
        """Read another file from its first line on; None for no file."""
        if self._file is not None:
            self._file.close()
        self._parts = []
        self._due = 0.0
        try:
            self._file = open_regular(path, FormicariumError) if path is not None else None
        except (OSError, FormicariumError):  # the recorder has told the user why there is no log
            self._file = None

    def read_sometimes(self) -> None:
        """Read if the last look was at least ``EVERY`` seconds ago."""
        if time.monotonic() >= self._due:
            self.read()

    def read(self) -> None:
        """Read the new part of the file."""
        self._due = time.monotonic() + EVERY
        if self._file is None:
            return
        if not (new := self._file.read()):
            return
        before, end, rest = new.rpartition(b"\n")
        if not end:
            self._parts.append(new)
            return
        lines = b"".join([*self._parts, before]).split(b"\n")
        self._parts = [rest]
        self._listener([_shortened(line).decode(errors="replace") for line in lines])


def _shortened(line: bytes) -> bytes:
    """Return the line; in a long one, "…" stands for all from the first "[" to the last "]"."""
    if len(line) <= LONGEST:
        return line
    before, _, _ = line.partition(b"[")
    _, _, behind = line.rpartition(b"]")
    return before[:LONGEST] + '"…"'.encode() + behind[-LONGEST:]
