"""What a colony has found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import inlined


class Record(NamedTuple):
    """What a colony has found; see the index constants of ``numbers``.

    Attributes
    ----------
    numbers : ndarray of int64, shape (9,)
    best_solution, last_solution : ndarray of uint32, shape (n,)
        The best tour so far, and the best of the last iteration.
    """

    numbers: NDArray[np.int64]
    best_solution: NDArray[np.uint32]
    last_solution: NDArray[np.uint32]


ITERATION, BEST_COST, BEST_ITERATION, LAST_BEST, LAST_TOTAL = range(5)

TWO_OPT, OR_OPT = 5, 6
"""Moves that the local search of the last iteration made."""

GLOBAL_HITS, GLOBAL_TOTAL = 7, 8
"""Counts of a selective memory."""


def record_of(n: int) -> Record:
    """Nothing found yet."""
    return Record(np.zeros(9, np.int64), np.zeros(n, np.uint32), np.zeros(n, np.uint32))


@inlined
def shortest(lengths: NDArray[np.int64]) -> int:
    """Return the ant with the shortest tour; ties go to the lowest."""
    best = 0
    for ant in range(lengths.size):
        if lengths[ant] < lengths[best]:
            best = ant
    return best


@inlined
def keep_numbers(record: Record, lengths: NDArray[np.int64], best: int) -> None:
    """Count the iteration, and note how long its tours are, ``best`` being the shortest's ant."""
    total = np.int64(0)
    for ant in range(lengths.size):
        total += lengths[ant]
    record.numbers[ITERATION] += 1
    record.numbers[LAST_BEST] = lengths[best]
    record.numbers[LAST_TOTAL] = total


@inlined
def keep_best(record: Record) -> None:
    """Make the last iteration's best tour the best so far, if it is strictly shorter."""
    numbers = record.numbers
    if numbers[BEST_ITERATION] == 0 or numbers[LAST_BEST] < numbers[BEST_COST]:
        numbers[BEST_COST] = numbers[LAST_BEST]
        numbers[BEST_ITERATION] = numbers[ITERATION]
        for position in range(record.best_solution.size):
            record.best_solution[position] = record.last_solution[position]
