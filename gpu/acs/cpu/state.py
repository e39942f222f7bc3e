"""The arrays of an Ant Colony System on the CPU, and how one trail is read and updated (Fig. 5).

Rows of candidates have whole vectors; see :func:`gpu.cpu.structures.widened`. The lanes after
a list have the weight 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.acs.newest import newest_of
from gpu.acs.parameters import REMEMBERED, AcsParameters, SpmParameters
from gpu.core.legacy import KeptTrails
from gpu.core.random import greedy_threshold
from gpu.core.trails import KnownTrails
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import CityGeometry
from gpu.cpu.philox import Key, key_of
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import allocated, widened, width_of
from gpu.local_search.cpu import LocalSearchState
from gpu.problems.tsp.neighbours import NOT_LISTED, Candidates, weights

LANES = 32  # lanes of a warp, and of the widest row
NO_CITY = -1
BOX_LEVELS = 64  # most levels of a tree of boxes, which halves the cities at each


class AcsLists(NamedTuple):
    """Candidate lists; nothing here changes."""

    neighbours: NDArray[np.uint32]  # (n, width)
    distances: NDArray[np.int32]  # (n, width)
    weights: NDArray[np.float32]  # (n, width): η^β
    reverse: NDArray[np.uint8]  # (n, width): lane of the same edge in the other city's row
    backup: NDArray[np.uint32]  # (n, b): the neighbours after the candidates


class AcsPheromone(NamedTuple):
    """All trails, in units of the initial trail, in a matrix or in a selective memory (Fig. 5).

    The arrays of the other one are empty.
    """

    # (n, width): trails of the candidates' edges; 1 where a selective memory holds none
    listed: NDArray[np.float32]
    others: NDArray[np.float32]  # (n, n): the matrix; only edges that are on no list are used
    # (n, 3): the largest trail that there ever was from this city to a backup neighbour, the
    # largest to a city after those, and the smallest to either
    bounds: NDArray[np.float32]
    cities: NDArray[np.int32]  # (n, s): the other end of each remembered edge, or NO_CITY
    lanes: NDArray[np.uint8]  # (n, s): its lane in this city's row, or NOT_LISTED
    values: NDArray[np.float32]  # (n, s): its trail
    tails: NDArray[np.int32]  # (n,): the slot of the memory that was written last


class BoxTree(NamedTuple):
    """Boxes, each before its parts; no boxes for metrics that are not bounded by coordinates."""

    low: NDArray[np.float64]  # (b, 3): corners of each box
    high: NDArray[np.float64]  # (b, 3)
    parts: NDArray[np.int32]  # (b, 2): the two boxes into which it is divided, or -1
    spans: NDArray[np.int32]  # (b, 2): where its cities begin and end in ``cities``
    cities: NDArray[np.uint32]  # (n,): all cities, those of a box together


class AcsTours(NamedTuple):
    """The ants' tours as they grow."""

    # (n, m): city of each ant at each position: all ants of one step stand together
    routes: NDArray[np.uint32]
    unvisited: NDArray[np.uint32]  # (m, ceil(n / 32)): a bit for each city
    draws: NDArray[np.uint32]  # (4, m): random words of four steps
    lanes: NDArray[np.uint8]  # (m,): lane of the candidate chosen last, or NOT_LISTED
    lengths: NDArray[np.int64]  # (m,)
    # (threads, 8): local updates that found their trail, and all local updates, by thread
    hits: NDArray[np.int64]


class AcsWorkspace(NamedTuple):
    """What one thread works with, for one ant at a time."""

    weights: NDArray[np.float32]  # (32,)
    keys: NDArray[np.int32]  # (32,): the bits of the weights: the same memory
    waiting: NDArray[np.int32]  # (64,): boxes that are still to be looked at


class AcsRules(NamedTuple):
    """The parameters, in the form in which compiled code uses them."""

    key: Key  # the seed
    threshold: np.uint32  # an ant explores if 24 random bits are at least this
    listed: int  # length of a candidate list
    period: int  # k of the local update
    keep: np.float32  # local update: τ ← τ·keep + add
    add: np.float32
    global_keep: np.float32
    alpha: float
    selective: bool  # whether the pheromone memory is selective
    remembered: bool  # whether the greedy choice looks at remembered cities off the list, too
    scale: float = 0.0  # 1/τ₀: the deposit of the global update is α·scale/L_best
    # Whether an ant's local update is made before the next ant chooses (the sequential ACS), or
    # after all ants have chosen (ACS-GPU)
    immediate: bool = True
    directed: bool = False  # whether distances may differ by direction
    builders: int = 1  # at most so many threads build tours


