"""2-opt and Or-opt on the CPU, compiled, by the rule of :mod:`gpu.local_search`.

A colony makes one :class:`Search` a thread, copies a tour into it, calls :func:`improve_one` and
copies the tour back, shorter by what that returns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.baseline.compiled import Whole, entry, part, piece
from gpu.baseline.geometry import EUCLIDEAN, Geometry, distance, geometry_of
from gpu.instances.instance import TspInstance
from gpu.local_search import LEAST_CITIES, NEIGHBOURS, WINDOW, moves_of, neighbour_rows

CODE_BITS = 10
"""Low bits of a move's key: its place in the order among moves that gain the same."""

LAST_CODE = (1 << CODE_BITS) - 1

SIDE_BIT, RANK_BIT = 3, 4
"""Parts of a code; the lowest bits are the kind of the move."""

LENGTH, A, P, C, D, E, Q = range(7)
"""Places in a move: cities of the segment (0 for 2-opt), then the ends of the edges given up."""

ENDS_OF_EXCHANGE, ENDS_OF_SEGMENT = 4, 6

BY_EXCHANGE, BY_SEGMENT = 0, 1
"""Places in the counts of moves made."""


class Rule(NamedTuple):
    """What a local search goes by; nothing here changes.

    Attributes
    ----------
    rows : ndarray of int32, shape (1 or 2, n, K, 2)
        See :func:`gpu.local_search.neighbour_rows`.
    exchanges, segments, turns : bool
        See :class:`gpu.local_search.Moves`.
    """

    rows: NDArray[np.int32]
    exchanges: bool
    segments: bool
    turns: bool


class Search(NamedTuple):
    """One thread's place to improve a tour.

    Attributes
    ----------
    tour, place : ndarray of int32, shape (n,)
        The tour, and the position of each city in it.
    queue : ndarray of int32, shape (n,)
        Cities that wait, in a ring.
    waiting : ndarray of bool, shape (n,)
        Whether a city does: its don't-look bit, inverted.
    keys : ndarray of int64, shape (WINDOW,)
        Of the moves found in a round: gain, then ``LAST_CODE`` less the code.
    moves : ndarray of int32, shape (WINDOW, 7)
        Those moves.
    counts : ndarray of int64, shape (8,)
        Moves made so far, by 2-opt and by Or-opt; the rest keeps other threads' apart.
    """

    tour: NDArray[np.int32]
    place: NDArray[np.int32]
    queue: NDArray[np.int32]
    waiting: NDArray[np.bool_]
    keys: NDArray[np.int64]
    moves: NDArray[np.int32]
    counts: NDArray[np.int64]


def rule_of(instance: TspInstance, kind: str, neighbours: int = NEIGHBOURS) -> Rule | None:
    """Prepare a local search of ``kind``; None for ``none``.

    Raises
    ------
    ParameterError
        As :func:`gpu.local_search.moves_of` and :func:`gpu.local_search.neighbour_rows` say.
    """
    moves = moves_of(instance, kind)
    if moves is None:
        return None
    rows = neighbour_rows(instance, neighbours)
    return Rule(rows, moves.exchanges, moves.segments, moves.turns)


def no_rule() -> Rule:
    """The rule of a colony without local search: compiled code wants one all the same."""
    return Rule(np.zeros((1, 1, 1, 2), np.int32), False, False, False)


def search_of(n: int) -> Search:
    """Make room for tours of ``n`` cities: 13 bytes a city."""
    return Search(
        tour=np.zeros(n, np.int32),
        place=np.zeros(n, np.int32),
        queue=np.zeros(n, np.int32),
        waiting=np.zeros(n, np.bool_),
        keys=np.zeros(WINDOW, np.int64),
        moves=np.zeros((WINDOW, 7), np.int32),
        counts=np.zeros(8, np.int64),
    )


def bytes_needed(instance: TspInstance, threads: int) -> int:
    """Bytes of a rule with lists of ``NEIGHBOURS``, and of the threads' searches."""
    n, sides = instance.n, 2 if instance.directed else 1
    search = 13 * n + WINDOW * (8 + 7 * 4) + 8 * 8
    return sides * 8 * n * min(NEIGHBOURS, n - 1) + threads * search


@dataclass(frozen=True, slots=True, eq=False)
class Improved:
    """What a local search made of some tours.

    Attributes
    ----------
    tours : ndarray of int32, shape (ants, n)
    lengths : ndarray of int64, shape (ants,)
    exchanges, segments : int
        Moves made by 2-opt and by Or-opt.
    """

    tours: NDArray[np.int32]
    lengths: NDArray[np.int64]
    exchanges: int
    segments: int


