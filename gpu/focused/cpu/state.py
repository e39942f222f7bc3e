"""The arrays that a focused colony on the CPU works on.

An iteration begins with a common tour, the source. Cells share out the cities. The ants of a cell
search in a patch, one after another: each begins where the one before it ended, so the patch has a
tour of its own. At the end of the iteration the changes of all patches are merged.

A patch has the cities of the cell. Where there are several cells, the stretches of the source
between them are links: edges of the patch's tour that no ant may give up. So are those between both
halves of a city where cities are doubled (:mod:`gpu.focused.cpu.doubled`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.geometry import EUCLIDEAN, Geometry
from gpu.cpu.philox import Key
from gpu.cpu.record import Record
from gpu.cpu.structures import allocated

CELL = 1000  # cities a cell has at least; half of it where there are only two cells
MOST_CELLS = 1 << 10
JOURNAL = 4096  # turns that an ant can take back; with fewer left it stops
ENDS = 6 * JOURNAL  # cities whose edges an ant can change: a turn has at most 6
LOGGED = 4  # changed edges for each ant that the log has room for, over all ants of a cell

DEEPEST = 100  # exchanges in a row that a city tries while the tour settles
SETTLED = 100_000  # cities of the largest tour that they are tried for: to undo them takes O(n)
ENDS_A_MOVE = 6  # ends of the edges of a move, in the order of their exchange

LEFT = 64  # components that can be remembered until others are known

STRONGEST = np.float32(100)  # the trail of an edge that is always in the tour

NOBODY = np.int32(-1)
FAR = np.int32(2**31 - 1)  # length of a candidate that is not in the patch: nothing is gained by it


class Lists(NamedTuple):
    """What does not change: the cities, and the candidates of each by their distance."""

    geometry: Geometry
    flat: bool  # whether a distance is that of EUC_2D, the common case, which has a short cut
    neighbours: NDArray[np.int32]  # (n, k)
    lengths: NDArray[np.int32]  # (n, k)


class Rules(NamedTuple):
    """What the ants and the cooling are told."""

    key: Key  # of the seed
    ants: int  # m: of all cells
    kick: int  # most cities in each of the three segments that a kick moves
    heat: float  # temperature at which a cycle begins, in edges that a kick gives up
    cycle: int  # iterations in the first cycle; each further one has twice as many, if
    doubling: bool
    full: int  # iterations of a cycle from which on it begins with the full temperature
    keep: np.float32  # 1 - ρ: what is left of a trail after an iteration
    focus: np.float32  # probability of comparing two places for a kick by their trails
    deepest: int  # exchanges in a row that a city tries while the tour settles


class Patch(NamedTuple):
    """What a thread's ants search in; cities are numbered in the order of the source.

    A patch has ``k`` cities, so many entries of each array are used.
    """

    cities: NDArray[np.int32]  # (c,): numbers in the instance
    number: NDArray[np.int32]  # (n,): of each city of the instance in the patch, or NOBODY
    points: NDArray[np.float64]  # (c, 2)
    near: NDArray[np.int32]  # (c, k): candidates in the patch, by distance
    spans: NDArray[np.int32]  # (c, k): their distances; FAR after the last
    links: NDArray[np.int32]  # (c, 2): the other end of a link after and before, or NOBODY
    tour: NDArray[np.int32]  # (c,)
    place: NDArray[np.int32]  # (c,): in the tour
    queue: NDArray[np.int32]  # (c,): a ring of cities that will look for a move
    waiting: NDArray[np.bool_]  # (c,)
    beside: NDArray[np.int32]  # (c, 2): both neighbours in the tour that was kept last
    ends: NDArray[np.int32]  # (ENDS,): cities whose edges the present ant changed; some twice
    touched: NDArray[np.int32]  # (6 DEEPEST,): ends of the edges that a kick or a move changed
    words: NDArray[np.uint32]  # (8,): random words of the present ant
    journal: NDArray[np.int32]  # (JOURNAL, 2): first place and length of the turns of an ant
    numbers: NDArray[np.int64]  # (10,): see the constants below


SIZE, TURNS, HEAD, WAITING, LINKED, CHANGED, GIVEN_UP, TOUCHED, OPEN, STILL = range(10)
"""Places in a patch's numbers: its cities; turns in the journal; the queue's first place, and how
many wait; whether there are links; the number of ``ends``; the length of the edges that the present
ant's kick gave up; the number of ``touched``; the city at which the last exchange left the tour
open, and what has been gained so far."""


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


class Exchange(NamedTuple):
    """Edges that are given up and edges that come instead, and room to find out what they make."""

    old: NDArray[np.int32]  # (n, 2): edges to give up, cities of the instance
    new: NDArray[np.int32]  # (n, 2): edges to take
    order: NDArray[np.int32]  # (2, n): indices of old and new edges by component
    root: NDArray[np.int32]  # (n,): union-find
    cuts: NDArray[np.int32]  # (n,): places after which the tour is cut, ascending
    ends: NDArray[np.int32]  # (2 n,): the end with which a new edge joins each end of a segment
    path: NDArray[np.int32]  # (n,): segments in their new order; the lowest bit: turned
    moved: NDArray[np.int32]  # (n,): cities on their way to another place
    place: NDArray[np.int32]  # (n,): places in a patch's tour
    left: NDArray[np.int32]  # (LEFT, 2): components that were not made: first edge, and the number
    left_gains: NDArray[np.int64]  # (LEFT,)


class Trails(NamedTuple):
    """Pheromone of the candidates' edges, from 1 to ``STRONGEST``; 1 on all others."""

    values: NDArray[np.float32]  # (n, k)
    taken: NDArray[np.float32]  # (n,): of the edge by which the source leaves each city


