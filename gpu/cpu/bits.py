"""Sets of vertices as bits, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, inlined

WORD_BITS = 64  # bits of a word

ONE_BIT = np.uint64(1)
WORD_SHIFT, WORD_MASK = np.uint64(6), np.uint64(63)


def _define_count(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _define_lowest(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


count: Any = intrinsic(_define_count)  # number of bits that are set in a uint64
lowest: Any = intrinsic(_define_lowest)  # place of the lowest bit set in a uint64; 64 if none is


@inlined
def has(words: NDArray[np.uint64], place: Whole) -> np.int64:
    """Return 1 if the set holds ``place``, else 0."""
    return np.int64(
        (words[np.uint64(place) >> WORD_SHIFT] >> (np.uint64(place) & WORD_MASK)) & ONE_BIT
    )


@inlined
def drop(words: NDArray[np.uint64], place: Whole) -> None:
    """Take ``place`` out of the set."""
    words[np.uint64(place) >> WORD_SHIFT] &= ~(ONE_BIT << (np.uint64(place) & WORD_MASK))


@inlined
def nth(words: NDArray[np.uint64], number: Whole) -> np.uint64:
    """Return the place in the set that ``number`` others precede; the set has more than that."""
    left = np.uint64(number)
    word = np.uint64(0)
    while count(words[word]) <= left:
        left -= count(words[word])
        word += ONE_BIT
    bits = words[word]
    for _ in range(left):
        bits &= bits - ONE_BIT
    return np.uint64((word << WORD_SHIFT) + lowest(bits))


@inlined
def rank(words: NDArray[np.uint64], place: Whole) -> np.int64:
    """Return how many places below ``place`` the set holds."""
    last = np.uint64(place) >> WORD_SHIFT
    below = np.uint64(0)
    for word in range(last):
        below += count(words[word])
    inside = words[last] & ((ONE_BIT << (np.uint64(place) & WORD_MASK)) - ONE_BIT)
    return np.int64(below + count(inside))
