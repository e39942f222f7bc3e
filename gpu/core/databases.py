"""SQLite files that others may have made: only plain tables are read and written."""

from __future__ import annotations

import sqlite3

from gpu.core.files import LARGEST_FILE

_OTHERS = """
SELECT count(*) FROM sqlite_master WHERE NOT (
    sql IS NULL OR sql LIKE 'CREATE TABLE %' OR sql LIKE 'CREATE INDEX %'
    OR sql LIKE 'CREATE UNIQUE INDEX %'
)
"""


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
