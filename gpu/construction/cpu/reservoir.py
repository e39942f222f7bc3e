"""Weighted reservoir sampling: how an ant draws a city without a sum (2020, Section 4.2.2).

Each city draws a u of its own in (0, 1), and the one with the largest u^(1/w) wins, with a
probability in proportion to its weight w. The power itself is of no use: for a small w it falls to
0, for a large one it rounds to 1, and cities tie. So -log2(u) · (1/w) is compared, whose range
float32 has: the smallest wins, which is the same, whatever the base.

The logarithm is a fixed sequence of float32 operations with no fused multiply-add, so that every
device draws the same cities. Of a thousand equal weights two tie for first place once in some
ten thousand draws; the lowest city wins then.
"""

from __future__ import annotations

import numpy as np

from gpu.core.random import DRAW_BITS, LOG2_TERMS
from gpu.cpu.compilation import inlined

ROOT_HALF_BITS = np.int32(0x3F3504F3)
"""The square root of 1/2 as a float32."""

INFINITY_BITS = np.int32(0x7F800000)

EXPONENT = np.int32(23)
"""Bits below the exponent of a float32."""

ONE = np.float32(1)

TERMS = tuple(np.float32(term) for term in LOG2_TERMS)

SPARE_BITS = np.uint32(32 - DRAW_BITS)
SHARE = np.float32(2.0**-DRAW_BITS)


@inlined
def minus_log2(u: np.float32) -> np.float32:
    """Return -log2(u) for u in (0, 1), as ``gpu.core.random.minus_log2``."""
    bits = np.float32(u).view(np.int32)
    exponent = np.int32(np.int32(bits - ROOT_HALF_BITS) >> EXPONENT)
    f = np.float32(np.int32(bits - np.int32(exponent << EXPONENT)).view(np.float32) - ONE)
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
    """Return the key of a weight whose city drew ``word``: 0 if the weight is 0, else larger.

    The largest wins: the bits of -log2(u)/w count from those of infinity down.
    """
    u = np.float32(np.float32(np.uint32(word >> SPARE_BITS) | np.uint32(1)) * SHARE)
    inverse = np.float32(ONE / np.int32(key).view(np.float32))
    return np.int32(INFINITY_BITS - np.float32(minus_log2(u) * inverse).view(np.int32))
