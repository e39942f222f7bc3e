"""The Ant Systems on a GPU (Cecilia 2013, Zhou 2017).

They differ in how the ants are spread over the GPU while they build tours. All make the weights of
all edges before that (choice info), and let all ants deposit and all trails evaporate after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpu.ant_system.cuda.construction import Data, IRoulette, StGroup, StGroupStc, TaskParallel
from gpu.ant_system.cuda.updates import AntSystemChoiceInfo, PheromoneUpdate
from gpu.ant_system.parameters import AsCudaParameters
from gpu.construction.cuda.construction import StDynamic, StGroupStcTr, TourConstruction
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Machine
from gpu.cuda.trails import DenseTrails
from gpu.local_search.cuda.colony import DeviceTourColony
from gpu.problems.tsp.instance import TspInstance

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

    def __init__(
        self,
        instance: TspInstance,
        parameters: AsCudaParameters,
        machine: Machine,
        seed: int,
        construction_type: ConstructionType,
    ) -> None:
        parameters = parameters.resolved(instance.n)
        assert parameters.ants is not None
        problem = DeviceCities.of(instance, min(LANES, instance.n - 1), parameters.beta)
        trails = DenseTrails(problem)
        self._choice = choice = AntSystemChoiceInfo(machine, problem, trails, parameters)
        update = PheromoneUpdate(machine, problem, trails, parameters)
        construction = construction_type(machine, problem, parameters, seed)
        buffers = [*choice.buffers(), *construction.buffers(), *update.buffers()]
        m, kind = parameters.ants, parameters.local_search
        super().__init__(machine, instance, m, problem, trails, buffers, kind)
        phases = {
            "choice info": choice.launches(self._arrays),
            "construction": construction.launches(self._arrays),
            **self._improvement(),
            "update": update.launches(self._arrays),
        }
        self._begin([trails.start(self._arrays), choice.start(self._arrays)], phases)

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
