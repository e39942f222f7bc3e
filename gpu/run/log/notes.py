"""What the user writes about runs: a name, a note and a star, kept in a file beside the logs.

The file is an SQLite database. A change writes one row, whole or not at all, even if the process is
killed, and several windows may write at once without losing each other's changes.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpu.core.databases import need_harmless_files, need_plain_tables
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import open_regular
from gpu.run.log.rows import LONGEST_NOTE, Note

FILE = "notes.sqlite"  # its name in a folder of logs
_VERSION = 1  # of the table below; a later one is neither read nor written
_PATIENCE = 5.0  # seconds to wait for another process that writes
_TABLE = (
    "CREATE TABLE IF NOT EXISTS notes "
    "(log TEXT PRIMARY KEY, name TEXT NOT NULL, note TEXT NOT NULL, starred INTEGER NOT NULL)"
)


class NotesError(FormicariumError):
    """Notes that cannot be read or written; the message names their file."""


class Notes:
    """The notes about the logs in ``folder``, by the names of their files."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def read(self) -> Mapping[str, Note]:
        """Return all notes; NotesError if the file is damaged or of a later version."""
        if not self.path.exists():
            return {}
        with self._opened("read") as connection:
            rows = connection.execute("SELECT log, name, note, starred FROM notes").fetchall()
        return {
            str(log): Note(str(name)[:LONGEST_NOTE], str(note)[:LONGEST_NOTE], bool(star))
            for log, name, note, star in rows
        }

    def put(self, log: str, note: Note) -> None:
        """Keep ``note`` about the file ``log``, or raise NotesError."""
        with self._opened("kept") as connection, connection:
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute(
                "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)",
                (log, note.name[:LONGEST_NOTE], note.note[:LONGEST_NOTE], note.starred),
            )

    @contextlib.contextmanager
    def _opened(self, what: str) -> Iterator[sqlite3.Connection]:
        try:
            if self.path.exists():
                open_regular(self.path, NotesError).close()
            need_harmless_files(self.path)
            with contextlib.closing(sqlite3.connect(self.path, _PATIENCE)) as connection:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if version > _VERSION:
                    raise NotesError(
                        f"{self.path}: written by a later version of Formicarium: update this one"
                    )
                need_plain_tables(connection)
                yield connection
        except (sqlite3.Error, OSError, UnicodeError) as error:
            why = sentence_for(error) if isinstance(error, OSError) else str(error)
            raise NotesError(
                f"{self.path}: names and notes of runs cannot be {what} ({why}); "
                "if the file is damaged, move it away: new notes begin a new one"
            ) from error
