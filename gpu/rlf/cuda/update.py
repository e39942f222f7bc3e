"""The pheromone update of ACO-RLF on a GPU (2017, equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.cuda.graph import DeviceGraph
from gpu.cuda.machine import Arrays, Buffer, Launch
from gpu.rlf.cuda.kernels import SIDE, THREADS, UPDATE, RenewPairs, ScatterPairs, ShareOut
from gpu.rlf.cuda.trails import GraphTrails
from gpu.rlf.parameters import MOST_DEPOSIT, ColoringParameters


class ColoringUpdate:
    """All trails evaporate, and all ants deposit on the pairs of vertices in one color class."""

    def __init__(
        self, graph: DeviceGraph, trails: GraphTrails, parameters: ColoringParameters
    ) -> None:
        assert parameters.ants is not None
        self._n, self._ants, self._trails = graph.n, parameters.ants, trails
        self._scattered = parameters.deposit == "tour"
        self._keep, self._reward = np.float32(parameters.rho), float(parameters.reward)
        self._most = MOST_DEPOSIT // parameters.ants

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
        n, columns, ants, keep = self._n, self._trails.columns, self._ants, self._keep
        share = ShareOut.from_arrays(
            arrays, ants=ants, keep=keep, reward=self._reward, most=self._most
        )
        launches = [Launch(UPDATE, "share_out", 1, THREADS, share)]
        if self._scattered:
            pairs = ScatterPairs.from_arrays(arrays, n=n, columns=columns)
            launches.append(Launch(UPDATE, "scatter_pairs", ants, THREADS, pairs))
        kernel = f"renew_pairs<{'Scattered' if self._scattered else 'SameColor'}>"
        renew = RenewPairs.from_arrays(arrays, n=n, columns=columns, ants=ants, keep=keep)
        return [*launches, Launch(UPDATE, kernel, (-(-n // SIDE)) ** 2, THREADS, renew)]
