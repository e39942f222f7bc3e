"""A race as a file, with what was recorded when it was run. Nothing in such a file is trusted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu import __version__
from gpu.core.arrays import frozen
from gpu.core.cost_curve import CostCurve
from gpu.core.errors import FormicariumError
from gpu.core.files import open_regular, read_regular
from gpu.core.instance import Instance
from gpu.core.stop_limits import LARGEST
from gpu.core.words import shown
from gpu.run.outcome import Ending
from gpu.run.race.race import FEWEST, MOST, Budget, Race, RaceError
from gpu.run.race.race_records import LANE_POINTS_MOST, LaneRecord
from gpu.run.session import Session
from gpu.run.stopping import StopSettings

FORMAT = 1  # version of the file's format. A reader refuses later versions.
ENDING = ".race.json"  # of the file's name

_KIND = "race"
_BEGINNING = re.compile(rb'\s*\{\s*"kind"\s*:\s*"race"')
_NUMBERS = ("iterations", "solutions", "seconds", "spent")  # of a record; none is negative
_LONGEST_TEXT = 4_000  # characters of a reason or of a path that are kept


@dataclass(frozen=True, slots=True)
class RecordedRace:
    """What is in a file."""

    path: Path  # the file
    race: Race
    records: tuple[LaneRecord, ...]  # one a lane, empty where the lane never ran; no solutions yet
    written: tuple[list[int] | None, ...]  # their best solutions, as the file has them

    def with_solutions(self, instance: Instance) -> tuple[LaneRecord, ...]:
        """Return the records with their solutions.

        RaceError if one of them is no solution of ``instance``, or has another cost than recorded.
        """
        found = []
        for number, (record, written) in enumerate(zip(self.records, self.written, strict=True), 1):
            solution = None if written is None else _solution(instance, written)
            wrong = solution is None if written is not None else False
            if solution is not None:
                wrong = instance.cost_of(solution) != record.cost
            if wrong:
                noun = instance.problem.words.solution
                raise RaceError(
                    f"{self.path}: what it records as the best {noun} of lane {number} is none of "
                    f"{instance.name}, or does not cost {record.cost}: save the race anew"
                )
            found.append(replace(record, solution=solution))
        return tuple(found)


def text_of(race: Race, records: Sequence[LaneRecord], instance: Instance) -> str:
    """Return the contents of a race's file."""
    lanes = []
    for session, record in zip(race.sessions, records, strict=True):
        solution = record.solution
        lanes.append(
            {
                "session": session.to_dict(),
                "log": record.log,
                "ending": None if record.ending is None else record.ending.value,
                "reason": record.reason,
                **{name: getattr(record, name) for name in _NUMBERS},
                "best": record.cost,
                "curve": record.curve.rows,
                instance.problem.words.written: (
                    None if solution is None else instance.written(solution)
                ),
            }
        )
    content = {
        "kind": _KIND,
        "format": FORMAT,
        "version": __version__,
        "instance": asdict(race.instance),
        "problem": instance.problem.value,
        "budget": asdict(race.budget),
        "in_turn": race.in_turn,
    }
    fields = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    lines = ",\n".join(f"    {json.dumps(lane, allow_nan=False)}" for lane in lanes)
    fields.append(f'  "lanes": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def is_race(path: Path) -> bool:
    """Whether the file is called a race, or begins like one; False where it cannot be read."""
    if path.name.endswith(ENDING):
        return True
    try:
        with open_regular(path, RaceError) as file:
            return _BEGINNING.match(file.read(200)) is not None
    except (OSError, ValueError, FormicariumError):
        return False


def read_race(path: Path) -> RecordedRace:
    """Read a race's file, or raise RaceError."""
    data = read_regular(path, RaceError, "it is empty: save the race anew")
    try:
        content = json.loads(data.decode())
        if content["kind"] != _KIND:
            raise KeyError("kind")
        if content["format"] > FORMAT:
            raise RaceError("written by a later version of Formicarium: update this one")
        return _race_in(path, content)
    except FormicariumError as error:
        what = str(error).removeprefix(shown(f"{path}: "))
        raise RaceError(f"{path}: {what}") from error
    except (ValueError, RecursionError) as error:  # of JSON, of its encoding, or of a number
        what = "it is not the file of a race, or it is cut off; save the race again"
        raise RaceError(f"{path}: {what}") from error
    except (KeyError, TypeError, OverflowError) as error:
        raise RaceError(f"{path}: not a race that Formicarium has saved") from error


def _race_in(path: Path, content: Mapping[str, Any]) -> RecordedRace:
    lanes = content["lanes"]
    if not isinstance(lanes, list) or not FEWEST <= len(lanes) <= MOST:
        raise RaceError(f"a race has {FEWEST} to {MOST} lanes, and this one has another number")
    budget = Budget(_of(content["budget"]["kind"], str), content["budget"]["amount"])
    sessions, records, written = [], [], []
    for lane in lanes:
        session = Session.from_dict(_of(lane["session"], dict))
        sessions.append(replace(session, stop=StopSettings()))
        records.append(_record_in(lane))
        written.append(_written_in(lane, session.system.problem.words.written))
    race = Race(tuple(sessions), budget, _of(content["in_turn"], bool))
    for number, session in enumerate(race.sessions, 1):
        if session.instance.sha256 != race.instance.sha256:
            raise RaceError(f"lane {number} is on another instance than lane 1")
    return RecordedRace(path, race, tuple(records), tuple(written))


def _record_in(lane: Mapping[str, Any]) -> LaneRecord:
    numbers: dict[str, Any] = {}
    for name in _NUMBERS:
        value = lane[name]
        whole = name in ("iterations", "solutions")
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise TypeError(name)
        if not 0 <= value <= LARGEST or not math.isfinite(value):
            raise ValueError(name)
        numbers[name] = value
    curve, cost = lane["curve"], lane["best"]
    if cost is not None and (not isinstance(cost, int) or not 0 <= cost <= LARGEST):
        raise TypeError("best")
    return LaneRecord(
        curve=_curve_of(_of(curve, list)),
        **numbers,
        cost=cost,
        ending=None if lane["ending"] is None else Ending(lane["ending"]),
        reason=shown(_of(lane["reason"], str), _LONGEST_TEXT),
        log=_of(lane["log"], str)[:_LONGEST_TEXT],
    )


def _curve_of(rows: list[Any]) -> CostCurve:
    """Return a recorded curve; ValueError if its costs do not fall, or moments do."""
    points = np.array(rows, np.float64).reshape(-1, 4)
    steps = np.diff(points, axis=0)
    falls = (steps[:, -1] < 0).all() and (steps[:, :-1] >= 0).all()
    if not (np.isfinite(points).all() and (points >= 0).all() and falls):
        raise ValueError("these are no points of a curve of best costs")
    if len(points) > LANE_POINTS_MOST:
        raise ValueError(f"a curve has at most {LANE_POINTS_MOST} points")
    return CostCurve.of((i, s, t, cost) for i, s, t, cost in points.tolist())


def _written_in(lane: Mapping[str, Any], name: str) -> list[int] | None:
    written = lane[name]
    if written is None:
        return None
    if not all(type(one) is int for one in _of(written, list)):
        raise TypeError(name)
    return list(written)


def _of(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise TypeError(kind.__name__)
    return value


def _solution(instance: Instance, written: Sequence[int]) -> NDArray[np.int32] | None:
    """Return the solution that is ``written`` in an instance's own numbers; None if it is none."""
    numbers = instance.written(np.arange(instance.n, dtype=np.int32))
    places = {number: place for place, number in enumerate(numbers)}
    if len(written) != instance.n or not places.keys() >= set(written):
        return None
    solution = frozen(np.array([places[number] for number in written], dtype=np.int32))
    try:
        instance.cost_of(solution)
    except FormicariumError:
        return None
    return solution
