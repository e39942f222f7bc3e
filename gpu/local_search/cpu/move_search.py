"""How a city looks for its best move, on the CPU; see :mod:`gpu.local_search.rule`."""

from __future__ import annotations

import math

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import EUCLIDEAN, Geometry, distance
from gpu.local_search.cpu.state import SEGMENT, A, C, D, E, LocalSearchRule, P, Q, SearchWorkspace
from gpu.local_search.cpu.tour_moves import LAST_CODE, at, wrapped
from gpu.local_search.rule import CODE_BITS, RANK_BIT, SIDE_BIT


@inlined
def _between(geometry: Geometry, a: Whole, b: Whole) -> np.int64:
    """Return the distance from ``a`` to ``b``; the commonest rule is compiled in."""
    if geometry.rule == EUCLIDEAN:
        points = geometry.points
        x = points[a, 0] - points[b, 0]
        y = points[a, 1] - points[b, 1]
        z = points[a, 2] - points[b, 2]
        return np.int64(math.sqrt(x * x + y * y + z * z) + 0.5)
    return distance(geometry, a, b)


@inlined
def _away(rule: LocalSearchRule, geometry: Geometry, side: int, a: Whole, b: Whole) -> np.int64:
    """Return the distance between neighbours-to-be, ``b`` being on ``side`` of ``a``."""
    if side == 1 and not rule.turns:
        return _between(geometry, b, a)
    return _between(geometry, a, b)


@compiled
def look(
    rule: LocalSearchRule, geometry: Geometry, search: SearchWorkspace, a: np.int64, looker: int
) -> np.int64:
    """Find the best move of city ``a``, write it down and return its key."""
    n = search.tour.shape[0]
    place, move = search.place, search.moves[looker]
    here = np.int64(place[a])
    best = np.int64(LAST_CODE)
    longest = min(3, n - 3) if rule.segments else 0
    for side in range(2):
        forward = 1 - 2 * side  # to the position on this side
        p = at(search, here + forward)
        given_up = _away(rule, geometry, side, a, p)
        rows = rule.rows[side if rule.rows.shape[0] == 2 else 0]
        for rank in range(rows.shape[1]):
            near = np.int64(rows[a, rank, 1])
            if near >= given_up:
                break
            c = np.int64(rows[a, rank, 0])
            there = np.int64(place[c])
            after, before = at(search, there + forward), at(search, there - forward)
            away_after = np.int64(0)
            if rule.turns:
                away_after = _between(geometry, c, after)
            code = rank << RANK_BIT | side << SIDE_BIT
            if rule.exchanges:
                gain = given_up + away_after - near - _between(geometry, p, after)
                key = (gain << CODE_BITS) + (LAST_CODE - code)
                if key > best:
                    best = key
                    move[SEGMENT] = 0
                    move[A], move[P], move[C], move[D] = a, p, c, after
            if longest == 0:
                continue
            away_before = _away(rule, geometry, side, before, c)
            behind = wrapped(forward * (here - there), n)  # cities from a to c, leaving p behind
            e = a
            for length in range(1, longest + 1):
                if behind < length:
                    break
                q = at(search, here - forward * length)
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
                    move[SEGMENT] = length
                    move[A], move[P], move[C], move[D] = a, p, c, before
                    move[E], move[Q] = e, q
                if rule.turns and behind != length:
                    gain = spared + away_after - _between(geometry, after, e)
                    key = (gain << CODE_BITS) + (LAST_CODE - (code | 3 + length))
                    if key > best:
                        best = key
                        move[SEGMENT] = length
                        move[A], move[P], move[C], move[D] = a, p, c, after
                        move[E], move[Q] = e, q
                e = q
    return best
