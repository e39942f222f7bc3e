"""How a run's cost fell, read from its log, and several such curves brought onto one axis."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.run.log.run_log import RunLog
from gpu.run.session import SessionError

MOST_POINTS = 2000  # of a curve that is drawn; more than a plot has pixels across

_LARGEST = 2**62  # a whole number beyond this is no count and no cost
_EXACT = 2**53  # costs are exact in float64 up to this


class Axis(enum.StrEnum):
    """What runs along the axis of a plot of curves."""

    ITERATIONS = "iterations"
    SOLUTIONS = "solutions"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Values at moments of a run, in their order. All arrays are read-only, of shape (k,)."""

    iterations: NDArray[np.int64]  # whole iterations until then
    solutions: NDArray[np.int64]  # tours (colorings) built until then
    seconds: NDArray[np.float64]  # seconds of solving until then
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def along(self, axis: Axis) -> NDArray[np.float64]:
        """Return the moments on ``axis``, float64 of shape (k,), ascending."""
        return np.asarray(getattr(self, axis.value), np.float64)

    def points(self, axis: Axis, optimum: int | None = None) -> NDArray[np.float64]:
        """Return (moment, value), float64 of shape (k, 2).

        With the ``optimum``, the values become gaps to it in %.
        """
        values = self.values if optimum is None else gap_percent(self.values, optimum)
        return np.column_stack([self.along(axis), values])

    def at(self, axis: Axis, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the last value at or before each of ``places``; NaN before the first value."""
        rows = np.searchsorted(self.along(axis), places, side="right") - 1
        if not len(self):
            return np.full(len(places), math.nan)
        return np.where(rows >= 0, self.values[np.maximum(rows, 0)], math.nan)

    def thinned(self, most: int = MOST_POINTS) -> Self:
        """Return at most ``most`` >= 2 of the rows, evenly chosen, among them both ends."""
        if len(self) <= most:
            return self
        kept = np.linspace(0, len(self) - 1, most).round().astype(np.int64)
        return type(self)(
            frozen(self.iterations[kept]),
            frozen(self.solutions[kept]),
            frozen(self.seconds[kept]),
            frozen(self.values[kept]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The curves of one run."""

    best: Series  # one row for each improvement, and one for the last known state: whole costs
    means: Series  # mean cost of the solutions of an iteration, or of an interval of iterations
    latest: Series  # at the same moments, the least cost of those solutions
    optimum: int | None  # the best known cost; None if unknown or 0

    @property
    def solved(self) -> bool:
        """Whether the run has reached the best known cost."""
        known = self.optimum is not None and len(self.best) > 0
        return known and bool(self.best.values[-1] <= self.optimum)

    def thinned(self, most: int = MOST_POINTS) -> Self:
        """Return the same run with at most ``most`` rows in each series."""
        best, means, latest = (one.thinned(most) for one in (self.best, self.means, self.latest))
        return type(self)(best, means, latest, self.optimum)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Mean, lowest and highest value of several runs; all arrays have the shape (k,)."""

    places: NDArray[np.float64]  # moments on the axis, ascending
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    runs: int  # of how many runs


def curve_of(log: RunLog) -> Curve:
    """Return the curves that are recorded in ``log``, of any version.

    SessionError if a number in it is none.
    """
    built = log.session.system.problem.words.solutions
    single = log.header["format"] == 1  # then any line has the mean of one iteration
    lines = [*log.records, *([log.outcome] if log.outcome else [])]
    try:
        best = [_best_row(line, built) for line in _improvements(lines)]
        looks = [
            line
            for line in lines
            if line.get("iteration_mean") is not None
            and (single or line.get("kind") != "improvement")
        ]
        means = [(*_moment(line, built), _number(line["iteration_mean"])) for line in looks]
        latest = [(*_moment(line, built), _number(line["iteration_best"])) for line in looks]
        instance = log.header.get("instance")
        optimum = instance.get("optimum") if isinstance(instance, dict) else None
        edited = any(change.cities for change in log.made)
        known = None if optimum is None or edited else _count(optimum)
    except (KeyError, TypeError, ValueError) as error:
        raise SessionError(f"{log.path}: not a run's log: a number in it is none") from error
    return Curve(_series(best, falling=not edited), _series(means), _series(latest), known or None)


def gap_percent(costs: NDArray[np.float64], optimum: int) -> NDArray[np.float64]:
    """Return how far ``costs`` lie above ``optimum`` > 0, in %."""
    return 100.0 * (costs - optimum) / optimum


def band_of(
    series: Sequence[Series], axis: Axis, *, ended: Sequence[bool] = (), most: int = MOST_POINTS
) -> Band:
    """Return mean, lowest and highest of at least one series, at most ``most`` moments.

    A value stays until the next one. The band begins where all have a value. It ends where the
    first run ends: what that one would have found later, nobody knows. Runs that have ``ended`` for
    good, because they found the best known cost, keep it and do not end the band.
    """
    ended = ended or (False,) * len(series)
    full = [one for one in series if len(one)]
    if len(full) < len(series) or not full:
        empty = frozen(np.empty(0))
        return Band(empty, empty, empty, empty, len(series))
    moments = [one.along(axis) for one in full]
    begin = max(one[0] for one in moments)
    last = [one[-1] for one in moments]
    end = min((at for at, done in zip(last, ended, strict=True) if not done), default=max(last))
    places = np.unique(np.concatenate([*moments, [begin, end]]))
    places = places[(places >= begin) & (places <= end)]
    if len(places) > most:
        places = places[np.linspace(0, len(places) - 1, most).round().astype(np.int64)]
    values = np.stack([one.at(axis, places) for one in full])
    mean, low, high = values.mean(axis=0), values.min(axis=0), values.max(axis=0)
    return Band(frozen(places), frozen(mean), frozen(low), frozen(high), len(series))


def _improvements(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the lines with a better cost than all before, and the last line with a cost."""
    found: list[Mapping[str, Any]] = []
    last = None
    for line in lines:
        if line["best"] is None:
            continue
        last = line
        if not found or line["best"] < found[-1]["best"] or line.get("cities"):
            found.append(line)  # after a change of the cities all costs are others
    # The last state counts for its moment, not for when its best solution was found.
    return found if last is None else [*found, {**last, "best_iteration": None}]


def _best_row(line: Mapping[str, Any], built: str) -> tuple[int, int, float, float]:
    """Return where the best solution of ``line`` was found, and its cost.

    A line may be of a later iteration than its best solution: several are made between two looks.
    Every iteration builds as many solutions.
    """
    iteration, solutions, seconds = _moment(line, built)
    cost = _count(line["best"])
    if cost > _EXACT:
        raise ValueError("no cost of a solution")
    found = line.get("best_iteration")
    if found is None or not 0 <= _count(found) <= iteration or not iteration:
        return iteration, solutions, seconds, cost
    return found, solutions * found // iteration, seconds, cost


def _moment(line: Mapping[str, Any], built: str) -> tuple[int, int, float]:
    return _count(line["iteration"]), _count(line[built]), _number(line["seconds"])


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise ValueError("not a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise ValueError("not a number")
    return float(value)


def _series(rows: Sequence[tuple[int, int, float, float]], *, falling: bool = False) -> Series:
    """Return ``rows`` as a series, whose moments never go back even if a log says so."""
    columns = list(zip(*rows, strict=True)) or [()] * 4
    kinds = np.int64, np.int64, np.float64, np.float64
    *moments, values = (np.array(one, kind) for one, kind in zip(columns, kinds, strict=True))
    if falling:
        values = np.minimum.accumulate(values)
    parts = [*(np.maximum.accumulate(one) for one in moments), values]
    return Series(*map(frozen, parts))
