"""The local search of a focused ant, compiled: 2-opt, Or-opt and the other exchanges of 3 edges.

It is the first steps of Lin and Kernighan (1973), with candidates as Johnson and McGeoch (1997)
have them: from a city t1, an edge t1-t2 is given up for a shorter one t2-t3, an edge t3-t4 for
t4-t5, and an edge t5-t6 closes the tour at t1. Only cities whose edges have changed look.
"""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.tour_changes.cpu.patch import (
    after,
    away,
    before,
    exchange_two,
    given_up,
    room_left,
    take_back_to,
)
from gpu.tour_changes.cpu.state import (
    ENDS_A_MOVE,
    FAR_AWAY,
    NOBODY,
    PATCH_CHANGED,
    PATCH_CITIES,
    PATCH_HEAD,
    PATCH_OPEN,
    PATCH_STILL,
    PATCH_TURNS,
    PATCH_WAITING,
    TOUCHED,
    CityLists,
    Patch,
)

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
        place = numbers[PATCH_HEAD] + numbers[PATCH_WAITING]
        patch.queue[place if place < numbers[PATCH_CITIES] else place - numbers[PATCH_CITIES]] = (
            city
        )
        numbers[PATCH_WAITING] += 1


@inlined
def changes(patch: Patch, city: Whole) -> None:
    """Note that an edge of a city changes: it looks for a move again."""
    numbers = patch.numbers
    patch.ends[numbers[PATCH_CHANGED]] = city
    numbers[PATCH_CHANGED] += 1
    wait(patch, city)


@compiled
def improve(lists: CityLists, patch: Patch, deepest: Whole) -> np.int64:
    """Make moves until no city in the queue finds one, or the journal is full; return the gain.

    Where no exchange of two or three edges gains, up to ``deepest`` of them are tried in a row.
    """
    numbers, gained = patch.numbers, np.int64(0)
    while numbers[PATCH_WAITING] > 0 and room_left(patch):
        city = patch.queue[numbers[PATCH_HEAD]]
        numbers[PATCH_HEAD] = (
            numbers[PATCH_HEAD] + 1 if numbers[PATCH_HEAD] + 1 < numbers[PATCH_CITIES] else 0
        )
        numbers[PATCH_WAITING] -= 1
        patch.waiting[city] = False
        gain = _move(lists, patch, city, deepest)
        if gain > 0:
            gained += gain
            for end in range(numbers[TOUCHED]):
                changes(patch, patch.touched[end])
    return gained


@inlined
def forget_queue(patch: Patch) -> None:
    """Let nobody wait."""
    numbers = patch.numbers
    while numbers[PATCH_WAITING] > 0:
        patch.waiting[patch.queue[numbers[PATCH_HEAD]]] = False
        numbers[PATCH_HEAD] = (
            numbers[PATCH_HEAD] + 1 if numbers[PATCH_HEAD] + 1 < numbers[PATCH_CITIES] else 0
        )
        numbers[PATCH_WAITING] -= 1
    numbers[PATCH_HEAD] = 0


@inlined
def _move(lists: CityLists, patch: Patch, t1: np.int32, deepest: Whole) -> np.int64:
    """Make the first move from ``t1`` that gains; return its gain, or 0."""
    for side in range(2):
        t2 = after(patch, t1) if side == 0 else before(patch, t1)
        first = given_up(lists, patch, t1, t2)
        patch.numbers[TOUCHED] = 0
        gain = _step(lists, patch, t1, t2, side, first, np.bool_(False))
        if gain <= 0 and deepest > 0:
            gain = _go_on(lists, patch, t1, t2, first, deepest)
        if gain > 0:
            return gain
    return np.int64(0)


@compiled
def _go_on(
    lists: CityLists, patch: Patch, t1: np.int32, t2: np.int32, first: np.int64, deepest: Whole
) -> np.int64:
    """Exchange edges until a tour is shorter, up to ``deepest`` times; return the gain, or 0.

    Each exchange leaves the tour open at one end, and the next goes on from there. It is the one
    after which the tour would be shortest, and never gives up an edge that has just come: so the
    open end wanders towards ``t1``. That gets rid of a long edge between parts far apart, which no
    exchange of a few edges can.
    """
    numbers = patch.numbers
    turns = numbers[PATCH_TURNS]
    for _ in range(deepest):
        if not room_left(patch):
            break
        side = 0 if after(patch, t1) == t2 else 1
        gain = _step(lists, patch, t1, t2, side, first, np.bool_(True))
        if gain > 0:
            return gain
        if numbers[PATCH_OPEN] == NOBODY:
            break
        t2, first = np.int32(numbers[PATCH_OPEN]), numbers[PATCH_STILL]
    take_back_to(patch, turns)
    numbers[TOUCHED] = 0
    return np.int64(0)


@inlined
def _has_come(patch: Patch, a: np.int32, b: np.int32) -> bool:
    """Whether one of the last exchanges brought an edge."""
    touched = patch.touched
    for at in range(0, patch.numbers[TOUCHED], ENDS_A_MOVE):
        for edge in range(1, ENDS_A_MOVE - 1, 2):
            one, other = touched[at + edge], touched[at + edge + 1]
            if (one == a and other == b) or (one == b and other == a):
                return True
    return False


