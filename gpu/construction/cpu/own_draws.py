"""How an ant draws a city without a wheel: each city draws a number of its own, the best wins.

Keys and slots are as in :mod:`gpu.cpu.wheel`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.reservoir import reservoir_key
from gpu.core.random import DRAW_BITS, Purpose
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.philox import key_of_step, own_word

LAST_CITY = np.uint32(2**31 - 1)

SPARE_BITS = np.uint32(32 - DRAW_BITS)
SHARE = np.float32(2.0**-DRAW_BITS)


@inlined
def times_own(key: np.int32, word: np.uint32) -> np.int32:
    """Return the key of a weight times its slot's random number in (0, 1)."""
    share = np.float32(np.float32(np.uint32(word >> SPARE_BITS) | np.uint32(1)) * SHARE)
    return np.float32(np.int32(key).view(np.float32) * share).view(np.int32)


def draws_by(
    key_of: Callable[[np.int32, np.uint32], np.int32], purpose: Purpose
) -> tuple[Callable[..., np.int32], Callable[..., np.uint32]]:
    """Return how to draw one of all cities, and one of a list.

    One loop for every rule would ask at each city which it is, and be half as quick.

    Parameters
    ----------
    key_of : callable
        Makes the new key of a slot from its key and its random word.
    purpose : Purpose
        Of the random numbers.
    """
    drawn_for = np.uint32(purpose)

    @inlined
    def draw_all(
        keys: NDArray[np.int32],
        ant: int,
        iteration: np.uint32,
        step: int,
        k0: np.uint32,
        k1: np.uint32,
    ) -> np.int32:
        """Make a key of each city's weight and a number of its own; return the largest."""
        key = key_of_step(ant, iteration, step, drawn_for, k0, k1)
        largest = np.int32(0)
        for city in range(keys.size):
            keys[city] = key_of(keys[city], own_word(np.uint32(city), key))
            largest = max(largest, keys[city])
        return largest

    @inlined
    def draw_listed(
        keys: NDArray[np.int32],
        neighbours: NDArray[np.uint32],
        u: Whole,
        ant: int,
        iteration: np.uint32,
        step: int,
        k0: np.uint32,
        k1: np.uint32,
    ) -> np.uint32:
        """Do so for the candidates of ``u``; return the city of the largest.

        Ties go to the lowest city.
        """
        key = key_of_step(ant, iteration, step, drawn_for, k0, k1)
        largest = np.int32(0)
        for lane in range(neighbours.shape[1]):  # visited ones too: vectors would not branch
            keys[lane] = key_of(keys[lane], own_word(neighbours[u, lane], key))
            largest = max(largest, keys[lane])
        winner = LAST_CITY
        for lane in range(neighbours.shape[1]):
            city = neighbours[u, lane]
            winner = min(winner, city if keys[lane] == largest else LAST_CITY)
        return winner

    return draw_all, draw_listed


independent_of_all, independent_of_listed = draws_by(times_own, Purpose.INDEPENDENT)
"""I-Roulette (2013, Algorithm 3)."""

reservoir_of_all, reservoir_of_listed = draws_by(reservoir_key, Purpose.RESERVOIR)
"""Weighted reservoir sampling (2020, Section 4.2.2)."""
