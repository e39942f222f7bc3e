"""How an ant crosses its tour with another one: it makes children, and keeps one of them at most.

The one that it keeps gains most for what it costs in variety. Trails say which edges many tours of
the population have. Their entropy falls where an ant takes an edge that most have for one that few
have; the gain is divided by that (Nagata and Kobayashi 2013). So tours get shorter before they get
alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import Key
from gpu.crossing.cpu.ab_cycles import find_ab_cycles
from gpu.crossing.cpu.child import make_child, take_back
from gpu.crossing.cpu.draws import below
from gpu.crossing.cpu.state import CHILD_GAIN, JOURNAL_ENTRIES, SIZE_OF, CrossingState, Room

FREE = 1e-9  # loss of entropy that counts as none


@compiled
def cross(
    state: CrossingState, room: Room, own: NDArray[np.int32], other: NDArray[np.int32]
) -> np.int64:
    """Make ``room.work`` of one's own tour and another one; return how much shorter it is."""
    count = begin_children(room, state.rules.key, own, other)
    most, kept, gained = 0.0, np.int64(0), np.int64(0)
    for turn in range(min(count, np.int64(state.rules.children))):
        ab_cycle = draw_ab_cycle(room, state.rules.key, turn, count)
        if make_child(state.lists, room, ab_cycle) and room.numbers[CHILD_GAIN] > 0:
            worth = worth_of(state, room)
            if worth > most:
                most, kept, gained = worth, room.numbers[JOURNAL_ENTRIES], room.numbers[CHILD_GAIN]
                for entry in range(kept):
                    room.best[entry, 0] = room.journal[entry, 0]
                    room.best[entry, 1] = room.journal[entry, 1]
                    room.best[entry, 2] = room.journal[entry, 3]
        take_back(room)
    for entry in range(kept):
        room.work[room.best[entry, 0], room.best[entry, 1]] = room.best[entry, 2]
    return gained


@inlined
def begin_children(
    room: Room, key: Key, own: NDArray[np.int32], other: NDArray[np.int32]
) -> np.int64:
    """Find the AB-cycles of two tours, and begin with one's own; return the number of AB-cycles."""
    for city in range(own.shape[0]):
        room.work[city, 0], room.work[city, 1] = own[city, 0], own[city, 1]
    count = find_ab_cycles(room, key, own, other)
    if count > 0:
        _lay_out(room)
    for ab_cycle in range(count):
        room.chosen[ab_cycle] = ab_cycle
    return count


@inlined
def draw_ab_cycle(room: Room, key: Key, turn: Whole, count: np.int64) -> np.int32:
    """Draw an AB-cycle of which no child was made yet; ``turn`` of them have one."""
    drawn = turn + below(room, key, count - turn)
    ab_cycle = room.chosen[drawn]
    room.chosen[drawn] = room.chosen[turn]
    return np.int32(ab_cycle)


@inlined
def worth_of(state: CrossingState, room: Room) -> np.float64:
    """Return by what a child that gains is compared with others."""
    worth = np.float64(room.numbers[CHILD_GAIN])
    if state.rules.focus:
        worth = worth / max(lost_by(state, room), FREE)
    return np.float64(worth)


@inlined
def _lay_out(room: Room) -> None:
    """Write ``room.work`` down as a sequence of cities."""
    city, before = np.int32(0), room.work[0, 0]
    for at in range(room.tour.size):
        room.tour[at] = city
        room.place[city] = at
        following = room.work[city, 0] if room.work[city, 0] != before else room.work[city, 1]
        before, city = city, following


@inlined
def lost_by(state: CrossingState, room: Room) -> np.float64:
    """Return how much entropy the edges of the population lose by the changes in the journal.

    Each edge is in it twice, once for each end. One that no list has counts as one tour's.
    """
    spread, lost = state.population.spread, 0.0
    size = np.int64(state.schedule[SIZE_OF])
    for entry in range(room.numbers[JOURNAL_ENTRIES]):
        city, old, new = room.journal[entry, 0], room.journal[entry, 2], room.journal[entry, 3]
        had = min(max(tours_with(state, city, old), np.int64(1)), size)
        lost += spread[had] - spread[had - 1]
        has = min(tours_with(state, city, new), size - 1)
        lost -= spread[has + 1] - spread[has]
    return np.float64(0.5 * lost)


@inlined
def tours_with(state: CrossingState, city: Whole, other: Whole) -> np.int64:
    """Return how many tours of the population have an edge."""
    neighbours, counts = state.lists.neighbours, state.population.counts
    for lane in range(neighbours.shape[1]):
        if neighbours[city, lane] == other:
            return np.int64(counts[city, lane])
    for lane in range(neighbours.shape[1]):
        if neighbours[other, lane] == city:
            return np.int64(counts[other, lane])
    return np.int64(1)
