"""Curves with a bounded number of points that keep their highest and lowest ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_CURVE_POINTS = 1200  # most points of a curve; more than a plot has pixels across
_GROUP_POINTS = 4


class BoundedCurve:
    """One curve against iterations and against seconds, at most ``capacity`` points.

    When it is full, each group of four points is replaced by its lowest and its highest point, in
    their order. So no extreme is ever lost.
    """

    def __init__(self, capacity: int = MOST_CURVE_POINTS) -> None:
        self._rows = np.empty((capacity, 3))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def clear(self) -> None:
        """Forget all points."""
        self._count = 0

    def append(self, iteration: float, seconds: float, value: float) -> None:
        """Add a point; it replaces the last one if that is of the same iteration."""
        if self._count and self._rows[self._count - 1, 0] == iteration:
            self._count -= 1
        if self._count == len(self._rows):
            self._halve()
        self._rows[self._count] = iteration, seconds, value
        self._count += 1

    def points(self, *, seconds: bool = False) -> NDArray[np.float64]:
        """Return (iteration or seconds, value), float64 of shape (k, 2)."""
        return self._rows[: self._count, [1 if seconds else 0, 2]]

    def _halve(self) -> None:
        groups = self._rows.reshape(-1, _GROUP_POINTS, 3)
        low, high = groups[:, :, 2].argmin(axis=1), groups[:, :, 2].argmax(axis=1)
        # If all are equal, both are the first point; take the last, where the curve ends.
        high = np.where(low == high, _GROUP_POINTS - 1, high)
        kept = np.sort(np.stack([low, high], axis=1), axis=1)
        rows = np.take_along_axis(groups, kept[:, :, None], axis=1).reshape(-1, 3)
        self._count = len(rows)
        self._rows[: self._count] = rows


class MeanCurve(BoundedCurve):
    """A curve of means: each point is the mean of all values since the point before.

    When it is full, each two points become one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._weights = np.ones(len(self._rows))  # how many values each point is the mean of

    def append(self, iteration: float, seconds: float, value: float, weight: float = 1.0) -> None:
        """Add the mean of ``weight`` values; it replaces the last one of the same iteration."""
        super().append(iteration, seconds, value)
        self._weights[self._count - 1] = weight

    def _halve(self) -> None:
        rows, weights = self._rows.reshape(-1, 2, 3), self._weights.reshape(-1, 2)
        means = np.average(rows[:, :, 2], axis=1, weights=weights)
        self._count = len(rows)
        self._rows[: self._count] = np.column_stack([rows[:, 1, :2], means])
        self._weights[: self._count] = weights.sum(axis=1)
