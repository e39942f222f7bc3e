"""The numbers a colony keeps on the device, read on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.history import KEPT

_NUMBERS = 12  # 64-bit words of ``ColonyState`` in gpu/cuda/kernels/colony_state.cuh
WORDS = _NUMBERS + 2 * KEPT  # with the costs of the last iterations behind it

ANT_BITS = 20
"""Low bits of an iteration's best that name the ant: enough for the million that may be asked."""


class State:
    """One reading of ``ColonyState``."""

    def __init__(self, words: NDArray[Any]) -> None:
        words = np.asarray(words).view(np.uint64)
        values = [int(word) for word in words[:11]]
        self.iteration = values[0]
        self.best_length = values[3] if self.iteration else 0
        self.best_iteration = values[4]
        self.iteration_best = values[5] >> ANT_BITS
        self.iteration_ant = values[5] & ((1 << ANT_BITS) - 1)
        self.iteration_sum = values[6]
        self.local_hits, self.local_total, self.global_hits, self.global_total = values[7:11]
        self.history = words[_NUMBERS:].reshape(KEPT, 2)  # see :func:`gpu.core.history.of_ring`
