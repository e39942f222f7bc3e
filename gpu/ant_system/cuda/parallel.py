"""Task- and data-parallel construction of an Ant System's tours (Cecilia 2013)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.ant_system.cuda.kernels import DATA_PARALLEL, TASK_PARALLEL
from gpu.ant_system.parameters import AsGroupParameters
from gpu.construction.cuda.groups import Colony, Construction
from gpu.core.errors import ParameterError
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine

CITIES_PER_WORKER = 32
"""Tabu bits in the register of a worker of the data-parallel construction."""


class Task(Construction):
    """An ant a thread (2013, Section 3.1.2); tabu bits in shared memory while they fit."""

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int
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

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        launch = TASK_PARALLEL.launch(
            "build_tours_by_threads",
            -(-self.ants // LANES),
            LANES,
            arrays,
            self._shared,
            construction=self._construction(arrays),
            columns=self.columns,
        )
        return (launch,)


class DataParallel(Construction):
    """An ant a block (2013, Section 3.2): a worker keeps its cities' tabu bits in a register."""

    rule = ""
    slot_bytes = 0

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int
    ) -> None:
        super().__init__(machine, cities, parameters, seed)
        assert isinstance(parameters, AsGroupParameters)
        self._kernel = f"build_tours_by_workers<{self.rule}>"
        least = -(-self.n // CITIES_PER_WORKER)
        self._shared = -(-self.n // 4) * self.slot_bytes
        self._workers = parameters.workers or self._automatic_workers(machine, least)
        if self._workers < least:
            raise ParameterError(
                f"workers = {self._workers} is too few for {self.n} cities, of which a worker "
                f"remembers {CITIES_PER_WORKER}: "
                + (f"set at least {least}" if least <= 1024 else "choose another Ant System")
            )
        if self._shared > machine.shared_limit:
            raise ParameterError(
                f"{self.n} cities are too many for the shared memory of this GPU: choose another "
                f"Ant System, as-st-dynamic say"
            )

    def _automatic_workers(self, machine: Machine, least: int) -> int:
        """128, measured as the fastest, but 64 if only so all ants run at once."""
        workers = min(1024, max(64, 1 << (least - 1).bit_length()))
        if workers > 64 or self._shared > machine.shared_limit:
            return workers
        at_once = machine.resident(DATA_PARALLEL, self._kernel, 128, self._shared)
        return 128 if self.ants <= at_once * machine.multiprocessors else 64

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        launch = DATA_PARALLEL.launch(
            self._kernel,
            self.ants,
            max(LANES, self._workers),
            arrays,
            self._shared,
            construction=self._construction(arrays),
            columns=self.columns,
            workers=self._workers,
        )
        return (launch,)


class Data(DataParallel):
    """The roulette wheel, turned by one worker over shared memory."""

    rule = "OneTurns"
    slot_bytes = 16


class IRoulette(DataParallel):
    """I-Roulette: every city draws a number, and a reduction finds the winner."""

    rule = "EachDraws"