class AcsEdges(NamedTuple):
    """What is known of all edges."""

    lists: AcsLists
    geometry: CityGeometry
    trails: AcsPheromone
    rules: AcsRules


class AcsState(NamedTuple):
    """What the Ant Colony System works on."""

    edges: AcsEdges
    boxes: BoxTree
    ants: AcsTours
    search: LocalSearchState
    record: ColonyRecord


def rules_of(parameters: AcsParameters, seed: int, **more: Any) -> AcsRules:
    """Prepare parameters without automatic values; ``more`` are fields that have a default."""
    assert parameters.q0 is not None
    keep = np.float32(1.0 - parameters.rho)
    return AcsRules(
        key_of(seed),
        threshold=np.uint32(greedy_threshold(parameters.q0)),
        listed=parameters.candidates,
        period=parameters.update_period,
        keep=keep,
        add=np.float32(1) - keep,  # not ρ: the initial trail, 1, stays 1 at every update
        global_keep=np.float32(1.0 - parameters.alpha),
        alpha=parameters.alpha,
        selective=isinstance(parameters, SpmParameters),
        remembered=isinstance(parameters, SpmParameters) and parameters.greedy == REMEMBERED,
        **more,
    )


def lists_of(candidates: Candidates, beta: float) -> AcsLists:
    """Widen the candidate lists, and weigh them."""
    n, cl = candidates.neighbours.shape
    shape = (n, width_of(cl))
    neighbours, backup = widened(candidates.neighbours, cl), candidates.backup.astype(np.uint32)
    reverse = np.full(shape, NOT_LISTED, np.uint8)
    lists = allocated(AcsLists, shape, neighbours=neighbours, reverse=reverse, backup=backup)
    lists.distances[:, :cl] = candidates.distances
    lists.weights[:, :cl] = weights(
        candidates.distances, candidates.distances[:, :1], beta, candidates.shortest
    )
    lists.reverse[:, :cl] = candidates.reverse
    return lists


def pheromone_of(n: int, cl: int, slots: int) -> AcsPheromone:
    """Return all trails at the initial level: a matrix, or a selective memory if ``slots`` > 0."""
    matrix, memory = (0, n) if slots else (n, 0)
    return AcsPheromone(
        listed=np.ones((n, width_of(cl)), np.float32),
        others=np.ones((matrix, matrix), np.float32),
        bounds=np.ones((matrix, 3), np.float32),
        cities=np.full((memory, slots), NO_CITY, np.int32),
        lanes=np.full((memory, slots), NOT_LISTED, np.uint8),
        values=np.ones((memory, slots), np.float32),
        tails=np.full(memory, slots - 1, np.int32),
    )


def by_age(trails: AcsPheromone) -> KnownTrails:
    """Return what a selective memory holds, of each city the oldest first."""
    slots = trails.cities.shape[1]
    order = (trails.tails[:, None] + 1 + np.arange(slots)) % slots
    cities = np.take_along_axis(trails.cities, order, axis=1)
    values = np.take_along_axis(trails.values, order, axis=1)
    rows, places = np.nonzero(cities != NO_CITY)
    return KnownTrails(rows.astype(np.int32), cities[rows, places], values[rows, places])


def refill(edges: AcsEdges, cl: int, kept: KeptTrails) -> None:
    """Put ``kept`` into the pheromone of ``edges``, which is at the initial level."""
    lists, trails = edges.lists, edges.trails
    n = len(trails.listed)
    listed = lists.neighbours[:, :cl].astype(np.int64)
    trails.listed[:, :cl] = kept.at(np.arange(n)[:, None], listed)
    known = kept.listed()
    rows, cities, values = known.rows, known.columns, known.values
    if edges.rules.selective:
        _refill_memory(trails, listed, known)
        return
    trails.others[rows, cities] = values
    off = (listed[rows] != cities[:, None]).all(axis=1) & (rows != cities)
    rows, cities, values = rows[off], cities[off], values[off]
    beyond = (lists.backup[rows] != cities[:, None]).all(axis=1).astype(np.intp)
    np.maximum.at(trails.bounds, (rows, beyond), values)
    np.minimum.at(trails.bounds, (rows, 2), values)


