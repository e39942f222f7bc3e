"""Weighted reservoir sampling: how an ant draws a city without a sum (2020, Section 4.2.2).

Each city draws a u of its own in (0, 1), and the one with the largest u^(1/w) wins, with a
probability in proportion to its weight w. The power itself is of no use: for a small w it falls to
0, for a large one it rounds to 1, and cities tie. So -log2(u) · (1/w) is compared, whose range
float32 has: the smallest wins, which is the same, whatever the base.

The logarithm is a fixed sequence of float32 operations with no fused multiply-add, so that every
device draws the same cities.
"""

from __future__ import annotations

import numpy as np

from gpu.baseline.compiled import piece
from gpu.random import DRAW_BITS

ROOT_HALF_BITS = np.int32(0x3F3504F3)
"""The square root of 1/2 as a float32."""

INFINITY_BITS = np.int32(0x7F800000)

RESERVOIR = 4
"""Low byte of the purpose of the random numbers; the step stands above it, as for I-Roulette."""

EXPONENT = np.int32(23)
"""Bits below the exponent of a float32."""

ONE = np.float32(1)

TERMS = tuple(
    np.float32(term)
    for term in (
        1.4426950216293335,
        -0.7213528156280518,
        0.48092323541641235,
        -0.36023959517478943,
        0.2870992124080658,
        -0.2488781213760376,
        0.2340385615825653,
        -0.14580276608467102,
    )
)
"""A polynomial near log2(1 + f)/f for f from √½ - 1 to √2 - 1: least relative error, in float32."""

SPARE_BITS = np.uint32(32 - DRAW_BITS)
SHARE = np.float32(2.0**-DRAW_BITS)


@piece
def minus_log2(u: np.float32) -> np.float32:
    """Return -log2(u) for u in (0, 1), off by at most 4·10⁻⁷ of it.

    u = 2^e · (1 + f), where e = 0 for u close to 1: there f = u - 1 is exact, and small results
    are as good as large ones. They decide who wins.
    """
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


@piece
def reservoir_key(key: np.int32, word: np.uint32) -> np.int32:
    """Return the key of a weight whose city drew ``word``: 0 if the weight is 0, else larger.

    The largest wins: the bits of -log2(u)/w count from those of infinity down.
    """
    u = np.float32(np.float32(np.uint32(word >> SPARE_BITS) | np.uint32(1)) * SHARE)
    inverse = np.float32(ONE / np.int32(key).view(np.float32))
    return np.int32(INFINITY_BITS - np.float32(minus_log2(u) * inverse).view(np.int32))
