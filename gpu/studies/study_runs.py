"""The runs of a study, as a list of runs has them, and each of them as a run's log."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from gpu import catalog
from gpu.core.colony import never
from gpu.core.cost_curve import CostCurve, RunCurves
from gpu.core.cost_unit import Decimals
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists, read_regular
from gpu.core.instance import Instance, Solution
from gpu.core.problem import Problem
from gpu.core.records import Count, Real, record_of
from gpu.core.words import counted, shown
from gpu.problems.document import read_bytes
from gpu.run.log.rows import RunSummary
from gpu.run.log.run_log import LOG_FORMAT
from gpu.run.outcome import Ending
from gpu.run.session import InstanceReference, Session, StartReference
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE, FAILED
from gpu.studies.design import Design
from gpu.studies.plan import is_pattern, matching
from gpu.studies.store import DamagedError, StoreError, object_of, opened, state_of, unpacked

_KEY = re.compile(r"[0-9a-f]{32}")
_ENDINGS = {DONE: Ending.FINISHED.value, FAILED: Ending.FAILED.value}
_LONGEST_TEXT = 200  # characters of a text that a list shows
_PLACES = {"cuda": "cuda:0"}  # a device of each kind whose name is another one
_COUNTS = {  # names of a log by those of a study's file
    "local_hits": "local_hits",
    "local_total": "local_updates",
    "global_hits": "global_hits",
    "global_total": "global_updates",
    "ants": "changes_tried",
    "won": "changes_won",
    "merged": "changes_merged",
}


def place_of(study: Path, key: str) -> Path:
    """Return what tells a run from all others: the study's file, and the run's key below it."""
    return study / key


def study_of(place: Path) -> Path | None:
    """Return the file of the study whose run ``place`` is; None if it is no run of a study."""
    study = place.parent
    return study if _KEY.fullmatch(place.name) and exists(study) and study.is_file() else None


@dataclass(frozen=True)
class _Ended:
    """A run of a study that has ended, as its file has it."""

    key: str
    instance: str
    sha256: str
    n: Count
    problem: Problem
    optimum: Count | None
    configuration: int
    label: str
    colony: str
    aim: str
    device: str
    planned: dict[str, Any]
    parameters: dict[str, Any]
    seed: Annotated[int, Meta(ge=0)]
    budget: dict[str, Any]
    start_sha256: str | None
    state: str
    reason: str
    started: str | None
    seconds: Real
    iterations: Count
    solutions: Count
    best: Annotated[int, Meta(ge=0, le=2**53)] | None
    best_iteration: Count | None
    gap_percent: float | None
    version: str
    unit: str = ""
    decimals: Decimals = 0
    read_as: str = ""

    @property
    def began(self) -> datetime | None:
        """When it began."""
        return datetime.fromisoformat(self.started).astimezone() if self.started else None

    @property
    def ending(self) -> str:
        """How it ended, as a log says it."""
        return _ENDINGS[self.state]


def _ended(
    connection: sqlite3.Connection, where: str = "1", *values: object
) -> Iterator[tuple[int, _Ended]]:
    """Yield the runs that have ended, with their numbers in the file, in the order of the plan."""
    known = {name for _, name, *_ in connection.execute("PRAGMA table_info(instances)")}
    units = "unit, decimals, read_as, " if "unit" in known else ""  # not in older files
    state = state_of(connection)
    rows = connection.execute(
        f"SELECT runs.id AS run, runs.key, name AS instance, sha256, n, problem, optimum, {units}"
        "configuration, label, colony, aim, configurations.device, configurations.parameters AS "
        "planned, coalesce(runs.parameters, '{}') AS parameters, seed, budget, start_sha256, "
        f"{state} AS state, reason, started, seconds, iterations, solutions, best, "
        "best_iteration, gap_percent, coalesce(version, '') AS version FROM runs "
        "JOIN instances ON instances.id = runs.instance "
        "JOIN configurations ON configurations.id = runs.configuration "
        f"LEFT JOIN hosts ON hosts.id = runs.host WHERE {state} IN ('{DONE}', '{FAILED}') "
        f"AND {where} ORDER BY runs.id",
        values,
    )
    names = [name for name, *_ in rows.description]
    for row in rows:
        found: dict[str, Any] = dict(zip(names, row, strict=True))
        for name in ("planned", "parameters", "budget"):
            found[name] = object_of(found[name])
        yield found.pop("run"), record_of(_Ended, found, DamagedError, "runs")


def summaries(study: Path) -> tuple[RunSummary, ...]:
    """Return a row for the study in this file, and one for each of its runs that has ended.

    StoreError if the file is none of a study.
    """
    with opened(study) as connection:
        title, created = connection.execute("SELECT title, created FROM study").fetchone()
        (planned,) = connection.execute("SELECT count(*) FROM runs").fetchone()
        runs = [_summary(study, str(title), one) for _, one in _ended(connection)]
    failed = sum(one.state == Ending.FAILED.value for one in runs)
    begun = [one.started for one in runs if one.started is not None]
    title = _line(str(title))
    whole = RunSummary(
        path=study,
        state=f"{len(runs)} of {counted(planned, 'run')}"
        + (f", {failed} failed" if failed else ""),
        reason=str(study),
        started=min(begun) if begun else datetime.fromisoformat(created).astimezone(),
        instance=title,
        seconds=sum(one.seconds or 0.0 for one in runs),
        study=title,
        members=len(runs),
    )
    return whole, *runs


def _summary(study: Path, title: str, one: _Ended) -> RunSummary:
    alike = (str(study), one.sha256, str(one.configuration), str(one.budget), one.version)
    return RunSummary(
        path=place_of(study, one.key),
        state=one.ending,
        reason=_line(one.reason),
        started=one.began,
        problem=one.problem,
        unit=_line(one.unit),
        decimals=one.decimals,
        instance=_line(one.instance),
        digest=_line(f"{one.sha256} {one.read_as}"),
        n=one.n,
        colony=_line(one.colony),
        device=_line(one.device),
        seed=one.seed,
        parameters=MappingProxyType(one.parameters or one.planned),
        changed=_line(one.label),
        best=one.best,
        gap_percent=one.gap_percent,
        iterations=one.iterations,
        solutions=one.solutions,
        seconds=one.seconds,
        version=_line(one.version),
        alike=hashlib.sha256("\n".join(alike).encode()).hexdigest(),
        study=_line(title),
    )


def curves_of(place: Path) -> RunCurves:
    """Return the curves of a run: of its best cost, for a study keeps no others.

    StoreError if the study's file cannot be read, or has no such run, or no curve of it.
    """
    study = place.parent
    with opened(study) as connection:
        number, one = _one(connection, study, place.name)
        curve = _curve(connection, number)
    if not len(curve):
        raise StoreError(f"{study}: it keeps no curve of {_named(one)}")
    end = (
        max(one.iterations, int(curve.iterations[-1])),
        max(one.solutions, int(curve.solutions[-1])),
    )
    seconds, cost = max(one.seconds, float(curve.seconds[-1])), float(curve.costs[-1])
    best = CostCurve.of([*curve.rows, (*end, seconds, cost)])
    return RunCurves(best, CostCurve.of(), CostCurve.of(), one.optimum or None).thinned()


@dataclass(frozen=True, slots=True)
class CaseLog:
    """A run of a study as the lines of a log."""

    session: Session
    header: Mapping[str, Any]  # the first line
    records: tuple[Mapping[str, Any], ...]  # about improvements
    outcome: Mapping[str, Any]  # the last line

    @property
    def lines(self) -> tuple[Mapping[str, Any], ...]:
        """All lines, in their order."""
        return self.header, *self.records, self.outcome


def case_log(place: Path, find: Callable[[InstanceReference, Path], Instance]) -> CaseLog:
    """Return the log of a run of a study, as if the run had been made alone.

    ``find`` loads the instance that a reference means, which may have moved; the path is that of
    the study's file.

    Raises
    ------
    StoreError
        If the study's file cannot be read, or has no such run.
    FormicariumError
        If the instance is not there, or the colony or a parameter is not known any more.
    """
    study = place.parent
    with opened(study) as connection:
        number, one = _one(connection, study, place.name)
        curve, counts = _curve(connection, number), _counts(connection, number)
        (packed,) = connection.execute(
            "SELECT solution FROM runs WHERE id = ?", (number,)
        ).fetchone()
        solution = None if packed is None else unpacked(packed)
        (text,) = connection.execute(
            "SELECT design FROM batches ORDER BY batch DESC LIMIT 1"
        ).fetchone()
        (described,) = connection.execute(
            "SELECT coalesce((SELECT description FROM hosts WHERE hosts.id = host), '{}') "
            "FROM runs WHERE id = ?",
            (number,),
        ).fetchone()
        host = object_of(described)
    design, folder = _design(str(text)), study.parent
    path = _path_of(one, design, folder)
    instance = find(InstanceReference(path, one.instance, one.sha256, one.read_as), study)
    session = _session(one, instance, design, folder)
    return CaseLog(
        session,
        _header(one, session, host),
        tuple(_improvement(one, *row) for row in curve.rows),
        _outcome(one, instance, counts, solution),
    )


def _one(connection: sqlite3.Connection, study: Path, key: str) -> tuple[int, _Ended]:
    found = next(_ended(connection, "runs.key = ?", key), None)
    if found is None:
        raise StoreError(f"{study}: it has no run {shown(key, 40)} that has ended")
    return found


def _curve(connection: sqlite3.Connection, number: int) -> CostCurve:
    rows = connection.execute(
        "SELECT iteration, solutions, seconds, best FROM points WHERE run = ? ORDER BY number",
        (number,),
    ).fetchall()
    return CostCurve.of(record_of(list[tuple[Count, Count, Real, Count]], rows, DamagedError, ""))


def _counts(connection: sqlite3.Connection, number: int) -> dict[str, int]:
    known = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'counts'"
    if not connection.execute(known).fetchone()[0]:
        return {}
    rows = connection.execute("SELECT what, count FROM counts WHERE run = ?", (number,))
    return {_COUNTS[what]: int(count) for what, count in rows if what in _COUNTS}


def _design(text: str) -> Design | None:
    """Return the design in a study's file; None if it is of a version that said it otherwise."""
    try:
        return Design.from_toml(text)
    except FormicariumError:
        return None


