"""How ants of ACO-RLF color a graph on a GPU: their choice info, and their ways to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpu.core.errors import DeviceError
from gpu.cuda.graph import LANES, DeviceGraph
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.rlf.cuda.kernels import CHOICE_INFO, PREFIX, SHAPES, TRIAL, ColorGraph, WeighPairs
from gpu.rlf.cuda.trails import GraphTrails
from gpu.rlf.fitness import degree_powers
from gpu.rlf.parameters import ColoringParameters

WARPS = 8
"""Warps of an ant at most, if that is enough for its words: measured as the fastest."""

_BLOCK = 256


class ChoiceInfo:
    """The static part of the fitness, τ^β, made before each iteration.

    Parameters
    ----------
    graph : DeviceGraph
    trails : GraphTrails
    parameters : ColoringParameters
    summed : bool
        Whether ants need the prefix sums of each row.
    """

    def __init__(
        self,
        graph: DeviceGraph,
        trails: GraphTrails,
        parameters: ColoringParameters,
        *,
        summed: bool,
    ) -> None:
        self._n, self._trails, self._summed = graph.n, trails, summed
        self._beta = parameters.beta
        power = "WholePower" if parameters.beta.is_integer() else "RealPower"
        self._kernel = f"weigh_pairs<{power}, {'true' if summed else 'false'}>"

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128, and 8 n² for prefix sums."""
        info = self._trails.matrix("info", np.float32)
        if not self._summed:
            return [info]
        return [info, Buffer("prefixes", info.shape, np.uint64)]

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launch that computes the choice info of the coming iteration."""
        args = WeighPairs(
            n=self._n,
            columns=self._trails.columns,
            beta=self._beta,
            trails=arrays["trails"],
            info=arrays["info"],
            prefixes=arrays.get("prefixes"),
        )
        grid = -(-self._n * LANES // _BLOCK)
        return (Launch(CHOICE_INFO, self._kernel, grid, _BLOCK, args),)


class ColoringConstruction:
    """All ants of an iteration color the graph, a block an ant.

    Parameters
    ----------
    machine : Machine
    graph : DeviceGraph
    trails : GraphTrails
    parameters : ColoringParameters
        Resolved.
    seed : int
    trials : int
        Stochastic trials before the wheel; 0: the wheel at once.

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
        self._graph, self._trails, self._ants = graph, trails, parameters.ants
        self._seed, self._trials = Seed.of(seed), trials
        self._ordered = parameters.deposit == "tour"
        self._powers = degree_powers(graph.n, parameters.alpha)
        rows, own = shape_of(graph.words)
        selection = "StochasticTrials" if trials else "PrefixSums"
        self.source = TRIAL if trials else PREFIX
        self._kernel = f"color_graph<{rows}, {own}, {selection}>"
        self._threads = LANES * -(-graph.words // own)
        self._shared = 2 * graph.n if trials else 0
        if not machine.resident(self.source, self._kernel, self._threads, self._shared):
            raise DeviceError(
                f"the device holds no block of {self._threads} threads with {self._shared} bytes "
                "of shared memory for stochastic trials; choose aco-rlf-prefix"
            )

    def buffers(self) -> list[Buffer]:
        """4 n bytes an ant for colors, and as many for the order of visits where it is needed."""
        each = (self._ants, self._graph.n)
        order = [Buffer("order", each, np.int32)] if self._ordered else []
        return [
            Buffer("powers", self._powers.shape, np.float32),
            Buffer("colors", each, np.int32),
            *order,
            Buffer("costs", (self._ants,), np.uint64),
        ]

    def upload(self, machine: Machine, arrays: Mapping[str, Array]) -> None:
        """Copy the powers of whole numbers to the device, once."""
        machine.upload(arrays["powers"], self._powers)

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """Color the graph."""
        args = ColorGraph(
            n=self._graph.n,
            words=self._graph.row,
            seed=self._seed,
            adjacency=arrays["adjacency"],
            columns=self._trails.columns,
            powers=arrays["powers"],
            info=arrays["info"],
            prefixes=arrays.get("prefixes"),
            trials=self._trials,
            colors=arrays["colors"],
            order=arrays.get("order"),
            costs=arrays["costs"],
            state=arrays["state"],
        )
        return (Launch(self.source, self._kernel, self._ants, self._threads, args, self._shared),)


def shape_of(words: int) -> tuple[int, int]:
    """Rows of 32 words of a set of vertices, and words of a warp."""
    rows = next(rows for rows, _ in SHAPES if words <= LANES * rows)
    shapes = [shape for shape in SHAPES if shape[0] == rows]
    return next((shape for shape in shapes if words <= WARPS * shape[1]), shapes[-1])
