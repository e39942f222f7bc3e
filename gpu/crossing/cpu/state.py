"""The arrays that a crossing colony works on, its distances and its random numbers.

The tours of its population are kept as both neighbours of each city. A round crosses each tour with
another one. It reads the tours on one side of ``links`` and writes those on the other, so that the
order in which threads work does not matter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import distance
from gpu.cpu.philox import Key, below, draw_block
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import allocated
from gpu.tour_changes.cpu.cells import cells_of
from gpu.tour_changes.cpu.state import NOBODY, CityLists, Exchange, Patch, new_exchange, new_patch

POPULATION_GROWTH = 16  # how many times as many tours as the first population has, the largest has
MOST_BYTES = 1 << 29  # that tours of the largest population take, unless there is but one size
LONGER_BITS = 8  # of the random number that makes an edge of a first tour longer
JOINED_ENDS = 8  # further ends, to which an end of a piece of a first tour is joined


class CrossingRules(NamedTuple):
    """What the ants are told."""

    key: Key  # of the seed
    ants: int  # an iteration; the first population has as many tours
    most: int  # tours of the largest population
    children: int  # tours that an ant makes of two, and of which it keeps one at most
    deepest: int  # exchanges in a row that a city tries while a first tour settles
    focus: bool  # whether an ant weighs gain against trails
    settling: int  # ants for each city that improve a first tour
    kick: int  # most cities in each of the three stretches that such an ant's double bridge moves


class CandidateEdges(NamedTuple):
    """Edges of the candidate lists, each once."""

    cities: NDArray[np.int32]  # (edges, 2)
    lengths: NDArray[np.int64]  # (edges,)


class PopulationTours(NamedTuple):
    """The tours."""

    links: NDArray[np.int32]  # (2, most, n, 2): neighbours of each city, on two sides
    lengths: NDArray[np.int64]  # (2, most)
    order: NDArray[np.int32]  # (most,): in which tours of a round are crossed, each with the next
    champion: NDArray[np.int32]  # (n, 2): the best tour of the population before this one
    counts: NDArray[np.int32]  # (n, k): tours of the population that have the edge of a candidate
    spread: NDArray[np.float64]  # (most + 1,): what an edge of so many tours adds to the entropy
    wins: NDArray[np.int64]  # (ants,): 1 if the ant of this iteration found a shorter tour


class Room(NamedTuple):
    """What a thread's ants cross in. ``n`` is the number of cities."""

    mine: NDArray[np.int32]  # (n, 2): edges of one's own tour alone that are in no AB-cycle yet
    theirs: NDArray[np.int32]  # (n, 2): edges of the other tour alone
    own_left: NDArray[np.int32]  # (n,): how many entries of ``mine`` a city has
    other_left: NDArray[np.int32]  # (n,)
    seen: NDArray[np.int32]  # (n, 2): where on the path a city is, after an even and odd number
    path: NDArray[np.int32]  # (4 n + 2,)
    differing: NDArray[np.int32]  # (n,): cities whose edges differ
    ab_cycles: NDArray[np.int32]  # (2 n + 2,): the cities of all AB-cycles
    bounds: NDArray[np.int32]  # (n + 1,): of each AB-cycle in ``ab_cycles``
    chosen: NDArray[np.int32]  # (n + 1,): numbers of AB-cycles, in the order of their turn
    tour: NDArray[np.int32]  # (n,): one's own tour as a sequence
    place: NDArray[np.int32]  # (n,): of each city in ``tour``
    cuts: NDArray[np.int32]  # (n,): places after which the tour is cut, ascending
    part: NDArray[np.int32]  # (n,): of several tours, that to which each segment belongs
    sizes: NDArray[np.int32]  # (n,): cities of each of several tours
    work: NDArray[np.int32]  # (n, 2): one's own tour while it is changed
    journal: NDArray[np.int32]  # (6 n + 8, 4): city, side, old and new neighbour of each change
    best: NDArray[np.int32]  # (6 n + 8, 3): city, side and new neighbour of the best child's
    changed: NDArray[np.int32]  # (6 n + 8,): cities that ``best`` changes, ascending
    keys: NDArray[np.int64]  # (keys,): edges of a first tour by length
    joints: NDArray[np.int32]  # (keys, 2): edges between ends of pieces
    ends: NDArray[np.int32]  # (n,): the other end of the piece that ends in a city
    free: NDArray[np.int32]  # (n,): ends of pieces
    along: NDArray[np.float64]  # (2, n): coordinates in the present direction; room to select in
    bounds_of_cells: NDArray[np.int64]  # (cells + 1,): where each cell of settling ants begins
    words: NDArray[np.uint32]  # (4,): random words
    numbers: NDArray[np.int64]  # (6,): see the constants below


class CrossingWorkspace(NamedTuple):
    """What a thread's ants work in."""

    patch: Patch  # of all cities, for local search
    room: Room
    exchange: Exchange  # what the child that is kept changes


ITERATION_OF, ANT_OF, WORDS_DRAWN, JOURNAL_ENTRIES, TOUR_PARTS, CHILD_GAIN = range(6)
"""Places in a room's numbers: whose random words these are, and how many were drawn; entries of the
journal; the number of several tours; what a child gains."""


class CrossingState(NamedTuple):
    """All that the threads share."""

    lists: CityLists
    rules: CrossingRules
    pairs: CandidateEdges
    first: NDArray[np.int32]  # (n,): the tour with which the first population begins
    everyone: NDArray[np.int32]  # (n,): 0 … n - 1
    population: PopulationTours
    schedule: NDArray[np.int64]  # (9,): see the constants below
    totals: NDArray[np.int64]  # (3,): ants that crossed, that won; tours that the trails count
    record: ColonyRecord


