"""Tour construction for Ant Systems on a GPU, and the one with a group of threads an ant (2017).

Every construction reads ``weights``. It writes ``tours``, their ``lengths``, and the iteration's
best and sum to the colony's ``state``. All constructions turn the same roulette wheel
(``choice.cuh``): those with the same order of cities on the wheel build the same tours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from gpu.construction.cuda.kernels import (
    MATRIX_THREADS,
    PADDED_ROWS,
    ST_DYNAMIC,
    ST_GROUP_STC_TR,
    WEIGH_CHOICES,
    GroupSource,
)
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource, divided
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import weight_columns


def blocks_for(machine: Machine, threads: int) -> int:
    """Blocks for so many threads; at most 16 a multiprocessor, then each takes several turns."""
    return max(1, min(16 * machine.multiprocessors, -(-threads // MATRIX_THREADS)))


def prepare_heuristic(cities: DeviceCities, columns: int, grid: int, arrays: Arrays) -> Launch:
    """The launch that computes ``heuristic``, η^β of every edge, with rows of ``columns``."""
    given = {**arrays, **cities.numbers}
    return WEIGH_CHOICES.launch("prepare_heuristic", grid, MATRIX_THREADS, given, columns=columns)


MOST_WHOLE = 512
"""Threads of the largest group whose threads hold as many weights in registers as they can."""

SHORT_CITIES = 1 << 16  # a tour list has two bytes a city: it can hold fewer cities than this


class HasAnts(Protocol):
    """The parameters that every construction reads."""

    @property
    def ants(self) -> int | None:
        """Number of ants; not None here."""


class TourConstruction:
    """What all constructions share: the buffers of the tours, and the launch that builds them.

    Each kind of construction chooses the kernel and how it is launched.
    """

    source: KernelSource
    kernel: str
    place: tuple[int, int, int]  # blocks, threads of each, and its bytes of dynamic shared memory
    values: Mapping[str, Any] = MappingProxyType({})  # arguments that other kernels do not take
    warp_an_ant = False  # whether the warps of a block have an ant each; else it has one

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: HasAnts, seed: int, **variant: Any
    ) -> None:
        assert parameters.ants is not None
        self.n, self.ants = cities.n, parameters.ants
        self._machine = machine
        self._numbers = {**cities.numbers, "columns": weight_columns(cities.n), "ants": self.ants}
        self._numbers["seed"] = Seed.of(seed)
        self._arrange(machine, parameters, **variant)

    def _arrange(self, *given: Any, **variant: Any) -> None:
        """Choose ``kernel``, ``place`` and ``values`` for a machine, parameters, and a variant."""
        raise NotImplementedError

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant, and the tabu of each where it is in global memory."""
        return [
            Buffer("tours", (self.ants, self.n), np.int32),
            Buffer("lengths", (self.ants,), np.uint64),
        ]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        return (divided(partial(self._launch, arrays), self.ants, self._at_once()),)

    def _at_once(self) -> int:
        """How many ants the device has room for at the same time."""
        _, block, shared = self.place
        held = self._machine.resident(self.source, self.kernel, block, shared)
        ants = held * self._machine.multiprocessors
        return max(1, ants * (block // LANES) if self.warp_an_ant else ants)

    def _launch(self, arrays: Arrays, first: int, end: int, **more: Any) -> Launch:
        """The launch that builds the tours of the ants from ``first`` to before ``end``."""
        grid, block, shared = self.place
        given = {**arrays, **self._numbers, "first": first, "end": end, **self.values, **more}
        return self.source.launch(self.kernel, min(grid, end - first), block, given, shared)


class Groups(TourConstruction):
    """A group of threads an ant (2017), one launch a tour (KE-ALL) or a step (KE-ONE)."""

    source: GroupSource
    order = "SharedList"
    other = "GlobalList"  # where `order` does not fit, and with a step a launch
    other_is_shared = False  # whether that, too, lies in shared memory
    selection = "TilingRoulette"
    shrinks = False
    alone: GroupSource | None = None  # for groups of one warp, if they have another

    def _arrange(self, machine: Machine, parameters: Any) -> None:
        workers, self._steps = self._asked(parameters)
        self._workers = workers or self._automatic_workers()
        self._width = min(LANES, self._workers)
        self._block = block = max(LANES, self._workers)
        self._padding = PADDED_ROWS * block
        if not self._steps:
            self._arrange_tours(machine)

    def _arrange_tours(self, machine: Machine) -> None:
        shared, order, shrinks = self._shared_bytes(), self.order, self.shrinks
        fits = (
            self._width == LANES
            and self._workers <= MOST_WHOLE
            and shared <= machine.shared_limit
            and (order == "NumberedCities" or self.n < SHORT_CITIES)
        )
        rows = self.source.whole
        if not fits:
            order, rows = self.other, self.source.any_size
            shared = shared if self.other_is_shared else 0
        elif self.alone and self._block == LANES:
            self.source, shrinks, rows = self.alone, False, self.alone.whole
        flags = f"{str(shrinks).lower()}, {rows}, {str(fits).lower()}"
        self.kernel = f"build_tours_by_groups<{order}, {self.selection}, {flags}>"
        self.place = self.ants, self._block, shared
        share = min(rows, -(-self.n // self._block))
        self.values = {"width": self._width, "share": share, "padding": self._padding}

    def _asked(self, parameters: Any) -> tuple[int | None, bool]:
        """Threads that shall work for an ant, and whether a launch makes one step of all ants."""
        # Else a launch builds whole tours, which is faster at every size measured.
        return parameters.workers, parameters.launches == "step"

    def _automatic_workers(self) -> int:
        """The fewest whose registers hold all weights: measured as the fastest."""
        return min(MOST_WHOLE, LANES * -(-self.n // (LANES * self.source.whole)))

    def _shared_bytes(self) -> int:
        return -(-(self.n + self._padding) // 2) * 4

    @property
    def _bit_words(self) -> int:
        return 0

    def buffers(self) -> list[Buffer]:
        """As of any construction, and the tabu bits of each ant if it makes single steps."""
        buffers = super().buffers()
        if self._steps and self._bit_words:
            buffers.append(Buffer("tabu", (self.ants, self._bit_words), np.uint32))
        return buffers

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        return self._each_step(arrays) if self._steps else super().launches(arrays)

    def _each_step(self, arrays: Arrays) -> tuple[Launch, ...]:
        source, n, ants, share = self.source, self.n, self.ants, -(-self.n // self._block)
        given = {**arrays, **self._numbers, "width": self._width, "padding": self._padding}
        given["bit_words"] = self._bit_words
        begin = source.launch(f"start_steps<{self.other}>", ants, 128, given)
        kernel = f"make_step<{self.other}, {self.selection}, {source.any_size}>"
        steps = []
        for step in range(1, n):
            block = self._block
            if self.shrinks:
                block = min(block, LANES * -(-(n - step) // (self._width * share)))
            steps.append(source.launch(kernel, ants, block, given, step=step))
        return (begin, *steps, source.launch("finish_steps", ants, LANES, given))


class StGroupStcTr(Groups):
    """ST-GROUP-STC-TR: the tour list, tiling roulette."""

    source = ST_GROUP_STC_TR


class StDynamic(Groups):
    """ST-DYNAMIC: the tour list, tiling roulette, and warps that retire as cities get fewer."""

    source = ST_DYNAMIC
    alone: GroupSource | None = ST_GROUP_STC_TR
    shrinks = True

    def _automatic_workers(self) -> int:
        alone = self.alone or self.source
        return LANES if self.n <= LANES * alone.whole else super()._automatic_workers()