def _path_of(one: _Ended, design: Design | None, folder: Path) -> str:
    """Return where the instance's file is: a study's file keeps its digest, the design its path.

    The text is empty if that is not known: the file may be found by its name.
    """
    paths: list[Path] = []
    for text in design.instances if design else ():
        with suppress(InstanceError):  # nothing fits this pattern any more
            paths += matching(folder, text) if is_pattern(text) else [folder / text]
    paths.sort(key=lambda path: path.name.partition(".")[0] != one.instance)  # likely ones first
    for path in filter(Path.is_file, paths):
        with suppress(InstanceError):
            if hashlib.sha256(read_bytes(path)).hexdigest() == one.sha256:
                return str(path.absolute())
    return ""


def _start_of(one: _Ended, design: Design | None, folder: Path) -> StartReference | None:
    """Return what the run began with; a file that is not there any more is refused at the start."""
    if one.start_sha256 is None:
        return None
    starts = [colony.start for colony in design.colonies if colony.start] if design else []
    paths = [folder / text.replace("{instance}", one.instance) for text in starts]
    for path in filter(Path.is_file, paths):
        if hashlib.sha256(read_regular(path, InstanceError)).hexdigest() == one.start_sha256:
            return StartReference(str(path.absolute()), one.start_sha256)
    return StartReference(str((paths or [folder / "start.tour"])[0].absolute()), one.start_sha256)


