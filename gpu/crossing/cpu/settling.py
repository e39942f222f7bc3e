"""Ants that improve a first tour before it is crossed, as many as it has cities at a time.

An ant begins with a double bridge, local search repairs it, and what is no longer than before is
kept. The ants of a cell work in a patch, one after another; then the patch's tour takes the place
of what the whole tour had there. The stretches of the tour between the cities of the cell stay as
they are: the patch has links in their place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import below, words_of
from gpu.crossing.cpu.state import (
    ANT_OF,
    ITERATION_OF,
    CrossingState,
    CrossingWorkspace,
    Room,
    word,
)
from gpu.tour_changes.cpu.cells import cut
from gpu.tour_changes.cpu.exchange import sort
from gpu.tour_changes.cpu.kicks import BRIDGE_CITIES, NOT_BRIDGED, bridge, repair
from gpu.tour_changes.cpu.patch import forget, lay_out, take_back
from gpu.tour_changes.cpu.state import PATCH_CHANGED, PATCH_CITIES, PATCH_TURNS, Patch

CELLS = np.uint32(Purpose.CELLS)


@compiled
def improve_by_ants(state: CrossingState, work: CrossingWorkspace) -> np.int64:
    """Improve ``room.tour``, whose places are ``room.place``; return how much shorter it gets."""
    room, patch, n, gained = work.room, work.patch, np.int64(state.first.size), np.int64(0)
    key = state.rules.key
    cities, places, bounds = room.free, room.part, room.bounds_of_cells
    words = words_of(key, CELLS, room.numbers[ITERATION_OF], room.numbers[ANT_OF], 0)
    cut(state.lists.geometry, room.tour, bounds, cities, room.along, room.sizes, words)
    for entry in range(n):
        cities[entry] = room.tour[cities[entry]]
    for cell in range(bounds.size - 1):
        begin, size = np.int64(bounds[cell]), np.int64(bounds[cell + 1] - bounds[cell])
        for entry in range(size):
            places[entry] = room.place[cities[begin + entry]]
        sort(places, size)
        lay_out(state.lists, patch, room.tour, places, np.int64(0), size)
        gained += _search(state, room, patch)
        _put_back(room, patch)
        forget(patch)
    return gained


@inlined
def _search(state: CrossingState, room: Room, patch: Patch) -> np.int64:
    """Let as many ants search in a patch as it has cities; return what they gain."""
    size, gained = patch.numbers[PATCH_CITIES], np.int64(0)
    if size < BRIDGE_CITIES:
        return gained
    longest = min(np.int64(state.rules.kick), (size - 1) // 3)
    for _ in range(size):
        start = below(word(room, state.rules.key), size)
        b = below(word(room, state.rules.key), longest) + 1
        c = below(word(room, state.rules.key), longest) + 1
        d = below(word(room, state.rules.key), longest) + 1
        p = min(start, size - 1 - b - c - d)
        gain = bridge(state.lists, patch, p, p + b, p + b + c, p + b + c + d)
        if gain == NOT_BRIDGED:
            continue
        gain += repair(state.lists, patch)
        if gain < 0:
            take_back(patch)
        else:
            gained += gain
        patch.numbers[PATCH_TURNS] = patch.numbers[PATCH_CHANGED] = 0
    return gained


@inlined
def _put_back(room: Room, patch: Patch) -> None:
    """Make the whole tour of the patch's tour and the stretches between its cities."""
    tour, places, made, n = room.tour, room.part, room.sizes, np.int64(room.tour.size)
    size, at = patch.numbers[PATCH_CITIES], np.int64(0)
    for step in range(size):
        city = patch.tour[step]
        following = patch.tour[step + 1 if step + 1 < size else 0]
        made[at] = patch.cities[city]
        at += 1
        if patch.links[city, 0] == following:
            at = _copy_stretch(tour, made, at, places[city], places[following], np.int64(1), n)
        elif patch.links[city, 1] == following:
            at = _copy_stretch(tour, made, at, places[city], places[following], np.int64(-1), n)
    for place in range(n):
        city = made[place]
        tour[place] = city
        room.place[city] = place


@inlined
def _copy_stretch(
    tour: NDArray[np.int32],
    made: NDArray[np.int32],
    at: np.int64,
    place: Whole,
    end: Whole,
    way: np.int64,
    n: np.int64,
) -> np.int64:
    """Copy the cities strictly between two places, in one direction; return where they end."""
    here = np.int64(place) + way
    while True:
        here = here if here < n else np.int64(0)
        here = here if here >= 0 else n - 1
        if here == end:
            return at
        made[at] = tour[here]
        at += 1
        here += way
