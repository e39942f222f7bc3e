"""Tour construction for Ant Systems on a GPU, and the one with a group of threads an ant (2017).

Every construction reads ``weights``. It writes ``tours``, their ``lengths``, and the iteration's
best and sum to the colony's ``state``. All constructions turn the same roulette wheel
(``wheel.cuh``): those with the same order of cities on the wheel build the same tours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from gpu.construction.cuda import kernels
from gpu.construction.cuda.kernels import ST_DYNAMIC, ST_GROUP_STC_TR, GroupSource
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Array, Buffer, Launch, Machine

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


class Construction:
    """What all constructions share: the buffers of the tours, and arguments of every kernel."""

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: Colony, seed: int
    ) -> None:
        assert parameters.ants is not None
        self.n, self.ants = cities.n, parameters.ants
        self._cities, self._seed = cities, Seed.of(seed)

    def buffers(self) -> list[Buffer]:
        """4 n + 8 bytes an ant."""
        return [
            Buffer("tours", (self.ants, self.n), np.int32),
            Buffer("lengths", (self.ants,), np.uint64),
        ]

    def _common(self, arrays: Mapping[str, Array]) -> kernels.Construction:
        return kernels.Construction(
            ants=self.ants,
            seed=self._seed,
            geometry=self._cities.geometry(arrays),
            tours=arrays["tours"],
            lengths=arrays["lengths"],
            state=arrays["state"],
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
        self._whole, self._any_size = self.source.whole, self.source.any_size
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

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        return self._each_step(arrays) if self._steps else (self._whole_tours(arrays),)

    def _whole_tours(self, arrays: Mapping[str, Array]) -> Launch:
        source, shrinks, rows, order, whole = (
            self.source,
            self.shrinks,
            self._whole,
            self.order,
            "true",
        )
        if not self._fits:
            rows, order, whole = self._any_size, self.other, "false"
        elif self.alone and self._block == LANES:
            source, shrinks, rows = self.alone, False, self.alone.whole
        args = kernels.BuildToursByGroups(
            construction=self._common(arrays),
            weights=arrays["weights"],
            columns=arrays["weights"].shape[1],
            width=self._width,
            share=min(rows, -(-self.n // self._block)),
            padding=self._padding,
        )
        kernel = (
            f"build_tours_by_groups<{order}, {self.selection}, {str(shrinks).lower()}, {rows}, "
            f"{whole}>"
        )
        shared = 0 if order == "GlobalList" else self._shared
        return Launch(source, kernel, self.ants, self._block, args, shared)

    def _each_step(self, arrays: Mapping[str, Array]) -> tuple[Launch, ...]:
        bits, bit_words = arrays.get("tabu"), self._bit_words
        weights, tours, state = arrays["weights"], arrays["tours"], arrays["state"]
        begin = kernels.StartSteps(
            n=self.n,
            ants=self.ants,
            seed=self._seed,
            bits=bits,
            bit_words=bit_words,
            padding=self._padding,
            tours=tours,
            state=state,
        )
        end = kernels.FinishSteps(
            geometry=self._cities.geometry(arrays),
            tours=tours,
            lengths=arrays["lengths"],
            state=state,
        )
        kernel = f"make_step<{self.other}, {self.selection}, {self._any_size}>"
        share = -(-self.n // self._block)
        launches = [Launch(self.source, f"start_steps<{self.other}>", self.ants, 128, begin)]
        for step in range(1, self.n):
            block = self._block
            if self.shrinks:
                block = min(block, LANES * -(-(self.n - step) // (self._width * share)))
            args = kernels.MakeStep(
                n=self.n,
                ants=self.ants,
                seed=self._seed,
                weights=weights,
                columns=weights.shape[1],
                width=self._width,
                step=step,
                bits=bits,
                bit_words=bit_words,
                tours=tours,
                state=state,
            )
            launches.append(Launch(self.source, kernel, self.ants, block, args))
        return (*launches, Launch(self.source, "finish_steps", self.ants, LANES, end))


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
