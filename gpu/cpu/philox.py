"""Random numbers for compiled code: Philox4x32-10, as ``gpu.core.random`` defines it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core import random
from gpu.core.random import DRAW_BITS, KEY_STEPS, MULTIPLIERS, ROUNDS, Purpose
from gpu.cpu.compilation import Whole, inlined

SPARE_BITS = np.uint32(32 - DRAW_BITS)  # low bits of a random word that a draw leaves out

DRAW_UNIT = np.float32(2.0**-DRAW_BITS)

START_PURPOSE = np.uint32(Purpose.START)

Key = tuple[np.uint32, np.uint32]
Words = tuple[np.uint32, np.uint32, np.uint32, np.uint32]


def key_of(seed: int) -> Key:
    """Return the key of a seed in [0, 2**64)."""
    low, high = random.key_of(seed)
    return np.uint32(low), np.uint32(high)


@inlined
def philox(
    c0: np.uint32, c1: np.uint32, c2: np.uint32, c3: np.uint32, k0: np.uint32, k1: np.uint32
) -> Words:
    """Philox4x32-10, as ``gpu.core.random.philox4x32``."""
    half = np.uint64(32)
    for _ in range(ROUNDS):
        first = np.uint64(c0) * np.uint64(MULTIPLIERS[0])
        second = np.uint64(c2) * np.uint64(MULTIPLIERS[1])
        c0 = np.uint32(np.uint32(second >> half) ^ c1 ^ k0)
        c2 = np.uint32(np.uint32(first >> half) ^ c3 ^ k1)
        c1 = np.uint32(second)
        c3 = np.uint32(first)
        k0 = np.uint32(k0 + np.uint32(KEY_STEPS[0]))
        k1 = np.uint32(k1 + np.uint32(KEY_STEPS[1]))
    return c0, c1, c2, c3


@inlined
def words_of(key: Key, purpose: Whole, iteration: Whole, ant: Whole, block: Whole) -> Words:
    """Return the four words of a block of an ant's random numbers."""
    return philox(
        np.uint32(block), np.uint32(ant), np.uint32(iteration), np.uint32(purpose), key[0], key[1]
    )


@inlined
def draw_block(
    words: NDArray[np.uint32],
    key: Key,
    purpose: Whole,
    iteration: Whole,
    ant: Whole,
    block: Whole,
) -> None:
    """Write the four words of a block to ``words``."""
    words[0], words[1], words[2], words[3] = words_of(key, purpose, iteration, ant, block)


@inlined
def below(word: np.uint32, limit: Whole) -> np.int64:
    """Return a whole number from 0 to ``limit`` - 1, each with the same probability."""
    return np.int64((np.uint64(word) * np.uint64(limit)) >> np.uint64(32))


@inlined
def start_city(key: Key, iteration: np.uint32, ant: int, n: int) -> np.uint32:
    """Return the city where ``ant`` starts, as ``gpu.core.random.start_cities``."""
    words = words_of(key, START_PURPOSE, iteration, ant, 0)
    return np.uint32(below(words[0], n))


@inlined
def key_of_step(key: Key, purpose: np.uint32, iteration: np.uint32, ant: int, step: int) -> Words:
    """Return the key from which :func:`own_word` makes the words of a step."""
    words = words_of(key, purpose, iteration, ant, step)
    return np.uint32(words[0] | np.uint32(1)), words[1], words[2], words[3]


@inlined
def own_word(city: np.uint32, key: Words) -> np.uint32:
    """Return a city's own random word, made from the key of a step: many words of one block.

    City c gets word = y·m₁ + k₃ with y = high(x·m₀) ^ low(x·m₀) ^ k₂ and x = (k₀ | 1)·c + k₁, all
    modulo 2³², except for the product x·m₀, of which both halves are used. These are five
    operations; a block of Philox takes eighty.

    The keys come from Philox, so other steps, ants and iterations tell nothing about a word. Each
    word is uniform, because k₃ is added last. Cities of one step have different x, because k₀ | 1
    is odd. The x of consecutive cities are equally spaced, and words must not show this: the
    exclusive or of both halves of a product is linear neither in whole numbers nor in bits, and the
    second product carries its low bits to the high ones, which are used. Tests count pairs of
    words, whole steps and winners.
    """
    x = np.uint32(key[0] * city + key[1])
    product = np.uint64(x) * np.uint64(MULTIPLIERS[0])
    y = np.uint32(np.uint32(product >> np.uint64(32)) ^ np.uint32(product) ^ key[2])
    return np.uint32(np.uint32(y * np.uint32(MULTIPLIERS[1])) + key[3])


@inlined
def share(word: np.uint32) -> np.float32:
    """Return the draw of a word as an exact float32 in [0, 1)."""
    return np.float32(np.float32(np.uint32(word >> SPARE_BITS)) * DRAW_UNIT)


@inlined
def odd_share(word: np.uint32) -> np.float32:
    """Return the draw of a word, made odd, as an exact float32 in (0, 1)."""
    return np.float32(np.float32(np.uint32(word >> SPARE_BITS) | np.uint32(1)) * DRAW_UNIT)
