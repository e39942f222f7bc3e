"""A table of trails at several levels of detail, so that a hundred thousand rows are soon drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import TrailTable

Trails = NDArray[np.float32]  # shape (rows, columns)
Shown = tuple[float, float]  # the weakest and the strongest trail of the colours

MANY = 100_000
"""Trails of a table from which on its levels are made in another thread."""

_JOINED = 4  # rows of a level that are one row of the next
_LEAST = 400  # rows of a level from which on there is a coarser one


@dataclass(frozen=True, slots=True, eq=False)
class TrailLevels:
    """A table, the range of its colours, and the strongest trails of more and more rows."""

    table: TrailTable
    shown: Shown
    levels: tuple[Trails, ...]  # the first has all rows, the next a row for four of them

    def between(self, first: int, last: int, most: int) -> tuple[Trails, int, int]:
        """Return the rows from ``first`` to before ``last``, joined to ``most`` rows or fewer.

        Returns
        -------
        Trails
            Each row has the strongest trails of some rows of the table, column by column.
        int
            The first row of the table that is in them.
        int
            How many rows of the table are joined to one.
        """
        wanted = max(1, math.ceil((last - first) / max(1, most)))
        level = min(int(math.log(wanted, _JOINED) + 1e-9), len(self.levels) - 1)
        step = _JOINED**level
        together = math.ceil(wanted / step)
        count = step * together
        begin = first - first % count  # a row is always joined to the same ones
        end = math.ceil(last / count) * count
        return joined(self.levels[level][begin // step : end // step], together), begin, count


def levels_of(table: TrailTable) -> TrailLevels | None:
    """Make the levels of ``table``, in any thread; None if there is no trail in it at all."""
    shown = range_of(table.values)
    if shown is None:
        return None
    levels = [table.values]
    while len(levels[-1]) > _LEAST:
        levels.append(joined(levels[-1], _JOINED))
    return TrailLevels(table, shown, tuple(levels))


def joined(rows: Trails, count: int) -> Trails:
    """Return the largest of every ``count`` rows, column by column.

    The k-th of all groups at once: some ten times as fast as NumPy's ``reduceat``.
    """
    if count == 1:
        return rows
    largest: Trails = rows[::count].copy()
    for k in range(1, count):
        more = rows[k::count]
        np.maximum(largest[: len(more)], more, out=largest[: len(more)])
    return largest


def range_of(trails: Trails) -> Shown | None:
    """Return the range of the colours; None if there is no trail at all."""
    least = trails.min(axis=0)
    low = float(np.min(least, where=least > 0, initial=np.inf))
    for column in np.flatnonzero(least <= 0):  # few, as a rule: only these are searched for others
        mine = trails[:, column]
        low = min(low, float(np.min(mine, where=mine > 0, initial=np.inf)))
    return _round_range(low, float(trails.max())) if math.isfinite(low) else None


def _round_range(low: float, high: float) -> Shown:
    """Widen to 1, 2 or 5 times a power of ten, so that the colours seldom change."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [10.0**power * factor for power in powers for factor in (1, 2, 5)]
    bottom = max(step for step in steps if step <= low * (1 + 1e-6))
    top = min(step for step in steps if step >= high * (1 - 1e-6))
    return bottom, max(top, 10 * bottom)
