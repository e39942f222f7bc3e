"""How an ant crosses its tour with another one: it makes children, and keeps one of them at most.

AB-cycles are closed ways along edges of one tour and of the other in turn (Nagata 1997). Each city
has as many edges of the first tour alone as of the second alone. So a path that takes such edges in
turn, at random, comes back to where an AB-cycle closes, and all edges fall into AB-cycles.

A child is one's own tour with the edges of an AB-cycle exchanged, and made one tour again. Such an
exchange often leaves several tours. The smallest is joined to another one by the exchange of two
edges that costs least, until one is left (Nagata and Kobayashi 2013). Nothing takes time in
proportion to the number of cities, but for joining: that looks at the cities of the smallest tour.

The child that is kept gains most for what it costs in variety. Trails say which edges many tours of
the population have. Their entropy falls where an ant takes an edge that most have for one that few
have; the gain is divided by that (Nagata and Kobayashi 2013). So tours get shorter before they get
alike. Where no child is shorter, the ant keeps one that is as long as its tour if the entropy rises
by it: where many edges are equally long, tours do not stop at the first of many equal ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.philox import Key
from gpu.cpu.record import ITERATION
from gpu.crossing.cpu.state import (
    CHILD_GAIN,
    JOURNAL_ENTRIES,
    READ_SIDE,
    SIZE_OF,
    TOUR_PARTS,
    CrossingState,
    Room,
    apart,
    begin_draws,
    next_below,
    write_down,
)
from gpu.tour_changes.cpu.exchange import make, segment_of, sort
from gpu.tour_changes.cpu.state import NOBODY, CityLists, Exchange


@compiled
def find_ab_cycles(
    room: Room, key: Key, own: NDArray[np.int32], other: NDArray[np.int32]
) -> np.int64:
    """Fill ``room.ab_cycles`` and ``room.bounds``; return the number of AB-cycles.

    The first edge of each AB-cycle is one of ``own``, the second one of ``other``, and so on.
    """
    differing = _compare(room, own, other)
    count = np.int64(0)
    room.bounds[0] = 0
    if differing == 0:
        return count
    begin = next_below(room, key, differing)
    for turn in range(differing):
        city = room.differing[(begin + turn) % differing]
        while room.own_left[city] > 0:
            count = _trace(room, key, city, count)
    return count


@inlined
def _compare(room: Room, own: NDArray[np.int32], other: NDArray[np.int32]) -> np.int64:
    """List the edges that one tour alone has; return the number of cities that have such."""
    differing = np.int64(0)
    for city in range(own.shape[0]):
        a, b, c, d = own[city, 0], own[city, 1], other[city, 0], other[city, 1]
        if (a == c and b == d) or (a == d and b == c):
            room.own_left[city] = room.other_left[city] = 0
            continue
        left = right = 0
        if a not in (c, d):
            room.mine[city, left] = a
            left += 1
        if b not in (c, d):
            room.mine[city, left] = b
            left += 1
        if c not in (a, b):
            room.theirs[city, right] = c
            right += 1
        if d not in (a, b):
            room.theirs[city, right] = d
            right += 1
        room.own_left[city], room.other_left[city] = left, right
        room.differing[differing] = city
        differing += 1
    return differing


@inlined
def _take(
    room: Room, key: Key, edges: NDArray[np.int32], left: NDArray[np.int32], city: Whole
) -> np.int32:
    """Take an edge of a city at random; return its other end."""
    end = np.int32(edges[city, next_below(room, key, left[city]) if left[city] > 1 else 0])
    _drop(edges, left, city, end)
    _drop(edges, left, end, city)
    return end


@inlined
def _drop(edges: NDArray[np.int32], left: NDArray[np.int32], city: Whole, end: Whole) -> None:
    """Strike an edge from a city's list."""
    left[city] -= 1
    if edges[city, 0] == end:
        edges[city, 0] = edges[city, 1]


