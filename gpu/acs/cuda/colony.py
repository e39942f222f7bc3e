"""The Ant Colony Systems on a GPU (Skinderowicz 2016): ACS-GPU-Alt, ACS-GPU-SPM and ACS-GPU.

A colony is a problem on the device, a pheromone memory, and the launches of one iteration. The
three systems differ in the memory (a matrix, or a few records a city) and in the construction
(whole tours in one launch, or all ants step by step); all else is shared here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.construction import StepByStep, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters
from gpu.core.snapshot import Updates
from gpu.cuda.cities import DeviceCities
from gpu.cuda.iterations import Phases
from gpu.cuda.machine import Buffer, Machine
from gpu.cuda.state import State
from gpu.local_search.cuda.colony import TourColony
from gpu.problems.tsp.instance import TspInstance

Memory = type[MatrixTrails] | type[SelectiveTrails]
ConstructionType = type[WholeTours] | type[StepByStep]


class AcsColony(TourColony):
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
        ) -> tuple[MatrixTrails | SelectiveTrails, WholeTours | StepByStep]:
            trails = trails_type(problem, parameters)
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


KINDS: dict[str, tuple[Memory, ConstructionType]] = {
    "alt": (MatrixTrails, WholeTours),
    "spm": (SelectiveTrails, WholeTours),
    "stepwise": (MatrixTrails, StepByStep),
}
"""Pheromone memory and construction of ACS-GPU-Alt, ACS-GPU-SPM and ACS-GPU."""
