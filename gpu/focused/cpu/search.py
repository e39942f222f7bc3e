"""The local search of a focused ant, compiled: 2-opt, Or-opt and the other exchanges of 3 edges.

It is the first steps of Lin and Kernighan (1973), with candidates as Johnson and McGeoch (1997)
have them: from a city t1, an edge t1-t2 is given up for a shorter one t2-t3, an edge t3-t4 for
t4-t5, and an edge t5-t6 closes the tour at t1. Only cities whose edges have changed look.
"""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.focused.cpu.state import CHANGED, HEAD, SIZE, WAITING, Lists, Patch
from gpu.focused.cpu.tour import after, away, before, exchange_two, given_up, room_left

SECOND = 5  # candidates of t4 that are looked at; those of t2 all are

NO_MOVE, TWO, TURNED, SWAPPED, BACKWARD = range(5)
"""Kinds of moves: 2-opt; a second exchange after that; two neighbouring stretches change places;
both of them are turned where they are."""


@inlined
def wait(patch: Patch, city: Whole) -> None:
    """Put a city at the end of the queue, unless it is there."""
    numbers = patch.numbers
    if not patch.waiting[city]:
        patch.waiting[city] = True
        place = numbers[HEAD] + numbers[WAITING]
        patch.queue[place if place < numbers[SIZE] else place - numbers[SIZE]] = city
        numbers[WAITING] += 1


@inlined
def changes(patch: Patch, city: Whole) -> None:
    """Note that an edge of a city changes: it looks for a move again."""
    numbers = patch.numbers
    patch.ends[numbers[CHANGED]] = city
    numbers[CHANGED] += 1
    wait(patch, city)


@compiled
def improve(lists: Lists, patch: Patch) -> np.int64:
    """Make moves until no city in the queue finds one, or the journal is full; return the gain."""
    numbers, gained = patch.numbers, np.int64(0)
    while numbers[WAITING] > 0 and room_left(patch):
        city = patch.queue[numbers[HEAD]]
        numbers[HEAD] = numbers[HEAD] + 1 if numbers[HEAD] + 1 < numbers[SIZE] else 0
        numbers[WAITING] -= 1
        patch.waiting[city] = False
        gain = _move(lists, patch, city)
        if gain > 0:
            gained += gain
            for end in range(patch.touched[6]):
                changes(patch, patch.touched[end])
    return gained


@inlined
def forget_queue(patch: Patch) -> None:
    """Let nobody wait."""
    numbers = patch.numbers
    while numbers[WAITING] > 0:
        patch.waiting[patch.queue[numbers[HEAD]]] = False
        numbers[HEAD] = numbers[HEAD] + 1 if numbers[HEAD] + 1 < numbers[SIZE] else 0
        numbers[WAITING] -= 1
    numbers[HEAD] = 0


