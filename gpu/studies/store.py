"""The file of a study: one SQLite database, whole after a kill at any moment."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gpu import __version__
from gpu.core.cost_curve import CostCurve
from gpu.core.databases import FileLock, need_harmless_files, need_plain_tables
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import LARGEST_FILE, exists, is_full, open_regular
from gpu.core.records import Count, Real, record_of
from gpu.core.words import without_folders
from gpu.studies.cases import (
    DONE,
    FAILED,
    RUNNING,
    STATES,
    WAITING,
    Case,
    CaseInstance,
    CaseRecord,
    CaseRow,
    Configuration,
    StudyResults,
    bytes_of,
    digest_of,
    numbered,
    solution_of,
)
from gpu.studies.design import limits_of
from gpu.studies.plan import Plan
from gpu.studies.store_tables import ADDED, APPLICATION_ID, FIRST_TABLES, STORE_VERSION

_COUNTED_SINCE = 4
_UNCOUNTED = "state = 'done' AND (iterations = 0 OR (best_iteration = 0 AND start_sha256 IS NULL))"
"""Runs that versions before ``_COUNTED_SINCE`` counted, though no ant had built their best: they
wait to be done again."""


_DAMAGED = "it is damaged, or was changed by another program"
_Points = list[tuple[Count, Count, Real, Count]]
_FULL, _IO, _NO_DATABASE = sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB


class StoreError(FormicariumError):
    """A study's file that cannot be used; the message names it and says why."""


class DamagedError(FormicariumError):
    """A value that this program has not written; the message says where."""


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Raise what goes wrong with the file at ``path`` as a StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of it gives details
        what = f"it cannot be used ({error})"
        if code == _FULL or (code == _IO and is_full(path.parent)):
            what = "the disk is full: make room, and start the study again; no run is lost"
        elif code == _NO_DATABASE:
            what = "it is not the file of a study"
        raise StoreError(f"{path}: {what}") from error
    except (
        *(ArithmeticError, LookupError, RecursionError, TypeError, ValueError),
        zlib.error,
    ) as error:
        if isinstance(error, FormicariumError):
            raise
        raise StoreError(f"{path}: {_DAMAGED}") from error
    except DamagedError as error:
        raise StoreError(f"{path}: {_DAMAGED} ({error})") from error
    except OSError as error:
        raise StoreError(f"{path}: it cannot be used ({error.strerror or error})") from error