@inlined
def _trace(room: Room, key: Key, city: Whole, count: np.int64) -> np.int64:
    """Follow edges from ``city`` until the path is used up; return the new number of AB-cycles."""
    path, seen = room.path, room.seen
    first = next_below(room, key, 2)  # 0: the path begins with an own edge
    path[0] = city
    seen[city, 0] = 0
    at = np.int64(0)
    while True:
        if (first + at) % 2 == 0:
            end = _take(room, key, room.mine, room.own_left, path[at])
        else:
            end = _take(room, key, room.theirs, room.other_left, path[at])
        at += 1
        path[at] = end
        back = np.int64(seen[end, at % 2])
        if back == NOBODY:
            seen[end, at % 2] = at
            continue
        size, shift = at - back, (first + back) % 2
        begin = np.int64(room.bounds[count])
        for step in range(size):
            taken = step + shift
            room.ab_cycles[begin + step] = path[back + (taken if taken < size else taken - size)]
        count += 1
        room.bounds[count] = begin + size
        for step in range(back + 1, at):
            seen[path[step], step % 2] = NOBODY
        at = back
        if back == 0:
            seen[city, 0] = NOBODY
            return count


@compiled
def make_child(lists: CityLists, room: Room, ab_cycle: Whole) -> bool:
    """Exchange an AB-cycle's edges in ``room.work``, whose sequence is ``room.tour``.

    The journal has all changes, and ``numbers[CHILD_GAIN]`` says how much shorter the tour is.
    Return False if no tour was found; the changes made so far are in the journal then, too.
    """
    count = _exchange(lists, room, ab_cycle)
    _find_parts(room, count)
    parts, left = room.numbers[TOUR_PARTS], room.numbers[TOUR_PARTS]
    while left > 1:
        smallest = np.int64(NOBODY)
        for part in range(parts):
            size = room.sizes[part]
            if size > 0 and (smallest == NOBODY or size < room.sizes[smallest]):
                smallest = np.int64(part)
        if not _join(lists, room, count, smallest):
            return False
        left -= 1
    return True


@compiled
def take_back(room: Room) -> None:
    """Undo all changes of ``room.work`` in the journal."""
    for entry in range(room.numbers[JOURNAL_ENTRIES] - 1, -1, -1):
        change = room.journal[entry]
        room.work[change[0], change[1]] = change[2]
    room.numbers[JOURNAL_ENTRIES] = 0


@inlined
def _replace(room: Room, city: Whole, old: Whole, new: Whole) -> None:
    """Give a city another neighbour, and note it in the journal."""
    side = 0 if room.work[city, 0] == old else 1
    entry = room.numbers[JOURNAL_ENTRIES]
    journal = room.journal
    journal[entry, 0], journal[entry, 1] = city, side
    journal[entry, 2], journal[entry, 3] = old, new
    room.numbers[JOURNAL_ENTRIES] += 1
    room.work[city, side] = new


