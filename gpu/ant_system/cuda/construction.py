"""Task- and data-parallel construction (Cecilia 2013), and groups that only AS has (2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.ant_system.cuda.kernels import (
    CITIES_PER_WORKER,
    DATA_PARALLEL,
    ST_GROUP,
    ST_GROUP_STC,
    TASK_PARALLEL,
)
from gpu.ant_system.parameters import AsCudaParameters, AsGroupParameters
from gpu.construction.cuda.construction import Groups, TourConstruction
from gpu.core.errors import ParameterError
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine

STEPS_A_LAUNCH = 32  # of all ants that work by a thread each, in a launch of long ones


class TaskParallel(TourConstruction):
    """An ant a thread (2013, Section 3.1.2); tabu bits in shared memory while they fit.

    All ants are on their way at the same time: launches divide their steps.
    """

    source = TASK_PARALLEL
    kernel = "build_tours_by_threads"

    def _arrange(self, machine: Machine, parameters: AsCudaParameters) -> None:
        self._words = -(-self.n // LANES)
        shared = 4 * self._words * LANES
        self._in_shared = shared <= machine.shared_limit
        self.place = -(-self.ants // LANES), LANES, shared if self._in_shared else 0

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant, and n / 8 where the tabu bits need global memory."""
        tabu = Buffer("tabu", (self._words, self.ants), np.uint32)
        return super().buffers() if self._in_shared else [*super().buffers(), tabu]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""

        def steps(first: int, end: int) -> Launch:
            return self._launch(arrays, 0, self.ants, first_step=first, end_step=end)

        return (divided(steps, self.n, STEPS_A_LAUNCH),)


class DataParallel(TourConstruction):
    """An ant a block (2013, Section 3.2): a worker keeps its cities' tabu bits in a register."""

    source = DATA_PARALLEL
    slot_bytes = 0

    def _arrange(self, machine: Machine, parameters: AsGroupParameters) -> None:
        least = -(-self.n // CITIES_PER_WORKER)
        shared = -(-self.n // 4) * self.slot_bytes
        workers = parameters.workers or self._automatic_workers(machine, least, shared)
        if workers < least:
            raise ParameterError(
                f"workers = {workers} is too few for {self.n} cities, of which a worker "
                f"remembers {CITIES_PER_WORKER}: "
                + (f"set at least {least}" if least <= 1024 else "choose another Ant System")
            )
        if shared > machine.shared_limit:
            raise ParameterError(
                f"{self.n} cities are too many for the shared memory of this GPU: choose another "
                f"Ant System, as-st-dynamic say"
            )
        self.values = {"workers": workers}
        self.place = self.ants, max(LANES, workers), shared

    def _automatic_workers(self, machine: Machine, least: int, shared: int) -> int:
        """128, measured as the fastest, but 64 where 128 leave no room for all ants at once."""
        workers = min(1024, max(64, 1 << (least - 1).bit_length()))
        if workers > 64 or shared > machine.shared_limit:
            return workers
        at_once = machine.resident(DATA_PARALLEL, self.kernel, 128, shared)
        return 128 if self.ants <= at_once * machine.multiprocessors else 64


class Data(DataParallel):
    """The roulette wheel, turned by one worker over shared memory."""

    kernel = "build_tours_by_workers<OneTurns>"
    slot_bytes = 16


class IRoulette(DataParallel):
    """I-Roulette: every city draws a number, and a reduction finds the winner."""

    kernel = "build_tours_by_workers<EachDraws>"


class StGroup(Groups):
    """ST-GROUP: all cities by number, parallel prefix sum."""

    source = ST_GROUP
    order = other = "NumberedCities"
    other_is_shared = True
    selection = "PrefixSearch"

    def _automatic_workers(self) -> int:
        return 64 if self.n <= 512 else 128 if self.n <= 1024 else 256

    def _shared_bytes(self) -> int:
        return 4 * self._bit_words

    @property
    def _bit_words(self) -> int:
        return -(-(self.n + self._padding) // LANES)


class StGroupStc(Groups):
    """ST-GROUP-STC: the tour list, parallel prefix sum."""

    source = ST_GROUP_STC
    selection = "PrefixSearch"

    def _automatic_workers(self) -> int:
        return 32 if self.n <= 512 else 64 if self.n <= 1536 else 128
