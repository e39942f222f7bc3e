"""Lets one process at a time work on a study's file; the end of a process, however, lets go."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path


class FileLock:
    """A lock for the file at ``path``, held until :meth:`release` or the end of the process.

    It is SQLite's own lock of an empty file beside it: a lock of the file itself would keep those
    away who only read. BlockingIOError if another process, or another thread, holds it; OSError if
    the file beside it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}-lock")
        self._file.touch()  # raises the system's own error, which says what is wrong
        before = self._file.stat()
        self._held = sqlite3.connect(
            self._file, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._held.execute("BEGIN EXCLUSIVE")
            if not os.path.samestat(before, self._file.stat()):
                raise BlockingIOError("another one has just removed the file")
        except (sqlite3.Error, OSError) as error:
            self._held.close()
            raise BlockingIOError(f"{path} is in use") from error

    def release(self) -> None:
        """Let go, and remove the file beside it."""
        with suppress(OSError):  # Windows removes no open file; left behind, it does no harm
            self._file.unlink()
        self._held.close()
