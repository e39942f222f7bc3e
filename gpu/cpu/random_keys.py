"""How an ant draws a city without a wheel: each city gets a random key, and the largest wins.

Keys and slots are as in :mod:`gpu.cpu.wheel`.

I-Roulette (2013, Algorithm 3) multiplies the city's weight by a number of its own in (0, 1).

Weighted reservoir sampling (2020, Section 4.2.2) draws a number u of its own in (0, 1) for each
city. The city with the largest u^(1/w) wins, with a probability in proportion to its weight w. The
power itself cannot be compared: for a small w it falls to 0, for a large one it rounds to 1, and
cities tie. So -log2(u) · (1/w) is compared, which fits the range of float32: the smallest wins, and
it is the same city. The logarithm is a fixed sequence of float32 operations without fused
multiply-add, so that every device draws the same cities. Of a thousand equal weights, two tie for
the first place once in some ten thousand draws; then the lowest city wins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core import random
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.philox import Words, odd_share, own_word

LAST_CITY = np.uint32(2**31 - 1)
ROOT_HALF_BITS = np.int32(random.ROOT_HALF_BITS)
INFINITY_BITS = np.int32(0x7F800000)
EXPONENT = np.int32(23)  # bits below the exponent of a float32

FLOAT_ONE = np.float32(1)
TERMS = tuple(np.float32(term) for term in random.LOG2_TERMS)


@inlined
def independent_key(key: np.int32, word: np.uint32) -> np.int32:
    """Return the key of a weight times the city's number, which its random word gives."""
    return np.float32(np.int32(key).view(np.float32) * odd_share(word)).view(np.int32)


@inlined
def minus_log2(u: np.float32) -> np.float32:
    """Return -log2(u) for u in (0, 1) by float32 products and sums in a fixed order.

    Off by at most 4·10⁻⁷ of itself. With u = 2^e (1 + f), e is 0 for u close to 1: there f = u - 1
    is exact, and small results are as good as large ones.
    """
    bits = np.float32(u).view(np.int32)
    exponent = np.int32(np.int32(bits - ROOT_HALF_BITS) >> EXPONENT)
    f = np.float32(np.int32(bits - np.int32(exponent << EXPONENT)).view(np.float32) - FLOAT_ONE)
    sum_ = TERMS[7]
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[6])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[5])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[4])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[3])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[2])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[1])
    sum_ = np.float32(np.float32(sum_ * f) + TERMS[0])
    return np.float32(np.float32(-exponent) - np.float32(f * sum_))


@inlined
def reservoir_key(key: np.int32, word: np.uint32) -> np.int32:
    """Return the key of a weight in a reservoir: 0 if the weight is 0, else larger.

    The largest wins: the bits of -log2(u)/w are subtracted from those of infinity.
    """
    inverse = np.float32(FLOAT_ONE / np.int32(key).view(np.float32))
    quotient = np.float32(minus_log2(odd_share(word)) * inverse)
    return np.int32(INFINITY_BITS - quotient.view(np.int32))


def draws_by(
    key_of: Callable[[np.int32, np.uint32], np.int32],
) -> tuple[Callable[..., np.int32], Callable[..., np.uint32]]:
    """Return how to draw one of all cities, and one of a list.

    ``key_of`` makes the new key of a slot from its key and its random word. A single loop for both
    rules would ask at each city which rule it is, and take twice as long.
    """

    @inlined
    def draw_all(keys: NDArray[np.int32], key: Words) -> np.int32:
        """Replace the key of each city's weight by its random key; return the largest."""
        largest = np.int32(0)
        for city in range(keys.size):
            keys[city] = key_of(keys[city], own_word(np.uint32(city), key))
            largest = max(largest, keys[city])
        return largest

    @inlined
    def draw_listed(
        keys: NDArray[np.int32], neighbours: NDArray[np.uint32], u: Whole, key: Words
    ) -> np.uint32:
        """Do so for the candidates of ``u``; return the city with the largest key.

        Ties go to the lowest city.
        """
        largest = np.int32(0)
        for lane in range(neighbours.shape[1]):  # visited cities too, so that vectors can do it
            keys[lane] = key_of(keys[lane], own_word(neighbours[u, lane], key))
            largest = max(largest, keys[lane])
        winner = LAST_CITY
        for lane in range(neighbours.shape[1]):
            city = neighbours[u, lane]
            winner = min(winner, city if keys[lane] == largest else LAST_CITY)
        return winner

    return draw_all, draw_listed


independent_of_all, independent_of_listed = draws_by(independent_key)
"""I-Roulette. The last argument of each is from :func:`gpu.cpu.philox.key_of_step`."""

reservoir_of_all, reservoir_of_listed = draws_by(reservoir_key)
"""Weighted reservoir sampling."""
