"""Reads the new lines of a file that another thread writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from gpu.core.errors import FormicariumError
from gpu.core.files import open_regular

EVERY = 0.25  # seconds between two looks at the file


class LogTail:
    """Gives each complete new line of a file to ``listener``."""

    def __init__(self, listener: Callable[[list[str]], object]) -> None:
        self._listener = listener
        self._file: BinaryIO | None = None
        self._part = b""
        self._due = 0.0

    def follow(self, path: Path | None) -> None:
        """Read another file from its first line on; None for no file."""
        if self._file is not None:
            self._file.close()
        self._part = b""
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
        whole, end, rest = (self._part + self._file.read()).rpartition(b"\n")
        self._part = rest
        if end:
            self._listener(whole.decode(errors="replace").split("\n"))
