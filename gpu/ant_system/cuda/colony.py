"""The Ant Systems on a GPU (Cecilia 2013, Zhou 2017).

They differ in how the ants are spread over the GPU while they build tours. All make the weights of
all edges before that (choice info), and let all ants deposit and all trails evaporate after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import overload

import numpy as np

from gpu.ant_system.cuda.construction import Data, IRoulette, StGroup, StGroupStc, TaskParallel
from gpu.ant_system.cuda.kernels import AS_UPDATE, TILE
from gpu.ant_system.parameters import AsCudaParameters
from gpu.construction.cuda.construction import (
    StDynamic,
    StGroupStcTr,
    TourConstruction,
    blocks_for,
    prepare_heuristic,
)
from gpu.construction.cuda.kernels import WEIGH_CHOICES
from gpu.core.errors import ParameterError
from gpu.cuda.instances import DeviceCities
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import DenseTrails
from gpu.local_search.cuda.colony import DeviceTourColony
from gpu.problems.tsp.instance import TspInstance

LOOKS_A_LAUNCH = 60_000_000
"""Edges that all threads of a multiprocessor look at in one launch of a gathering update. That
takes a few milliseconds on an H100, and tens of them on a GPU with a tenth of its speed."""

SCATTERED = {"atomic-tiled": "scatter_deposits<true>", "atomic": "scatter_deposits<false>"}

GATHERED = {
    "reduction": "gather_deposits<HalfPairs, true>",
    "tiled-gather": "gather_deposits<AllPairs, true>",
    "gather": "gather_deposits<AllPairs, false>",
}


class LaunchesOnDemand(Sequence[Launch]):
    """Launches that are made on demand: some updates have millions of them."""

    def __init__(self, count: int, make: Callable[[int], Launch]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Launch: ...
    @overload
    def __getitem__(self, index: slice) -> list[Launch]: ...
    def __getitem__(self, index: int | slice) -> Launch | list[Launch]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(f"there are {self._count} launches, none is number {index}")
        return self._make(index % self._count)


class AntSystemChoiceInfo:
    """The weights that ants choose by, τ^α·η^β of every edge, computed before each iteration."""

    def __init__(
        self,
        machine: Machine,
        problem: DeviceCities,
        trails: DenseTrails,
        parameters: AsCudaParameters,
    ) -> None:
        self._problem, self._trails = problem, trails
        self._grid = blocks_for(machine, trails.quarters)
        self._alpha = parameters.alpha
        power = "WholePower" if parameters.alpha.is_integer() else "RealPower"
        if parameters.power == "fast":
            power = "FastPower"
        self._kernel = f"weigh_choices<{power}>"

    def buffers(self) -> list[Buffer]:
        """8 n² bytes, rows padded to 128."""
        return [self._trails.matrix(name, np.float32) for name in ("heuristic", "weights")]

    @property
    def gauges(self) -> dict[str, int]:
        """What an iteration takes: every edge has two numbers read, one written, two computed."""
        edges = 4 * self._trails.quarters
        return {"choice_bytes": 3 * 4 * edges, "choice_operations": 2 * edges}

    def start(self, arrays: Arrays) -> Launch:
        """The launch that computes η^β, once a run."""
        return prepare_heuristic(self._problem, self._trails.columns, self._grid, arrays)

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launch that computes the weights of the coming iteration."""
        given = {**arrays, "quarters": self._trails.quarters, "alpha": self._alpha}
        return (WEIGH_CHOICES.launch(self._kernel, self._grid, TILE, given),)


