"""The pheromone update of ACO-RLF on a GPU (2017, equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpu.cuda.graph import DeviceGraph
from gpu.cuda.machine import Array, Buffer, Launch
from gpu.rlf.cuda.kernels import UPDATE, RenewPairs, ScatterPairs, ShareOut
from gpu.rlf.cuda.trails import GraphTrails
from gpu.rlf.fitness import MOST_DEPOSIT
from gpu.rlf.parameters import ColoringParameters

THREADS = 256
"""Of a block: ``THREADS`` in gpu/rlf/cuda/update.cu."""

SIDE = 64
"""Rows and columns of trails that a block changes: ``SIDE`` in gpu/rlf/cuda/update.cu."""


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
        """The launches that compute the deposits, scatter them if needed, and change all trails."""
        n, columns, ants = self._n, self._trails.columns, self._ants
        share = ShareOut(
            ants=ants,
            keep=self._keep,
            reward=self._reward,
            most=self._most,
            costs=arrays["costs"],
            state=arrays["state"],
            quanta=arrays["quanta"],
            shares=arrays["shares"],
        )
        launches = [Launch(UPDATE, "share_out", 1, THREADS, share)]
        if self._scattered:
            pairs = ScatterPairs(
                n=n,
                columns=columns,
                colors=arrays["colors"],
                order=arrays["order"],
                quanta=arrays["quanta"],
                deposits=arrays["deposits"],
            )
            launches.append(Launch(UPDATE, "scatter_pairs", ants, THREADS, pairs))
        policy = "Scattered" if self._scattered else "SameColor"
        renew = RenewPairs(
            n=n,
            columns=columns,
            ants=ants,
            keep=self._keep,
            shares=arrays["shares"],
            quanta=arrays["quanta"],
            deposits=arrays.get("deposits"),
            trails=arrays["trails"],
            colors=arrays["colors"],
            best_coloring=arrays["best_coloring"],
            iteration_coloring=arrays["iteration_coloring"],
            state=arrays["state"],
        )
        tiles = -(-self._n // SIDE)
        launches.append(Launch(UPDATE, f"renew_pairs<{policy}>", tiles * tiles, THREADS, renew))
        return launches
