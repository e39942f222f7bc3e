"""The random draws of compiled code and kernels, in NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.random import DRAW_BITS, LOG2_TERMS, MULTIPLIERS, Purpose, key_of, philox4x32

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def step_draws(
    seed: int, iteration: int, ants: ArrayLike, step: int, purpose: Purpose
) -> NDArray[np.uint32]:
    """Whole numbers in [0, 2**24) that the ``ants`` draw for choosing the city at ``step`` >= 1.

    Four steps share one evaluation: the step's number is word ``step & 3`` of block ``step >> 2``.
    """
    words = philox4x32((step >> 2, ants, iteration, purpose), key_of(seed))
    return words[..., step & 3] >> np.uint32(32 - DRAW_BITS)


def own_words(keys: NDArray[np.uint32], cities: ArrayLike) -> NDArray[np.uint32]:
    """Random words of the cities' own, as ``gpu.cpu.philox.own_word``.

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
