"""The Ant Colony Systems on a GPU (Skinderowicz 2016): ACS-GPU-Alt, ACS-GPU-SPM and ACS-GPU.

A colony is a problem on the device, a pheromone memory, and the launches of one iteration. The
three systems differ in the memory (a matrix, or a few records a city) and in the construction
(whole tours in one launch, or all ants step by step); all else is shared here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import (
    ALL_TOURS,
    ANT_RECORD_WORDS,
    OUTSIDE_PLACES,
    PLACE_BITS,
    REPLICAS,
    SLOT_WORDS,
    STEP_IN_TURNS,
    STEP_THREADS,
    STEPS,
    TIME_BITS,
    TURNING_WARPS,
    WARP_TOURS,
    AcsBuilding,
)
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.initial_trail import inverse_initial_trail
from gpu.acs.parameters import AcsParameters
from gpu.core.random import greedy_threshold
from gpu.core.snapshot import Updates
from gpu.cuda.colony import State
from gpu.cuda.instances import DeviceCities
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.local_search.cuda.colony import DeviceTourColony
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.instance import TspInstance

TOURS_MEMORY = 512 << 20
"""Bytes for tours. If more ants would need more, each warp builds the tours of several ants."""

MOST_STAMPS = 1 << TIME_BITS  # steps that step_tours can number

REPLICA_CITIES = ((1 << PLACE_BITS) - 1 - OUTSIDE_PLACES) // LANES
"""Most cities for all of whose candidates there is a place in what ants report of a step."""

WEIGHING_THREADS = 256  # threads in a block of weigh_edges
STEPS_A_PART = 32  # of ants that take turns, in a launch of long ones


class AcsConstruction:
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
        self._tabu_words = 1 << (words - 1).bit_length()  # a power of two: see BitTabu
        self._numbers = {
            **problem.numbers,
            "threshold": greedy_threshold(parameters.q0),
            "period": parameters.update_period,
            "change": trails.local_update,
            "seed": Seed.of(seed),
            "memory_size": trails.memory_size,
            "tabu_words": self._tabu_words,
        }
        self._every = parameters.local_search != NO_LOCAL_SEARCH
        self._arrange(machine)

    def _arrange(self, machine: Machine) -> None:
        """Choose the kernel, its threads and what it has in shared memory."""
        raise NotImplementedError

    def start(self, arrays: Arrays) -> list[Launch]:
        """The launches that prepare what all iterations need."""
        return []

    def _given(self, arrays: Arrays) -> Arrays:
        """What the kernels are given by name."""
        given = {**arrays, **self._numbers}
        return {**given, "common": AcsBuilding.from_arrays(given, ants=self.ants)}


class WholeTours(AcsConstruction):
    """One launch an iteration, a warp an ant; with more ants than warps, warps take several.

    Where that takes long, several launches build one tour, or a few, a warp.

    Each warp has two rows for tours: the one it builds, and the best it has built. For a local
    search each ant has a row instead.
    """

    def _arrange(self, machine: Machine) -> None:
        kept = "EveryTour" if self._every else "BestOfWarp"
        self._source = ALL_TOURS if self._every else WARP_TOURS
        self._kernel = f"build_tours<{self._trails.walk}, {kept}>"
        self._shared = 4 * (SLOT_WORDS + self._tabu_words)
        resident = machine.resident(self._source, self._kernel, LANES, self._shared)
        fitting = self.ants if self._every else TOURS_MEMORY // (8 * self.n)
        self.warps = max(1, min(self.ants, resident * machine.multiprocessors, fitting))
        self.rows = self.ants if self._every else self.warps  # warps or ants that have tours

    def buffers(self) -> list[Buffer]:
        """8 n bytes a warp, or 4 an ant, and 16 n for what follows what on the best tour."""
        links = Buffer("links", (self.n, 4), np.int32, zeroed=True)
        if self._every:
            return [Buffer("tours", (self.ants, self.n), np.int32), links]
        tours = Buffer("tours", (2 * self.warps, self.n), np.int32)
        return [tours, Buffer("holders", (self.warps,), np.int32), links]

    def launch(self, arrays: Arrays) -> Launch:
        """The launch that builds all tours of an iteration."""
        trails, more_trails = self._trails.pictured(arrays)
        given = {**self._given(arrays), "trails": trails, "more_trails": more_trails}

        def build(first: int, end: int) -> Launch:
            ants = {"first_ant": first, "end_ant": end}
            return self._source.launch(self._kernel, self.warps, LANES, given, self._shared, **ants)

        return divided(build, self.ants, self.warps)


class StepTogether(AcsConstruction):
    """One launch an iteration, in which all ants take each step together.

    Every ant has a warp of its own while the GPU holds as many. Where the candidate lists with
    their trails fit into the shared memory of a block (some 450 cities on a GPU with 227 KiB), each
    block has a replica of them, and ants tell one another their steps. Else, or with more than some
    500 ants, trails are in global memory. Beyond that, warps take turns among their ants, which
    live in shared memory, or in global memory when that is too small; where that takes long, a
    launch makes a part of their steps. The tours are the same in all cases.
    """

    def _arrange(self, machine: Machine) -> None:
        self.rows = self.ants
        self._ants_bytes = 0
        self.blocks = min(machine.multiprocessors, self.ants)
        own = -(-self.ants // self.blocks)
        self._source, self._kernel = REPLICAS, "step_tours_on_replicas"
        self.warps = own + -(-self.ants // LANES)
        self._shared = self.n * (16 * LANES + 4)  # candidates, trails with counts; a word a city
        small = self.n <= REPLICA_CITIES and self.warps * LANES <= STEP_THREADS
        if small and self._fits(machine):
            return
        self._source, self._kernel = STEPS, "step_tours"
        self.warps = own
        self._shared = self.warps * 4 * self._tabu_words
        if self._fits(machine):
            return
        self._source, self._kernel = STEP_IN_TURNS, "step_many_tours"
        self.warps = TURNING_WARPS
        at_most = -(-self.ants // (self.blocks * self.warps))
        each = 4 * (ANT_RECORD_WORDS + -(-self._tabu_words // 2) * 2)
        self._shared = self.warps * at_most * each
        self._ants_bytes = self.blocks * self._shared
        if not self._fits(machine):
            self._shared = 0

    def _fits(self, machine: Machine) -> bool:
        return (
            self.warps * LANES <= 1024
            and self.n < MOST_STAMPS
            and self._shared <= machine.shared_limit
            and machine.resident(self._source, self._kernel, self.warps * LANES, self._shared) >= 1
        )

    def buffers(self) -> list[Buffer]:
        """4 n bytes an ant; trails as steps see them, or ants that take turns."""
        n, buffers = self.n, [Buffer("tours", (self.ants, self.n), np.int32)]
        if self._source is REPLICAS:
            buffers += [
                Buffer("weights", (n, n), np.float32),
                Buffer("stamps", (n, n), np.uint64),
                Buffer("words", (2, self.ants), np.uint32),
            ]
        elif self._source is STEPS:
            buffers += [
                Buffer("stamps", (n, LANES), np.uint64),
                Buffer("log_entries", (2, 2 * self.ants, 2), np.uint64),
                Buffer("log_counts", (n + 1,), np.uint32),
            ]
        elif self._ants_bytes:
            buffers.append(Buffer("ants", (self._ants_bytes // 8,), np.uint64))
        return buffers

    def start(self, arrays: Arrays) -> list[Launch]:
        """The launch that computes the weights of edges on no list, which replicas need."""
        if self._source is not REPLICAS:
            return []
        given = {**arrays, **self._numbers}
        return [REPLICAS.launch("weigh_edges", self.blocks, WEIGHING_THREADS, given)]

    def launch(self, arrays: Arrays) -> Launch:
        """The launch that builds all tours of an iteration."""
        given = {**self._given(arrays), "in_shared": self._shared > 0}
        block, shared = self.warps * LANES, self._shared

        def steps(first: int, end: int) -> Launch:
            return self._source.launch(
                *(self._kernel, self.blocks, block, given, shared), first_step=first, end_step=end
            )

        if self._source is not STEP_IN_TURNS:
            return self._source.launch(self._kernel, self.blocks, block, given, shared)
        return divided(steps, self.n + 1, STEPS_A_PART)


Memory = type[MatrixTrails] | type[SelectiveTrails]
ConstructionType = type[WholeTours] | type[StepTogether]


class AcsColony(DeviceTourColony):
    """An Ant Colony System whose state lives on a GPU; see :class:`gpu.core.colony.Colony`."""

    NUMBERS = frozenset({"alpha", "rho", "q0", "update_period"})

    def __init__(
        self,
        instance: TspInstance,
        parameters: AcsParameters,
        machine: Machine,
        seed: int,
        trails_type: Memory,
        construction_type: ConstructionType,
    ) -> None:
        assert parameters.ants is not None
        problem = DeviceCities.of(instance, parameters.candidates, parameters.beta)

        def memory_and_construction(
            parameters: AcsParameters,
        ) -> tuple[MatrixTrails | SelectiveTrails, WholeTours | StepTogether]:
            unit = inverse_initial_trail(instance, parameters)
            trails = trails_type(problem, parameters, unit)
            return trails, construction_type(machine, problem, trails, parameters, seed)

        self._parameters, self._made = parameters, memory_and_construction
        trails, construction = memory_and_construction(parameters)
        m, kind = parameters.ants, parameters.local_search
        buffers = [*construction.buffers(), Buffer("iteration_tour", (instance.n,), np.int32)]
        super().__init__(machine, instance, m, problem, trails, buffers, kind, measures=True)
        self._memory, arrays = trails, self._arrays
        start = [trails.start(arrays), *construction.start(arrays)]
        self._begin(start, self._phases_for(parameters))

    def _phases_for(self, parameters: AcsParameters) -> Phases:
        trails, construction = self._memory, self._construction = self._made(parameters)
        return {
            "construction": (construction.launch(self._arrays),),
            **self._improvement(),
            "update": (trails.update(self._arrays, construction.rows),),
        }

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.ForgetfulSource`."""
        assert isinstance(self._memory, SelectiveTrails)
        cities, _ = self._memory.records(self._machine, self._arrays, city)
        tail = int(self._machine.download(self._arrays["tails"][city])[0])
        return np.roll(cities, -1 - tail)

    def _updates(self, state: State) -> Updates | None:
        if not isinstance(self._memory, SelectiveTrails):
            return None
        return Updates(state.local_hits, state.local_total, state.global_hits, state.global_total)


ACS_GPU_KINDS: dict[str, tuple[Memory, ConstructionType]] = {
    "alt": (MatrixTrails, WholeTours),
    "spm": (SelectiveTrails, WholeTours),
    "stepwise": (MatrixTrails, StepTogether),
}
"""Pheromone memory and construction of ACS-GPU-Alt, ACS-GPU-SPM and ACS-GPU."""
