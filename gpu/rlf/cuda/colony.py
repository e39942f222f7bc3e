"""ACO-RLF, the ant colony that colors graphs, on a GPU (Murooka, Ito and Nakano 2017)."""

from __future__ import annotations

import dataclasses

import numpy as np

from gpu.core.legacy import Legacy
from gpu.cuda.colony import DeviceHeir, State
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.machine import Array, Buffer, Machine
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.rlf.cuda.construction import ColoringChoiceInfo, ColoringConstruction
from gpu.rlf.cuda.kernels import Shares
from gpu.rlf.cuda.update import ColoringUpdate, GraphTrails
from gpu.rlf.parameters import ColoringParameters, ColoringTabuParameters
from gpu.tabu_search.cuda.search import TabuSearches


class ColoringColony(DeviceHeir):
    """An ACO-RLF colony whose state lives on a GPU; see :class:`gpu.core.colony.Colony`.

    With ``ColoringTabuParameters``, tabu searches follow the construction. An ant makes ``trials``
    stochastic trials before it turns the wheel.

    Raises
    ------
    DeviceError
        If the device cannot run a block for so many vertices.
    DeviceMemoryError
        If the matrices do not fit the device: trails and choice info of 4 n² bytes each, with
        trials 8 n² more, and 4 n² for deposits along tours.
    """

    BEST = "best_coloring"

    def __init__(
        self,
        instance: GraphInstance,
        parameters: ColoringParameters,
        machine: Machine,
        seed: int,
        trials: int,
    ) -> None:
        parameters = parameters.resolved(instance.n)
        assert parameters.ants is not None
        self._graph = instance
        graph = DeviceGraph.of(instance)
        trails = GraphTrails(graph)
        choice = ColoringChoiceInfo(trails, parameters, summed=trials > 0)
        construction = ColoringConstruction(machine, graph, trails, parameters, seed, trials)
        update = ColoringUpdate(graph, trails, parameters)
        buffers = [
            *choice.buffers(),
            *construction.buffers(),
            *update.buffers(),
            Buffer("class_order", (instance.n,), np.int32),
        ]
        search = None
        if isinstance(parameters, ColoringTabuParameters):
            assert parameters.searches is not None
            searches, moves = parameters.searches, parameters.moves
            search = TabuSearches(machine, instance, graph, parameters.ants, searches, moves, seed)
            buffers += search.buffers()
        super().__init__(machine, instance, parameters.ants, graph, trails, buffers)
        phases = {
            "choice info": choice.launches(self._arrays),
            "construction": construction.launches(self._arrays),
        }
        if search:
            phases["tabu search"] = search.launches(self._arrays)
        phases["update"] = update.launches(self._arrays)
        self._begin([trails.start(self._arrays)], phases)

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        shares = self._machine.download(self._arrays["shares"]).view(Shares.dtype())
        level = float(shares["level"][0])
        return dataclasses.replace(super().legacy(), level=level)

    def _take_over(self, legacy: Legacy) -> None:
        shares = self._machine.download(self._arrays["shares"])
        shares.view(Shares.dtype())["level"] = legacy.level
        self._machine.upload(self._arrays["shares"], shares)

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays["iteration_coloring"]

    def _picture_order(self, state: State) -> Array:
        order = self._arrays["class_order"]
        self._machine.upload(order, class_order(self._best_solution(state)))
        return order