def _session(one: _Ended, instance: Instance, design: Design | None, folder: Path) -> Session:
    kind = catalog.named(one.colony).parameters
    chosen = kind.from_record({**one.parameters, **one.planned})
    parameters = kind.from_record(one.parameters) if one.parameters else chosen
    return Session(
        instance=InstanceReference(
            str(instance.path.absolute()) if instance.path else "",
            *(one.instance, one.sha256, one.read_as),
        ),
        colony=one.colony,
        device=_PLACES.get(one.device, one.device),
        parameters=parameters.resolved(instance.n),
        chosen=chosen,
        seed=one.seed,
        stop=StopSettings.from_dict(one.budget),
        aim=one.aim,
        start=_start_of(one, design, folder),
        version=one.version,
        begins=False,
    )


def _header(one: _Ended, session: Session, host: Mapping[str, Any]) -> Mapping[str, Any]:
    facts = ("device", "model", "cores", "memory", "detail")
    versions = host.get("versions")
    return {
        "kind": "session",
        "format": LOG_FORMAT,
        "started": one.started,
        "session": session.to_dict(),
        "instance": {
            **{"name": one.instance, "n": one.n, "problem": one.problem.value},
            **{"unit": one.unit, "decimals": one.decimals, "optimum": one.optimum},
        },
        "device": {fact if fact != "device" else "name": host.get(fact) for fact in facts},
        "versions": versions if isinstance(versions, dict) else {},
    }