def _refill_memory(trails: AcsPheromone, listed: NDArray[np.int64], known: KnownTrails) -> None:
    """Let each city remember the newest of its entries."""
    n, slots = trails.cities.shape
    order, rows, places, counts = newest_of(known, n, slots)
    trails.cities[rows, places] = cities = known.columns[order]
    trails.values[rows, places] = known.values[order]
    lanes = listed[rows] == cities[:, None]
    trails.lanes[rows, places] = np.where(lanes.any(axis=1), lanes.argmax(axis=1), NOT_LISTED)
    trails.tails[:] = (counts - 1) % slots
    forgotten = np.ones(trails.listed.shape, np.bool_)
    on_list = lanes.any(axis=1)
    forgotten[rows[on_list], lanes.argmax(axis=1)[on_list]] = False
    trails.listed[forgotten] = 1


def new_workspace() -> AcsWorkspace:
    """Allocate a thread's workspace."""
    weighed = np.zeros(LANES, np.float32)
    return allocated(
        AcsWorkspace, LANES, weights=weighed, keys=weighed.view(np.int32), waiting=BOX_LEVELS
    )


def bytes_needed(n: int, m: int, cl: int, backup: int, slots: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    memory = ("selective memory", 9 * slots + 4) if slots else ("pheromone matrix", 4 * n + 12)
    return {
        "candidate lists": n * (width_of(cl) * 17 + 4 * backup),
        memory[0]: n * memory[1],
        "tours of the ants": m * (4 * n + -(-n // 32) * 4 + 25),
    }


@inlined
def lane_of(lists: AcsLists, u: Whole, v: Whole) -> int:
    """Return the lane of city ``v`` in the row of ``u``, or ``NOT_LISTED``."""
    lane = NOT_LISTED
    for other in range(lists.neighbours.shape[1]):
        if lists.neighbours[u, other] == v:
            lane = other
    return lane


@inlined
def slot_of(trails: AcsPheromone, u: Whole, v: Whole) -> int:
    """Return the slot in which ``u`` remembers its edge to ``v``, or -1."""
    slot = -1
    for other in range(trails.cities.shape[1]):
        if trails.cities[u, other] == v:
            slot = other
    return slot


@inlined
def trail_outside(edges: AcsEdges, u: Whole, v: Whole) -> np.float32:
    """Return the trail of an edge that is not on the list of ``u``."""
    trails = edges.trails
    if not edges.rules.selective:
        return np.float32(trails.others[u, v])
    slot = slot_of(trails, u, v)
    return np.float32(trails.values[u, slot] if slot >= 0 else 1.0)


@inlined
def update(
    edges: AcsEdges, u: Whole, v: Whole, lane: Whole, keep: np.float32, added: np.float32
) -> int:
    """Update what ``u`` remembers of its edge to ``v``: τ ← τ·keep + added (eqs. 3 and 4).

    Returns 1 if the memory held the trail, else 0; a matrix holds every trail.
    """
    lists, trails = edges.lists, edges.trails
    if edges.rules.selective:
        return _update_memory(trails, u, v, lane, keep, added)
    if lane != NOT_LISTED:
        trails.listed[u, lane] = trails.listed[u, lane] * keep + added
        return 1
    trail = trails.others[u, v] * keep + added
    trails.others[u, v] = trail
    trails.bounds[u, 2] = min(trails.bounds[u, 2], trail)
    if trail > min(trails.bounds[u, 0], trails.bounds[u, 1]):
        beyond = 1
        for rank in range(lists.backup.shape[1]):
            if lists.backup[u, rank] == v:
                beyond = 0
        trails.bounds[u, beyond] = max(trails.bounds[u, beyond], trail)
    return 1


@inlined
def _update_memory(
    trails: AcsPheromone, u: Whole, v: Whole, lane: Whole, keep: np.float32, added: np.float32
) -> int:
    slot = slot_of(trails, u, v)
    hit = slot >= 0
    if hit:
        trail = trails.values[u, slot] * keep + added
    else:
        trail = keep + added
        slot = trails.tails[u] + 1
        if slot >= trails.cities.shape[1]:
            slot = 0
        trails.tails[u] = slot
        if trails.cities[u, slot] != NO_CITY and trails.lanes[u, slot] != NOT_LISTED:
            trails.listed[u, trails.lanes[u, slot]] = np.float32(1.0)
        trails.cities[u, slot] = v
        trails.lanes[u, slot] = lane
    trails.values[u, slot] = trail
    if lane != NOT_LISTED:
        trails.listed[u, lane] = trail
    return 1 if hit else 0
