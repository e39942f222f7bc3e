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

from gpu.construction.cuda import kernels
from gpu.construction.cuda.kernels import ST_DYNAMIC, ST_GROUP_STC_TR, GroupSource
from gpu.cuda.cities import DeviceCities
from gpu.cuda.dense_trails import weight_columns
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource, divided
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine

MOST_WHOLE = 512
"""Threads of the largest group whose threads hold as many weights in registers as they can."""

PADDED_ROWS = 8
"""Rows beyond the last city that a group may read; see ``fewer_rows`` in group_tours.cu."""

SHORT_CITIES = 1 << 16  # a tour list has two bytes a city: it can hold fewer cities than this


class Colony(Protocol):
    """The parameters that every construction reads."""

    @property
    def ants(self) -> int | None:
        """Number of ants; not None here."""


class Construction:
    """What all constructions share: the buffers of the tours, and the launch that builds them.

    Each kind of construction chooses the kernel and how it is launched.
    """

    source: KernelSource
    kernel: str
    place: tuple[int, int, int]  # blocks, threads of each, and its bytes of dynamic shared memory
    values: Mapping[str, Any] = MappingProxyType({})  # arguments that other kernels do not take
    warp_an_ant = False  # whether the warps of a block have an ant each; else it has one

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int, **variant: Any
    ) -> None:
        assert parameters.ants is not None
        self.n, self.ants = cities.n, parameters.ants
        self._columns = weight_columns(cities.n)
        self._machine, self._cities, self._seed = machine, cities, Seed.of(seed)
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
        geometry = self._cities.geometry(arrays)
        common = kernels.Construction.from_arrays(
            arrays, first=first, end=end, seed=self._seed, geometry=geometry
        )
        values = {"construction": common, "columns": self._columns, **self.values, **more}
        blocks = min(grid, end - first)
        return self.source.launch(self.kernel, blocks, block, arrays, shared, **values)


class Groups(Construction):
    """A group of threads an ant (2017), one launch a tour (KE-ALL) or a step (KE-ONE)."""

    source: GroupSource
    order = "SharedList"
    other = "GlobalList"
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
        elif self.alone and self._block == LANES:
            self.source, shrinks, rows = self.alone, False, self.alone.whole
        flags = f"{str(shrinks).lower()}, {rows}, {str(fits).lower()}"
        self.kernel = f"build_tours_by_groups<{order}, {self.selection}, {flags}>"
        self.place = self.ants, self._block, 0 if order == "GlobalList" else shared
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
        same: dict[str, Any] = {"n": n, "ants": ants, "seed": self._seed}
        same["bit_words"] = self._bit_words
        begin = source.launch(
            f"start_steps<{self.other}>", ants, 128, arrays, padding=self._padding, **same
        )
        kernel = f"make_step<{self.other}, {self.selection}, {source.any_size}>"
        same |= {"columns": self._columns, "width": self._width}
        steps = []
        for step in range(1, n):
            block = self._block
            if self.shrinks:
                block = min(block, LANES * -(-(n - step) // (self._width * share)))
            steps.append(source.launch(kernel, ants, block, arrays, step=step, **same))
        geometry = self._cities.geometry(arrays)
        end = source.launch("finish_steps", ants, LANES, arrays, geometry=geometry)
        return (begin, *steps, end)


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
