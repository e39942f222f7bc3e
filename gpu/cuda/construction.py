"""How ants are spread over the GPU while they build tours, and where the tours stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.problem import LANES, Problem
from gpu.cuda.trails import BuiltTours, MatrixTrails, SelectiveTrails
from gpu.parameters import NO_LOCAL_SEARCH, AcsParameters
from gpu.random import key_of

TOURS_MEMORY = 512 << 20
"""Bytes for tours under construction: beyond it, warps build several ants' tours in turn."""

ANT_RECORD_WORDS = 6
"""``ANT_RECORD_WORDS`` in acs_turns.cu."""

MOST_STAMPS = 1 << 20
"""Steps that step_tours can number; see ``stamped`` in step_updates.cuh."""

SLOT_BYTES = 1024
"""Shared memory in which a warp reads ahead; ``ReadsAhead::WORDS`` in reads_ahead.cuh."""

CLUSTER_THREADS = 640
"""Threads in a block of a cluster, at most: beyond, all blocks of the GPU are faster together."""

WARPS_PER_BLOCK = 16
"""Warps in a block of ants that take turns."""


class Construction:
    """What both constructions share: the arguments that come before the memory's."""

    def __init__(
        self,
        machine: Machine,
        problem: Problem,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        assert parameters.ants is not None
        assert parameters.q0 is not None
        self.n, self.ants = problem.n, parameters.ants
        self._problem, self._trails = problem, trails
        words = -(-problem.n // LANES)
        self._tabu_words = 1 << (words - 1).bit_length()  # a power of two: see tabu.cuh
        self._leading = (
            np.int32(problem.n),
            np.int32(self.ants),
            np.uint32(math.ceil(parameters.q0 * 2**24)),
            np.int32(parameters.update_period),
            trails.local_keep,
            trails.local_add,
            *(np.uint32(word) for word in key_of(seed)),
        )


class WholeTours(Construction):
    """One launch an iteration, a warp an ant; with more ants than warps, warps take several.

    Each warp has two rows for tours: the one it builds, and the best it has built. For a local
    search each ant has a row instead.
    """

    def __init__(
        self,
        machine: Machine,
        problem: Problem,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        super().__init__(machine, problem, trails, parameters, seed)
        self._every = parameters.local_search != NO_LOCAL_SEARCH
        kept = "EveryTour" if self._every else "BestOfWarp"
        self._file = "acs_all_tours.cu" if self._every else "acs_tours.cu"
        self._kernel = f"build_tours<{trails.walk}, {kept}>"
        self._shared = SLOT_BYTES + 4 * self._tabu_words
        resident = machine.resident(self._file, self._kernel, LANES, self._shared)
        fitting = self.ants if self._every else TOURS_MEMORY // (8 * self.n)
        self.warps = max(1, min(self.ants, resident * machine.multiprocessors, fitting))

    def buffers(self) -> list[Buffer]:
        """8 n bytes a warp, or 4 an ant, and 16 n for what follows what on the best tour."""
        links = Buffer("links", (self.n, 4), np.int32, zeroed=True)
        if self._every:
            return [Buffer("tours", (self.ants, self.n), np.int32), links]
        return [
            Buffer("tours", (2 * self.warps, self.n), np.int32),
            Buffer("holders", (self.warps,), np.int32),
            links,
        ]

    def tours(self, arrays: Mapping[str, Array]) -> BuiltTours:
        """Where the tours stand after a launch."""
        rows = self.ants if self._every else self.warps
        return BuiltTours(arrays["tours"], arrays.get("holders"), rows, arrays["links"])

    def tour_of(
        self, arrays: Mapping[str, Array], ant: int, download: Callable[[Array], NDArray[Any]]
    ) -> Array:
        """The row of ``ant``, the best of its warp."""
        if self._every:
            return arrays["tours"][ant]
        warp = ant % self.warps
        return arrays["tours"][2 * warp + int(download(arrays["holders"])[warp])]

    def launch(self, arrays: Mapping[str, Array]) -> Launch:
        """Build all tours of an iteration."""
        args = (
            *self._leading,
            *self._problem.arguments(arrays),
            *self._trails.arguments(arrays),
            np.int32(self._trails.memory_size),
            arrays["links"],
            np.int32(self._tabu_words),
            arrays["tours"],
            arrays.get("holders"),
            arrays["state"],
        )
        return Launch(self._file, self._kernel, self.warps, LANES, args, self._shared)


class StepByStep(Construction):
    """One launch an iteration, in which all ants take each step together.

    Every ant has a warp of its own while the GPU holds as many: in one thread-block cluster where
    it has them (from compute capability 9.0 on), the ants are at most 320 and the candidate lists
    with their trails fit into the shared memory of a block (some 450 cities); else in all blocks of
    a cooperative launch. Beyond that, warps take turns among their ants, which live in shared
    memory, or in global memory when that is too small. The tours are the same in all cases.
    """

    def __init__(
        self,
        machine: Machine,
        problem: Problem,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        super().__init__(machine, problem, trails, parameters, seed)
        self._ants_bytes: int | None = None
        self._memories: tuple[str, ...] = ("stamps",)
        self._cluster = machine.cluster_blocks > 0 and self._clusters(machine)
        if self._cluster:
            return
        self.blocks = min(machine.multiprocessors, self.ants)
        self.warps = -(-self.ants // self.blocks)
        self._file, self._kernel = "acs_steps.cu", "step_tours"
        self._shared = self.warps * 4 * self._tabu_words
        self._memories = ("stamps", "log_entries", "log_counts")
        if self._fits(machine):
            return
        self._file, self._kernel = "acs_turns.cu", "step_many_tours"
        self.warps = WARPS_PER_BLOCK
        self._memories = ("ants",)
        at_most = -(-self.ants // (self.blocks * self.warps))
        each = 4 * (ANT_RECORD_WORDS + -(-self._tabu_words // 2) * 2)
        self._shared, self._ants_bytes = self.warps * at_most * each, 0
        if not self._fits(machine):
            self._shared, self._ants_bytes = 0, self.blocks * self._shared

    def _clusters(self, machine: Machine) -> bool:
        """Choose one cluster, and say whether that can be: each block must have an ant."""
        self.blocks = machine.cluster_blocks
        self.warps = -(-self.ants // self.blocks)
        self._file, self._kernel = "acs_cluster.cu", "step_tours_in_cluster"
        lists = 2 * 8 * self.n * LANES  # candidates, and trails with counts
        self._shared = 16 + lists + 4 * self.warps * (LANES + self._tabu_words)
        block = self.warps * LANES
        return (
            self.ants >= self.blocks
            and block <= CLUSTER_THREADS
            and machine.cluster(self._file, self._kernel, block, self._shared)
        )

    def _fits(self, machine: Machine) -> bool:
        return (
            self.warps * LANES <= 1024
            and self.n < MOST_STAMPS
            and self._shared <= machine.shared_limit
            and machine.resident(self._file, self._kernel, self.warps * LANES, self._shared) >= 1
        )

    def buffers(self) -> list[Buffer]:
        """4 n bytes an ant; trails as steps see them, or ants that take turns."""
        buffers = [Buffer("tours", (self.ants, self.n), np.int32)]
        if self._cluster:
            buffers.append(Buffer("stamps", (self.n, self.n), np.uint64))
        elif self._ants_bytes is None:
            buffers += [
                Buffer("stamps", (self.n, LANES), np.uint64),
                Buffer("log_entries", (2, 2 * self.ants, 2), np.uint64),
                Buffer("log_counts", (self.n + 1,), np.uint32),
            ]
        elif self._ants_bytes:
            buffers.append(Buffer("ants", (self._ants_bytes // 8,), np.uint64))
        return buffers

    def tours(self, arrays: Mapping[str, Array]) -> BuiltTours:
        """Where the tours stand after a launch."""
        return BuiltTours(arrays["tours"], None, self.ants)

    def tour_of(
        self, arrays: Mapping[str, Array], ant: int, download: Callable[[Array], NDArray[Any]]
    ) -> Array:
        """The row of ``ant``."""
        return arrays["tours"][ant]

    def launch(self, arrays: Mapping[str, Array]) -> Launch:
        """Build all tours of an iteration."""
        args = (
            *self._leading,
            *self._problem.arguments(arrays),
            *self._trails.arguments(arrays),
            np.int32(self._tabu_words),
            *(arrays.get(name) for name in self._memories),
            arrays["tours"],
            arrays["state"],
        )
        return Launch(
            self._file,
            self._kernel,
            self.blocks,
            self.warps * LANES,
            args,
            self._shared,
            cooperative=not self._cluster,
            cluster=self._cluster,
        )
