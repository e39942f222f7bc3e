"""A child: one's own tour with the edges of an AB-cycle exchanged, and made one tour again.

Such an exchange often leaves several tours. The smallest is joined to another one by the exchange
of two edges that costs least, until one is left (Nagata and Kobayashi 2013). Nothing takes time in
proportion to the number of cities, but for joining: that looks at the cities of the smallest tour.
"""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.crossing.cpu.distances import apart
from gpu.crossing.cpu.state import CHILD_GAIN, JOURNAL_ENTRIES, TOUR_PARTS, Room
from gpu.tour_changes.cpu.exchange import segment_of, sort
from gpu.tour_changes.cpu.lists import CityLists
from gpu.tour_changes.cpu.state import NOBODY


@compiled
def make_child(lists: CityLists, room: Room, ab_cycle: Whole) -> bool:
    """Exchange an AB-cycle's edges in ``room.work``, whose sequence is ``room.tour``.

    The journal has all changes, and ``numbers[GAIN]`` says how much shorter the tour is. Return
    False if no tour was found; the changes made so far are in the journal then, too.
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
        place = _begin(room, count, segment)
        for _ in range(_length(room, count, segment)):
            city = room.tour[place]
            place = np.int64(place + 1 if place + 1 < n else 0)
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