class PheromoneUpdate:
    """All ants deposit (equations 3 and 4), and all trails evaporate (equation 2).

    Raises
    ------
    ParameterError
        If the update looks at half of the matrix, but edges have a direction.
    """

    def __init__(
        self,
        machine: Machine,
        problem: DeviceCities,
        trails: DenseTrails,
        parameters: AsCudaParameters,
    ) -> None:
        assert parameters.ants is not None
        if parameters.update == "reduction" and problem.directed:
            raise ParameterError(
                "update = 'reduction' looks at each pair of cities once and needs distances that "
                "are the same both ways; choose another update for this instance"
            )
        n, m = problem.n, parameters.ants
        self._n, self._ants = n, m
        self._trails, self._update = trails, parameters.update
        most = (2**32 - 1) // m
        self._numbers = {
            **problem.numbers,
            **{"ants": m, "columns": trails.columns, "quarters": trails.quarters, "most": most},
            "keep": np.float32(1 - parameters.rho),
            "scale": max(problem.nearest_neighbour_length, 1) / (m * most),
        }
        self._grid = blocks_for(machine, trails.quarters)
        self._pairs = n * (n - 1) // 2 if parameters.update == "reduction" else n * n
        looks = LOOKS_A_LAUNCH * machine.multiprocessors
        self._ants_each = min(m, max(1, looks // (self._pairs * n)))
        self._pairs_each = min(self._pairs, max(TILE, looks // n // TILE * TILE))

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128, and 4 n."""
        return [
            self._trails.matrix("deposits", np.uint32, zeroed=True),
            Buffer("iteration_tour", (self._n,), np.int32),
        ]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that add up the deposits, however many, and one that changes the trails."""
        given = {**arrays, **self._numbers}
        renew = AS_UPDATE.launch("renew_trails", self._grid, TILE, given)
        if self._update in SCATTERED:
            return AS_UPDATE.launch(SCATTERED[self._update], self._ants, TILE, given), renew
        by_pairs = -(-self._pairs // self._pairs_each)
        count = -(-self._ants // self._ants_each) * by_pairs

        def make(number: int) -> Launch:
            if number == count:
                return renew
            ants, pairs = divmod(number, by_pairs)
            first_ant, first_pair = ants * self._ants_each, pairs * self._pairs_each
            end_pair = min(first_pair + self._pairs_each, self._pairs)
            return AS_UPDATE.launch(
                GATHERED[self._update],
                -(-(end_pair - first_pair) // TILE),
                TILE,
                given,
                first_pair=first_pair,
                end_pair=end_pair,
                first_ant=first_ant,
                end_ant=min(first_ant + self._ants_each, self._ants),
            )

        return LaunchesOnDemand(count + 1, make)


ConstructionType = Callable[[Machine, DeviceCities, AsCudaParameters, int], TourConstruction]
"""Makes a construction for a machine, a problem, parameters and a seed."""


class AntSystemColony(DeviceTourColony):
    """An Ant System whose state lives on a GPU; see :class:`gpu.core.colony.Colony`.

    Raises
    ------
    ParameterError
        If the update or 2-opt needs symmetric distances and those of the instance are not.
    DeviceMemoryError
        If four n x n matrices of 4 bytes do not fit the device: trails, heuristic, weights and
        deposits; for explicit distances a fifth.
    """

    NUMBERS = frozenset({"alpha", "rho"})

    def __init__(
        self,
        instance: TspInstance,
        parameters: AsCudaParameters,
        machine: Machine,
        seed: int,
        construction_type: ConstructionType,
    ) -> None:
        assert parameters.ants is not None
        problem = DeviceCities.of(instance, min(LANES, instance.n - 1), parameters.beta)
        trails = DenseTrails(problem)
        self._parameters = parameters

        def made(
            p: AsCudaParameters,
        ) -> tuple[AntSystemChoiceInfo, PheromoneUpdate, TourConstruction]:
            return (
                AntSystemChoiceInfo(machine, problem, trails, p),
                PheromoneUpdate(machine, problem, trails, p),
                construction_type(machine, problem, p, seed),
            )

        self._made = made
        choice, update, construction = self._made(parameters)
        buffers = [*choice.buffers(), *construction.buffers(), *update.buffers()]
        m, kind = parameters.ants, parameters.local_search
        super().__init__(machine, instance, m, problem, trails, buffers, kind)
        start = [trails.start(self._arrays), choice.start(self._arrays)]
        self._begin(start, self._phases_for(parameters))

    def _phases_for(self, parameters: AsCudaParameters) -> Phases:
        self._choice, update, construction = self._made(parameters)
        return {
            "choice info": self._choice.launches(self._arrays),
            "construction": construction.launches(self._arrays),
            **self._improvement(),
            "update": update.launches(self._arrays),
        }

    def gauges(self) -> Mapping[str, int]:
        """Return what the kernels take; see :class:`gpu.core.colony.Gauged`."""
        return {**super().gauges(), **self._choice.gauges}


AS_CONSTRUCTIONS: Mapping[str, ConstructionType] = {
    "task": TaskParallel,
    "data": Data,
    "i-roulette": IRoulette,
    "st-group": StGroup,
    "st-group-stc": StGroupStc,
    "st-group-stc-tr": StGroupStcTr,
    "st-dynamic": StDynamic,
}
"""Ways to build tours: task-parallel, an ant a thread (2013, Section 3.1.2); data-parallel, an ant
a block, with one wheel or with I-Roulette (2013, Section 3.2); groups of threads (2017)."""
