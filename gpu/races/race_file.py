"""A race as a file, with what was recorded when it was run. Nothing in such a file is trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gpu import __version__
from gpu.core.bounds import LowerBound
from gpu.core.cost_curve import CostCurve
from gpu.core.errors import FormicariumError, SolutionError
from gpu.core.files import open_regular, read_regular
from gpu.core.instance import Instance
from gpu.core.records import Count, Real, plain, record_of
from gpu.core.words import shown
from gpu.races.race import LaneBudget, Race, RaceError, check_lanes
from gpu.races.race_standings import LANE_POINTS_MOST, LaneRecord, bound_of_lanes
from gpu.run.bounding import bound_shown_by
from gpu.run.outcome import Ending
from gpu.run.session import Session
from gpu.run.stopping import StopSettings

RACE_FILE_FORMAT = 1  # version of the file's format. A reader refuses later versions.
RACE_FILE_ENDING = ".race.json"  # of the file's name

_RACE_BEGINNING = re.compile(rb'\s*\{\s*"kind"\s*:\s*"race"')
_LANE_NUMBERS = ("iterations", "solutions", "seconds", "spent")  # of a record, and in a file
_TEXT_LONGEST = 4_000  # characters of a reason or of a path that are kept


@dataclass(frozen=True, slots=True)
class RecordedRace:
    """What is in a file."""

    path: Path  # the file
    race: Race
    records: tuple[LaneRecord, ...]  # one a lane, empty where the lane never ran; no solutions yet
    written: tuple[list[int] | None, ...]  # their best solutions, as the file has them
    witness: list[int] | None = None  # of the lower bound, as the file has it

    def with_solutions(self, instance: Instance) -> tuple[LaneRecord, ...]:
        """Return the records with their solutions, and with the lower bound.

        RaceError if one of them is no solution of ``instance``, or has another cost than recorded,
        or if there is a witness of a bound that shows none.
        """
        found, bound = [], self._bound(instance)
        for number, (record, written) in enumerate(zip(self.records, self.written, strict=True), 1):
            try:
                solution = None if written is None else instance.read(written)
                right = solution is None or instance.cost_of(solution) == record.cost
            except SolutionError:
                right = False
            if not right:
                noun, cost = instance.problem.words.solution, "what it says"
                if record.cost is not None:
                    cost = instance.cost_unit.text(record.cost, "")
                raise RaceError(
                    f"{self.path}: what it records as the best {noun} of lane {number} is none of "
                    f"{instance.name}, or does not cost {cost}: save the race anew"
                )
            found.append(replace(record, solution=solution, bound=bound))
        return tuple(found)

    def _bound(self, instance: Instance) -> LowerBound | None:
        if self.witness is None:
            return None
        try:
            return bound_shown_by(instance, np.array(self.witness, np.int64) - 1)
        except (SolutionError, OverflowError) as error:
            raise RaceError(f"{self.path}: {error}: save the race anew") from error


@dataclass(frozen=True, slots=True)
class _RaceInFile:
    """What a file has beside instance, problem and version, which are for those who read it."""

    kind: Literal["race"]
    format: Count
    budget: LaneBudget
    in_turn: bool
    lanes: list[dict[str, Any]]  # of each its session, _LaneInFile, and its best solution
    witness: list[int] | None = None  # what shows the lower bound; older files have none


@dataclass(frozen=True, slots=True)
class _LaneInFile:
    log: str
    ending: Ending | None
    reason: str
    iterations: Count
    solutions: Count
    seconds: Real
    spent: Real
    best: Count | None
    curve: list[tuple[Real, Real, Real, Real]]  # iteration, solutions, seconds, cost

    @property
    def record(self) -> LaneRecord:
        """The record, without its solution; RaceError if the curve is none."""
        steps = np.diff(np.array(self.curve, np.float64).reshape(-1, 4), axis=0)
        if not ((steps[:, 3] < 0).all() and (steps[:, :3] >= 0).all()):
            raise RaceError("these are no points of a curve of best costs")
        if len(self.curve) > LANE_POINTS_MOST:
            raise RaceError(f"a curve has at most {LANE_POINTS_MOST} points")
        return LaneRecord(
            **{name: getattr(self, name) for name in _LANE_NUMBERS},
            curve=CostCurve.of(self.curve),
            cost=self.best,
            ending=self.ending,
            reason=shown(self.reason, _TEXT_LONGEST),
            log=self.log[:_TEXT_LONGEST],
        )


def text_of(race: Race, records: Sequence[LaneRecord], instance: Instance) -> str:
    """Return the contents of a race's file."""
    lanes = []
    for session, record in zip(race.sessions, records, strict=True):
        lane = {
            "session": session.to_dict(),
            **{name: getattr(record, name) for name in ("log", "ending", "reason", *_LANE_NUMBERS)},
            "best": record.cost,
            "curve": np.array(record.curve.rows, np.float64).tolist(),
        }
        solution = None if record.solution is None else instance.written(record.solution)
        lanes.append({**lane, instance.problem.words.written: solution})
    content = {
        "kind": "race",
        "format": RACE_FILE_FORMAT,
        "version": __version__,
        "instance": plain(race.instance),
        "problem": instance.problem.value,
        "budget": plain(race.budget),
        "in_turn": race.in_turn,
    }
    if (bound := bound_of_lanes(records)) is not None:
        content["witness"] = (bound.witness + 1).tolist()
    fields = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    lines = ",\n".join(f"    {json.dumps(lane, allow_nan=False)}" for lane in lanes)
    fields.append(f'  "lanes": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def is_race(path: Path) -> bool:
    """Whether the file is called a race, or begins like one; False where it cannot be read."""
    if path.name.endswith(RACE_FILE_ENDING):
        return True
    try:
        with open_regular(path, RaceError) as file:
            return _RACE_BEGINNING.match(file.read(200)) is not None
    except (OSError, ValueError, FormicariumError):
        return False


def read_race(path: Path) -> RecordedRace:
    """Read a race's file, or raise RaceError."""
    data = read_regular(path, RaceError, "it is empty: save the race anew")
    try:
        content = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        what = "it is not the file of a race, or it is cut off; save the race again"
        raise RaceError(f"{path}: {what}") from error
    if not isinstance(content, dict) or content.get("kind") != "race":
        raise RaceError(f"{path}: not a race that Formicarium has saved")
    version = content.get("format")
    if isinstance(version, int) and version > RACE_FILE_FORMAT:
        raise RaceError(f"{path}: written by a later version of Formicarium: update this one")
    try:
        return _recorded(path, record_of(_RaceInFile, content, RaceError, "not a race"))
    except FormicariumError as error:
        raise RaceError(f"{path}: {error}") from error


def _recorded(path: Path, found: _RaceInFile) -> RecordedRace:
    check_lanes(len(found.lanes))
    sessions, records, written = [], [], []
    for number, lane in enumerate(found.lanes, 1):
        where = f"lane {number}"
        values = record_of(dict[str, Any], lane.get("session"), RaceError, f"{where}, session")
        session = replace(Session.from_dict(values), stop=StopSettings())
        name = session.system.problem.words.written
        if name not in lane:
            raise RaceError(f"{where} has no {name}")
        sessions.append(session)
        records.append(record_of(_LaneInFile, lane, RaceError, where).record)
        written.append(
            record_of(list[int] | None, lane[name], RaceError, f"{where}, {name}")  # type: ignore[arg-type]
        )
    race = Race(tuple(sessions), found.budget, found.in_turn)
    for number, session in enumerate(race.sessions, 1):
        if session.instance.sha256 != race.instance.sha256:
            raise RaceError(f"lane {number} is on another instance than lane 1")
    return RecordedRace(path, race, tuple(records), tuple(written), found.witness)
