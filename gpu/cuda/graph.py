"""A graph as the kernels read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.sharing import made_once
from gpu.problems.coloring.instance import GraphInstance

MOST_VERTICES = 1 << 14
"""Vertices whose sets fit the registers of a warp; see ``VertexSet`` in color_graph.cu."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class DeviceGraph:
    """The graph as kernels read it."""

    n: int  # vertices
    words: int  # that a set of vertices takes
    row: int  # words of a row of the adjacency on the device: whole lines of 128 bytes
    values: dict[str, NDArray[Any]]  # by buffer name: adjacency, n² / 8 bytes and the padding
    directed: bool = False

    @staticmethod
    def of(instance: GraphInstance) -> DeviceGraph:
        """Prepare ``instance``, once for all colonies.

        Raises
        ------
        DeviceMemoryError
            If it has too many vertices.
        """
        return _prepared(instance)

    @classmethod
    def _of(cls, instance: GraphInstance) -> DeviceGraph:
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


_prepared = made_once(DeviceGraph._of)
