"""Keeps the results of a study small: without curves and solutions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from gpu.study.reading import opened, sentences


def write_slim(path: Path, out: Path) -> None:
    """Write what is in the file of a study at ``path`` to a new file ``out``.

    Everything else but curves, solutions and paths stays, the digests of solutions among it.
    StoreError if one of the files cannot be used, or ``out`` is there.
    """
    with opened(path) as connection, sentences(out):
        connection.execute("ROLLBACK")  # no copy can be made in mid-transaction
        connection.execute("VACUUM INTO ?", (str(out),))
        with closing(sqlite3.connect(out, isolation_level=None)) as made:
            made.execute("PRAGMA journal_mode = DELETE")
            made.execute("DELETE FROM points")
            made.execute("UPDATE runs SET solution = NULL")
            made.execute("VACUUM")