def is_empty(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether nothing is in the file yet; StoreError if it is no study's, or a later version's.

    sqlite3.Error if it is damaged, or has more than tables.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not tables and not application:
        return True
    if application != APPLICATION_ID:
        raise StoreError(f"{path}: it is the database of another program, not of a study")
    if version > STORE_VERSION:
        raise StoreError(f"{path}: written by a later version of Formicarium: update this one")
    need_plain_tables(connection)
    return False


def read_results(path: Path) -> StudyResults:
    """Return what is in the file of a study, whoever works on it; or raise StoreError."""
    with opened(path) as connection:
        return results_of(connection)


def read_records(path: Path, cases: Mapping[str, Case]) -> Iterator[CaseRecord]:
    """Yield those of ``cases``, by key, that are done in the file of a study; or raise StoreError.

    Runs of a version with other defaults are left out.
    """
    with opened(path) as connection:
        rows = _read(
            connection,
            "runs.key, reason, coalesce(started, '') AS started, runs.parameters, best_iteration, "
            "solution, configurations.parameters AS planned",
            "FROM runs JOIN configurations ON configurations.id = runs.configuration "
            f"WHERE {state_of(connection)} = '{DONE}'",
        )
        for values in rows:
            planned, case = object_of(values.pop("planned")), cases.get(values["key"])
            if case is not None and case.configuration.agrees_with(planned):
                if values["solution"] is not None:
                    values["solution"] = unpacked(values["solution"])
                yield record_of(CaseRecord, values, DamagedError, "runs")


def read_ended(path: Path) -> set[str]:
    """Return the keys of the runs in the file of a study that have ended; or raise StoreError."""
    with opened(path) as connection:
        rows = connection.execute(f"SELECT key, {state_of(connection)} FROM runs")
        return {str(key) for key, state in rows if state in (DONE, FAILED)}


class CaseExtent(NamedTuple):
    """How far a run came, and of which commit the program was that made it."""

    instance: str
    label: str
    state: str
    iterations: int
    solutions: int
    seconds: float
    commit: str


def read_extents(path: Path) -> Sequence[CaseExtent]:
    """Return how far each run in the file of a study came; or raise StoreError. It is quick."""
    with opened(path) as connection:
        rows = connection.execute(
            f"SELECT name, label, {state_of(connection)}, iterations, solutions, seconds, "
            "coalesce(\"commit\", '') FROM runs JOIN instances ON instances.id = runs.instance "
            "JOIN configurations ON configurations.id = runs.configuration "
            "LEFT JOIN hosts ON hosts.id = runs.host ORDER BY runs.id"
        )
        return [record_of(CaseExtent, list(row), DamagedError, "runs") for row in rows]


def read_limits(path: Path) -> dict[str, float]:
    """Return the seconds that runs in the file of a study may take, by the instance's name.

    StoreError if it is none. Instances whose runs have no such limit are left out.
    """
    with opened(path) as connection:
        rows = connection.execute(
            "SELECT DISTINCT name, budget FROM runs JOIN instances ON instances.id = runs.instance"
        )
        found = {str(name): object_of(budget).get("seconds") for name, budget in rows}
    return {name: float(one) for name, one in found.items() if isinstance(one, int | float)}


def read_design_text(path: Path) -> str:
    """Return the latest design in the file of a study, as TOML; or raise StoreError."""
    with opened(path) as connection:
        last = "SELECT design FROM batches ORDER BY batch DESC LIMIT 1"
        return str(connection.execute(last).fetchone()[0])


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file of a study that has begun; all is read as it is at one moment."""
    with sentences(path):
        open_regular(path, StoreError).close()
        need_harmless_files(path)
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("BEGIN")
            begun = not is_empty(connection, path)
            if not begun or connection.execute("SELECT * FROM study").fetchone() is None:
                raise StoreError(f"{path}: no study has begun in it")
            yield connection


def results_of(connection: sqlite3.Connection) -> StudyResults:
    """Read everything; may raise what :func:`sentences` catches."""
    title, created, budget = connection.execute(
        "SELECT title, created, budget FROM study"
    ).fetchone()
    known = {name for _, name, *_ in connection.execute("PRAGMA table_info(instances)")}
    units = "unit, decimals, " if "unit" in known else ""  # which older files do not have
    rows = _read(
        connection,
        f"runs.key, name AS instance, n, optimum, {units}label, colony, "
        "configurations.parameters, device, "
        "seed, batch, error",
        "FROM runs JOIN instances ON instances.id = runs.instance "
        "JOIN configurations ON configurations.id = runs.configuration",
    )
    read = tuple(record_of(CaseRow, values, DamagedError, "runs") for values in rows)
    hosts = tuple(_hosts(connection).values())
    return StudyResults(str(title), str(created), len(read), object_of(budget), read, hosts)


def _read(connection: sqlite3.Connection, columns: str, where: str) -> Iterator[dict[str, Any]]:
    """Yield these ``columns`` of runs and what came of them, by the names that cases have."""
    hosts, points = _hosts(connection), defaultdict(list)
    for run, *point in connection.execute(
        "SELECT run, iteration, solutions, seconds, best FROM points ORDER BY run, number"
    ):
        points[run].append(point)
    phases, counts = _numbers(connection, "phases"), _numbers(connection, "counts")
    rows = connection.execute(
        f"SELECT {columns}, runs.id AS run, host, {state_of(connection)} AS state, best, "
        f"gap_percent, seconds, iterations, solutions {where} ORDER BY runs.id"
    )
    names = [name for name, *_ in rows.description]
    for row in rows:
        values: dict[str, Any] = dict(zip(names, row, strict=True))
        run, host = values.pop("run"), values["host"]
        values["host"] = {} if host is None else hosts[host]
        values["parameters"] = object_of(values["parameters"])
        values["phases"], values["counts"] = phases.get(run, {}), counts.get(run, {})
        if values["state"] == DONE:
            curve = record_of(_Points, points.get(run, ()), DamagedError, "points")
            values["curve"] = CostCurve.of(curve)
        yield values


def state_of(connection: sqlite3.Connection) -> str:
    """Return what a statement reads the state of a run by."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version >= _COUNTED_SINCE:
        return "state"
    return f"CASE WHEN {_UNCOUNTED} THEN '{WAITING}' ELSE state END"


def _hosts(connection: sqlite3.Connection) -> dict[int, dict[str, Any]]:
    rows = connection.execute("SELECT id, description FROM hosts ORDER BY id")
    return {number: object_of(text) for number, text in rows}


def _numbers(connection: sqlite3.Connection, table: str) -> dict[int, dict[str, float]]:
    """Return the numbers of each run in a ``table``, which older files do not have."""
    found: dict[int, dict[str, float]] = defaultdict(dict)
    known = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
    if connection.execute(known, (table,)).fetchone()[0]:
        for run, name, value in connection.execute(f"SELECT * FROM {table}"):
            found[run][name] = value
    return found


def unpacked(data: bytes) -> NDArray[np.int32]:
    """Return the solution of a run, shape (n,), as it is kept; ValueError or zlib.error if none."""
    unpacking = zlib.decompressobj()
    solution = solution_of(unpacking.decompress(data, LARGEST_FILE))
    if not unpacking.eof:
        raise ValueError("no whole solution")
    return solution


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object in ``text`` of a file; ValueError or TypeError if there is none."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return value


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
                tables = [FIRST_TABLES] if empty else []
                tables += [text for since, text in ADDED.items() if version < since]
                for statement in filter(str.strip, "".join(tables).split(";\n")):
                    do(statement)
                if version < _COUNTED_SINCE:
                    _let_wait(do, _UNCOUNTED)
                do(f"PRAGMA application_id = {APPLICATION_ID}")
                do(f"PRAGMA user_version = {STORE_VERSION}")
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
        report must say that they were not planned from the beginning. Labels may change. Runs of a
        version with other defaults wait to be done again.

        StoreError if a run has ended and the file has runs that the plan does not have: a study may
        then grow, but what was planned stays, or its results would be chosen afterwards.
        """
        keyed = {run.key: run for run in plan.cases}
        with self._transaction() as do:
            (begun,) = do("SELECT count(*) FROM runs WHERE state != ?", WAITING).fetchone()
            if not begun:  # the design may still change
                for table in ("runs", "batches", "configurations", "instances", "study"):
                    do(f"DELETE FROM {table}")
            known = dict(do("SELECT key, configuration FROM runs"))
            planned = dict(do("SELECT id, parameters FROM configurations"))
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
                    if not run.configuration.agrees_with(object_of(planned[known[key]])):
                        _let_wait(do, "key = ?", key)
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

    def finish(self, record: CaseRecord) -> bool:
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

    def of_instance(self, one: CaseInstance) -> int:
        sha256, unit = one.reference.sha256, one.cost_unit
        shown = unit.name, unit.decimals, one.reference.read_as
        row = (one.name, sha256, one.n, one.problem, one.optimum, *shown)
        columns = "name, sha256, n, problem, optimum, unit, decimals, read_as"
        return self._of("instances", columns, row, "sha256", sha256)

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


def _let_wait(do: Do, where: str, *values: object) -> None:
    """Let the runs ``where`` that is so be done again."""
    for table in ("points", "phases", "counts"):
        do(f"DELETE FROM {table} WHERE run IN (SELECT id FROM runs WHERE {where})", *values)
    do(f"UPDATE runs SET state = '{WAITING}', started = NULL WHERE {where}", *values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
