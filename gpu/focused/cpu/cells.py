"""How cells share out the cities: halves of halves, along directions that change."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import DOUBLED, TABLE
from gpu.cpu.philox import share, words_of
from gpu.cpu.record import ITERATION
from gpu.focused.cpu.state import FocusedState

CELLS = np.uint32(Purpose.CELLS)


@compiled
def share_out(state: FocusedState) -> None:
    """Make the cells of the next iteration. Each has its places of the source in ascending order.

    Cities are halved along a direction, then across it, and so on; the direction is drawn. Where
    there are no coordinates, stretches of the source are halved, from a place that is drawn.
    """
    cells, source, geometry = state.cells, state.source, state.lists.geometry
    n, count = source.size, cells.bounds.size - 1
    words = words_of(state.rules.key, CELLS, state.record.numbers[ITERATION], 0, 0)
    angle = math.pi * share(words[0])
    east, north = math.cos(angle), math.sin(angle)
    offset = np.int64(share(words[1]) * (n // 2))
    for entry in range(n):
        cells.members[entry] = entry
    cells.bounds[0], cells.bounds[count] = 0, n
    width, across = count, 0
    while width > 1:
        for first in range(0, count, width):
            begin, end = cells.bounds[first], cells.bounds[first + width]
            for entry in range(begin, end):
                place = np.int64(cells.members[entry])
                if geometry.rule in (TABLE, DOUBLED):
                    key = np.float64((place // 2 + offset) % (n // 2 + 1))
                else:
                    x, y = geometry.points[source[place], 0], geometry.points[source[place], 1]
                    key = x * north - y * east if across else x * east + y * north
                cells.keys[0, entry] = key
                cells.keys[1, entry] = key
            middle = begin + (end - begin) // 4 * 2  # even: doubled cities stay together
            _halve(cells.members, cells.keys, cells.spare, begin, middle, end)
            cells.bounds[first + width // 2] = middle
        width //= 2
        across = 1 - across


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