@inlined
def _exchange(lists: CityLists, room: Room, ab_cycle: Whole) -> np.int64:
    """Exchange the edges of an AB-cycle, and sort where that cuts the tour; return how often."""
    first, end = np.int64(room.bounds[ab_cycle]), np.int64(room.bounds[ab_cycle + 1])
    n, cities, gain = room.tour.size, room.ab_cycles, np.int64(0)
    room.numbers[JOURNAL_ENTRIES] = 0
    for at in range(first, end, 2):
        before = cities[at - 1 if at > first else end - 1]
        a, b = cities[at], cities[at + 1]
        after = cities[at + 2 if at + 2 < end else first]
        gain += apart(lists, a, b) - apart(lists, b, after)
        _replace(room, a, b, before)
        _replace(room, b, a, after)
        one, other = np.int64(room.place[a]), np.int64(room.place[b])
        follows = other == one + 1 or other == one + 1 - n
        room.cuts[(at - first) // 2] = one if follows else other
    room.numbers[CHILD_GAIN] = gain
    count = (end - first) // 2
    sort(room.cuts, count)
    return np.int64(count)


@inlined
def _begin(room: Room, count: Whole, segment: Whole) -> np.int64:
    """Return the first place of a segment."""
    place = np.int64(room.cuts[segment - 1 if segment > 0 else count - 1]) + 1
    return np.int64(place if place < room.tour.size else 0)


@inlined
def _length(room: Room, count: Whole, segment: Whole) -> np.int64:
    """Return the number of cities of a segment."""
    length = np.int64(room.cuts[segment]) - _begin(room, count, segment) + 1
    return np.int64(length if length > 0 else length + room.tour.size)


@inlined
def _find_parts(room: Room, count: np.int64) -> None:
    """Find the tours into which the segments fall, and their sizes."""
    n, tour, parts = room.tour.size, room.tour, 0
    for segment in range(count):
        room.part[segment] = NOBODY
    for segment in range(count):
        if room.part[segment] != NOBODY:
            continue
        size, at = np.int64(0), np.int64(segment)
        begin = _begin(room, count, at)
        city = tour[begin]
        # A segment of one city is left by the neighbour that it was not entered from.
        before = room.work[city, 0]
        while room.part[at] == NOBODY:
            room.part[at] = parts
            begin, length = _begin(room, count, at), _length(room, count, at)
            size += length
            if length > 1:
                last = np.int64(room.cuts[at])
                if room.place[city] == begin:
                    city, before = tour[last], tour[last - 1 if last > 0 else n - 1]
                else:
                    city, before = tour[begin], tour[begin + 1 if begin + 1 < n else 0]
            following = room.work[city, 0] if room.work[city, 0] != before else room.work[city, 1]
            before, city = city, following
            at = segment_of(room.cuts, count, np.int64(room.place[city]))
        room.sizes[parts] = size
        parts += 1
    room.numbers[TOUR_PARTS] = parts


@inlined
def _join(lists: CityLists, room: Room, count: np.int64, part: np.int64) -> bool:
    """Join a tour to another one at the least cost; return False if no candidate leads out."""
    n, work = room.tour.size, room.work
    most, into = -(np.int64(2) ** 62), NOBODY
    a = b = c = d = np.int32(0)
    for segment in range(count):
        if room.part[segment] != part:
            continue
        begin, length = _begin(room, count, segment), _length(room, count, segment)
        for step in range(min(length, np.int64(2 * NEAR_ENDS))):
            away = step if step < NEAR_ENDS else length - 1 - (step - NEAR_ENDS)
            place = begin + away
            city = room.tour[place if place < n else place - n]
            first = apart(lists, city, work[city, 0])
            second = apart(lists, city, work[city, 1])
            for lane in range(lists.neighbours.shape[1]):
                near = lists.neighbours[city, lane]
                there = room.part[segment_of(room.cuts, count, np.int64(room.place[near]))]
                if there == part:
                    continue
                for side in range(2):
                    beyond = work[near, side]
                    gain = apart(lists, near, beyond) - lists.lengths[city, lane]
                    straight = gain + first - apart(lists, work[city, 0], beyond)
                    if straight > most:
                        most, into = straight, there
                        a, b, c, d = city, work[city, 0], near, beyond
                    crossed = gain + second - apart(lists, work[city, 1], beyond)
                    if crossed > most:
                        most, into = crossed, there
                        a, b, c, d = city, work[city, 1], near, beyond
    if into == NOBODY:
        return False
    room.numbers[CHILD_GAIN] += most
    _replace(room, a, b, c)
    _replace(room, b, a, d)
    _replace(room, c, d, a)
    _replace(room, d, c, b)
    for segment in range(count):
        if room.part[segment] == part:
            room.part[segment] = into
    room.sizes[into] += room.sizes[part]
    room.sizes[part] = 0
    return True


NEAR_ENDS = 50  # cities from an end of a segment, from which a tour is joined to another one

FREE = 1e-9  # loss of entropy that counts as none
EVEN = 1e-6  # what entropy is worth that a child as long as its parent brings


@compiled
def cross(
    state: CrossingState,
    room: Room,
    exchange: Exchange,
    own: NDArray[np.int32],
    other: NDArray[np.int32],
) -> np.int64:
    """Make ``room.work`` of one's own tour and another one; return how much shorter it is.

    All AB-cycles are drawn, one after another. Of each so many children one is kept at most; the
    next ones are children of that.
    """
    key = state.rules.key
    count, gained, turn = begin_children(room, key, own, other), np.int64(0), np.int64(0)
    while turn < count:
        most, kept, gain = 0.0, np.int64(0), np.int64(0)
        for _ in range(min(count - turn, np.int64(state.rules.children))):
            if try_child(state.lists, room, draw_ab_cycle(room, key, turn, count)):
                worth = worth_of(state, room)
                if worth > most:
                    most, gain = worth, room.numbers[CHILD_GAIN]
                    kept = note_child(room)
            take_back(room)
            turn += 1
        if kept > 0:
            keep_child(room, exchange, kept)
            gained += gain
    return gained


@inlined
def try_child(lists: CityLists, room: Room, ab_cycle: Whole) -> bool:
    """Make the child of an AB-cycle; return whether there is one that is not longer."""
    room.numbers[JOURNAL_ENTRIES] = room.numbers[TOUR_PARTS] = room.numbers[CHILD_GAIN] = 0
    if _still_there(room, ab_cycle) and make_child(lists, room, ab_cycle):
        return bool(room.numbers[CHILD_GAIN] >= 0)
    room.numbers[CHILD_GAIN] = 0
    return False


@inlined
def note_child(room: Room) -> np.int64:
    """Note the changes in the journal as those of the best child; return their number."""
    for entry in range(room.numbers[JOURNAL_ENTRIES]):
        room.best[entry, 0] = room.journal[entry, 0]
        room.best[entry, 1] = room.journal[entry, 1]
        room.best[entry, 2] = room.journal[entry, 3]
    return np.int64(room.numbers[JOURNAL_ENTRIES])


@inlined
def keep_child(room: Room, exchange: Exchange, changes: np.int64) -> None:
    """Let the best child take the place of one's own tour."""
    for entry in range(changes):
        room.work[room.best[entry, 0], room.best[entry, 1]] = room.best[entry, 2]
    _follow_work(room, exchange, changes)


@inlined
def _still_there(room: Room, ab_cycle: Whole) -> bool:
    """Whether the tour still has all of its edges that an AB-cycle would give up."""
    first, end = np.int64(room.bounds[ab_cycle]), np.int64(room.bounds[ab_cycle + 1])
    for at in range(first, end, 2):
        a, b = room.ab_cycles[at], room.ab_cycles[at + 1]
        if room.work[a, 0] != b and room.work[a, 1] != b:
            return False
    return True


@compiled
def _follow_work(room: Room, exchange: Exchange, changes: np.int64) -> None:
    """Make the changes of ``room.best`` in the sequence, too, which ``room.work`` has already."""
    n, tour, cities = room.tour.size, room.tour, room.changed
    for entry in range(changes):
        cities[entry] = room.best[entry, 0]
    sort(cities, changes)
    olds = news = np.int64(0)
    for entry in range(changes):
        city = cities[entry]
        if entry > 0 and cities[entry - 1] == city:
            continue
        place = np.int64(room.place[city])
        was = (tour[place - 1 if place > 0 else n - 1], tour[place + 1 if place + 1 < n else 0])
        now = (room.work[city, 0], room.work[city, 1])
        for side in range(2):
            if was[side] > city and was[side] != now[0] and was[side] != now[1]:
                exchange.old[olds, 0], exchange.old[olds, 1] = city, was[side]
                exchange.order[0, olds] = olds
                olds += 1
            if now[side] > city and now[side] != was[0] and now[side] != was[1]:
                exchange.new[news, 0], exchange.new[news, 1] = city, now[side]
                exchange.order[1, news] = news
                news += 1
    make(tour, room.place, exchange, np.int64(0), olds)


@inlined
def begin_children(
    room: Room, key: Key, own: NDArray[np.int32], other: NDArray[np.int32]
) -> np.int64:
    """Find the AB-cycles of two tours, and begin with one's own; return the number of AB-cycles."""
    for city in range(own.shape[0]):
        room.work[city, 0], room.work[city, 1] = own[city, 0], own[city, 1]
    count = find_ab_cycles(room, key, own, other)
    if count > 0:
        write_down(room)
    for ab_cycle in range(count):
        room.chosen[ab_cycle] = ab_cycle
    return count


@inlined
def draw_ab_cycle(room: Room, key: Key, turn: Whole, count: np.int64) -> np.int32:
    """Draw an AB-cycle of which no child was made yet; ``turn`` of them have one."""
    drawn = turn + next_below(room, key, count - turn)
    ab_cycle = room.chosen[drawn]
    room.chosen[drawn] = room.chosen[turn]
    return np.int32(ab_cycle)


@inlined
def worth_of(state: CrossingState, room: Room) -> np.float64:
    """Return by what a child that is not longer is compared with others; 0: it is not kept."""
    worth = float(room.numbers[CHILD_GAIN])
    if state.rules.focus and worth > 0:
        worth = worth / max(lost_by(state, room), FREE)
    elif state.rules.focus:
        worth = max(-EVEN * lost_by(state, room), 0.0)
    return np.float64(worth)


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


class Offspring(NamedTuple):
    """What an ant made of each AB-cycle, in the order in which it drew them."""

    ab_cycles: NDArray[np.int64]  # (c,): numbers of the AB-cycles
    sizes: NDArray[np.int64]  # (c,): edges of its own that the ant gives up with an AB-cycle
    parts: NDArray[np.int64]  # (c,): tours that this leaves, before they are joined
    gains: NDArray[np.int64]  # (c,): of the child; 0 if there is none
    losses: NDArray[np.float64]  # (c,): of entropy
    worths: NDArray[np.float64]  # (c,): of those that may be kept; else 0
    kept: NDArray[np.bool_]  # (c,): whether the ant kept the child
    counts: NDArray[np.int64]  # (1,): AB-cycles that there are


@cached
def follow(
    state: CrossingState,
    room: Room,
    exchange: Exchange,
    children: Offspring,
    ant: Whole,
    own: Whole,
    other: Whole,
) -> np.int64:
    """Let an ant cross tours ``own`` and ``other`` of the population; return how much it gains.

    Its children are told, and ``room.work`` is the tour that it keeps.
    """
    population, side, key = state.population, state.schedule[READ_SIDE], state.rules.key
    iteration = state.record.numbers[ITERATION]
    begin_draws(room, iteration, ant)
    count = begin_children(room, key, population.links[side, own], population.links[side, other])
    children.counts[0] = count
    most, best, kept = 0.0, np.int64(NOBODY), np.int64(0)
    for turn in range(count):
        ab_cycle = draw_ab_cycle(room, key, turn, count)
        children.ab_cycles[turn] = ab_cycle
        children.sizes[turn] = (room.bounds[ab_cycle + 1] - room.bounds[ab_cycle]) // 2
        children.losses[turn], children.worths[turn], children.kept[turn] = 0.0, 0.0, False
        may_be_kept = try_child(state.lists, room, ab_cycle)
        children.gains[turn] = room.numbers[CHILD_GAIN]
        children.parts[turn] = room.numbers[TOUR_PARTS]
        if may_be_kept or room.numbers[CHILD_GAIN] != 0:
            children.losses[turn] = lost_by(state, room)
        if may_be_kept:
            children.worths[turn] = worth_of(state, room)
            if children.worths[turn] > most:
                most, best = children.worths[turn], np.int64(turn)
                kept = note_child(room)
        take_back(room)
        if (turn + 1) % state.rules.children == 0 or turn + 1 == count:
            if best != NOBODY:
                children.kept[best] = True
                keep_child(room, exchange, kept)
            most, best = 0.0, np.int64(NOBODY)
    begin_draws(room, iteration, ant)
    return cross(state, room, exchange, population.links[side, own], population.links[side, other])
