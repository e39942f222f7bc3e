"""Tour construction for Ant Systems on a GPU, and the one with a group of threads an ant (2017).

Every construction reads ``weights``. It writes ``tours``, their ``lengths``, and the iteration's
best and sum to the colony's ``state``. All constructions turn the same roulette wheel
(``wheel.cuh``): those with the same order of cities on the wheel build the same tours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gpu.construction.cuda import kernels
from gpu.construction.cuda.kernels import ST_DYNAMIC, ST_GROUP_STC_TR, GroupSource
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.dense_trails import weight_columns
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine

MOST_WHOLE = 512
"""Threads of the largest group whose threads hold as many weights in registers as they can."""

PADDED_ROWS = 8
"""Rows beyond the last city that a group may read; see ``fewer_rows`` in group_tours.cuh."""

SHORT_CITIES = 1 << 16
"""A tour list has two bytes a city: it can hold fewer cities than this."""


class Colony(Protocol):
    """The parameters that every construction reads."""

    @property
    def ants(self) -> int | None:
        """Number of ants; not None here."""


@runtime_checkable
class GroupColony(Colony, Protocol):
    """The parameters that a construction by groups reads."""

    @property
    def workers(self) -> int | None:
        """Threads that work for one ant; None for the fastest number."""

    @property
    def launches(self) -> str | None:
        """What a launch builds: a whole ``tour``, one ``step``, or None for the faster one."""


class Construction(ABC):
    """What all constructions share: the buffers of the tours, and arguments of every kernel."""

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int
    ) -> None:
        assert parameters.ants is not None
        self.n, self.ants = cities.n, parameters.ants
        self.columns = weight_columns(cities.n)
        self._cities, self._seed = cities, Seed.of(seed)

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant."""
        return [
            Buffer("tours", (self.ants, self.n), np.int32),
            Buffer("lengths", (self.ants,), np.uint64),
        ]

    @abstractmethod
    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""

    def _construction(self, arrays: Arrays) -> kernels.Construction:
        geometry = self._cities.geometry(arrays)
        return kernels.Construction.from_arrays(
            arrays, ants=self.ants, seed=self._seed, geometry=geometry
        )


class Groups(Construction):
    """A group of threads an ant (2017), one launch a tour (KE-ALL) or a step (KE-ONE)."""

    source: GroupSource
    order = "SharedList"
    other = "GlobalList"
    selection = "TilingRoulette"
    shrinks = False
    alone: GroupSource | None = None  # for groups of one warp, if they have another

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int
    ) -> None:
        super().__init__(machine, cities, parameters, seed)
        assert isinstance(parameters, GroupColony)
        self._workers = parameters.workers or self._automatic_workers()
        self._width = min(LANES, self._workers)
        self._block = max(LANES, self._workers)
        self._padding = PADDED_ROWS * self._block
        self._steps = parameters.launches == "step"  # KE-ALL is faster at every size measured
        self._shared = self._shared_bytes()
        self._fits = (
            self._width == LANES
            and self._workers <= MOST_WHOLE
            and self._shared <= machine.shared_limit
            and (self.order == "NumberedCities" or self.n < SHORT_CITIES)
        )

    def _automatic_workers(self) -> int:
        """The fewest whose registers hold all weights: measured as the fastest."""
        return min(MOST_WHOLE, LANES * -(-self.n // (LANES * self.source.whole)))

    def _shared_bytes(self) -> int:
        return -(-(self.n + self._padding) // 2) * 4

    @property
    def _bit_words(self) -> int:
        return 0

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant."""
        buffers = super().buffers()
        if self._steps and self._bit_words:
            buffers.append(Buffer("tabu", (self.ants, self._bit_words), np.uint32))
        return buffers

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        return self._each_step(arrays) if self._steps else (self._whole_tours(arrays),)

    def _whole_tours(self, arrays: Arrays) -> Launch:
        source, shrinks, order, rows = self.source, self.shrinks, self.order, self.source.whole
        if not self._fits:
            order, rows = self.other, source.any_size
        elif self.alone and self._block == LANES:
            source, shrinks, rows = self.alone, False, self.alone.whole
        whole, shared = str(self._fits).lower(), 0 if order == "GlobalList" else self._shared
        kernel = (
            f"build_tours_by_groups<{order}, {self.selection}, {str(shrinks).lower()}, {rows}, "
            f"{whole}>"
        )
        args = kernels.BuildToursByGroups.from_arrays(
            arrays,
            construction=self._construction(arrays),
            columns=self.columns,
            width=self._width,
            share=min(rows, -(-self.n // self._block)),
            padding=self._padding,
        )
        return Launch(source, kernel, self.ants, self._block, args, shared)

    def _each_step(self, arrays: Arrays) -> tuple[Launch, ...]:
        source, n, ants, share = self.source, self.n, self.ants, -(-self.n // self._block)
        same: dict[str, Any] = {
            "n": n, "ants": ants, "seed": self._seed, "bit_words": self._bit_words
        }  # fmt: skip
        begin = source.launch(
            f"start_steps<{self.other}>", ants, 128, arrays, padding=self._padding, **same
        )
        kernel = f"make_step<{self.other}, {self.selection}, {source.any_size}>"
        same |= {"columns": self.columns, "width": self._width}
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
