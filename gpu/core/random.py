"""Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011), and the draws made from it.

A number depends on the seed and on what it is drawn for, and on nothing that was drawn before.
So the ants of one iteration may run in any order, on any device, and still draw the same numbers.
Compiled code and kernels repeat what is here.
"""

from __future__ import annotations

import enum
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.arguments import described, is_whole
from gpu.core.errors import ParameterError

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
SEEDS = 2**64  # seeds are whole numbers from 0 to one below this
DRAW_BITS = 24  # bits of a draw in [0, 1): those that a float32 holds exactly
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

ROOT_HALF_BITS = 0x3F3504F3  # the square root of 1/2 as a float32

ROUNDER = 2.0**23  # from here on, the bits of a float32 count whole numbers
ROUNDER_BITS = 0x4B000000  # its own
SCALE_BITS = 276  # sum of the exponent fields of a wheel's largest weight and its scale

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Purpose(enum.IntEnum):
    """The last word of a counter: what the number is drawn for.

    ``INDEPENDENT`` and ``RESERVOIR``: the key of a step, block ``step``, that each city makes a
    number of its own from; see :func:`gpu.cpu.philox.own_word`.
    ``TRIAL``: trial ``x`` of a step has words ``2 * (x & 1)`` and the next of block ``step``, and
    ``x >> 1`` stands in the purpose's bits above the lowest eight.
    ``DOUBLE_BRIDGE``: of a focused ant, block 0 says where and how it begins, block 1 what else it
    draws;
    ``CELLS``: the direction in which the iteration's cells are cut.
    ``SOURCE``: which tour the next iteration of Focused ACO begins with; ``EDGES``: how many new
    edges an ant makes there.
    ``CROSS``: all that an ant draws that makes a tour or crosses two, block after block; of a
    coloring, block 0 alone.
    ``TABU``: the word of a tabu search's move has the number of the search in the ant's place.
    ``CLIQUE``: what a move draws that changes a clique.
    ``OPTIMIZE``: the word of a move of an ant that optimizes a partial coloring.
    ``DEPOSIT``: which tour deposits, where chance decides it.
    """

    START = 0
    EXPLOIT = 1
    ROULETTE = 2
    INDEPENDENT = 3
    RESERVOIR = 4
    TRIAL = 5
    TABU = 6
    DOUBLE_BRIDGE = 7
    CELLS = 8
    SOURCE = 9
    EDGES = 10
    CROSS = 11
    CLIQUE = 12
    OPTIMIZE = 13
    DEPOSIT = 14


def philox4x32(
    counter: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], key: tuple[int, int]
) -> NDArray[np.uint32]:
    """Philox4x32-10 of counters that broadcast against each other.

    The words of counter and key, lowest first, are in [0, 2**32). Each counter gives four
    independent words: shape (..., 4).
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
    """Return ``seed``, or raise ParameterError if it is no whole number in [0, 2**64)."""
    if not is_whole(seed):
        raise ParameterError(f"seed = {described(seed)} is not a whole number")
    if not 0 <= seed < SEEDS:
        raise ParameterError(f"seed = {described(seed)} must be at least 0 and less than 2^64")
    return seed


def key_of(seed: int) -> tuple[int, int]:
    """Split a seed in [0, 2**64) into the two words of the key; ParameterError if it is outside."""
    checked_seed(seed)
    return seed & 0xFFFFFFFF, seed >> 32


def start_cities(seed: int, iteration: int, ants: ArrayLike, n: int) -> NDArray[np.int32]:
    """Cities, of ``n``, where the ``ants`` start the iteration (counted from 0)."""
    word = philox4x32((0, ants, iteration, Purpose.START), key_of(seed))[..., 0]
    return ((word.astype(np.uint64) * np.uint64(n)) >> _HALF).astype(np.int32)


def greedy_threshold(q0: float) -> int:
    """Return the least draw that is not greedy: q < q0 in whole numbers; q0 = 1 always is."""
    return math.ceil(q0 * (1 << DRAW_BITS))
