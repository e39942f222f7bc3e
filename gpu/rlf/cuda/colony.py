"""ACO-RLF, the ant colony that colors graphs, on a GPU (Murooka, Ito and Nakano 2017)."""

from __future__ import annotations

import dataclasses

import numpy as np

from gpu.core.legacy import Legacy
from gpu.cuda.graph import DeviceGraph
from gpu.cuda.heir import DeviceHeir
from gpu.cuda.iterations import Phases
from gpu.cuda.machine import Array, Buffer, Machine
from gpu.cuda.state import State
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.rlf.cuda.construction import ChoiceInfo, ColoringConstruction
from gpu.rlf.cuda.kernels import Shares
from gpu.rlf.cuda.trails import GraphTrails
from gpu.rlf.cuda.update import ColoringUpdate
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

    NUMBERS = frozenset({"alpha", "beta", "rho", "reward"})

    def __init__(
        self,
        instance: GraphInstance,
        parameters: ColoringParameters,
        machine: Machine,
        seed: int,
        trials: int,
    ) -> None:
        assert parameters.ants is not None
        self._graph = instance
        graph = DeviceGraph.of(instance)
        trails = GraphTrails(graph)
        self._parameters = parameters

        def made(
            p: ColoringParameters,
        ) -> tuple[ChoiceInfo, ColoringConstruction, ColoringUpdate]:
            return (
                ChoiceInfo(trails, p, summed=trials > 0),
                ColoringConstruction(machine, graph, trails, p, seed, trials),
                ColoringUpdate(graph, trails, p),
            )

        self._made = made
        choice, construction, update = self._made(parameters)
        buffers = [
            *choice.buffers(),
            *construction.buffers(),
            *update.buffers(),
            Buffer("class_order", (instance.n,), np.int32),
        ]
        self._search = search = None
        if isinstance(parameters, ColoringTabuParameters):
            assert parameters.searches is not None
            searches, moves = parameters.searches, parameters.moves
            search = TabuSearches(machine, instance, graph, parameters.ants, searches, moves, seed)
            buffers += search.buffers()
            self._search = search
        super().__init__(machine, instance, parameters.ants, graph, trails, buffers)
        self._begin([trails.start(self._arrays)], self._phases_for(parameters))

    def _phases_for(self, parameters: ColoringParameters) -> Phases:
        choice, construction, update = self._made(parameters)
        return {
            "choice info": choice.launches(self._arrays),
            "construction": construction.launches(self._arrays),
            **({"tabu search": self._search.launches(self._arrays)} if self._search else {}),
            "update": update.launches(self._arrays),
        }

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
