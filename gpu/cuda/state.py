"""The numbers a colony keeps on the device, read on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.history import HISTORY_KEPT
from gpu.core.snapshot import Snapshot
from gpu.cuda.arguments import ColonyState
from gpu.cuda.kernels.constants import ANT_BITS

_STATE = ColonyState.dtype()
_NUMBERS = _STATE.itemsize // 8  # 64-bit words of the state
WORDS = _NUMBERS + 2 * HISTORY_KEPT  # with the costs of the last iterations behind it


def inherited_words(
    words: NDArray[Any], state: Snapshot, ants: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return ``ColonyState`` as that of a colony that goes on from ``state``, and its history.

    ``words`` are those of a colony before its first iteration. The history is a part of the words.
    """
    words = np.array(words).view(np.uint64)
    assert state.iteration_best is not None
    numbers = numbers_of(words)
    numbers["iteration"] = state.iteration
    numbers["best_length"] = state.cost
    numbers["best_iteration"] = state.best_iteration
    numbers["iteration_best"] = state.iteration_best << ANT_BITS
    numbers["iteration_sum"] = round(state.iteration_mean * ants)
    if (counts := state.updates) is not None:
        for name in ("local_hits", "local_total", "global_hits", "global_total"):
            numbers[name] = getattr(counts, name)
    return words, words[_NUMBERS:].reshape(HISTORY_KEPT, 2)


def numbers_of(words: NDArray[Any]) -> NDArray[np.void]:
    """Return the fields of ``ColonyState``, in the memory of the words."""
    return words[:_NUMBERS].view(_STATE)


class State:
    """One reading of ``ColonyState``."""

    def __init__(self, words: NDArray[Any]) -> None:
        words = np.asarray(words).view(np.uint64)
        numbers = numbers_of(words)[0]
        self.iteration = int(numbers["iteration"])
        self.best_length = int(numbers["best_length"])  # of no tour before the first iteration
        self.best_iteration = int(numbers["best_iteration"])
        best = int(numbers["iteration_best"])
        self.iteration_best, self.iteration_ant = best >> ANT_BITS, best & ((1 << ANT_BITS) - 1)
        self.iteration_sum = int(numbers["iteration_sum"])
        self.local_hits, self.local_total = int(numbers["local_hits"]), int(numbers["local_total"])
        self.global_hits = int(numbers["global_hits"])
        self.global_total = int(numbers["global_total"])
        # see :func:`gpu.core.history.of_ring`
        self.history = words[_NUMBERS:].reshape(HISTORY_KEPT, 2)