def improve(
    instance: TspInstance,
    tours: NDArray[np.integer],
    kind: str,
    neighbours: int = NEIGHBOURS,
) -> Improved:
    """Improve ``tours``, permutations of shape (ants, n), on one core.

    Raises
    ------
    ParameterError
        As :func:`rule_of` says.
    """
    improved = np.array(tours, np.int32, order="C")
    lengths = np.array([instance.tour_length(tour) for tour in improved], np.int64)
    rule = rule_of(instance, kind, neighbours)
    search = search_of(instance.n)
    if rule is not None:
        improve_all(rule, geometry_of(instance, 1.0), search, improved, lengths)
    exchanges, segments = (int(search.counts[which]) for which in (BY_EXCHANGE, BY_SEGMENT))
    return Improved(improved, lengths, exchanges, segments)


@entry
def improve_all(
    rule: Rule,
    geometry: Geometry,
    search: Search,
    tours: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> None:
    """Improve ``tours`` in place, and take off their ``lengths`` what each gains."""
    ants, n = tours.shape
    for ant in range(ants):
        for position in range(n):
            search.tour[position] = tours[ant, position]
        lengths[ant] -= improve_one(rule, geometry, search)
        for position in range(n):
            tours[ant, position] = search.tour[position]


@part
def improve_one(rule: Rule, geometry: Geometry, search: Search) -> np.int64:
    """Improve the tour in ``search``; return how much shorter it is."""
    queue, waiting = search.queue, search.waiting
    n = search.tour.shape[0]
    gained = np.int64(0)
    if n < LEAST_CITIES:
        return gained
    _begin(search)
    head, size = 0, n
    while size > 0:
        lookers = min(WINDOW, size)
        for looker in range(lookers):
            a = np.int64(queue[head])
            head = head + 1 if head + 1 < n else 0
            waiting[a] = False
            search.keys[looker] = _look(rule, geometry, search, a, looker)
        size -= lookers
        for looker in range(lookers):
            if search.keys[looker] <= LAST_CODE:
                continue
            ends = 1
            if search.moves[looker, LENGTH] == 0:
                if _exchange(search, looker):
                    ends = ENDS_OF_EXCHANGE
                    search.counts[BY_EXCHANGE] += 1
            elif _relocate(rule, search, looker):
                ends = ENDS_OF_SEGMENT
                search.counts[BY_SEGMENT] += 1
            if ends > 1:
                gained += search.keys[looker] >> CODE_BITS
            for end in range(A, A + ends):
                city = search.moves[looker, end]
                if not waiting[city]:
                    waiting[city] = True
                    queue[_wrapped(head + size, n)] = city
                    size += 1
    return gained


@piece
def _begin(search: Search) -> None:
    """Note the positions, and let all cities wait, the first ones of all stretches first."""
    n = search.tour.shape[0]
    stretch = (n + WINDOW - 1) // WINDOW
    waiting = 0
    for offset in range(stretch):
        for position in range(offset, n, stretch):
            city = search.tour[position]
            search.place[city] = position
            search.waiting[city] = True
            search.queue[waiting] = city
            waiting += 1


@piece
def _wrapped(position: Whole, n: Whole) -> Whole:
    """Return a position that may lie up to a whole tour past the last one, or before the first."""
    if position >= n:
        return position - n
    return position + n if position < 0 else position


@piece
def _at(search: Search, position: Whole) -> np.int64:
    n = search.tour.shape[0]
    return np.int64(search.tour[_wrapped(position, n)])


@piece
def _between(geometry: Geometry, a: Whole, b: Whole) -> np.int64:
    """Return the distance from ``a`` to ``b``; the commonest rule is compiled in."""
    if geometry.rule == EUCLIDEAN:
        points = geometry.points
        x = points[a, 0] - points[b, 0]
        y = points[a, 1] - points[b, 1]
        z = points[a, 2] - points[b, 2]
        return np.int64(math.sqrt(x * x + y * y + z * z) + 0.5)
    return distance(geometry, a, b)


@piece
def _away(rule: Rule, geometry: Geometry, side: int, a: Whole, b: Whole) -> np.int64:
    """Return the distance between neighbours-to-be, ``b`` being on ``side`` of ``a``."""
    if side == 1 and not rule.turns:
        return _between(geometry, b, a)
    return _between(geometry, a, b)


@part
def _look(rule: Rule, geometry: Geometry, search: Search, a: np.int64, looker: int) -> np.int64:
    """Find the best move of city ``a``, write it down and return its key."""
    n = search.tour.shape[0]
    place, move = search.place, search.moves[looker]
    here = np.int64(place[a])
    best = np.int64(LAST_CODE)
    longest = min(3, n - 3) if rule.segments else 0
    for side in range(2):
        forward = 1 - 2 * side  # to the position on this side
        p = _at(search, here + forward)
        given_up = _away(rule, geometry, side, a, p)
        rows = rule.rows[side if rule.rows.shape[0] == 2 else 0]
        for rank in range(rows.shape[1]):
            near = np.int64(rows[a, rank, 1])
            if near >= given_up:
                break
            c = np.int64(rows[a, rank, 0])
            there = np.int64(place[c])
            after, before = _at(search, there + forward), _at(search, there - forward)
            away_after = np.int64(0)
            if rule.turns:
                away_after = _between(geometry, c, after)
            code = rank << RANK_BIT | side << SIDE_BIT
            if rule.exchanges:
                gain = given_up + away_after - near - _between(geometry, p, after)
                key = (gain << CODE_BITS) + (LAST_CODE - code)
                if key > best:
                    best = key
                    move[LENGTH] = 0
                    move[A], move[P], move[C], move[D] = a, p, c, after
            if longest == 0:
                continue
            away_before = _away(rule, geometry, side, before, c)
            behind = _wrapped(forward * (here - there), n)  # cities from a to c, leaving p behind
            e = a
            for length in range(1, longest + 1):
                if behind < length:
                    break
                q = _at(search, here - forward * length)
                spared = (
                    given_up
                    + _away(rule, geometry, side, q, e)
                    - _away(rule, geometry, side, q, p)
                    - near
                )
                gain = spared + away_before - _away(rule, geometry, side, before, e)
                key = (gain << CODE_BITS) + (LAST_CODE - (code | length))
                if key > best:
                    best = key
                    move[LENGTH] = length
                    move[A], move[P], move[C], move[D] = a, p, c, before
                    move[E], move[Q] = e, q
                if rule.turns and behind != length:
                    gain = spared + away_after - _between(geometry, after, e)
                    key = (gain << CODE_BITS) + (LAST_CODE - (code | 3 + length))
                    if key > best:
                        best = key
                        move[LENGTH] = length
                        move[A], move[P], move[C], move[D] = a, p, c, after
                        move[E], move[Q] = e, q
                e = q
    return best


@piece
def _exchange(search: Search, looker: int) -> bool:
    """Make a 2-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n = tour.shape[0]
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    first: Whole
    last: Whole
    if _wrapped(at_p - at_a, n) == 1 and _wrapped(at_d - at_c, n) == 1:
        first, count, other = at_p, _wrapped(at_c - at_p, n) + 1, at_d
    elif _wrapped(at_a - at_p, n) == 1 and _wrapped(at_c - at_d, n) == 1:
        first, count, other = at_a, _wrapped(at_d - at_a, n) + 1, at_c
    else:
        return False
    if 2 * count > n:
        first, count = other, n - count
    last = _wrapped(first + count - 1, n)
    for _ in range(count // 2):
        city, swapped = tour[first], tour[last]
        tour[first], tour[last] = swapped, city
        place[swapped], place[city] = first, last
        first, last = _wrapped(first + 1, n), _wrapped(last - 1, n)
    return True


@piece
def _relocate(rule: Rule, search: Search, looker: int) -> bool:
    """Make an Or-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n, length = tour.shape[0], np.int64(move[LENGTH])
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_e, at_q = np.int64(place[move[E]]), np.int64(place[move[Q]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    if _wrapped(at_p - at_a, n) == 1:
        forward = 1
    elif _wrapped(at_a - at_p, n) == 1:
        forward = -1
    else:
        return False
    if (
        _wrapped(forward * (at_a - at_e), n) != length - 1
        or _wrapped(forward * (at_a - at_q), n) != length
    ):
        return False
    if _wrapped(at_d - at_c, n) == 1:
        upstream, from_a = at_c, True  # the new place is behind c, and the segment begins with a
    elif _wrapped(at_c - at_d, n) == 1:
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
    s1 = tour[_wrapped(start + 1, n)]
    s2 = tour[_wrapped(start + 2, n)]
    behind = _wrapped(upstream - start, n) + 1 - length
    to: Whole
    source: Whole
    if 2 * behind <= n - length:
        to, source = start, _wrapped(start + length, n)
        for _ in range(behind):
            city = tour[source]
            tour[to], place[city] = city, to
            to, source = _wrapped(to + 1, n), _wrapped(source + 1, n)
    else:
        to, source = _wrapped(start + length - 1, n), start
        for _ in range(n - length - behind):
            source = _wrapped(source - 1, n)
            city = tour[source]
            tour[to], place[city] = city, to
            to = _wrapped(to - 1, n)
        to = _wrapped(to - length + 1, n)
    for i in range(length):
        which = length - 1 - i if turned else i
        city = s0 if which == 0 else (s1 if which == 1 else s2)
        tour[to], place[city] = city, to
        to = _wrapped(to + 1, n)
    return True
