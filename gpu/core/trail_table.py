"""Single trails for the eye: those to a city's candidates, and those around the best tour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import TrailTable, Wanted

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
