"""Tour construction of the Ant Colony Systems: how ants are spread over the GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import (
    ALL_TOURS,
    REPLICAS,
    STEPS,
    TOURS,
    TURNS,
    AcsAnts,
    BuildTours,
    StepManyTours,
    StepTours,
    StepToursOnReplicas,
    WeighEdges,
)
from gpu.acs.cuda.trails import BuiltTours, MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters
from gpu.cuda.arguments import KernelArguments
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.local_search.kinds import NO_LOCAL_SEARCH

TOURS_MEMORY = 512 << 20
"""Bytes for tours. If more ants would need more, each warp builds the tours of several ants."""

ANT_RECORD_WORDS = 6
"""``ANT_RECORD_WORDS`` in gpu/acs/cuda/turns.cu."""

MOST_STAMPS = 1 << 20
"""Steps that step_tours can number; see ``stamped`` in gpu/acs/cuda/step_updates.cuh."""

SLOT_BYTES = 1024
"""Shared memory into which a warp reads ahead: ``ReadsAhead::WORDS`` in reads_ahead.cuh."""

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
    """What both constructions share: the rules of the ants, as every kernel takes them."""

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
        self._threshold = math.ceil(parameters.q0 * 2**24)
        self._period, self._seed = parameters.update_period, Seed.of(seed)

    def _common(self, arrays: Mapping[str, Array]) -> AcsAnts:
        return AcsAnts(
            ants=self.ants,
            threshold=self._threshold,
            period=self._period,
            change=self._trails.local_update,
            seed=self._seed,
            lists=self._problem.lists(arrays),
            geometry=self._problem.geometry(arrays),
            directed=self._problem.directed,
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
        """No launches: there is nothing to prepare."""
        return []

    def tours(self, arrays: Mapping[str, Array]) -> BuiltTours:
        """Where the tours are after a launch."""
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
        """The launch that builds all tours of an iteration."""
        trails, more_trails = self._trails.pictured(arrays)
        args = BuildTours(
            common=self._common(arrays),
            trails=trails,
            more_trails=more_trails,
            bounds=self._trails.bounds(arrays),
            memory_size=self._trails.memory_size,
            links=arrays["links"],
            tabu_words=self._tabu_words,
            tours=arrays["tours"],
            holders=arrays.get("holders"),
            state=arrays["state"],
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
        if self._fits(machine):
            return
        self._source, self._kernel = TURNS, "step_many_tours"
        self.warps = WARPS_PER_BLOCK
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
        """The launches that prepare what all iterations need."""
        if not self._replicas:
            return []
        args = WeighEdges(geometry=self._problem.geometry(arrays), weights=arrays["weights"])
        return [Launch(self._source, "weigh_edges", self.blocks, WEIGHING_THREADS, args)]

    def tours(self, arrays: Mapping[str, Array]) -> BuiltTours:
        """Where the tours are after a launch."""
        return BuiltTours(arrays["tours"], None, self.ants)

    def tour_of(
        self, arrays: Mapping[str, Array], ant: int, download: Callable[[Array], NDArray[Any]]
    ) -> Array:
        """The row of ``ant``."""
        return arrays["tours"][ant]

    def launch(self, arrays: Mapping[str, Array]) -> Launch:
        """The launch that builds all tours of an iteration."""
        args = self._arguments(arrays)
        return Launch(
            self._source,
            self._kernel,
            self.blocks,
            self.warps * LANES,
            args,
            self._shared,
            cooperative=True,
        )

    def _arguments(self, arrays: Mapping[str, Array]) -> KernelArguments:
        common, tours, state = self._common(arrays), arrays["tours"], arrays["state"]
        listed, outside, far = (arrays[name] for name in ("listed", "outside", "far"))
        if self._replicas:
            return StepToursOnReplicas(
                common=common,
                listed=listed,
                outside=outside,
                far=far,
                weights=arrays["weights"],
                stamps=arrays["stamps"],
                words=arrays["words"],
                tours=tours,
                state=state,
            )
        if self._source is STEPS:
            return StepTours(
                common=common,
                listed=listed,
                outside=outside,
                far=far,
                tabu_words=self._tabu_words,
                stamps=arrays["stamps"],
                log_entries=arrays["log_entries"],
                log_counts=arrays["log_counts"],
                tours=tours,
                state=state,
            )
        return StepManyTours(
            common=common,
            listed=listed,
            outside=outside,
            far=far,
            tabu_words=self._tabu_words,
            ants_memory=arrays.get("ants"),
            tours=tours,
            state=state,
        )
