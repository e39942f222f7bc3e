"""Exchanges of any number of edges: whether they make one tour of another, and how.

An exchange gives up edges of a tour. That cuts the tour into segments, and the new edges join their
ends. It makes a tour if one comes through all segments from one of them back to itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.tour_changes.cpu.state import NOBODY, Exchange


@compiled
def make(
    tour: NDArray[np.int32],
    place: NDArray[np.int32],
    room: Exchange,
    first: Whole,
    count: Whole,
) -> bool:
    """Make the exchange of the edges ``order[:, first : first + count]``, if it makes a tour.

    Return whether it did; else the tour is as it was.
    """
    if not _cut(tour.size, place, room, first, count):
        return False
    if not _join(tour, place, room, first, count) or not _walk(tour.size, room, count):
        return False
    _rearrange(tour, place, room, count)
    return True


@inlined
def _cut(n: Whole, place: NDArray[np.int32], room: Exchange, first: Whole, count: Whole) -> bool:
    """Note where the tour is cut, in ascending order; return False if it lacks one of the edges."""
    cuts = room.cuts
    for edge in range(count):
        old = room.order[0, first + edge]
        a, b = np.int64(place[room.old[old, 0]]), np.int64(place[room.old[old, 1]])
        if b == a + 1 or b == a + 1 - n:
            cuts[edge] = a
        elif a == b + 1 or a == b + 1 - n:
            cuts[edge] = b
        else:
            return False
    sort(cuts, count)
    twice = False
    for edge in range(1, count):
        twice |= cuts[edge] == cuts[edge - 1]
    return not twice


@inlined
def sort(values: NDArray[np.integer], count: Whole) -> None:
    """Sort the first values (Shell 1959, gaps of Ciura 2001 and beyond)."""
    gap = np.int64(1)
    while gap < count:
        gap = gap * 9 // 4 + 1
    while gap > 1:
        gap = gap * 4 // 9
        gap = gap if gap > 0 else np.int64(1)
        for entry in range(gap, count):
            value, at = values[entry], np.int64(entry)
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value


@inlined
def segment_of(cuts: NDArray[np.int32], count: Whole, place: Whole) -> np.int64:
    """Return the segment that has a place: it ends at the first cut from there on."""
    low, high = np.int64(0), np.int64(count)
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low if low < count else np.int64(0)


@inlined
def _join(
    tour: NDArray[np.int32], place: NDArray[np.int32], room: Exchange, first: Whole, count: Whole
) -> bool:
    """Join ends by the new edges: end 2 s is the first city of segment s, 2 s + 1 its last.

    Return False if a city has no end left.
    """
    ends = room.ends
    for end in range(2 * count):
        ends[end] = NOBODY
    for edge in range(count):
        new = room.order[1, first + edge]
        a = _end(tour.size, place, room, count, room.new[new, 0])
        if a == NOBODY:
            return False
        ends[a] = a  # taken: a city that is a segment by itself has two
        b = _end(tour.size, place, room, count, room.new[new, 1])
        if b == NOBODY:
            return False
        ends[a], ends[b] = b, a
    return True


@inlined
def _end(n: Whole, place: NDArray[np.int32], room: Exchange, count: Whole, city: Whole) -> np.int64:
    """Return an end that a city is, and that nothing is joined to; NOBODY if there is none."""
    cuts, here = room.cuts, np.int64(place[city])
    segment = segment_of(cuts, count, here)
    previous = np.int64(cuts[segment - 1 if segment > 0 else count - 1])
    begins = here == previous + 1 or here == previous + 1 - n
    if begins and room.ends[2 * segment] == NOBODY:
        return 2 * segment
    if here == cuts[segment] and room.ends[2 * segment + 1] == NOBODY:
        return 2 * segment + 1
    return np.int64(NOBODY)


@inlined
def _length(n: Whole, cuts: NDArray[np.int32], count: Whole, segment: Whole) -> np.int64:
    """Return the number of cities of a segment."""
    if segment == 0:
        return np.int64(cuts[0]) - np.int64(cuts[count - 1]) + n
    return np.int64(cuts[segment]) - np.int64(cuts[segment - 1])


@inlined
def _walk(n: Whole, room: Exchange, count: Whole) -> bool:
    """Note the segments' new order, the longest first and not turned; return whether all come."""
    cuts, path = room.cuts, room.path
    longest = np.int64(0)
    for segment in range(1, count):
        if _length(n, cuts, count, segment) > _length(n, cuts, count, longest):
            longest = np.int64(segment)
    at, steps = 2 * longest, 0
    while steps < count:
        path[steps] = at
        steps += 1
        at = np.int64(room.ends[at ^ 1])
        if at == 2 * longest:
            break
    return bool(steps == count and at == 2 * longest)


@inlined
def _rearrange(
    tour: NDArray[np.int32], place: NDArray[np.int32], room: Exchange, count: Whole
) -> None:
    """Move the segments to their new places, but for those that stay."""
    n, cuts, path = tour.size, room.cuts, room.path
    begin = np.int64(cuts[path[0] >> 1]) + 1
    begin = np.int64(begin if begin < n else 0)
    for copying in range(2):
        moved, to = 0, begin
        for step in range(1, count):
            segment = np.int64(path[step]) >> 1
            length = _length(n, cuts, count, segment)
            source = np.int64(cuts[segment]) - length + 1  # may be below 0: the tour is a cycle
            source = source if source >= 0 else source + n
            turned = path[step] & 1
            if source == to and not turned:
                to += length
                to = np.int64(to if to < n else to - n)
                continue
            way = -1 if turned else 1
            at = np.int64(source + length - 1 if turned else source)
            at = at if at < n else at - n
            for _ in range(length):
                if copying == 0:
                    room.moved[moved] = tour[at]
                    at += way
                    at = at if at < n else at - n
                    at = at if at >= 0 else at + n
                else:
                    city = room.moved[moved]
                    tour[to] = city
                    place[city] = to
                to += 1
                to = np.int64(to if to < n else 0)
                moved += 1
