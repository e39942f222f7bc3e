"""Costs over the time of a run, and several such curves brought onto one axis."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.history import Improvement

CURVE_POINTS_MOST = 2000  # of a curve that is drawn; more than a plot has pixels across

CurveRow = tuple[float, float, float, float]
"""Whole iterations, solutions built and seconds of solving until then, and the cost."""


class RunAxis(enum.StrEnum):
    """What runs along the axis of a plot of curves."""

    ITERATIONS = "iterations"
    SOLUTIONS = "solutions"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, eq=False)
class CostCurve:
    """Costs at moments of a run, in their order. All arrays are read-only, of shape (k,)."""

    iterations: NDArray[np.int64]  # whole iterations until then
    solutions: NDArray[np.int64]  # tours (colorings) built until then
    seconds: NDArray[np.float64]  # seconds of solving until then
    costs: NDArray[np.float64]  # exact up to 2^53

    @classmethod
    def of(cls, rows: Iterable[CurveRow] = ()) -> Self:
        """Make a curve of its rows."""
        columns = list(zip(*rows, strict=True)) or [()] * 4
        iterations, solutions = (frozen(np.array(one, np.int64)) for one in columns[:2])
        seconds, costs = (frozen(np.array(one, np.float64)) for one in columns[2:])
        return cls(iterations, solutions, seconds, costs)

    @classmethod
    def of_improvements(cls, improvements: Iterable[Improvement]) -> Self:
        """Make the curve of the best cost of a run."""
        return cls.of(
            (one.iteration, one.solutions_built, one.seconds, one.cost) for one in improvements
        )

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def rows(self) -> list[CurveRow]:
        """All rows, as :meth:`of` takes them."""
        columns = (self.iterations, self.solutions, self.seconds, self.costs)
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def improved(self, rows: Iterable[CurveRow], most: int) -> Self:
        """Return this curve of a best cost with those of ``rows`` behind it that are better.

        If there are more than ``most``, every second one is forgotten.
        """
        kept = self.rows
        for row in rows:
            if not kept or row[-1] < kept[-1][-1]:
                if len(kept) == most:
                    kept = kept[:1] + kept[1::2]
                kept.append(row)
        return type(self).of(kept)

    def along(self, axis: RunAxis) -> NDArray[np.float64]:
        """Return the moments on ``axis``, float64 of shape (k,), ascending."""
        return np.asarray(getattr(self, axis.value), np.float64)

    def points(self, axis: RunAxis, optimum: int | None = None) -> NDArray[np.float64]:
        """Return (moment, cost), float64 of shape (k, 2).

        With the ``optimum``, the costs become gaps to it in %.
        """
        costs = self.costs if optimum is None else gap_percent(self.costs, optimum)
        return np.column_stack([self.along(axis), costs])

    def at(self, axis: RunAxis, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the last cost at or before each of ``places``; NaN before the first one."""
        rows = np.searchsorted(self.along(axis), places, side="right") - 1
        if not len(self):
            return np.full(len(places), math.nan)
        return np.where(rows >= 0, self.costs[np.maximum(rows, 0)], math.nan)

    def reached(self, cost: float, axis: RunAxis = RunAxis.SECONDS) -> float | None:
        """Return where on ``axis`` a best cost came down to ``cost``; None if it did not."""
        if not len(self) or self.costs[-1] > cost:
            return None
        return float(self.along(axis)[np.argmax(self.costs <= cost)])

    def thinned(self, most: int = CURVE_POINTS_MOST) -> Self:
        """Return at most ``most`` >= 2 of the rows, evenly chosen, among them both ends."""
        if len(self) <= most:
            return self
        kept = np.linspace(0, len(self) - 1, most).round().astype(np.int64)
        rows = self.rows
        return type(self).of(rows[at] for at in kept.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class RunCurves:
    """The curves of one run."""

    best: CostCurve  # one row for each improvement, and one for the last known state: whole costs
    means: CostCurve  # mean cost of the solutions of an iteration, or of several iterations
    latest: CostCurve  # at the same moments, the least cost of those solutions
    optimum: int | None  # the best known cost; None if unknown or 0

    @property
    def solved(self) -> bool:
        """Whether the run has reached the best known cost."""
        return self.optimum is not None and self.best.reached(self.optimum) is not None

    def thinned(self, most: int = CURVE_POINTS_MOST) -> Self:
        """Return the same run with at most ``most`` rows in each curve."""
        best, means, latest = (one.thinned(most) for one in (self.best, self.means, self.latest))
        return type(self)(best, means, latest, self.optimum)


@dataclass(frozen=True, slots=True, eq=False)
class CostBand:
    """Mean, lowest and highest cost of several runs; all arrays have the shape (k,)."""

    places: NDArray[np.float64]  # moments on the axis, ascending
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    runs: int  # of how many runs


def gap_percent(costs: NDArray[np.float64], optimum: int) -> NDArray[np.float64]:
    """Return how far ``costs`` lie above ``optimum`` > 0, in %."""
    return 100.0 * (costs - optimum) / optimum


def cost_band(
    curves: Sequence[CostCurve],
    axis: RunAxis,
    *,
    ended: Sequence[bool] = (),
    most: int = CURVE_POINTS_MOST,
) -> CostBand:
    """Return mean, lowest and highest of at least one curve, at most ``most`` moments.

    A cost stays until the next one. The band begins where all have a cost. It ends where the
    first run ends: what that one would have found later, nobody knows. Runs that have ``ended`` for
    good, because they found the best known cost, keep it and do not end the band.
    """
    ended = ended or (False,) * len(curves)
    full = [one for one in curves if len(one)]
    if len(full) < len(curves) or not full:
        empty = frozen(np.empty(0))
        return CostBand(empty, empty, empty, empty, len(curves))
    moments = [one.along(axis) for one in full]
    begin = max(one[0] for one in moments)
    last = [one[-1] for one in moments]
    end = min((at for at, done in zip(last, ended, strict=True) if not done), default=max(last))
    places = np.unique(np.concatenate([*moments, [begin, end]]))
    places = places[(places >= begin) & (places <= end)]
    if len(places) > most:
        places = places[np.linspace(0, len(places) - 1, most).round().astype(np.int64)]
    costs = np.stack([one.at(axis, places) for one in full])
    mean, low, high = costs.mean(axis=0), costs.min(axis=0), costs.max(axis=0)
    return CostBand(frozen(places), frozen(mean), frozen(low), frozen(high), len(curves))
