"""The patch of a cell: how a thread lays it out, and its tour, in which stretches are turned.

A journal has the turns, to go back.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import DOUBLED, distance
from gpu.tour_changes.cpu.state import (
    FAR_AWAY,
    JOURNAL,
    LINKED,
    NOBODY,
    PATCH_CHANGED,
    PATCH_CITIES,
    PATCH_HEAD,
    PATCH_TURNS,
    PATCH_WAITING,
    CityLists,
    Patch,
)

NEVER = np.int64(2) ** 56  # what giving up a link would cost: no sum makes up for it


@inlined
def away(lists: CityLists, patch: Patch, a: Whole, b: Whole) -> np.int64:
    """Return the distance between two cities of the patch."""
    if lists.flat:
        x = patch.points[a, 0] - patch.points[b, 0]
        y = patch.points[a, 1] - patch.points[b, 1]
        return np.int64(math.sqrt(x * x + y * y) + 0.5)
    return distance(lists.geometry, patch.cities[a], patch.cities[b])


@inlined
def given_up(lists: CityLists, patch: Patch, a: Whole, b: Whole) -> np.int64:
    """Return what is gained by giving up the edge between ``a`` and ``b``: never a link."""
    if patch.numbers[LINKED] and (patch.links[a, 0] == b or patch.links[a, 1] == b):
        return -NEVER
    return away(lists, patch, a, b)


@inlined
def after(patch: Patch, city: Whole) -> np.int32:
    """Return the next city on the tour."""
    place = patch.place[city] + 1
    return np.int32(patch.tour[place if place < patch.numbers[PATCH_CITIES] else 0])


@inlined
def before(patch: Patch, city: Whole) -> np.int32:
    """Return the city before."""
    place = patch.place[city]
    return np.int32(patch.tour[place - 1 if place > 0 else patch.numbers[PATCH_CITIES] - 1])


@compiled
def turn(
    tour: NDArray[np.int32], place: NDArray[np.int32], size: Whole, first: Whole, length: Whole
) -> None:
    """Reverse the order of so many cities from a place on, in a tour of ``size`` cities."""
    i, j = np.int64(first), np.int64(first + length - 1)
    if j >= size:
        j -= size
    for _ in range(length // 2):
        a, b = tour[i], tour[j]
        tour[i] = b
        place[b] = i
        tour[j] = a
        place[a] = j
        i = np.int64(i + 1 if i + 1 < size else 0)
        j = np.int64(j - 1 if j > 0 else size - 1)


@inlined
def turn_noted(patch: Patch, first: Whole, length: Whole) -> None:
    """Turn a stretch, and note it in the journal."""
    entry = patch.numbers[PATCH_TURNS]
    patch.journal[entry, 0], patch.journal[entry, 1] = first, length
    patch.numbers[PATCH_TURNS] += 1
    turn(patch.tour, patch.place, patch.numbers[PATCH_CITIES], first, length)


@compiled
def exchange_two(
    tour: NDArray[np.int32],
    place: NDArray[np.int32],
    journal: NDArray[np.int32],
    numbers: NDArray[np.int64],
    ends: tuple[np.int32, np.int32, np.int32, np.int32],
) -> None:
    """Give up the edges a-b and c-d for b-c and d-a, where ``ends`` are a, b, c and d.

    d follows c as a follows b, or precedes it. The stretch between is turned, or what is around it
    if that is shorter: as a cycle the tour is the same either way. The journal has the turn.
    """
    size = numbers[PATCH_CITIES]
    a, b, c, d = ends
    following = np.int64(place[a]) + 1
    if tour[following if following < size else 0] == b:
        begin, last = np.int64(place[b]), np.int64(place[d])
    else:
        begin, last = np.int64(place[a]), np.int64(place[c])
    length = last - begin
    length = (length if length >= 0 else length + size) + 1
    if 2 * length > size:
        begin = last + 1
        begin = np.int64(begin if begin < size else 0)
        length = size - length
    if length > 1:
        entry = numbers[PATCH_TURNS]
        journal[entry, 0], journal[entry, 1] = begin, length
        numbers[PATCH_TURNS] += 1
        turn(tour, place, size, begin, length)


@inlined
def take_back(patch: Patch) -> None:
    """Undo all turns in the journal."""
    take_back_to(patch, np.int64(0))


@inlined
def take_back_to(patch: Patch, left: np.int64) -> None:
    """Undo the last turns in the journal, until so many are left."""
    numbers, journal = patch.numbers, patch.journal
    while numbers[PATCH_TURNS] > left:
        numbers[PATCH_TURNS] -= 1
        entry = numbers[PATCH_TURNS]
        turn(patch.tour, patch.place, numbers[PATCH_CITIES], journal[entry, 0], journal[entry, 1])


@inlined
def room_left(patch: Patch) -> bool:
    """Whether the journal has room for one more move."""
    return bool(patch.numbers[PATCH_TURNS] < JOURNAL - 8)


@inlined
def copy(to: NDArray[np.int32], cities: NDArray[np.int32]) -> None:
    """Copy a tour."""
    for at in range(cities.size):
        to[at] = cities[at]


@compiled
def lay_out(
    lists: CityLists,
    patch: Patch,
    source: NDArray[np.int32],
    members: NDArray[np.int32],
    begin: Whole,
    end: Whole,
) -> None:
    """Number the cities at places of the source in their order, and begin with its tour of them.

    The places are ``members[begin:end]``, in ascending order.
    """
    n, k = lists.neighbours.shape
    size = end - begin
    for city in range(size):
        place = members[begin + city]
        there = source[place]
        patch.cities[city] = there
        patch.number[there] = city
        patch.points[city, 0] = lists.geometry.points[there, 0]
        patch.points[city, 1] = lists.geometry.points[there, 1]
        patch.tour[city] = patch.place[city] = city
        patch.beside[city, 0] = city - 1 if city > 0 else size - 1
        patch.beside[city, 1] = city + 1 if city + 1 < size else 0
        patch.links[city, 0] = patch.links[city, 1] = NOBODY
        patch.waiting[city] = False
    patch.numbers[PATCH_CITIES], patch.numbers[PATCH_TURNS], patch.numbers[PATCH_CHANGED] = (
        size,
        0,
        0,
    )
    patch.numbers[PATCH_HEAD], patch.numbers[PATCH_WAITING], patch.numbers[LINKED] = 0, 0, 0
    if lists.geometry.rule == DOUBLED:
        for city in range(size):  # source and patch have both halves of a city next to each other
            patch.links[city, 0] = patch.links[city, 1] = city ^ 1
        patch.numbers[LINKED] = 1
    if size < n:
        _link(patch, members, begin, size, n)
    for city in range(size):
        there, width = patch.cities[city], 0
        for lane in range(k):
            other = patch.number[lists.neighbours[there, lane]]
            if other != NOBODY:
                patch.near[city, width] = other
                patch.spans[city, width] = lists.lengths[there, lane]
                width += 1
        for lane in range(width, k):
            patch.near[city, lane] = city
            patch.spans[city, lane] = FAR_AWAY


@compiled
def _link(patch: Patch, members: NDArray[np.int32], begin: Whole, size: Whole, n: Whole) -> None:
    """Link cities that follow each other in the patch, and not in the source of ``n`` cities."""
    for city in range(size):
        following = city + 1 if city + 1 < size else 0
        step = np.int64(members[begin + following]) - np.int64(members[begin + city])
        if step != 1 and step != 1 - n:
            patch.links[city, 0] = following
            patch.links[following, 1] = city
            patch.numbers[LINKED] = 1


@inlined
def forget(patch: Patch) -> None:
    """Forget the numbers of the patch's cities."""
    for place in range(patch.numbers[PATCH_CITIES]):
        patch.number[patch.cities[place]] = NOBODY
