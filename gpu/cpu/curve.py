"""Hilbert's curve: cities in an order in which near ones mostly follow each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.blocks import in_blocks
from gpu.cpu.compilation import Whole, cached

_BITS = 16  # of each coordinate
_NUMBER = 31  # bits of a city's number


def curve_order(places: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the cities, (n,), in their order along the curve, by the first two coordinates.

    Those in one of its 2³² cells are in the order of their numbers.
    """
    return cities_of(curve_keys(places))


def curve_keys(places: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, ascending, the cell of each city along the curve with the city's number behind it."""
    n = len(places)
    columns = places[:, :2].T  # NumPy finds the extremes of one faster than those of rows
    low = np.array([column.min() for column in columns])
    high = np.array([column.max() for column in columns])
    scale = (2**_BITS - 1) / max(float((high - low).max()), 1e-300)
    keys = np.empty(n, np.int64)
    in_blocks(lambda first, end: _number(places, low, scale, keys, first, end), n)
    keys.sort()  # alone: NumPy sorts whole numbers several times as fast as it argsorts them
    return keys


def cities_of(keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the cities that keys stand for."""
    order: NDArray[np.int32] = (keys & ((1 << _NUMBER) - 1)).astype(np.int32)
    return order


def sharing_cells(keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return, ascending, the cities in whose cells there are others: all at one place are."""
    same = (keys[1:] ^ keys[:-1]) >> _NUMBER == 0
    shared = np.append(same, False) | np.append(False, same)
    return np.sort(cities_of(keys[shared]))


@cached
def _number(
    places: NDArray[np.float64],
    low: NDArray[np.float64],
    scale: float,
    keys: NDArray[np.int64],
    first: Whole,
    end: Whole,
) -> None:
    """Fill ``keys`` with the place along the curve, and the number behind it."""
    for city in range(first, end):
        x = np.int64((places[city, 0] - low[0]) * scale)
        y = np.int64((places[city, 1] - low[1]) * scale)
        along = np.int64(0)
        for step in range(_BITS):
            bit = _BITS - 1 - step
            side = (1 << bit) - 1
            right, up = x >> bit & 1, y >> bit & 1
            along = along << 2 | (3 * right) ^ up
            x, y = x & side, y & side
            if right > up:  # the square that is last is turned
                x, y = x ^ side, y ^ side
            if up == 0:
                x, y = y, x
        keys[city] = along << _NUMBER | city
