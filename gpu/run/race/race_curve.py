"""The best cost of a run as a curve: against iterations, solutions or seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ITERATION, SOLUTIONS, SECONDS, COST = range(4)  # columns of a curve
MOST_POINTS = 1 << 12  # improvements that are told apart


class BestCurve:
    """Improvements in their order; if they are very many, every second one is forgotten."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, float, float]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, iteration: float, solutions: float, seconds: float, cost: float) -> None:
        """Add a cost: the iteration that found it, what had been built and spent then.

        One that is no improvement is left out.
        """
        if self._rows and cost >= self._rows[-1][COST]:
            return
        if len(self._rows) == MOST_POINTS:
            self._rows = self._rows[:1] + self._rows[1::2]
        self._rows.append((iteration, solutions, seconds, cost))

    @property
    def points(self) -> NDArray[np.float64]:
        """Iteration, solutions built, seconds, and cost of each improvement, shape (k, 4)."""
        return np.array(self._rows, dtype=np.float64).reshape(-1, 4)

    def reached(self, cost: float) -> float | None:
        """Return after how many seconds ``cost`` was reached, or None if it was not."""
        low, high = 0, len(self._rows)
        while low < high:
            middle = (low + high) // 2
            if self._rows[middle][COST] <= cost:
                high = middle
            else:
                low = middle + 1
        return self._rows[low][SECONDS] if low < len(self._rows) else None

    def copy(self) -> BestCurve:
        """Return a curve that stays as this one is now."""
        same = BestCurve()
        same._rows = self._rows[:]
        return same

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> BestCurve:
        """Make a curve of recorded points; ValueError if they are none.

        Costs must fall, and nothing else may.
        """
        curve = cls()
        points = np.array(rows, dtype=np.float64).reshape(-1, 4)
        steps = np.diff(points, axis=0)
        falls = (steps[:, COST] < 0).all() and (steps[:, :COST] >= 0).all()
        if not (np.isfinite(points).all() and (points >= 0).all() and falls):
            raise ValueError("these are no points of a curve of best costs")
        if len(points) > MOST_POINTS:
            raise ValueError(f"a curve has at most {MOST_POINTS} points")
        curve._rows = [(i, s, t, c) for i, s, t, c in points.tolist()]
        return curve
