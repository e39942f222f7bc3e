"""What a snapshot tells of a colony's trails and tours, computed on the host.

The colonies on a GPU reduce most of this there; these functions say what the results must be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import PICTURE_SIZE, STRONGEST_TRAILS, Trails

LAMBDA = 0.05  # λ of the branching factor
INITIAL_LEVEL = np.float32(1.00001)
"""Trails up to this are at the initial level, 1, but for rounding."""

LEAST_TRAIL = np.float32(2.0**-60)
"""A trail evaporates no further (the papers know no floor): weights would begin to underflow."""

FAINTEST = 0.0035
"""Trails up to this share of the strongest are not worth drawing where all trails change."""


class KnownTrails(NamedTuple):
    """Trails that a memory holds, in units of the initial trail; all others count as 1."""

    rows: NDArray[np.int32]  # (k,): from this city; no ordered pair twice, and none with itself
    columns: NDArray[np.int32]  # (k,): to this one
    values: NDArray[np.float32]  # (k,)


def owners(n: int, places: int) -> NDArray[np.int32]:
    """Return whose place each of the ``places`` of ``n`` cities is: 0, 0, ..., 1, 1, ...

    Unlike ``np.repeat``, it lets other threads work meanwhile, and with them the window.
    """
    return np.broadcast_to(np.arange(n, dtype=np.int32)[:, None], (n, places)).ravel()


def pheromone_picture(
    trails: KnownTrails, order: NDArray[np.integer], size: int = PICTURE_SIZE
) -> NDArray[np.float32]:
    """Draw all trails, cities in this order, each pixel the largest trail in its square.

    The shape is (p, p), p = min(n, size). City ``order[i]`` falls into row and column
    ``i * p // n``. Pairs that the memory does not hold, and a city with itself, count as 1.
    """
    n = len(order)
    p = min(n, size)
    pixel_of_place = np.arange(n, dtype=np.int64) * p // n
    pixel = np.empty(n, dtype=np.int64)
    pixel[order] = pixel_of_place
    place = pixel[trails.rows] * p + pixel[trails.columns]
    picture = np.zeros(p * p, dtype=np.float32)
    np.maximum.at(picture, place, trails.values)
    width = np.bincount(pixel_of_place, minlength=p)
    held = np.bincount(place, minlength=p * p)
    others = held < np.multiply.outer(width, width).ravel()
    np.maximum(picture, np.float32(1.0), out=picture, where=others)
    return frozen(picture.reshape(p, p))


def strongest_trails(
    trails: KnownTrails, n: int, directed: bool, limit: int = STRONGEST_TRAILS
) -> Trails:
    """Select the strongest trails above the initial level, strongest first, then by cities.

    In a symmetric instance an edge appears once, lower city first, with the stronger of the
    trails that its two ends remember.
    """
    strong = trails.values > INITIAL_LEVEL
    start = trails.rows[strong].astype(np.int64)
    end = trails.columns[strong].astype(np.int64)
    values = trails.values[strong]
    if not directed:
        start, end = np.minimum(start, end), np.maximum(start, end)
    pair = start * n + end
    order = np.lexsort((pair, -values))
    _, first = np.unique(pair[order], return_index=True)
    order = order[np.sort(first)][:limit]
    return _strongest_first(start[order], end[order], values[order])


def branching_factor(listed: NDArray[np.float32]) -> float:
    """Mean λ-branching factor of the candidate lists, whose trails are ``listed``, shape (n, cl).

    It is the mean number of edges of a city with τ >= τ_min + λ (τ_max - τ_min), the extremes being
    those of its list: from 1, where the search has settled, to cl.
    """
    least = listed.min(axis=1, keepdims=True)
    most = listed.max(axis=1, keepdims=True)
    above = listed >= least + np.float32(LAMBDA) * (most - least)
    return float(np.count_nonzero(above) / len(listed))


def matrix_picture(
    trails: NDArray[np.float32], order: NDArray[np.integer], size: int = PICTURE_SIZE
) -> NDArray[np.float32]:
    """Draw a whole matrix of trails as :func:`pheromone_picture` does.

    From a city to itself it has the level of an edge that never got a deposit.
    """
    n = len(order)
    p = min(n, size)
    first = -(-np.arange(p, dtype=np.int64) * n // p)  # the first place of each row of pixels
    rows = _largest_of_each(trails, order, first)
    columns = _largest_of_each(np.ascontiguousarray(rows.T), order, first)
    return frozen(np.array(columns.T, np.float32, order="C"))


def _largest_of_each(
    matrix: NDArray[np.float32], order: NDArray[np.integer], first: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Largest of the rows ``order[first[i]:first[i + 1]]``, column by column, for every i.

    Whole rows at once, the k-th of all: several times as fast as NumPy's ``reduceat``.
    """
    counts = np.diff(first, append=len(order))
    largest: NDArray[np.float32] = matrix[order[first]]
    for k in range(1, int(counts.max())):
        more = np.flatnonzero(counts > k)
        largest[more] = np.maximum(largest[more], matrix[order[first[more] + k]])
    return largest


def matrix_trails(
    trails: NDArray[np.float32],
    directed: bool,
    limit: int = STRONGEST_TRAILS,
    level: np.float32 | None = None,
) -> Trails:
    """Select the strongest of a whole matrix of trails, strongest first, then by cities.

    Only those above the ``level`` of an edge that never got a deposit (by default the matrix has
    it from a city to itself), and not fainter than ``FAINTEST`` of the strongest. In a symmetric
    instance an edge appears once, lower city first.
    """
    least = max(trails[0, 0] if level is None else level, np.float32(FAINTEST * trails.max()))
    chosen = trails > least
    if not directed:
        cities = np.arange(len(trails), dtype=np.int32)
        chosen &= np.less.outer(cities, cities)
    values = trails[chosen]
    if values.size > limit:  # millions of them would take seconds to sort
        chosen &= trails >= np.partition(values, -limit)[-limit]
    start, end = np.nonzero(chosen)
    values = trails[start, end]
    order = np.argsort(-values, kind="stable")[:limit]
    return _strongest_first(start[order], end[order], values[order])


def _strongest_first(
    start: NDArray[np.int64], end: NDArray[np.int64], values: NDArray[np.float32]
) -> Trails:
    edges = np.column_stack((start, end)).astype(np.int32)
    return Trails(frozen(edges), frozen(values / values[0] if values.size else values))
