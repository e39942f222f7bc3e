"""ACO-RLF, the ant colony that colors graphs, on a GPU (Murooka, Ito and Nakano 2017)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gpu.core.errors import DeviceError
from gpu.core.legacy import Legacy
from gpu.core.snapshot import MOST_COLORERS, MOST_WALKED, Snapshot, Wanted
from gpu.core.trails import INITIAL_LEVEL
from gpu.cuda.colony import DeviceHeir, State
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import DenseTrails
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.problems.coloring.walks import walks_of
from gpu.rlf.cuda.kernels import (
    ANT_SHAPES,
    COLOR_BY_PREFIX,
    COLOR_BY_TRIAL,
    RLF_UPDATE,
    TILE_SIDE,
    UPDATE_THREADS,
    WEIGH_PAIRS,
    WEIGHING_THREADS,
    Shares,
)
from gpu.rlf.parameters import (
    MOST_DEPOSIT,
    ColoringParameters,
    ColoringTabuParameters,
    degree_powers,
)
from gpu.tabu_search.cuda.search import TabuSearches


class GraphTrails(DenseTrails):
    """A matrix of trails between vertices that are not adjacent; the others are 0."""

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128."""
        return [*super().buffers(), Buffer("shares", (Shares.dtype.itemsize // 4,), np.float32)]

    def start(self, arrays: Arrays) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        n, columns, words = self.problem.n, self.columns, arrays["adjacency"].shape[1]
        grid, numbers = min(1024, -(-n * columns // UPDATE_THREADS)), {"n": n, "words": words}
        return RLF_UPDATE.launch(
            "start_graph", grid, UPDATE_THREADS, arrays, columns=columns, **numbers
        )

    def level(self, machine: Machine, arrays: Arrays, measured: np.float32) -> np.float32:
        """Read the level of a trail that never got more than all trails get."""
        level = machine.download(arrays["shares"]).view(Shares.dtype)["level"][0]
        return np.float32(level * INITIAL_LEVEL)


class ColoringUpdate:
    """All trails evaporate, and all ants deposit on the pairs of vertices in one color class."""

    def __init__(
        self, graph: DeviceGraph, trails: GraphTrails, parameters: ColoringParameters
    ) -> None:
        assert parameters.ants is not None
        self._n, self._ants, self._trails = graph.n, parameters.ants, trails
        self._scattered = parameters.deposit == "tour"
        self._numbers = {
            **{"n": graph.n, "columns": trails.columns, "ants": parameters.ants},
            **{"keep": np.float32(parameters.rho), "reward": float(parameters.reward)},
            "most": MOST_DEPOSIT // parameters.ants,
        }

    def buffers(self) -> list[Buffer]:
        """4 n bytes and 4 an ant, and 4 n² for pairs visited one after the other."""
        buffers = [
            Buffer("quanta", (self._ants,), np.uint32),
            Buffer("iteration_coloring", (self._n,), np.int32),
        ]
        if self._scattered:
            buffers.append(self._trails.matrix("deposits", np.uint32, zeroed=True))
        return buffers

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that compute the deposits, scatter them if needed, and change all trails."""
        given, tiles = {**arrays, **self._numbers}, (-(-self._n // TILE_SIDE)) ** 2
        share = RLF_UPDATE.launch("share_out", 1, UPDATE_THREADS, given)
        if not self._scattered:
            return [
                share,
                RLF_UPDATE.launch("renew_pairs<SameColor>", tiles, UPDATE_THREADS, given),
            ]
        scatter = RLF_UPDATE.launch("scatter_pairs", self._ants, UPDATE_THREADS, given)
        return [
            share,
            scatter,
            RLF_UPDATE.launch("renew_pairs<Scattered>", tiles, UPDATE_THREADS, given),
        ]


WARPS = 8  # warps of an ant at most, if that is enough for its words: measured as the fastest


class ColoringChoiceInfo:
    """The static part of the fitness, τ^β, made before each iteration, and its prefix sums."""

    def __init__(
        self, trails: GraphTrails, parameters: ColoringParameters, *, summed: bool
    ) -> None:
        self._n, self._trails, self._summed = trails.problem.n, trails, summed
        self._beta = parameters.beta
        power = "WholePower" if parameters.beta.is_integer() else "RealPower"
        self._kernel = f"weigh_pairs<{power}, {'true' if summed else 'false'}>"

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128, and 8 n² for prefix sums."""
        info = self._trails.matrix("info", np.float32)
        return [info, self._trails.matrix("prefixes", np.uint64)] if self._summed else [info]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launch that computes the choice info of the coming iteration."""
        grid, columns = -(-self._n * LANES // WEIGHING_THREADS), self._trails.columns
        given = {**arrays, "n": self._n, "columns": columns, "beta": self._beta}
        return (WEIGH_PAIRS.launch(self._kernel, grid, WEIGHING_THREADS, given),)


class ColoringConstruction:
    """All ants of an iteration color the graph, a block an ant.

    Each choice makes ``trials`` stochastic trials before it turns the wheel.

    Raises
    ------
    DeviceError
        If what the trials need of each vertex does not fit the device's shared memory.
    """

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        trails: GraphTrails,
        parameters: ColoringParameters,
        seed: int,
        trials: int,
    ) -> None:
        assert parameters.ants is not None
        self._graph, self._ants = graph, parameters.ants
        self._numbers = {
            **{"n": graph.n, "words": graph.row, "columns": trails.columns, "trials": trials},
            "seed": Seed.of(seed),
        }
        self._ordered = parameters.deposit == "tour" or graph.n <= MOST_WALKED
        self._powers = degree_powers(graph.n, parameters.alpha)
        rows, own = shape_of(graph.words)
        selection = "StochasticTrials" if trials else "PrefixSums"
        self.source = COLOR_BY_TRIAL if trials else COLOR_BY_PREFIX
        self._kernel = f"color_graph<{rows}, {own}, {selection}>"
        self._threads = LANES * -(-graph.words // own)
        self._shared = 2 * graph.n if trials else 0
        held = machine.resident(self.source, self._kernel, self._threads, self._shared)
        self._at_once = held * machine.multiprocessors  # ants
        if not held:
            raise DeviceError(
                f"the device holds no block of {self._threads} threads with {self._shared} bytes "
                "of shared memory for stochastic trials; choose aco-rlf-prefix"
            )

    def buffers(self) -> list[Buffer]:
        """4 n bytes an ant for colors, and as many for the order of visits where it is read."""
        each = (self._ants, self._graph.n)
        buffers = [
            Buffer.of("powers", self._powers),
            Buffer("colors", each, np.int32),
            Buffer("costs", (self._ants,), np.uint64),
        ]
        return [*buffers, Buffer("order", each, np.int32)] if self._ordered else buffers

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """Color the graph."""

        def color(first: int, end: int) -> Launch:
            block, shared, given = self._threads, self._shared, {**arrays, **self._numbers}
            return self.source.launch(
                self._kernel, end - first, block, given, shared, first_ant=first
            )

        return (divided(color, self._ants, self._at_once),)


def shape_of(words: int) -> tuple[int, int]:
    """Rows of 32 words of a set of vertices, and words of a warp."""
    rows = next(rows for rows, _ in ANT_SHAPES if words <= LANES * rows)
    shapes = [shape for shape in ANT_SHAPES if shape[0] == rows]
    return next((shape for shape in shapes if words <= WARPS * shape[1]), shapes[-1])


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
        ) -> tuple[ColoringChoiceInfo, ColoringConstruction, ColoringUpdate]:
            return (
                ColoringChoiceInfo(trails, p, summed=trials > 0),
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

    def _adjusted(self) -> None:
        assert isinstance(self._parameters, ColoringParameters)
        powers = degree_powers(self._graph.n, self._parameters.alpha)
        self._machine.upload(self._arrays["powers"], powers)

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        made = shot.iteration > self._inherited and not self._open().under_way
        if Wanted.WALKS not in wanted or not made or self._search or "order" not in self._arrays:
            return shot
        orders, colors = (
            self._machine.download(self._arrays[name][:MOST_COLORERS])
            for name in ("order", "colors")
        )
        walks = walks_of(self._graph, orders, colors, self._ants)
        return dataclasses.replace(shot, walks=walks)

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        shares = self._machine.download(self._arrays["shares"]).view(Shares.dtype)
        level = float(shares["level"][0])
        return dataclasses.replace(super().legacy(), level=level)

    def _take_over(self, legacy: Legacy) -> None:
        shares = self._machine.download(self._arrays["shares"])
        shares.view(Shares.dtype)["level"] = legacy.level
        self._machine.upload(self._arrays["shares"], shares)

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays["iteration_coloring"]

    def _picture_order(self, state: State) -> Array:
        order = self._arrays["class_order"]
        self._machine.upload(order, class_order(self._best_solution(state)))
        return order
