"""The recorded runs of folders: a row for each log, and what the user has written about it.

Notes are kept in a file beside the logs, an SQLite database. A change writes one row, whole or not
at all, even if the process is killed, and several windows may write at once without losing each
other's changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

from msgspec import Meta

from gpu.core.colony import never
from gpu.core.cost_curve import RunCurves
from gpu.core.cost_unit import Decimals
from gpu.core.databases import need_harmless_files, need_plain_tables
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import LARGEST_FILE, open_regular
from gpu.core.formats import parameter_value
from gpu.core.problem import Problem
from gpu.core.records import Count, Real, record_of
from gpu.core.words import counted, shown
from gpu.run.log.recorded import curves_of
from gpu.run.log.rows import CUT_OFF, LONGEST_NOTE, UNREADABLE, Note, RunRow, RunSummary
from gpu.run.log.run_log import LOG_FORMAT, read_log
from gpu.run.session import InstanceReference, SessionError

FILE = "notes.sqlite"  # its name in a folder of logs
_VERSION = 1  # of the table below; a later one is neither read nor written
_WRITER_PATIENCE = 5.0  # seconds to wait for another process that writes
_NOTES_TABLE = (
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
            connection.execute(_NOTES_TABLE)
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
            with contextlib.closing(sqlite3.connect(self.path, _WRITER_PATIENCE)) as connection:
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


_LONGEST_FIRST = 1 << 20  # most bytes of a log's first line
_TAIL_BYTES = 1 << 14  # bytes that are read at once in search of the last line
_LONGEST_TEXT = 200  # characters of a text of the log that a list shows


def summary_of_log(path: Path) -> RunSummary:
    """Read the first and the last line of the log at ``path``.

    Never raises: a file that is no whole log becomes a row that says so.
    """
    try:
        with open_regular(path, SessionError) as file:
            first, last = _ends(file)
        return summary_of(path, _object(first), None if last is None else _object(last))
    except FormicariumError as error:
        return _unreadable(path, str(error).removeprefix(shown(f"{path}: ")))
    except OSError as error:
        error.filename = None
        return _unreadable(path, sentence_for(error))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return _unreadable(path, "it is not a run's log")


@dataclass(frozen=True)
class _Named:
    """What the first line tells of the instance that was solved."""

    name: str
    n: Count
    problem: Problem
    unit: str = ""
    decimals: Decimals = 0


@dataclass(frozen=True)
class _Chosen:
    """What the first line tells of the session."""

    instance: InstanceReference
    colony: str
    device: str
    seed: Annotated[int, Meta(ge=0)]
    parameters: dict[str, Any]
    version: str = ""


@dataclass(frozen=True)
class _FirstLine:
    """The first line of a log."""

    kind: Literal["session"]
    started: datetime
    session: _Chosen
    instance: _Named


@dataclass(frozen=True)
class _LastLine:
    """The last line of a log, whatever it tells of."""

    kind: str = ""
    ending: str = ""
    reason: str = ""
    best: Count | None = None
    gap_percent: Annotated[float, Meta(ge=-(2.0**63), le=2.0**63)] | None = None
    proved: bool | None = None
    iteration: Count | None = None
    solutions: Count | None = None
    seconds: Real | None = None
    changes: Count | None = None
    changes_of_cities: Count | None = None


def summary_of(path: Path, first: Mapping[str, Any], last: Mapping[str, Any] | None) -> RunSummary:
    """Return the row for a log with these two lines; ``last`` is None if there is only one.

    KeyError, TypeError, ValueError or SessionError if they are not the lines of a log.
    """
    if first["format"] > LOG_FORMAT:
        raise SessionError(f"{path}: written by a later version of Formicarium: update this one")
    head = record_of(_FirstLine, first, SessionError, "not a run's log")
    session, instance = head.session, head.instance
    json.dumps(session.parameters, allow_nan=False)  # raises where a number is none
    values = {**(last or {})}
    values["solutions"] = values.get(instance.problem.words.solutions)
    end = record_of(_LastLine, values, SessionError, "not a run's log")
    if end.kind == "outcome" and not end.ending:
        raise SessionError("not a run's log: its last line says no ending")
    changed = f"{counted(end.changes, 'change')} in mid-run" if end.changes else ""
    of_cities = end.changes if end.changes_of_cities is None else end.changes_of_cities
    return RunSummary(
        path=path,
        state=_line(end.ending) if end.kind == "outcome" else CUT_OFF,
        reason=_line(end.reason),
        started=head.started.astimezone(),
        problem=instance.problem,
        unit=_line(instance.unit),
        decimals=instance.decimals,
        instance=_line(instance.name),
        digest=_line(f"{session.instance.sha256} {session.instance.read_as}"),
        n=instance.n,
        colony=_line(session.colony),
        device=_line(session.device),
        seed=session.seed,
        parameters=MappingProxyType(session.parameters),
        changed=", ".join(filter(None, (_changed(first["session"]), changed))),
        of_other_cities=bool(of_cities),
        best=end.best,
        gap_percent=end.gap_percent,
        proved=bool(end.proved),
        iterations=end.iteration,
        solutions=end.solutions,
        seconds=end.seconds,
        version=_line(session.version),
        alike="" if changed else _alike(first["session"]),
    )


def _ends(file: BinaryIO) -> tuple[bytes, bytes | None]:
    """Return the first line, and the last complete one if there is another."""
    size = os.fstat(file.fileno()).st_size
    if not size:
        raise SessionError("it is empty: its run was killed as it began")
    if size > LARGEST_FILE:
        raise SessionError(f"it has {size} bytes; at most {LARGEST_FILE} are read")
    first = file.readline(_LONGEST_FIRST)
    if not first.endswith(b"\n"):
        if len(first) < _LONGEST_FIRST:
            raise SessionError("its run was killed while the first line was written")
        raise SessionError("it is not a run's log: its first line is too long")
    begin = len(first)
    tail, at = b"", size
    # Two line ends are around the last complete line; behind it may be a part of one more.
    while at > begin and tail.count(b"\n") < 2:
        step = min(max(_TAIL_BYTES, len(tail)), at - begin)
        at -= step
        file.seek(at)
        tail = file.read(step) + tail
    *whole, _ = tail.split(b"\n")
    return first, whole[-1] if whole else None


def _object(line: bytes) -> Mapping[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _changed(session: Mapping[str, Any]) -> str:
    """Return the parameters that the user or an aim chose: those unlike the colony's paper's."""
    from gpu import catalog

    rows = [row for row in catalog.CATALOG if row.name == session["colony"]]
    usual = rows[0].parameters().to_dict() if rows else {}
    automatic = "chosen" in session  # else the log does not say what the colony chose itself
    asked = {**session["parameters"], **session.get("chosen", {})}
    differing = [
        f"{name} {parameter_value(value)}"
        for name, value in asked.items()
        if name not in usual or (value != usual[name] and (automatic or usual[name] is not None))
    ]
    return _line(", ".join(differing))


def _alike(session: Mapping[str, Any]) -> str:
    """Return a digest of all that decides a run but its seed and where its files were."""
    start = dict(session.get("start") or {})  # raises where a stranger's log has no table there
    instance = session["instance"]
    parts = [instance["sha256"] or instance["path"], instance["name"], start.get("sha256")]
    parts += [session.get(name) for name in ("colony", "device", "parameters", "stop", "version")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _unreadable(path: Path, why: str) -> RunSummary:
    return RunSummary(path, UNREADABLE, shown(why, _LONGEST_TEXT))


def _line(text: str) -> str:
    """Return a text of a log as a list shows it."""
    return shown(" ".join(text.split()), _LONGEST_TEXT)


LOG_SUFFIX = ".jsonl"  # of logs
MOST_CURVES = 200  # that are remembered


class ArchiveRows(NamedTuple):
    """What an archive holds now."""

    rows: list[RunRow]  # the latest run first
    wrong: str  # a sentence about what could not be read; mostly empty


class Archive:
    """Reads the logs in ``folders``. Any thread may call it; a log is read again if it changed."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(dict.fromkeys(folders))
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[tuple[int, int], RunSummary]] = {}
        self._curves: dict[Path, tuple[tuple[int, int], RunCurves]] = {}

    def look_in(self, folder: Path) -> None:
        """Read the logs in this folder, too, from now on."""
        self.folders = tuple(dict.fromkeys((*self.folders, folder)))

    def read(self, cancelled: Callable[[], bool] = never) -> ArchiveRows:
        """Return a row for each log; those that are read, if somebody has ``cancelled``."""
        rows: list[RunRow] = []
        wrong: list[str] = []
        with self._lock:
            for folder in self.folders:
                try:
                    notes = Notes(folder).read()
                except NotesError as error:
                    notes = {}
                    wrong.append(str(error))
                try:
                    found = self._logs(folder)
                except OSError as error:
                    if folder.exists():
                        wrong.append(sentence_for(error))
                    continue
                for path, stamp in found:
                    if cancelled():
                        break
                    rows.append(RunRow(self._summary(path, stamp), notes.get(path.name, Note())))
        rows.sort(key=_age, reverse=True)
        return ArchiveRows(rows, "; ".join(wrong))

    def curve(self, path: Path) -> RunCurves:
        """Return the curve of the log at ``path``, thinned to what a plot can show.

        FormicariumError if the log cannot be read.
        """
        try:
            status = path.stat()
        except OSError as error:
            raise SessionError(f"{path}: the log is not there any more") from error
        stamp = status.st_size, status.st_mtime_ns
        known = self._curves.get(path)
        if known is None or known[0] != stamp:
            known = stamp, curves_of(read_log(path)).thinned()
            self._curves[path] = known
            while len(self._curves) > MOST_CURVES:
                self._curves.pop(next(iter(self._curves)), None)
        return known[1]

    def put(self, log: Path, note: Note) -> None:
        """Keep what the user has written about ``log``; NotesError if that is impossible."""
        with contextlib.suppress(OSError):  # the note itself says what is wrong with its folder
            log.parent.mkdir(parents=True, exist_ok=True)
        Notes(log.parent).put(log.name, note)

    def _logs(self, folder: Path) -> list[tuple[Path, tuple[int, int]]]:
        """Return the path of each log in ``folder``, and what changes if the file does."""
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(LOG_SUFFIX):
                    continue
                try:
                    status = entry.stat()
                except OSError:  # it has just been removed, or is a link to nowhere or to itself
                    continue
                if stat.S_ISREG(status.st_mode):
                    found.append((folder / entry.name, (status.st_size, status.st_mtime_ns)))
        return found

    def _summary(self, path: Path, stamp: tuple[int, int]) -> RunSummary:
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = stamp, summary_of_log(path)
        return known[1]


def _age(row: RunRow) -> tuple[float, str]:
    started = row.run.started
    return (0.0 if started is None else started.timestamp()), row.run.path.name