@inlined
def _move(lists: Lists, patch: Patch, t1: np.int32) -> np.int64:
    """Make the best move of the first candidate of ``t1`` that has one; return its gain, or 0."""
    near, spans, place, size = patch.near, patch.spans, patch.place, patch.numbers[SIZE]
    second = min(SECOND, near.shape[1])
    for side in range(2):
        t2 = after(patch, t1) if side == 0 else before(patch, t1)
        first = given_up(lists, patch, t1, t2)
        best, kind = np.int64(0), NO_MOVE
        b3 = b4 = b5 = b6 = np.int32(0)
        origin = np.int64(place[t2])
        for lane in range(near.shape[1]):
            gain1 = first - spans[t2, lane]
            if gain1 <= 0:
                break
            t3 = near[t2, lane]
            if t3 == t1:
                continue
            # how far a city is from t2, on the way that does not begin with t1
            far3 = np.int64(place[t3]) - origin if side == 0 else origin - np.int64(place[t3])
            far3 = far3 if far3 >= 0 else far3 + size
            for other in range(2):
                behind = (other == 0) == (side == 0)
                t4 = before(patch, t3) if behind else after(patch, t3)
                if t4 == t2:
                    continue
                gain2 = gain1 + given_up(lists, patch, t3, t4)
                if other == 0:  # the tour can be closed from t4
                    closed = gain2 - away(lists, patch, t4, t1)
                    if closed > best:
                        best, kind, b3, b4 = closed, TWO, t3, t4
                for lane4 in range(second):
                    gain3 = gain2 - spans[t4, lane4]
                    if gain3 <= best:
                        break
                    t5 = near[t4, lane4]
                    if t5 == t3 or (other == 0 and t5 == t1):
                        continue
                    far5 = (
                        np.int64(place[t5]) - origin if side == 0 else origin - np.int64(place[t5])
                    )
                    far5 = far5 if far5 >= 0 else far5 + size
                    if other == 0:
                        ahead = (far5 > far3) == (side == 0)
                        t6 = before(patch, t5) if ahead else after(patch, t5)
                        if t6 == t4:
                            continue
                        closed = gain3 + given_up(lists, patch, t5, t6) - away(lists, patch, t6, t1)
                        if closed > best:
                            best, kind, b3, b4, b5, b6 = closed, TURNED, t3, t4, t5, t6
                    elif far5 < far3:
                        for end in range(2):
                            if end == 1 and t5 == t2:
                                continue
                            t6 = (
                                after(patch, t5) if (end == 0) == (side == 0) else before(patch, t5)
                            )
                            closed = (
                                gain3 + given_up(lists, patch, t5, t6) - away(lists, patch, t6, t1)
                            )
                            if closed > best:
                                best, b3, b4, b5, b6 = closed, t3, t4, t5, t6
                                kind = SWAPPED if end == 0 else BACKWARD
                if best > 0:
                    break
            if best > 0:
                break
        if kind != NO_MOVE:
            _make(patch, kind, t1, t2, b3, b4, b5, b6)
            return best
    return np.int64(0)


@inlined
def _between(patch: Patch, a: np.int32, b: np.int32, onward: bool) -> np.int64:
    """Return the number of cities of a stretch from a to b, onward or backward."""
    first, last = np.int64(patch.place[a]), np.int64(patch.place[b])
    length = last - first if onward else first - last
    return (length if length >= 0 else length + patch.numbers[SIZE]) + 1


@inlined
def _make(
    patch: Patch,
    kind: int,
    t1: np.int32,
    t2: np.int32,
    t3: np.int32,
    t4: np.int32,
    t5: np.int32,
    t6: np.int32,
) -> None:
    """Make a move, exchange by exchange, and note the ends of its edges."""
    touched = patch.touched
    touched[0], touched[1], touched[2], touched[3] = t1, t2, t3, t4
    touched[4], touched[5], touched[6] = t5, t6, 4 if kind == TWO else 6
    tour, place, journal, numbers = patch.tour, patch.place, patch.journal, patch.numbers
    first = (t1, t2, t3, t4)
    if kind == SWAPPED:  # of three stretches, the two that are shorter
        onward = after(patch, t1) == t2
        one, two = _between(patch, t2, t5, onward), _between(patch, t6, t3, onward)
        three = numbers[SIZE] - one - two
        if one > three and one >= two:
            t1, t2, t3, t4, t5, t6 = t5, t6, t1, t2, t3, t4
        elif two > three:
            t1, t2, t3, t4, t5, t6 = t3, t4, t5, t6, t1, t2
        first = (t1, t2, t4, t3)
    elif kind == BACKWARD:
        first = (t1, t2, t5, t6)
    exchange_two(tour, place, journal, numbers, first)
    if kind == TWO:
        return
    second = (t1, t4, t5, t6)
    if kind == SWAPPED:
        second = (t1, t3, t5, t6)
    elif kind == BACKWARD:
        second = (t2, t5, t4, t3)
    exchange_two(tour, place, journal, numbers, second)
    if kind == SWAPPED:
        exchange_two(tour, place, journal, numbers, (t3, t5, t4, t2))
