"""A tour on the CPU that a local search works on, and the two ways to change it."""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, inlined
from gpu.local_search.cpu.state import SEGMENT, A, C, D, E, LocalSearchRule, P, Q, SearchWorkspace
from gpu.local_search.rule import CODE_BITS, SIDE_BIT

LAST_CODE = (1 << CODE_BITS) - 1


@inlined
def wrapped(position: Whole, n: Whole) -> Whole:
    """Return a position that may lie up to a whole tour past the last one, or before the first."""
    if position >= n:
        return position - n
    return position + n if position < 0 else position


@inlined
def at(search: SearchWorkspace, position: Whole) -> np.int64:
    """Return the city at a position as :func:`wrapped` takes it."""
    n = search.tour.shape[0]
    return np.int64(search.tour[wrapped(position, n)])


@inlined
def exchange(search: SearchWorkspace, looker: int) -> bool:
    """Make a 2-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n = tour.shape[0]
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    first: Whole
    last: Whole
    if wrapped(at_p - at_a, n) == 1 and wrapped(at_d - at_c, n) == 1:
        first, count, other = at_p, wrapped(at_c - at_p, n) + 1, at_d
    elif wrapped(at_a - at_p, n) == 1 and wrapped(at_c - at_d, n) == 1:
        first, count, other = at_a, wrapped(at_d - at_a, n) + 1, at_c
    else:
        return False
    if 2 * count > n:
        first, count = other, n - count
    last = wrapped(first + count - 1, n)
    for _ in range(count // 2):
        city, swapped = tour[first], tour[last]
        tour[first], tour[last] = swapped, city
        place[swapped], place[city] = first, last
        first, last = wrapped(first + 1, n), wrapped(last - 1, n)
    return True


@inlined
def relocate(rule: LocalSearchRule, search: SearchWorkspace, looker: int) -> bool:
    """Make an Or-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n, length = tour.shape[0], np.int64(move[SEGMENT])
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_e, at_q = np.int64(place[move[E]]), np.int64(place[move[Q]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    if wrapped(at_p - at_a, n) == 1:
        forward = 1
    elif wrapped(at_a - at_p, n) == 1:
        forward = -1
    else:
        return False
    if (
        wrapped(forward * (at_a - at_e), n) != length - 1
        or wrapped(forward * (at_a - at_q), n) != length
    ):
        return False
    if wrapped(at_d - at_c, n) == 1:
        upstream, from_a = at_c, True  # the new place is behind c, and the segment begins with a
    elif wrapped(at_c - at_d, n) == 1:
        upstream, from_a = at_d, False
    else:
        return False
    if not rule.turns:  # the edges must run the very way they did
        code = np.int64(LAST_CODE) - (search.keys[looker] & np.int64(LAST_CODE))
        towards_successor = (code >> SIDE_BIT) & 1 == 0
        if towards_successor != (forward == 1) or towards_successor == from_a:
            return False
    start = at_e if forward == 1 else at_a
    turned = from_a == (forward == 1)
    s0 = tour[start]
    s1 = tour[wrapped(start + 1, n)]
    s2 = tour[wrapped(start + 2, n)]
    behind = wrapped(upstream - start, n) + 1 - length
    to: Whole
    source: Whole
    if 2 * behind <= n - length:
        to, source = start, wrapped(start + length, n)
        for _ in range(behind):
            city = tour[source]
            tour[to], place[city] = city, to
            to, source = wrapped(to + 1, n), wrapped(source + 1, n)
    else:
        to, source = wrapped(start + length - 1, n), start
        for _ in range(n - length - behind):
            source = wrapped(source - 1, n)
            city = tour[source]
            tour[to], place[city] = city, to
            to = wrapped(to - 1, n)
        to = wrapped(to - length + 1, n)
    for i in range(length):
        which = length - 1 - i if turned else i
        city = s0 if which == 0 else (s1 if which == 1 else s2)
        tour[to], place[city] = city, to
        to = wrapped(to + 1, n)
    return True