class FocusedState(NamedTuple):
    """All that the threads share."""

    lists: Lists
    rules: Rules
    source: NDArray[np.int32]  # (n,): the tour with which an iteration begins
    tour: NDArray[np.int32]  # (n,): the tour as it is merged; else the source
    place: NDArray[np.int32]  # (n,): of each city in ``tour``
    cells: Cells
    exchange: Exchange
    log: Log
    trails: Trails
    champion: NDArray[np.int32]  # (n,): what the cycles before this one led to
    schedule: NDArray[np.float64]  # (5,): see the constants below
    record: Record


HEAT, LENGTH, CYCLE, DONE, CHAMPION = range(5)
"""Places in the schedule: temperature; the source's length; iterations of the present cycle, and
how many of them are done; the champion's length."""


def is_flat(geometry: Geometry) -> bool:
    """Whether the distance is the rounded one of points in a plane."""
    return geometry.rule == EUCLIDEAN and not geometry.points[:, 2].any()


def cells_of(n: int) -> int:
    """Cells of a tour through ``n`` cities: a power of two, so that threads share them evenly."""
    cells = 1 if n < CELL else 2
    while cells < MOST_CELLS and n >= 2 * cells * CELL:
        cells *= 2
    return cells


def patch_size(n: int) -> int:
    """Cities of the largest patch: cells have an even number, but for one of them."""
    return min(n, -(-n // cells_of(n)) + 4)


def new_patch(n: int, k: int, c: int) -> Patch:
    """Make room for a thread's patch of up to ``c`` cities."""
    return allocated(
        Patch,
        c,
        number=np.full(n, NOBODY),
        points=(c, 2),
        near=(c, k),
        spans=(c, k),
        links=(c, 2),
        beside=(c, 2),
        ends=ENDS,
        touched=max(8, DEEPEST * ENDS_A_MOVE),
        words=8,
        journal=(JOURNAL, 2),
        numbers=10,
    )


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
    return LOGGED * -(-ants // cells_of(n)) + ENDS


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


def new_exchange(n: int) -> Exchange:
    """Make room for an exchange."""
    return allocated(
        Exchange,
        n,
        old=(n, 2),
        new=(n, 2),
        order=(2, n),
        ends=2 * n,
        left=(LEFT, 2),
        left_gains=LEFT,
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
        "patches": cities * (8 * k + 54) + threads * (4 * n + 8 * JOURNAL + 4 * ENDS),
    }