def _improvement(
    one: _Ended, iteration: float, built: float, seconds: float, cost: float
) -> Mapping[str, Any]:
    optimum = one.optimum
    return {
        "kind": "improvement",
        "iteration": int(iteration),
        "seconds": round(seconds, 6),
        one.problem.words.solutions: int(built),
        "best": int(cost),
        "best_iteration": int(iteration),
        "gap_percent": 100 * (cost - optimum) / optimum if optimum else None,
        "iteration_best": int(cost),
        "iteration_mean": None,
    }


def _outcome(
    one: _Ended, instance: Instance, counts: Mapping[str, int], solution: Solution | None
) -> Mapping[str, Any]:
    words = one.problem.words
    return {
        "kind": "outcome",
        "ending": one.ending,
        "reason": one.reason,
        "details": "",
        "iteration": one.iterations,
        "seconds": round(one.seconds, 6),
        words.solutions: one.solutions,
        "best": one.best,
        "best_iteration": one.best_iteration,
        "ants_best": one.best,
        "gap_percent": one.gap_percent,
        **counts,
        "proved": False,
        words.written: None if solution is None else instance.written(solution),
    }


def _named(one: _Ended) -> str:
    return f"{one.label} on {one.instance}, seed {one.seed}"


def _line(text: str) -> str:
    """Return a text of a study's file as a list shows it."""
    return shown(" ".join(text.split()), _LONGEST_TEXT)


class StudyArchive:
    """Reads the runs of studies. Any thread may call it; a file is read again if it changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[object, tuple[RunSummary, ...]]] = {}

    def read(
        self, studies: Iterable[Path], cancelled: Callable[[], bool] = never
    ) -> tuple[list[RunSummary], str]:
        """Return the rows of these files, and a sentence about those that cannot be read.

        Files that are not there any more, or in which no study has begun yet, have no rows.
        """
        rows: list[RunSummary] = []
        wrong: list[str] = []
        with self._lock:
            for path in dict.fromkeys(studies):
                if cancelled():
                    break
                if (stamp := _stamp(path)) is None:
                    continue
                known = self._known.get(path)
                if known is None or known[0] != stamp:
                    try:
                        known = self._known[path] = stamp, summaries(path)
                    except StoreError as error:
                        wrong.append(str(error))
                        continue
                rows += known[1]
        return rows, "; ".join(wrong)


def _stamp(path: Path) -> object:
    """Return what changes with a study's file or its write-ahead log; None if it is not there."""
    found = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            status = file.stat()
            found.append((file.name, status.st_size, status.st_mtime_ns))
    return tuple(found) if found and found[0][0] == path.name else None
