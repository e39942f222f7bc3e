"""Keeps the results of a study, to be published: small, and without names of machines."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gpu.batch.reading import object_of, opened, sentences
from gpu.batch.results import numbered
from gpu.core.words import without_folders


def write_slim(path: Path, out: Path) -> None:
    """Write what is in the file of a study at ``path`` to a new file ``out``.

    Curves and solutions are left out, though not their digests. Machines have numbers in the place
    of names, and errors name files without their folders.
    StoreError if one of the files cannot be used, or ``out`` is there.
    """
    with opened(path) as connection, sentences(out):
        connection.execute("ROLLBACK")  # no copy can be made in mid-transaction
        connection.execute("VACUUM INTO ?", (str(out),))
        with closing(sqlite3.connect(out, isolation_level=None)) as made:
            made.execute("PRAGMA journal_mode = DELETE")
            made.execute("DELETE FROM points")
            made.create_function("without_folders", 1, without_folders)
            made.execute(
                "UPDATE runs SET solution = NULL, error = without_folders(error), "
                "reason = without_folders(reason)"
            )
            rows = made.execute("SELECT id, description FROM hosts ORDER BY id").fetchall()
            hosts = numbered(object_of(text) for _, text in rows)
            made.executemany(
                "UPDATE hosts SET description = ? WHERE id = ?",
                [(json.dumps(host), row[0]) for host, row in zip(hosts, rows, strict=True)],
            )
            made.execute("VACUUM")
