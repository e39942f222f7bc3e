"""The file of a study: one SQLite database, whole after a kill at any moment."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from gpu import __version__
from gpu.batch.design import limits_of
from gpu.batch.file_lock import FileLock
from gpu.batch.plan import Configuration, Plan, PlannedInstance
from gpu.batch.reading import StoreError, is_empty, results_of, sentences
from gpu.batch.record import Record, bytes_of, digest_of
from gpu.batch.results import DONE, FAILED, RUNNING, STATES, WAITING, StudyResults
from gpu.batch.schema import ADDED, APPLICATION_ID, TABLES, VERSION
from gpu.core.databases import need_harmless_files
from gpu.core.errors import sentence_for
from gpu.core.files import exists, open_regular

Do = Callable[..., sqlite3.Cursor]
"""Does one statement of a transaction, with its values."""


class Store:
    """The results of a study, to be written by one process at a time.

    The file at ``path`` is made if there is none. StoreError if it is no study's file, or of a
    later version, or another process works on it, or it cannot be written; every method may raise
    it for the last reason. Threads may take turns; two at once may not call methods.

    Each method is one transaction, which is on the disk when the method returns: SQLite keeps a
    write-ahead log (WAL), and waits for the disk (synchronous = FULL), so that not even a loss of
    power takes away a run that has ended. Other processes may read at any time.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with sentences(path):
            if exists(path):  # SQLite would wait for a pipe
                open_regular(path, StoreError).close()
            need_harmless_files(path)
        try:
            self._lock = FileLock(path)
        except BlockingIOError as error:
            raise StoreError(
                f"{path}: another process works on this study: wait for its end, or stop it"
            ) from error
        except OSError as error:
            error.filename = None  # the file beside it, which users need not know
            raise StoreError(f"{path}: it cannot be written ({sentence_for(error)})") from error
        try:
            with sentences(path):
                self._connection = self._opened(path)
        except BaseException:
            self._lock.release()
            raise

    def _opened(self, path: Path) -> sqlite3.Connection:
        made = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            empty = is_empty(made, path)
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                made.execute(f"PRAGMA {pragma}")
            with _transaction(made) as do:
                (version,) = do("PRAGMA user_version").fetchone()
                tables = [TABLES] if empty else []
                tables += [text for since, text in ADDED.items() if version < since]
                for statement in filter(str.strip, "".join(tables).split(";\n")):
                    do(statement)
                do(f"PRAGMA application_id = {APPLICATION_ID}")
                do(f"PRAGMA user_version = {VERSION}")
                do("UPDATE runs SET state = ? WHERE state = ?", WAITING, RUNNING)
        except BaseException:
            made.close()
            raise
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Nothing is lost if that is never called.

        It is left without a log, unless somebody reads it now: to read a database with a log,
        SQLite writes files beside it, which it cannot in a folder that is read-only.
        """
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        with suppress(sqlite3.Error):  # a full disk: all is in the write-ahead log
            self._connection.close()
        self._lock.release()

    def adopt(self, plan: Plan) -> int:
        """Add those runs of ``plan`` that the file does not have; return how many.

        The first ones are batch 1. Runs that are added later are a batch of their own, because a
        report must say that they were not planned from the beginning. Labels may change.

        StoreError if a run has ended and the file has runs that the plan has not: a study may then
        grow, but what was planned stays, or its results would be chosen afterwards.
        """
        keyed = {run.key: run for run in plan.runs}
        with self._transaction() as do:
            (begun,) = do("SELECT count(*) FROM runs WHERE state != ?", WAITING).fetchone()
            if not begun:  # the design may still change
                for table in ("runs", "batches", "configurations", "instances", "study"):
                    do(f"DELETE FROM {table}")
            known = dict(do("SELECT key, configuration FROM runs"))
            if missing := len(known.keys() - keyed.keys()):
                raise StoreError(
                    f"{self.path}: it has {missing} runs of a study that are not in this design: "
                    "name another file for another study; a design may be extended, but nothing "
                    "may be taken out of it or changed"
                )
            do(
                "INSERT INTO study SELECT ?, ?, ? WHERE NOT EXISTS (SELECT * FROM study)",
                *(plan.design.title, _now(), json.dumps(plan.design.limits)),
            )
            do("UPDATE study SET title = ?", plan.design.title)
            new = [key for key in keyed if key not in known]
            batch = self._begin_batch(do, plan, len(new))
            numbers = _Numbers(do)
            for key, run in keyed.items():
                configuration = numbers.of_configuration(run.configuration)
                if key not in known:
                    do(
                        "INSERT INTO runs (key, instance, configuration, seed, batch, budget, "
                        "start_sha256) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        *(key, numbers.of_instance(run.instance), configuration, run.seed, batch),
                        *(json.dumps(limits_of(run.budget)), run.start and run.start.sha256),
                    )
                elif known[key] != configuration:
                    do("UPDATE runs SET configuration = ? WHERE key = ?", configuration, key)
            do("DELETE FROM configurations WHERE id NOT IN (SELECT configuration FROM runs)")
        return len(new)

    def waiting(self, *, with_failed: bool = False) -> list[str]:
        """Return the keys of the runs that are still to be done, in the plan's order.

        With ``with_failed``, failed runs wait again.
        """
        with self._transaction() as do:
            if with_failed:
                do("UPDATE runs SET state = ?, error = '' WHERE state = ?", WAITING, FAILED)
            return [
                key for (key,) in do("SELECT key FROM runs WHERE state = ? ORDER BY id", WAITING)
            ]

    def begin(self, key: str) -> None:
        """Note that a run begins now."""
        with self._transaction() as do:
            do(
                "UPDATE runs SET state = ?, started = ? WHERE key = ? AND state = ?",
                *(RUNNING, _now(), key, WAITING),
            )

    def give_up(self) -> None:
        """Note that every run which had begun and has not ended waits again."""
        with self._transaction() as do:
            do("UPDATE runs SET state = ?, started = NULL WHERE state = ?", WAITING, RUNNING)

    def finish(self, record: Record) -> bool:
        """Keep the end of a run; return False, and keep nothing, if the run had ended before."""
        with self._transaction() as do:
            row = do("SELECT id, state FROM runs WHERE key = ?", record.key).fetchone()
            if row is None or row[1] in (DONE, FAILED):
                return False
            number = row[0]
            host = _Numbers(do).of_host(record.host) if record.host else None
            solution = record.solution
            kept = None if solution is None else zlib.compress(bytes_of(solution), 1)
            do(
                "UPDATE runs SET state = ?, error = ?, reason = ?, host = ?, "
                "started = coalesce(?, started), parameters = ?, seconds = ?, iterations = ?, "
                "solutions = ?, best = ?, best_iteration = ?, gap_percent = ?, "
                "solution_sha256 = ?, solution = ? WHERE id = ?",
                *(record.state, record.reason if record.state == FAILED else "", record.reason),
                *(host, record.started or None, json.dumps(dict(record.parameters))),
                *(record.seconds, record.iterations, record.solutions, record.best),
                *(record.best_iteration, record.gap_percent),
                *(None if solution is None else digest_of(solution), kept, number),
            )
            if record.curve is not None:
                self._connection.executemany(
                    "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        (number, place, iteration, seconds, built, int(cost))
                        for place, (iteration, built, seconds, cost) in enumerate(record.curve.rows)
                    ),
                )
            for phase, milliseconds in record.phases.items():
                do("INSERT INTO phases VALUES (?, ?, ?)", number, phase, milliseconds)
            for what, count in record.counts.items():
                do("INSERT INTO counts VALUES (?, ?, ?)", number, what, count)
        return True

    def counts(self) -> dict[str, int]:
        """Return how many runs are in each state."""
        with self._transaction() as do:
            found = dict(do("SELECT state, count(*) FROM runs GROUP BY state"))
        return {state: found.get(state, 0) for state in STATES}

    def results(self) -> StudyResults:
        """Return everything as reports read it."""
        with sentences(self.path):
            return results_of(self._connection)

    def _begin_batch(self, do: Do, plan: Plan, runs: int) -> int:
        (batch,) = do("SELECT coalesce(max(batch), 0) + 1 FROM batches").fetchone()
        if runs:
            do(
                "INSERT INTO batches VALUES (?, ?, ?, ?, ?)",
                *(batch, _now(), runs, plan.text, __version__),
            )
        return int(batch)

    @contextmanager
    def _transaction(self) -> Iterator[Do]:
        with sentences(self.path), _transaction(self._connection) as do:
            yield do


class _Numbers:
    """The numbers of rows that runs refer to; a row is added where there is none."""

    def __init__(self, do: Do) -> None:
        self._do = do
        self._known: dict[tuple[str, object], int] = {}

    def of_instance(self, one: PlannedInstance) -> int:
        sha256 = one.reference.sha256
        row = (one.name, sha256, one.n, one.problem, one.optimum)
        return self._of("instances", "name, sha256, n, problem, optimum", row, "sha256", sha256)

    def of_configuration(self, one: Configuration) -> int:
        values = json.dumps(dict(one.values))
        row = (one.label, one.colony, one.aim, one.device, values)
        key = hashlib.sha256(json.dumps(row).encode()).hexdigest()[:32]
        columns = "label, colony, aim, device, parameters, key"
        return self._of("configurations", columns, (*row, key), "key", key)

    def of_host(self, host: Any) -> int:
        description = json.dumps(dict(host), sort_keys=True)
        names = ("version", "commit", "device", "model", "driver")
        columns = ", ".join(f'"{name}"' for name in (*names, "description"))
        row = (*(str(host.get(name, "")) for name in names), description)
        return self._of("hosts", columns, row, "description", description)

    def _of(
        self, table: str, columns: str, row: Sequence[object], unique: str, value: object
    ) -> int:
        if (table, value) not in self._known:
            marks = ", ".join("?" * len(row))
            self._do(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", *row)
            found = self._do(f"SELECT id FROM {table} WHERE {unique} = ?", value).fetchone()
            self._known[table, value] = int(found[0])
        return self._known[table, value]


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[Do]:
    """Do statements together: all of them, or none where an error comes up."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield lambda statement, *values: connection.execute(statement, values)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk may have ended it already
            connection.execute("ROLLBACK")
        raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
