"""The random numbers of an ant, one after another, whatever they are drawn for."""

from __future__ import annotations

import numpy as np

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.philox import Key, draw_block
from gpu.crossing.cpu.state import ANT_OF, ITERATION_OF, WORDS_DRAWN, Room

CROSS = np.uint32(Purpose.CROSS)
WORDS_A_BLOCK = 4  # of a block


@inlined
def begin_draws(room: Room, iteration: Whole, ant: Whole) -> None:
    """Say whose random numbers follow."""
    numbers = room.numbers
    numbers[ITERATION_OF], numbers[ANT_OF], numbers[WORDS_DRAWN] = iteration, ant, 0


@inlined
def word(room: Room, key: Key) -> np.uint32:
    """Return the next random word."""
    numbers = room.numbers
    drawn = numbers[WORDS_DRAWN]
    if drawn % WORDS_A_BLOCK == 0:
        draw_block(
            room.words, key, CROSS, numbers[ITERATION_OF], numbers[ANT_OF], drawn // WORDS_A_BLOCK
        )
    numbers[WORDS_DRAWN] += 1
    return np.uint32(room.words[drawn % WORDS_A_BLOCK])


@inlined
def below(room: Room, key: Key, limit: Whole) -> np.int64:
    """Return the next random number from 0 to ``limit`` - 1."""
    return np.int64((np.uint64(word(room, key)) * np.uint64(limit)) >> np.uint64(32))
