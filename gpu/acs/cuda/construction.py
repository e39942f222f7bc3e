"""How ants are spread over the GPU while they build tours, and where the tours stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import ALL_TOURS, REPLICAS, STEPS, TOURS, TURNS
from gpu.acs.cuda.trails import BuiltTours, MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters
from gpu.core.random import key_of
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.local_search.kinds import NO_LOCAL_SEARCH

TOURS_MEMORY = 512 << 20
"""Bytes for tours under construction: beyond it, warps build several ants' tours in turn."""

ANT_RECORD_WORDS = 6
"""``ANT_RECORD_WORDS`` in gpu/acs/cuda/turns.cu."""

MOST_STAMPS = 1 << 20
"""Steps that step_tours can number; see ``stamped`` in gpu/acs/cuda/step_updates.cuh."""

SLOT_BYTES = 1024
"""Shared memory in which a warp reads ahead; ``ReadsAhead::WORDS`` in reads_ahead.cuh."""

REPLICA_THREADS = 640
"""Threads in a block of step_tours_on_replicas, at most: a warp an ant of the block, and one thread
for every ant."""

REPLICA_CITIES = 495
"""Cities that ``places`` in gpu/acs/cuda/replica_trails.cuh can tell, at most."""

WEIGHING_THREADS = 256
"""Threads in a block of weigh_edges."""

WARPS_PER_BLOCK = 16
"""Warps in a block of ants that take turns."""


class Construction:
    """What both constructions share: the arguments that come before the memory's."""

    def __init__(
        self,
        machine: Machine,
        problem: DeviceCities,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        assert parameters.ants is not None
        assert parameters.q0 is not None
        self.n, self.ants = problem.n, parameters.ants
        self._problem, self._trails = problem, trails
        words = -(-problem.n // LANES)
        self._tabu_words = (
            1 << (words - 1).bit_length()
        )  # a power of two: see gpu/acs/cuda/visited.cuh
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
        problem: DeviceCities,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        super().__init__(machine, problem, trails, parameters, seed)
        self._every = parameters.local_search != NO_LOCAL_SEARCH
        kept = "EveryTour" if self._every else "BestOfWarp"
        self._source = ALL_TOURS if self._every else TOURS
        self._kernel = f"build_tours<{trails.walk}, {kept}>"
        self._shared = SLOT_BYTES + 4 * self._tabu_words
        resident = machine.resident(self._source, self._kernel, LANES, self._shared)
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

    def start(self, arrays: Mapping[str, Array]) -> list[Launch]:
        """Nothing has to be prepared."""
        return []

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
        return Launch(self._source, self._kernel, self.warps, LANES, args, self._shared)


class StepByStep(Construction):
    """One launch an iteration, in which all ants take each step together.

    Every ant has a warp of its own while the GPU holds as many. Where the candidate lists with
    their trails fit into the shared memory of a block (some 450 cities on a GPU with 227 KiB), each
    block has a replica of them, and ants tell one another their steps. Else, or with more than some
    500 ants, trails are in global memory. Beyond that, warps take turns among their ants, which
    live in shared memory, or in global memory when that is too small. The tours are the same in
    all cases.
    """

    def __init__(
        self,
        machine: Machine,
        problem: DeviceCities,
        trails: MatrixTrails | SelectiveTrails,
        parameters: AcsParameters,
        seed: int,
    ) -> None:
        super().__init__(machine, problem, trails, parameters, seed)
        self._ants_bytes: int | None = None
        self.blocks = min(machine.multiprocessors, self.ants)
        own = -(-self.ants // self.blocks)
        self._source, self._kernel = REPLICAS, "step_tours_on_replicas"
        self.warps = own + -(-self.ants // LANES)
        self._shared = self.n * (16 * LANES + 4)  # candidates, trails with counts; a word a city
        self._memories: tuple[str, ...] = ("weights", "stamps", "words")
        self._replicas = (
            self.n <= REPLICA_CITIES
            and self.warps * LANES <= REPLICA_THREADS
            and self._fits(machine)
        )
        if self._replicas:
            return
        self._source, self._kernel = STEPS, "step_tours"
        self.warps = own
        self._shared = self.warps * 4 * self._tabu_words
        self._memories = ("stamps", "log_entries", "log_counts")
        if self._fits(machine):
            return
        self._source, self._kernel = TURNS, "step_many_tours"
        self.warps = WARPS_PER_BLOCK
        self._memories = ("ants",)
        at_most = -(-self.ants // (self.blocks * self.warps))
        each = 4 * (ANT_RECORD_WORDS + -(-self._tabu_words // 2) * 2)
        self._shared, self._ants_bytes = self.warps * at_most * each, 0
        if not self._fits(machine):
            self._shared, self._ants_bytes = 0, self.blocks * self._shared

    def _fits(self, machine: Machine) -> bool:
        return (
            self.warps * LANES <= 1024
            and self.n < MOST_STAMPS
            and self._shared <= machine.shared_limit
            and machine.resident(self._source, self._kernel, self.warps * LANES, self._shared) >= 1
        )

    def buffers(self) -> list[Buffer]:
        """4 n bytes an ant; trails as steps see them, or ants that take turns."""
        buffers = [Buffer("tours", (self.ants, self.n), np.int32)]
        if self._replicas:
            buffers += [
                Buffer("weights", (self.n, self.n), np.float32),
                Buffer("stamps", (self.n, self.n), np.uint64),
                Buffer("words", (2 * self.ants + self.n + 1,), np.uint32),
            ]
        elif self._ants_bytes is None:
            buffers += [
                Buffer("stamps", (self.n, LANES), np.uint64),
                Buffer("log_entries", (2, 2 * self.ants, 2), np.uint64),
                Buffer("log_counts", (self.n + 1,), np.uint32),
            ]
        elif self._ants_bytes:
            buffers.append(Buffer("ants", (self._ants_bytes // 8,), np.uint64))
        return buffers

    def start(self, arrays: Mapping[str, Array]) -> list[Launch]:
        """Prepare what the launches of all iterations need."""
        if not self._replicas:
            return []
        _, _, *geometry, _ = self._problem.arguments(arrays)
        args = (np.int32(self.n), *geometry, arrays["weights"])
        return [Launch(self._source, "weigh_edges", self.blocks, WEIGHING_THREADS, args)]

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
            *(() if self._replicas else (np.int32(self._tabu_words),)),
            *(arrays.get(name) for name in self._memories),
            arrays["tours"],
            arrays["state"],
        )
        return Launch(
            self._source,
            self._kernel,
            self.blocks,
            self.warps * LANES,
            args,
            self._shared,
            cooperative=True,
        )
