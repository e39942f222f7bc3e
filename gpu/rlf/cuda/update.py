"""The pheromone update of ACO-RLF on a GPU (2017, equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.core.trails import INITIAL_LEVEL
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import DenseTrails
from gpu.rlf.cuda.kernels import RLF_UPDATE, TILE_SIDE, UPDATE_THREADS, Shares
from gpu.rlf.parameters import MOST_DEPOSIT, ColoringParameters


class GraphTrails(DenseTrails):
    """A matrix of trails between vertices that are not adjacent; the others are 0."""

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128."""
        return [*super().buffers(), Buffer("shares", (Shares.dtype().itemsize // 4,), np.float32)]

    def start(self, arrays: Arrays) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        n, columns, words = self.problem.n, self.columns, arrays["adjacency"].shape[1]
        grid, numbers = min(1024, -(-n * columns // UPDATE_THREADS)), {"n": n, "words": words}
        return RLF_UPDATE.launch(
            "start_graph", grid, UPDATE_THREADS, arrays, columns=columns, **numbers
        )

    def level(self, machine: Machine, arrays: Arrays, measured: np.float32) -> np.float32:
        """Read the level of a trail that never got more than all trails get."""
        level = machine.download(arrays["shares"]).view(Shares.dtype())["level"][0]
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