@inlined
def _step(
    lists: CityLists,
    patch: Patch,
    t1: np.int32,
    t2: np.int32,
    side: int,
    first: np.int64,
    goes_on: bool | np.bool_,
) -> np.int64:
    """Make the best move of the first candidate of ``t2`` that has one; return its gain, or 0.

    ``t2`` follows ``t1`` (side 0) or precedes it (1); ``first`` is what is gained so far with the
    edge between them given up. If no move gains and the search
    ``goes_on``, the one is made that loses least; its last city is noted in
    ``numbers[PATCH_OPEN]``, and what is gained with the edge from there to t1 given up in
    ``numbers[PATCH_STILL]``.
    """
    near, spans, place, size = patch.near, patch.spans, patch.place, patch.numbers[PATCH_CITIES]
    second = min(SECOND, near.shape[1])
    best, kind = np.int64(0), NO_MOVE
    b3 = b4 = b5 = b6 = np.int32(0)
    most, open_kind = -(np.int64(2) ** 62), NO_MOVE
    still = np.int64(0)
    o3 = o4 = o5 = o6 = np.int32(0)
    origin = np.int64(place[t2])
    for lane in range(near.shape[1]):
        gain1 = first - spans[t2, lane]
        if gain1 <= 0 or spans[t2, lane] == FAR_AWAY:
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
            if t4 == t2 or (goes_on and _has_come(patch, t3, t4)):
                continue
            gain2 = gain1 + given_up(lists, patch, t3, t4)
            if other == 0:  # the tour can be closed from t4
                closed = gain2 - away(lists, patch, t4, t1)
                if closed > best:
                    best, kind, b3, b4 = closed, TWO, t3, t4
                if goes_on and best == 0 and closed > most and gain2 > 0:
                    most, still, open_kind = closed, gain2, TWO
                    o3, o4 = t3, t4
            for lane4 in range(second):
                gain3 = gain2 - spans[t4, lane4]
                if gain3 <= best or spans[t4, lane4] == FAR_AWAY:
                    break
                t5 = near[t4, lane4]
                if t5 == t3 or (other == 0 and t5 == t1):
                    continue
                far5 = np.int64(place[t5]) - origin if side == 0 else origin - np.int64(place[t5])
                far5 = far5 if far5 >= 0 else far5 + size
                if other == 0:
                    ahead = (far5 > far3) == (side == 0)
                    t6 = before(patch, t5) if ahead else after(patch, t5)
                    if t6 == t4 or (goes_on and _has_come(patch, t5, t6)):
                        continue
                    given = gain3 + given_up(lists, patch, t5, t6)
                    closed = given - away(lists, patch, t6, t1)
                    if closed > best:
                        best, kind, b3, b4, b5, b6 = closed, TURNED, t3, t4, t5, t6
                    if goes_on and best == 0 and closed > most and given > 0:
                        most, still, open_kind = closed, given, TURNED
                        o3, o4, o5, o6 = t3, t4, t5, t6
                elif far5 < far3:
                    for end in range(2):
                        if end == 1 and t5 == t2:
                            continue
                        t6 = after(patch, t5) if (end == 0) == (side == 0) else before(patch, t5)
                        if goes_on and _has_come(patch, t5, t6):
                            continue
                        given = gain3 + given_up(lists, patch, t5, t6)
                        closed = given - away(lists, patch, t6, t1)
                        if closed > best:
                            best, b3, b4, b5, b6 = closed, t3, t4, t5, t6
                            kind = SWAPPED if end == 0 else BACKWARD
                        if goes_on and best == 0 and closed > most and given > 0:
                            most, still = closed, given
                            open_kind = SWAPPED if end == 0 else BACKWARD
                            o3, o4, o5, o6 = t3, t4, t5, t6
            if best > 0:
                break
        if best > 0:
            break
    if kind != NO_MOVE:
        _make(patch, kind, t1, t2, b3, b4, b5, b6)
    elif goes_on:
        patch.numbers[PATCH_OPEN] = NOBODY
    if goes_on and kind == NO_MOVE and open_kind != NO_MOVE:
        _make(patch, open_kind, t1, t2, o3, o4, o5, o6)
        patch.numbers[PATCH_OPEN] = o4 if open_kind == TWO else o6
        patch.numbers[PATCH_STILL] = still
    return best


@inlined
def _between(patch: Patch, a: np.int32, b: np.int32, onward: bool) -> np.int64:
    """Return the number of cities of a stretch from a to b, onward or backward."""
    first, last = np.int64(patch.place[a]), np.int64(patch.place[b])
    length = last - first if onward else first - last
    return (length if length >= 0 else length + patch.numbers[PATCH_CITIES]) + 1


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
    at = patch.numbers[TOUCHED]
    touched[at], touched[at + 1], touched[at + 2], touched[at + 3] = t1, t2, t3, t4
    touched[at + 4], touched[at + 5] = (t3, t4) if kind == TWO else (t5, t6)
    patch.numbers[TOUCHED] = at + ENDS_A_MOVE
    tour, place, journal, numbers = patch.tour, patch.place, patch.journal, patch.numbers
    first = (t1, t2, t3, t4)
    if kind == SWAPPED:  # of three stretches, the two that are shorter
        onward = after(patch, t1) == t2
        one, two = _between(patch, t2, t5, onward), _between(patch, t6, t3, onward)
        three = numbers[PATCH_CITIES] - one - two
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


@compiled
def settle(lists: CityLists, patch: Patch, deepest: Whole) -> np.int64:
    """Let all cities look for moves until none finds one; return the gain."""
    gained = np.int64(0)
    for city in range(patch.numbers[PATCH_CITIES]):
        wait(patch, city)
    while True:
        gain = improve(lists, patch, deepest)
        gained += gain
        patch.numbers[PATCH_TURNS] = patch.numbers[PATCH_CHANGED] = 0
        if gain == 0:
            return gained
