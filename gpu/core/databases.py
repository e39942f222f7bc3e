"""SQLite files that others may have made: only plain tables are read and written."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from gpu.core.files import LARGEST_FILE

_BESIDE = ("-journal", "-wal", "-shm")  # how the names of SQLite's own files end
_NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # ends a journal that names another file

_OTHERS = """
SELECT count(*) FROM sqlite_master WHERE NOT (
    sql IS NULL OR sql LIKE 'CREATE TABLE %' OR sql LIKE 'CREATE INDEX %'
    OR sql LIKE 'CREATE UNIQUE INDEX %'
)
"""


def need_harmless_files(path: Path) -> None:
    """Raise ``sqlite3.DatabaseError`` if SQLite may do harm when it opens the database at ``path``.

    It reads and writes files beside it, which may be a stranger's, too. It would wait for a pipe.
    A journal may name another file, which SQLite removes after it has restored the database; only
    transactions over several databases, of which there are none here, have such journals.
    """
    path = Path(os.path.realpath(path))  # SQLite follows links, too
    for ending in _BESIDE:
        beside = path.with_name(f"{path.name}{ending}")
        if not _is_file(beside):
            raise sqlite3.DatabaseError(f"{beside.name} beside it is a link, a folder or a pipe")
        if ending == "-journal" and _ends_with(beside, _NAMES_ANOTHER):
            raise sqlite3.DatabaseError(
                f"{beside.name} beside it has the name of a file that would be removed"
            )


def _is_file(path: Path) -> bool:
    """Whether a file is at ``path`` itself, or nothing."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True


def _ends_with(path: Path, end: bytes) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - len(end)))
            return file.read(len(end)) == end
    except FileNotFoundError:  # another process has removed it
        return False


def need_plain_tables(connection: sqlite3.Connection) -> None:
    """Raise ``sqlite3.DatabaseError`` if the file has more than tables, which hold what they show.

    A view may have rows without end, and a trigger works whenever a row is written: a few bytes of
    a stranger's file would use up time and memory. From then on no value may be longer than the
    largest file that is read.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_FILE)
    connection.execute("PRAGMA trusted_schema = OFF")
    (others,) = connection.execute(_OTHERS).fetchone()
    if others:
        raise sqlite3.DatabaseError("it has views or triggers, which may work without end")


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
