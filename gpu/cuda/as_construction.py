"""How the ants of an Ant System are spread over the GPU while they build tours.

Every construction reads ``weights`` and writes ``tours``, their ``lengths`` and the iteration's
best and sum in the colony's ``state``. All turn the same wheel (``wheel.cuh``), so that those of
the same wheel order build the same tours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.parameters import AsCudaParameters

LANES = 32
"""Threads in a warp."""


class Cities(Protocol):
    """What a construction is told of the instance; :class:`gpu.cuda.problem.Problem` has it."""

    @property
    def n(self) -> int:
        """Cities."""

    @property
    def metric(self) -> int:
        """Number of the metric, as ``Metric`` in geometry.cuh has it."""


def weight_columns(n: int) -> int:
    """Floats from one row of ``weights`` to the next: each row begins on a line of 128 bytes."""
    return -(-n // LANES) * LANES


class Construction:
    """What all constructions share: where tours stand, and the arguments of every kernel."""

    def __init__(
        self, machine: Machine, cities: Cities, parameters: AsCudaParameters, seed: int
    ) -> None:
        assert parameters.ants is not None
        self.n, self.ants = cities.n, parameters.ants
        self._metric = cities.metric
        self._seed = seed

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant."""
        return [
            Buffer("tours", (self.ants, self.n), np.int32),
            Buffer("lengths", (self.ants,), np.uint64),
        ]

    def _leading(self, arrays: Mapping[str, Array]) -> tuple[Any, ...]:
        return (
            np.int32(self.n),
            np.int32(self.ants),
            np.uint32(self._seed & 0xFFFFFFFF),
            np.uint32(self._seed >> 32),
            np.int32(self._metric),
            arrays.get("coordinates"),
            arrays.get("matrix"),
            arrays["weights"],
            np.int32(arrays["weights"].shape[1]),
        )

    def _results(self, arrays: Mapping[str, Array]) -> tuple[Any, ...]:
        return arrays["tours"], arrays["lengths"], arrays["state"]


class Task(Construction):
    """An ant a thread (2013, Section 3.1.2); tabu bits in shared memory while they fit."""

    def __init__(
        self, machine: Machine, cities: Cities, parameters: AsCudaParameters, seed: int
    ) -> None:
        super().__init__(machine, cities, parameters, seed)
        self._words = -(-self.n // 32)
        self._shared = 4 * self._words * LANES
        if self._shared > machine.shared_limit:
            self._shared = 0

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant, and n / 8 where the tabu bits need global memory."""
        buffers = super().buffers()
        if not self._shared:
            buffers.append(Buffer("tabu", (self._words, self.ants), np.uint32))
        return buffers

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """Build all tours of an iteration."""
        args = (*self._leading(arrays), arrays.get("tabu"), *self._results(arrays))
        grid = -(-self.ants // LANES)
        return (Launch("as_task.cu", "build_tours_by_threads", grid, LANES, args, self._shared),)
