"""Lets one process at a time work on a study's file; the end of a process, however, lets go."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path


class FileLock:
    """A lock for the file at ``path``, held until :meth:`release` or the end of the process.

    It is SQLite's own lock of an empty file beside it: a lock of the file itself would keep those
    away who only read. BlockingIOError if another process, or another thread, holds it; OSError if
    the file beside it cannot be made, or is not such a file.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}-lock")
        before = _made(self._file)
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


def _made(path: Path) -> os.stat_result:
    """Make an empty file, unless it is there; raise the system's own error if that is impossible.

    No link is followed, and nothing else that is there is opened.
    """
    with suppress(FileExistsError), path.open("x"):
        pass
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_size:
        what = f"{path.name} beside it is none of this program's files: move it away"
        raise FileExistsError(errno.EEXIST, what)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found
