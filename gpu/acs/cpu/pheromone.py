"""Reading and updating one trail, in the matrix and in the selective memory (Fig. 5)."""

from __future__ import annotations

import numpy as np

from gpu.acs.cpu.state import NO_CITY, CandidateLists, Edges, Pheromone
from gpu.cpu.compilation import Whole, inlined
from gpu.problems.tsp.neighbours import NOT_LISTED


@inlined
def lane_of(lists: CandidateLists, u: Whole, v: Whole) -> int:
    """Return the lane of city ``v`` in the row of ``u``, or ``NOT_LISTED``."""
    lane = NOT_LISTED
    for other in range(lists.neighbours.shape[1]):
        if lists.neighbours[u, other] == v:
            lane = other
    return lane


@inlined
def slot_of(trails: Pheromone, u: Whole, v: Whole) -> int:
    """Return the slot in which ``u`` remembers its edge to ``v``, or -1."""
    slot = -1
    for other in range(trails.cities.shape[1]):
        if trails.cities[u, other] == v:
            slot = other
    return slot


@inlined
def trail_outside(edges: Edges, u: Whole, v: Whole) -> np.float32:
    """Return the trail of an edge that is not on the list of ``u``."""
    trails = edges.trails
    if not edges.rules.selective:
        return np.float32(trails.others[u, v])
    slot = slot_of(trails, u, v)
    return np.float32(trails.values[u, slot] if slot >= 0 else 1.0)


@inlined
def update(
    edges: Edges, u: Whole, v: Whole, lane: Whole, keep: np.float32, added: np.float32
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
    trails: Pheromone, u: Whole, v: Whole, lane: Whole, keep: np.float32, added: np.float32
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
