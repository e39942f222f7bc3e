"""Reads the file of a study, also while another process writes it."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.batch.record import Record, solution_of
from gpu.batch.results import DONE, FAILED, RunRow, StudyResults
from gpu.batch.schema import APPLICATION_ID, VERSION
from gpu.core.cost_curve import CostCurve
from gpu.core.databases import need_harmless_files, need_plain_tables
from gpu.core.errors import FormicariumError
from gpu.core.files import LARGEST_FILE, is_full, open_regular

LARGEST_NUMBER = 2**63 - 1  # as SQLite has them; a run has none beyond it
_FULL, _IO, _NO_DATABASE = sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB


class StoreError(FormicariumError):
    """A study's file that cannot be used; the message names it and says why."""


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
        raise StoreError(f"{path}: it is damaged, or was changed by another program") from error
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
    if version > VERSION:
        raise StoreError(f"{path}: written by a later version of Formicarium: update this one")
    need_plain_tables(connection)
    return False


def read_results(path: Path) -> StudyResults:
    """Return what is in the file of a study, whoever works on it; or raise StoreError."""
    with opened(path) as connection:
        return results_of(connection)


def read_records(path: Path, keys: Collection[str]) -> Iterator[Record]:
    """Yield the runs with these keys that are done in the file of a study; or raise StoreError."""
    wanted = set(keys)
    with opened(path) as connection:
        curves, phases = _curves(connection), _numbers(connection, "phases", since=2)
        counts = _numbers(connection, "counts", since=3)
        rows = connection.execute(
            "SELECT runs.id, key, reason, started, description, parameters, seconds, iterations, "
            "solutions, best, best_iteration, gap_percent, solution FROM runs "
            "JOIN hosts ON hosts.id = runs.host WHERE state = ? ORDER BY runs.id",
            (DONE,),
        )
        for number, key, reason, started, host, parameters, *result, solution in rows:
            if key not in wanted:
                continue
            seconds, iterations, solutions, best, best_iteration, gap = result
            yield Record(
                key=str(key),
                state=DONE,
                reason=str(reason),
                started=str(started),
                host=object_of(host),
                parameters=object_of(parameters),
                seconds=_real(seconds),
                iterations=_whole(iterations),
                solutions=_whole(solutions),
                best=_maybe(_whole, best),
                best_iteration=_maybe(_whole, best_iteration),
                gap_percent=_maybe(_real, gap),
                solution=None if solution is None else _solution(solution),
                curve=curves.get(number, CostCurve.of()),
                phases=phases.get(number, {}),
                counts={what: _whole(count) for what, count in counts.get(number, {}).items()},
            )


def read_ended(path: Path) -> set[str]:
    """Return the keys of the runs in the file of a study that have ended; or raise StoreError."""
    with opened(path) as connection:
        rows = connection.execute("SELECT key FROM runs WHERE state IN (?, ?)", (DONE, FAILED))
        return {str(key) for (key,) in rows}


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
    hosts = {
        number: object_of(text)
        for number, text in connection.execute("SELECT id, description FROM hosts ORDER BY id")
    }
    curves, phases = _curves(connection), _numbers(connection, "phases", since=2)
    counts = _numbers(connection, "counts", since=3)
    rows = connection.execute(
        "SELECT runs.id, name, n, optimum, label, colony, configurations.parameters, device, "
        "seed, batch, state, error, best, gap_percent, seconds, iterations, solutions, host "
        "FROM runs JOIN instances ON instances.id = runs.instance "
        "JOIN configurations ON configurations.id = runs.configuration ORDER BY runs.id"
    )
    read = tuple(
        RunRow(
            instance=str(name),
            n=_whole(n),
            optimum=_maybe(_whole, optimum),
            label=str(label),
            colony=str(colony),
            parameters=object_of(parameters),
            device=str(device),
            seed=_whole(seed),
            batch=_whole(batch),
            state=str(state),
            error=str(error),
            best=_maybe(_whole, best),
            gap_percent=_maybe(_real, gap),
            seconds=_real(seconds),
            iterations=_whole(iterations),
            solutions=_whole(solutions),
            curve=curves.get(number, CostCurve.of()) if state == DONE else None,
            host={} if host is None else hosts[host],
            phases=phases.get(number, {}),
            counts={what: _whole(count) for what, count in counts.get(number, {}).items()},
        )
        for number, name, n, optimum, label, colony, parameters, device, seed, batch, state, error,
        best, gap, seconds, iterations, solutions, host in rows
    )  # fmt: skip
    limits = object_of(budget)
    return StudyResults(str(title), str(created), len(read), limits, read, tuple(hosts.values()))


def _curves(connection: sqlite3.Connection) -> dict[int, CostCurve]:
    points: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for run, iteration, seconds, built, cost in connection.execute(
        "SELECT run, iteration, seconds, solutions, best FROM points ORDER BY run, number"
    ):
        points[run].append((iteration, built, _real(seconds), cost))
    return {run: CostCurve.of(some) for run, some in points.items()}


def _numbers(connection: sqlite3.Connection, table: str, since: int) -> dict[int, dict[str, float]]:
    """Return the numbers of each run in a ``table`` that files have ``since`` a version."""
    found: dict[int, dict[str, float]] = defaultdict(dict)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version >= since:
        for run, name, value in connection.execute(f"SELECT * FROM {table}"):
            found[run][str(name)] = _real(value)
    return found


def _solution(data: bytes) -> NDArray[np.int32]:
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


def _whole(value: Any) -> int:
    """Return a whole number of a file; SQLite keeps any text in a column of numbers."""
    number = int(value)
    if abs(number) > LARGEST_NUMBER:
        raise ValueError("no number of a run")
    return number


def _real(value: Any) -> float:
    number = float(value)
    if not abs(number) <= LARGEST_NUMBER:
        raise ValueError("no number of a run")
    return number


def _maybe(kind: Callable[[Any], Any], value: object) -> Any:
    return None if value is None else kind(value)
