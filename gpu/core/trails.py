"""Pictures and tables of trails."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import PICTURE_SIZE, STRONGEST_TRAILS, Trails, TrailTable, Wanted

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


BAND_REACH = 16  # most places of the tour before and behind a city that the band shows
MOST_TRAILS = 4_000_000
"""Most trails of a table, 16 MB. Where cities are more, each row has fewer."""

Read = Callable[[NDArray[np.integer], NDArray[np.integer]], NDArray[np.float32]]
"""Takes cities, shape (r,), and other ones, shape (r, w). Returns the trails from the former to
the latter, float32 of shape (r, w), in units of the initial trail."""


Single = tuple[NDArray[np.integer], Read]
"""The candidates of each city, shape (n, k), nearest first, and what reads single trails."""

TABLES = Wanted.STRIP | Wanted.BAND


def tables_of(
    wanted: Wanted, tour: NDArray[np.int32] | None, single: Single | None
) -> tuple[TrailTable | None, TrailTable | None]:
    """Collect the strip and the band of a snapshot, as far as they are ``wanted``.

    There are none before the first ``tour``, nor of a colony without ``single`` trails.
    """
    if tour is None or single is None:
        return None, None
    lists, read = single
    strip = strip_of(tour, lists, read) if Wanted.STRIP in wanted else None
    return strip, band_of(tour, read) if Wanted.BAND in wanted else None


def strip_of(tour: NDArray[np.int32], lists: NDArray[np.integer], read: Read) -> TrailTable:
    """Collect the trails to the candidates of each city, nearest first.

    ``lists`` are the candidates by city, shape (n, k). Of very many cities only the first few
    candidates are shown; see ``MOST_TRAILS``.
    """
    width = max(1, min(lists.shape[1], MOST_TRAILS // max(1, len(tour))))
    others = np.ascontiguousarray(lists[tour, :width], np.int32)
    return TrailTable(tour, frozen(others), frozen(read(tour, others)))


def band_of(tour: NDArray[np.int32], read: Read) -> TrailTable:
    """Collect the trails to the cities around each city of the tour.

    A row has an odd number of columns: the cities before it, itself, and the cities behind it.
    """
    n = len(tour)
    reach = max(1, min(BAND_REACH, n // 2, (MOST_TRAILS // max(1, n) - 1) // 2))
    around = np.concatenate((tour[-reach:], tour, tour[:reach]))
    # A view of ``around``: the other cities take no memory of their own.
    others = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1)
    values = np.where(others == tour[:, None], np.float32(0), read(tour, others))
    return TrailTable(tour, others, frozen(values))


def matrix_read(trails: NDArray[np.float32]) -> Read:
    """Read from a whole matrix of trails."""
    return lambda cities, others: trails[cities[:, None], others]


def lists_read(
    held: NDArray[np.integer], trails: NDArray[np.float32], otherwise: float | Read = 1.0
) -> Read:
    """Read from lists of trails: to the cities ``held``, shape (n, k), which may have entries < 0.

    All other trails are ``otherwise``.
    """

    def read(cities: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.float32]:
        if callable(otherwise):
            found = otherwise(cities, others)
        else:
            found = np.full(others.shape, otherwise, np.float32)
        mine, values = held[cities], trails[cities]
        if np.array_equal(mine[:, : others.shape[1]], others):  # the strip of these very lists
            return np.ascontiguousarray(values[:, : others.shape[1]])
        for k in range(held.shape[1]):
            np.copyto(found, values[:, k, None], where=others == mine[:, k, None])
        return found

    return read
