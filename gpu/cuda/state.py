"""The numbers a colony keeps on the device, read on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.history import KEPT
from gpu.core.snapshot import Snapshot

_NUMBERS = 12  # 64-bit words of ``ColonyState`` in gpu/cuda/kernels/colony_state.cuh
WORDS = _NUMBERS + 2 * KEPT  # with the costs of the last iterations behind it

ANT_BITS = 20
"""Low bits of an iteration's best that name the ant: enough for the million that may be asked."""


def inherited_words(
    words: NDArray[Any], state: Snapshot, ants: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return ``ColonyState`` as that of a colony that goes on from ``state``, and its history.

    ``words`` are those of a colony before its first iteration. The history is a part of the words.
    """
    words = np.array(words).view(np.uint64)
    assert state.iteration_best is not None
    words[0] = state.iteration
    words[3:7] = (
        state.cost,
        state.best_iteration,
        state.iteration_best << ANT_BITS,
        round(state.iteration_mean * ants),
    )
    if (counts := state.updates) is not None:
        hits = counts.local_hits, counts.local_total, counts.global_hits, counts.global_total
        words[7:11] = hits
    return words, words[_NUMBERS:].reshape(KEPT, 2)


class State:
    """One reading of ``ColonyState``."""

    def __init__(self, words: NDArray[Any]) -> None:
        words = np.asarray(words).view(np.uint64)
        values = [int(word) for word in words[:11]]
        self.iteration = values[0]
        self.best_length = values[3]  # of no tour before the first iteration
        self.best_iteration = values[4]
        self.iteration_best = values[5] >> ANT_BITS
        self.iteration_ant = values[5] & ((1 << ANT_BITS) - 1)
        self.iteration_sum = values[6]
        self.local_hits, self.local_total, self.global_hits, self.global_total = values[7:11]
        self.history = words[_NUMBERS:].reshape(KEPT, 2)  # see :func:`gpu.core.history.of_ring`
