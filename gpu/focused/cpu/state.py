"""The arrays that a focused colony on the CPU works on.

An iteration begins with a common tour, the source. Cells share out the cities. The ants of a cell
search in a patch, one after another: each begins where the one before it ended, so the patch has a
tour of its own. At the end of the iteration the changes of all patches are merged.

A patch has the cities of the cell. Where there are several cells, the stretches of the source
between them are links: edges of the patch's tour that no ant may give up. So are those between both
halves of a city where cities are doubled (:mod:`gpu.focused.cpu.directed`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.philox import Key
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import allocated
from gpu.tour_changes.cpu.cells import cells_of
from gpu.tour_changes.cpu.state import JOURNAL, JOURNAL_ENDS, CityLists, Exchange

LOGGED = 4  # changed edges for each ant that the log has room for, over all ants of a cell


class FocusedRules(NamedTuple):
    """What the ants and the cooling are told."""

    key: Key  # of the seed
    ants: int  # m: of all cells
    kick: int  # most cities in each of the three stretches that a double bridge moves
    heat: float  # temperature at which a cycle begins, in edges that a double bridge gives up
    cycle: int  # iterations in the first cycle; each further one has twice as many, if
    doubling: bool
    full: int  # iterations of a cycle from which on it begins with the full temperature
    keep: np.float32  # 1 - ρ: what is left of a trail after an iteration
    focus: np.float32  # probability of comparing two places for a double bridge by their trails
    deepest: int  # exchanges in a row that a city tries while the tour settles


class Cells(NamedTuple):
    """Which cities belong together in this iteration, and what their ants made of the source."""

    bounds: NDArray[np.int64]  # (cells + 1,): of each cell in ``members``
    members: NDArray[np.int32]  # (n,): places of the source, cell by cell, ascending in a cell
    everyone: NDArray[np.int32]  # (n,): all places, ascending
    results: NDArray[np.int32]  # (cells, c): the tour of each patch, as numbered there
    # (cells,): how much shorter than the source the tours of its ants were, in sum
    gains: NDArray[np.int64]
    spare: NDArray[np.int32]  # (n,): room to sort in
    keys: NDArray[np.float64]  # (2, n): coordinates in the present direction; room to select in


class Log(NamedTuple):
    """The exchange of edges of each ant whose tour was kept, cell by cell, in order."""

    old: NDArray[np.int32]  # (cells, edges, 2): edges that were given up, cities of the instance
    new: NDArray[np.int32]  # (cells, edges, 2): edges that came instead
    sizes: NDArray[np.int32]  # (cells, edges): edges of each exchange
    wins: NDArray[np.int64]  # (2,): exchanges entered since the beginning, and those made again
    exchanges: NDArray[np.int64]  # (cells,)
    edges: NDArray[np.int64]  # (cells,)


class FocusedTrails(NamedTuple):
    """Pheromone of the candidates' edges, from 1 to ``STRONGEST``; 1 on all others."""

    values: NDArray[np.float32]  # (n, k)
    taken: NDArray[np.float32]  # (n,): of the edge by which the source leaves each city


class FocusedState(NamedTuple):
    """All that the threads share."""

    lists: CityLists
    rules: FocusedRules
    source: NDArray[np.int32]  # (n,): the tour with which an iteration begins
    tour: NDArray[np.int32]  # (n,): the tour as it is merged; else the source
    place: NDArray[np.int32]  # (n,): of each city in ``tour``
    cells: Cells
    exchange: Exchange
    log: Log
    trails: FocusedTrails
    champion: NDArray[np.int32]  # (n,): what the cycles before this one led to
    schedule: NDArray[np.float64]  # (5,): see the constants below
    record: ColonyRecord


TEMPERATURE, TOUR_LENGTH, CYCLE, CYCLE_DONE, CHAMPION = range(5)
"""Places in the schedule: temperature; the source's length; iterations of the present cycle, and
how many of them are done; the champion's length."""


def patch_size(n: int) -> int:
    """Cities of the largest patch: cells have an even number, but for one of them."""
    return min(n, -(-n // cells_of(n)) + 4)


def new_cells(n: int) -> Cells:
    """Make the cells of the first iteration: stretches of the source."""
    cells = cells_of(n)
    everyone = np.arange(n, dtype=np.int32)
    shares = np.arange(cells + 1, dtype=np.int64)
    return allocated(
        Cells,
        n,
        bounds=np.where(shares < cells, shares * n // cells // 2 * 2, n),
        members=everyone.copy(),
        everyone=everyone,
        results=(cells, patch_size(n)),
        gains=cells,
        keys=(2, n),
    )


def logged_edges(n: int, ants: int) -> int:
    """Edges that the log of a cell has room for."""
    return LOGGED * -(-ants // cells_of(n)) + JOURNAL_ENDS


def new_log(cells: int, edges: int) -> Log:
    """Make room for the ants' exchanges: so many ``edges`` for each cell."""
    return allocated(
        Log,
        cells,
        old=(cells, edges, 2),
        new=(cells, edges, 2),
        sizes=(cells, edges),
        wins=2,
    )


def bytes_needed(n: int, k: int, ants: int, threads: int) -> dict[str, int]:
    """Bytes of each part, for :func:`gpu.cpu.main_memory.require`."""
    cities = n + (threads - 1) * patch_size(n)
    return {
        "candidate lists and trails": n * k * 12 + 4 * n,
        "tours": n * (4 * 6 + 24),
        "cells": n * 28 + cells_of(n) * patch_size(n) * 4,
        "merging": n * 52,
        "log of the ants": cells_of(n) * logged_edges(n, ants) * 20,
        "patches": cities * (8 * k + 54) + threads * (4 * n + 8 * JOURNAL + 4 * JOURNAL_ENDS),
    }