SCHEDULED = range(9)
(
    MAKING,
    READ_SIDE,
    SIZE_OF,
    NEXT,
    ROUND_WINS,
    IDLE_ROUNDS,
    CHAMPION_LENGTH,
    POPULATIONS,
    SETTLED,
) = SCHEDULED
"""Places in the schedule: whether first tours are made; the side to read; tours of the
population; the first tour of this iteration; tours of this round that got shorter; rounds in a row
in which none did; the champion's length; populations that are done; ants for each city that the
first tours of this iteration have had."""


def most_tours(n: int, ants: int) -> int:
    """Tours of the largest population: a multiple of the first one's."""
    most = ants * POPULATION_GROWTH
    while most > ants and most * n * 16 > MOST_BYTES:
        most //= 2
    return max(most, ants)


def candidate_edges_of(lists: CityLists) -> CandidateEdges:
    """Each edge of the candidate lists, once."""
    n, k = lists.neighbours.shape
    cities = np.repeat(np.arange(n, dtype=np.int64), k)
    others = lists.neighbours.ravel().astype(np.int64)
    keys = np.minimum(cities, others) * n + np.maximum(cities, others)
    keys.sort()  # alone: NumPy sorts whole numbers several times as fast as it argsorts them
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    both = np.column_stack((keys // n, keys % n)).astype(np.int32)
    lengths = np.empty(len(both), np.int64)
    _measure(lists, both, lengths)
    return CandidateEdges(both, lengths)


@cached
def _measure(lists: CityLists, pairs: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
    for edge in range(lengths.size):
        lengths[edge] = apart(lists, pairs[edge, 0], pairs[edge, 1])


def _keys(n: int, k: int) -> int:
    return n * max(k, JOINED_ENDS)


def new_room(n: int, k: int) -> Room:
    """Make what a thread's ants cross in."""
    longest = 6 * n + 8
    room: Room = allocated(
        Room,
        n,
        mine=(n, 2),
        theirs=(n, 2),
        seen=np.full((n, 2), NOBODY),
        path=4 * n + 2,
        ab_cycles=2 * n + 2,
        bounds=n + 1,
        chosen=n + 1,
        work=(n, 2),
        journal=(longest, 4),
        best=(longest, 3),
        changed=longest,
        keys=_keys(n, k),
        joints=(_keys(n, k), 2),
        along=(2, n),
        bounds_of_cells=cells_of(n) + 1,
        words=4,
        numbers=6,
    )
    return room


def new_workspace(n: int, k: int) -> CrossingWorkspace:
    """Make what a thread's ants work in."""
    return CrossingWorkspace(new_patch(n, k, n), new_room(n, k), new_exchange(n))


def new_population(n: int, k: int, ants: int, most: int) -> PopulationTours:
    """Make room for the tours."""
    return allocated(
        PopulationTours,
        n,
        links=(2, most, n, 2),
        lengths=(2, most),
        order=most,
        champion=(n, 2),
        counts=(n, k),
        spread=most + 1,
        wins=ants,
    )


def bytes_needed(n: int, k: int, ants: int, threads: int) -> dict[str, int]:
    """Bytes of each part, for :func:`gpu.cpu.main_memory.require`."""
    return {
        "candidate lists and trails": n * k * 24,
        "tours": most_tours(n, ants) * n * 16,
        "rooms of the threads": threads * n * (8 * k + 442 + 16 * max(k, JOINED_ENDS)),
    }


@compiled
def apart(lists: CityLists, a: Whole, b: Whole) -> np.int64:
    """Return the distance between two cities; compiled once, for it is asked in many places."""
    points = lists.geometry.points
    if lists.flat:
        x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
        return np.int64(math.sqrt(x * x + y * y) + 0.5)
    return np.int64(distance(lists.geometry, a, b))


CROSS = np.uint32(Purpose.CROSS)
WORDS_A_BLOCK = 4  # of a block


@inlined
def begin_draws(room: Room, iteration: Whole, ant: Whole) -> None:
    """Say whose random numbers follow."""
    numbers = room.numbers
    numbers[ITERATION_OF], numbers[ANT_OF], numbers[WORDS_DRAWN] = iteration, ant, 0


@inlined
def word(room: Room, key: Key) -> np.uint32:
    """Return the next random word."""
    numbers = room.numbers
    drawn = numbers[WORDS_DRAWN]
    if drawn % WORDS_A_BLOCK == 0:
        draw_block(
            room.words, key, CROSS, numbers[ITERATION_OF], numbers[ANT_OF], drawn // WORDS_A_BLOCK
        )
    numbers[WORDS_DRAWN] += 1
    return np.uint32(room.words[drawn % WORDS_A_BLOCK])


@inlined
def next_below(room: Room, key: Key, limit: Whole) -> np.int64:
    """Return the next random number from 0 to ``limit`` - 1."""
    return below(word(room, key), limit)


@inlined
def write_down(room: Room) -> None:
    """Write ``room.work`` down as a sequence of cities."""
    city, before = np.int32(0), room.work[0, 0]
    for at in range(room.tour.size):
        room.tour[at] = city
        room.place[city] = at
        following = room.work[city, 0] if room.work[city, 0] != before else room.work[city, 1]
        before, city = city, following
