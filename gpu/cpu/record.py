"""What a colony has found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.history import HISTORY_KEPT
from gpu.cpu.compilation import inlined
from gpu.cpu.structures import allocated


class ColonyRecord(NamedTuple):
    """What a colony has found."""

    numbers: NDArray[np.int64]  # (9,): see the index constants
    best_solution: NDArray[np.uint32]  # (n,): the best so far
    last_solution: NDArray[np.uint32]  # (n,): the best of the last iteration
    # (HISTORY_KEPT, 2): best and total cost of the last iterations; see gpu.core.history.of_ring
    history: NDArray[np.int64]


ITERATION, BEST_COST, BEST_ITERATION, LAST_BEST, LAST_TOTAL = range(5)

TWO_OPT, OR_OPT = 5, 6  # moves that the local search of the last iteration made
GLOBAL_HITS, GLOBAL_TOTAL = 7, 8  # counts of a selective memory


def record_of(n: int) -> ColonyRecord:
    """Nothing found yet."""
    return allocated(ColonyRecord, n, numbers=9, history=(HISTORY_KEPT, 2))


@inlined
def enter(record: ColonyRecord) -> None:
    """Enter the costs of the iteration that was just counted into the history."""
    numbers = record.numbers
    place = numbers[ITERATION] % HISTORY_KEPT
    record.history[place, 0] = numbers[LAST_BEST]
    record.history[place, 1] = numbers[LAST_TOTAL]


@inlined
def count_iteration(record: ColonyRecord, best: np.int64) -> bool:
    """Count an iteration whose best solution costs ``best``; return whether it is the best so far.

    LAST_TOTAL is known already. An equal solution does not replace the best so far.
    """
    numbers = record.numbers
    numbers[ITERATION] += 1
    numbers[LAST_BEST] = best
    enter(record)
    improved = numbers[BEST_ITERATION] == 0 or best < numbers[BEST_COST]
    if improved:
        numbers[BEST_COST], numbers[BEST_ITERATION] = best, numbers[ITERATION]
    return bool(improved)


@inlined
def keep(record: ColonyRecord, costs: NDArray[np.int64], solutions: NDArray[np.uint32]) -> None:
    """Count the iteration; note its costs, its best solution, and the best one so far.

    ``solutions`` has a row for each ant; ties go to the lowest.
    """
    best = costs.argmin()
    record.numbers[LAST_TOTAL] = costs.sum()
    improved = count_iteration(record, costs[best])
    for place in range(record.last_solution.size):
        record.last_solution[place] = solutions[best, place]
        if improved:
            record.best_solution[place] = solutions[best, place]
