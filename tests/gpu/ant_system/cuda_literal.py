"""The Ant System's tour construction, literally: slow, plain, sharing no code with the kernels.

Whole-number roulette wheel over the cities or over the tour list, and I-Roulette. Random numbers
come from ``gpu.core.random``, whose own tests compare it with known answers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose, key_of, philox4x32, start_cities
from tests.draws import odd_share, own_words


def units(weights: NDArray[np.float32]) -> list[int]:
    """The wheel's slots: weights in 2^-23 of the largest one's power of two."""
    _, exponent = math.frexp(float(weights.max()))
    return [math.ceil(math.ldexp(float(weight), 23 - exponent)) for weight in weights]


def spin(word: int, slots: list[int]) -> int:
    """The first slot whose prefix sum is beyond where the wheel stops."""
    stop = word * sum(slots) >> 32
    total = 0
    for place, slot in enumerate(slots):
        total += slot
        if total > stop:
            return place
    raise AssertionError("the wheel stops nowhere")


def wheel_words(seed: int, iteration: int, ant: int, n: int) -> NDArray[np.uint32]:
    """The words that spin the wheel at steps 0, 1, ..., n - 1."""
    blocks = np.arange(-(-n // 4))
    return philox4x32((blocks, ant, iteration, Purpose.ROULETTE), key_of(seed)).ravel()


def roulette_tour(
    weights: NDArray[np.float32], seed: int, iteration: int, ant: int, *, listed: bool
) -> list[int]:
    """One ant's tour by the roulette wheel, over the tour list if ``listed``, else by number."""
    n = weights.shape[0]
    words = wheel_words(seed, iteration, ant, n)
    cities = list(range(n))
    start = int(start_cities(seed, iteration, ant, n))
    cities[0], cities[start] = cities[start], cities[0]
    for step in range(1, n):
        left = cities[step:] if listed else sorted(cities[step:])
        place = spin(int(words[step]), units(weights[cities[step - 1], left]))
        at = cities.index(left[place])
        cities[step], cities[at] = cities[at], cities[step]
    return cities


def independent_tour(
    weights: NDArray[np.float32], seed: int, iteration: int, ant: int
) -> list[int]:
    """One ant's tour by I-Roulette: the largest product of weight and random number."""
    n = weights.shape[0]
    tour = [int(start_cities(seed, iteration, ant, n))]
    for step in range(1, n):
        block = philox4x32((step, ant, iteration, Purpose.INDEPENDENT), key_of(seed))
        numbers = odd_share(own_words(block, np.arange(n)))
        keys = numbers * weights[tour[-1]]
        keys[tour] = -1
        tour.append(int(keys.argmax()))
    return tour
