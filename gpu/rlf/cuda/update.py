"""The pheromone update of ACO-RLF on a GPU (2017, equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpu.cuda.graph import DeviceGraph
from gpu.cuda.machine import Array, Buffer, Launch
from gpu.rlf.cuda.kernels import UPDATE
from gpu.rlf.cuda.trails import GraphTrails
from gpu.rlf.fitness import MOST_DEPOSIT
from gpu.rlf.parameters import ColoringParameters

THREADS = 256
"""Of a block: ``THREADS`` in gpu/rlf/cuda/update.cu."""

SIDE = 64
"""Rows and columns of trails that a block changes: ``SIDE`` in gpu/rlf/cuda/update.cu."""


class ColoringUpdate:
    """All trails evaporate, and all ants deposit on pairs of vertices that they put together."""

    def __init__(
        self, graph: DeviceGraph, trails: GraphTrails, parameters: ColoringParameters
    ) -> None:
        assert parameters.ants is not None
        self._n, self._ants, self._trails = graph.n, parameters.ants, trails
        self._scattered = parameters.deposit == "tour"
        self._keep, self._reward = np.float32(parameters.rho), np.float64(parameters.reward)
        self._most = np.uint32(MOST_DEPOSIT // parameters.ants)

    def buffers(self) -> list[Buffer]:
        """4 n bytes and 4 an ant, and 4 n² for pairs visited one after the other."""
        deposits = []
        if self._scattered:
            matrix = self._trails.matrix("deposits", np.uint32)
            deposits = [Buffer(matrix.name, matrix.shape, matrix.dtype, zeroed=True)]
        return [
            *deposits,
            Buffer("quanta", (self._ants,), np.uint32),
            Buffer("iteration_coloring", (self._n,), np.int32),
        ]

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """Share out what is deposited, scatter it where that is needed, change all trails."""
        n, columns, ants = (np.int32(x) for x in (self._n, self._trails.columns, self._ants))
        shares = (ants, self._keep, self._reward, self._most)
        outcome = (arrays[name] for name in ("costs", "state", "quanta", "shares"))
        launches = [Launch(UPDATE, "share_out", 1, THREADS, (*shares, *outcome))]
        if self._scattered:
            pairs = (arrays[name] for name in ("colors", "order", "quanta", "deposits"))
            launches.append(
                Launch(UPDATE, "scatter_pairs", self._ants, THREADS, (n, columns, *pairs))
            )
        policy = "Scattered" if self._scattered else "SameColor"
        renew = (
            n,
            columns,
            ants,
            self._keep,
            arrays["shares"],
            arrays["quanta"],
            arrays.get("deposits"),
            arrays["trails"],
            arrays["colors"],
            arrays["best_coloring"],
            arrays["iteration_coloring"],
            arrays["state"],
        )
        tiles = -(-self._n // SIDE)
        launches.append(Launch(UPDATE, f"renew_pairs<{policy}>", tiles * tiles, THREADS, renew))
        return launches
