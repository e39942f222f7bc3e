"""Cells share out the cities: halves of halves, along directions that are drawn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import DOUBLED, TABLE, CityGeometry
from gpu.cpu.philox import Words, share

CELL = 1000  # cities a cell has at least; half of it where there are only two cells
MOST_CELLS = 1 << 10


def cells_of(n: int) -> int:
    """Cells of a tour through ``n`` cities: a power of two, so that threads share them evenly."""
    cells = 1 if n < CELL else 2
    while cells < MOST_CELLS and n >= 2 * cells * CELL:
        cells *= 2
    return cells


@compiled
def cut(
    geometry: CityGeometry,
    source: NDArray[np.int32],
    bounds: NDArray[np.int64],
    members: NDArray[np.int32],
    keys: NDArray[np.float64],
    spare: NDArray[np.int32],
    words: Words,
) -> None:
    """Share out the cities of a tour, (n,), among cells.

    Cities are halved along a direction, then across it, and so on; the direction is drawn. Where
    there are no coordinates, they are halved by their distances from one of them.

    ``members``, (n,), becomes places of the tour, cell by cell, ascending in a cell; ``bounds``,
    (cells + 1,), says where each cell begins there. ``keys``, (2, n), and ``spare``, (n,), are room
    to work in. Two of the random ``words`` decide on direction and landmarks.
    """
    n, count = source.size, bounds.size - 1
    angle = math.pi * share(words[0])
    east, north = math.cos(angle), math.sin(angle)
    tabled = geometry.rule in (TABLE, DOUBLED)
    for entry in range(n):
        members[entry] = entry
    bounds[0], bounds[count] = 0, n
    width, across = count, 0
    while width > 1:
        for first in range(0, count, width):
            begin, end = bounds[first], bounds[first + width]
            middle_of_all = begin + np.int64(share(words[1]) * (end - begin))
            landmark = source[members[middle_of_all]]
            for entry in range(begin, end):
                city = source[members[entry]]
                if tabled:
                    key = _from_landmark(geometry, landmark, city, across)
                else:
                    x, y = geometry.points[city, 0], geometry.points[city, 1]
                    key = x * north - y * east if across else x * east + y * north
                keys[0, entry] = key
                keys[1, entry] = key
            middle = begin + (end - begin) // 4 * 2  # even: doubled cities stay together
            _halve(members, keys, spare, begin, middle, end)
            bounds[first + width // 2] = middle
        width //= 2
        across = 1 - across


@inlined
def _from_landmark(geometry: CityGeometry, landmark: Whole, city: Whole, back: Whole) -> np.float64:
    """Return the distance from a city to another one, or back; the same for both halves of it."""
    if geometry.rule == DOUBLED:
        landmark, city = landmark >> 1, city >> 1
    if landmark == city:
        return np.float64(-1)
    return np.float64(geometry.table[city, landmark] if back else geometry.table[landmark, city])


@inlined
def _halve(
    members: NDArray[np.int32],
    keys: NDArray[np.float64],
    spare: NDArray[np.int32],
    begin: np.int64,
    middle: np.int64,
    end: np.int64,
) -> None:
    """Put those with the lowest keys before ``middle``, and keep the order on both sides."""
    limit = _select(keys[1], begin, middle, end)
    below = 0
    for entry in range(begin, end):
        below += keys[0, entry] < limit
    ties = middle - begin - below  # of equal keys, so many come before the middle
    low, high = begin, middle
    for entry in range(begin, end):
        key = keys[0, entry]
        if key < limit or (key == limit and ties > 0):
            ties -= key == limit
            spare[low] = members[entry]
            low += 1
        else:
            spare[high] = members[entry]
            high += 1
    for entry in range(begin, end):
        members[entry] = spare[entry]


@inlined
def _select(values: NDArray[np.float64], begin: Whole, wanted: Whole, end: Whole) -> np.float64:
    """Return the value that sorting would bring to place ``wanted`` (Hoare 1961)."""
    low, high = np.int64(begin), np.int64(end) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return np.float64(values[wanted])
