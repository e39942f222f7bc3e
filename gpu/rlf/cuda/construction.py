"""How ants of ACO-RLF color a graph on a GPU: their choice info, and their ways to choose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.core.errors import DeviceError
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.rlf.cuda.kernels import (
    ANT_SHAPES,
    COLOR_BY_PREFIX,
    COLOR_BY_TRIAL,
    WEIGH_PAIRS,
    WEIGHING_THREADS,
)
from gpu.rlf.cuda.update import GraphTrails
from gpu.rlf.parameters import ColoringParameters, degree_powers

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
        self._ordered = parameters.deposit == "tour"
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
        """4 n bytes an ant for colors, and as many for the order of visits where it is needed."""
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
