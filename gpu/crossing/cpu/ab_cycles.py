"""AB-cycles: closed ways along edges of one tour and of the other in turn (Nagata 1997).

Each city has as many edges of the first tour alone as of the second alone. So a path that takes
such edges in turn, at random, comes back to where an AB-cycle closes, and all edges
fall into AB-cycles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import Key
from gpu.crossing.cpu.draws import below
from gpu.crossing.cpu.state import Room
from gpu.tour_changes.cpu.state import NOBODY


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
    begin = below(room, key, differing)
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
    end = np.int32(edges[city, below(room, key, left[city]) if left[city] > 1 else 0])
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
    first = below(room, key, 2)  # 0: the path begins with an own edge
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
