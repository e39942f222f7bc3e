"""Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011), and the draws made from it.

A number depends on the seed and on what it is drawn for, and on nothing that was drawn before.
So the ants of one iteration may run in any order, on any device, and still draw the same numbers.
This is the NumPy reference; the kernels of each device repeat it.
"""

from __future__ import annotations

import enum
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.errors import ParameterError

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
SEEDS = 2**64
"""Seeds are whole numbers from 0 to one below this."""

DRAW_BITS = 24
"""Bits of a draw in [0, 1): those that a float32 holds exactly."""

LOG2_TERMS = (
    1.4426950216293335,
    -0.7213528156280518,
    0.48092323541641235,
    -0.36023959517478943,
    0.2870992124080658,
    -0.2488781213760376,
    0.2340385615825653,
    -0.14580276608467102,
)
"""A polynomial close to log2(1 + f)/f from √½ - 1 to √2 - 1, of least relative error; all float32.

The constant comes first.
"""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Purpose(enum.IntEnum):
    """The last word of a counter: what the number is drawn for.

    ``INDEPENDENT`` and ``RESERVOIR``: the key of a step, block ``step``, that each city makes a
    number of its own from; see :func:`own_words`.
    ``TRIAL``: trial ``x`` of a step has words ``2 * (x & 1)`` and the next of block ``step``, and
    ``x >> 1`` stands in the purpose's bits above the lowest eight.
    ``TABU``: the word of a tabu search's move has the number of the search in the ant's place.
    """

    START = 0
    EXPLOIT = 1
    ROULETTE = 2
    INDEPENDENT = 3
    RESERVOIR = 4
    TRIAL = 5
    TABU = 6


def philox4x32(
    counter: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], key: tuple[int, int]
) -> NDArray[np.uint32]:
    """Philox4x32-10 of counters that broadcast against each other.

    Parameters
    ----------
    counter : four array_like of int in [0, 2**32)
        The words of the counter, lowest first.
    key : pair of int in [0, 2**32)
        The words of the key, lowest first.

    Returns
    -------
    ndarray of uint32, shape (..., 4)
        Four independent words for each counter.
    """
    c0, c1, c2, c3 = np.broadcast_arrays(*(np.asarray(word, dtype=np.uint64) for word in counter))
    k0, k1 = key
    for _ in range(ROUNDS):
        first = c0 * np.uint64(MULTIPLIERS[0])
        second = c2 * np.uint64(MULTIPLIERS[1])
        c0 = (second >> _HALF) ^ c1 ^ np.uint64(k0)
        c2 = (first >> _HALF) ^ c3 ^ np.uint64(k1)
        c1, c3 = second & _LOW, first & _LOW
        k0 = (k0 + KEY_STEPS[0]) & 0xFFFFFFFF
        k1 = (k1 + KEY_STEPS[1]) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=-1).astype(np.uint32)


def checked_seed(seed: int) -> int:
    """Return ``seed``.

    Raises
    ------
    ParameterError
        If it is not in [0, 2**64).
    """
    if not 0 <= seed < SEEDS:
        raise ParameterError(f"seed = {seed} must be at least 0 and less than 2^64")
    return seed


def key_of(seed: int) -> tuple[int, int]:
    """Split a seed in [0, 2**64) into the two words of the key.

    Raises
    ------
    ValueError
        If the seed is outside its range.
    """
    if not 0 <= seed < SEEDS:
        raise ValueError(f"seed = {seed} must be a whole number in [0, 2^64)")
    return seed & 0xFFFFFFFF, seed >> 32


def start_cities(seed: int, iteration: int, ants: ArrayLike, n: int) -> NDArray[np.int32]:
    """Cities, of ``n``, where the ``ants`` start the iteration (counted from 0)."""
    word = philox4x32((0, ants, iteration, Purpose.START), key_of(seed))[..., 0]
    return ((word.astype(np.uint64) * np.uint64(n)) >> _HALF).astype(np.int32)


def step_draws(
    seed: int, iteration: int, ants: ArrayLike, step: int, purpose: Purpose
) -> NDArray[np.uint32]:
    """Whole numbers in [0, 2**24) that the ``ants`` draw for choosing the city at ``step`` >= 1.

    Four steps share one evaluation: the step's number is word ``step & 3`` of block ``step >> 2``.
    """
    words = philox4x32((step >> 2, ants, iteration, purpose), key_of(seed))
    return words[..., step & 3] >> np.uint32(32 - DRAW_BITS)


def own_words(keys: NDArray[np.uint32], cities: ArrayLike) -> NDArray[np.uint32]:
    """Random words of the cities' own, made from the key of a step: many words of one block.

    A city c gets word = y·m₁ + k₃ with y = high(x·m₀) ^ low(x·m₀) ^ k₂ and x = (k₀ | 1)·c + k₁, all
    modulo 2³² but for the first product, of which the high and the low half are taken. Five
    operations, where a block of Philox takes eighty.

    Keys are Philox's, so what was drawn at other steps, by other ants or in other iterations tells
    nothing of a word. A word is uniform whatever the rest is, for k₃ is added last. Of two cities
    of a step x differs, for the stride is odd. The x of consecutive cities are a progression of
    random stride, which words must not show: the exclusive or of both halves of a product, in
    which carries and a high half say different things of x, is linear neither in whole numbers
    nor in bits, and the second product brings what its low bits say to the high ones, which are
    those that are used. Tests count pairs of words, whole steps and who wins.

    Parameters
    ----------
    keys : ndarray of uint32, shape (..., 4)
        Blocks of Philox, k₀ to k₃.
    cities : array_like of int in [0, 2**32)
        Broadcast against ``keys`` without their last axis.

    Returns
    -------
    ndarray of uint32
        Their high bits are the better ones.
    """
    k0, k1, k2, k3 = np.moveaxis(keys.astype(np.uint64), -1, 0)
    x = ((k0 | np.uint64(1)) * np.asarray(cities, np.uint64) + k1) & _LOW
    product = x * np.uint64(MULTIPLIERS[0])
    y = (product >> _HALF) ^ (product & _LOW) ^ k2
    words: NDArray[np.uint32] = (y * np.uint64(MULTIPLIERS[1]) + k3).astype(np.uint32)
    return words


def odd_share(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Return odd multiples of 2⁻²⁴ in (0, 1), from the high bits of words; float32, exact."""
    return roulette_share(words >> np.uint32(32 - DRAW_BITS) | np.uint32(1))


def greedy_threshold(q0: float) -> int:
    """Return the least draw that is not greedy: q < q0 in whole numbers; q0 = 1 always is."""
    return math.ceil(q0 * (1 << DRAW_BITS))


def roulette_share(draw: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Return the draw as an exact float32 in [0, 1)."""
    return draw.astype(np.float32) * np.float32(2.0**-DRAW_BITS)


def minus_log2(u: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return -log2(u) for u in (0, 1) by float32 products and sums in a fixed order.

    Off by at most 4·10⁻⁷ of itself. With u = 2^e (1 + f), e is 0 for u close to 1: there f = u - 1
    is exact, and small results are as good as large ones.
    """
    fraction, exponent = np.frexp(u)  # fraction in [½, 1)
    low = fraction < np.float32(math.sqrt(0.5))
    f = np.where(low, fraction * np.float32(2), fraction) - np.float32(1)
    total = np.full_like(f, LOG2_TERMS[-1])
    for term in LOG2_TERMS[-2::-1]:
        total = total * f + np.float32(term)
    result: NDArray[np.float32] = -(exponent - low).astype(np.float32) - f * total
    return result
