"""A graph as the kernels read it, and its trails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.core.trails import INITIAL_LEVEL
from gpu.cuda.dense_trails import DenseTrails
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.problems.coloring.instance import GraphInstance

MOST_VERTICES = 1 << 14
"""Vertices whose sets fit the registers of a warp; see ``VertexSet`` in vertex_set.cuh."""

LANES = 32
"""Threads in a warp."""

LEVEL = 2
"""Place of the level in ``Shares`` of gpu/rlf/cuda/update.cu."""

_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Graph:
    """What kernels are told of the graph.

    Attributes
    ----------
    n : int
        Vertices.
    words : int
        Words that a set of vertices takes.
    row : int
        Words of a row of the adjacency on the device: whole lines of 128 bytes.
    values : dict of str to ndarray
        Host arrays by buffer name.
    """

    n: int
    words: int
    row: int
    values: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, instance: GraphInstance) -> Graph:
        """Prepare ``instance``.

        Raises
        ------
        DeviceMemoryError
            If it has too many vertices.
        """
        if instance.n > MOST_VERTICES:
            raise DeviceMemoryError(
                f"{instance.name} has {instance.n} vertices; the GPU colonies take {MOST_VERTICES}:"
                " choose a colony on the CPU"
            )
        words = instance.adjacency.shape[1]
        row = -(-words // LANES) * LANES
        adjacency = np.zeros((instance.n, row), np.uint32)
        adjacency[:, :words] = instance.adjacency
        return cls(instance.n, words, row, {"adjacency": adjacency})

    @property
    def directed(self) -> bool:
        """Edges of a graph to color have no direction."""
        return False

    def buffers(self) -> list[Buffer]:
        """n² / 8 bytes, rows padded to 128."""
        return [Buffer(name, value.shape, value.dtype) for name, value in self.values.items()]


class GraphTrails(DenseTrails):
    """A matrix of trails between vertices that are not adjacent; the others are 0."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._row = graph.row

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128."""
        return [*super().buffers(), Buffer("shares", (3,), np.float32)]

    def start(self, arrays: Mapping[str, Array]) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        args = (
            np.int32(self.problem.n),
            np.int32(self.columns),
            np.int32(self._row),
            arrays["adjacency"],
            arrays["trails"],
            arrays["shares"],
            arrays["state"],
        )
        grid = min(1024, -(-self.problem.n * self.columns // _BLOCK))
        return Launch("gpu/rlf/cuda/update.cu", "start_graph", grid, _BLOCK, args)

    def level(
        self, machine: Machine, arrays: Mapping[str, Array], measured: np.float32
    ) -> np.float32:
        """Read the level of a trail that never got more than all trails get."""
        level = machine.download(arrays["shares"])[LEVEL]
        return np.float32(level * INITIAL_LEVEL)
