"""The trails of ACO-RLF on a GPU."""

from __future__ import annotations

import numpy as np

from gpu.core.trails import INITIAL_LEVEL
from gpu.cuda.dense_trails import DenseTrails
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.rlf.cuda.kernels import UPDATE, Shares, StartGraph

_BLOCK = 256


class GraphTrails(DenseTrails):
    """A matrix of trails between vertices that are not adjacent; the others are 0."""

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128."""
        return [*super().buffers(), Buffer("shares", (Shares.dtype().itemsize // 4,), np.float32)]

    def start(self, arrays: Arrays) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        n, columns, words = self.problem.n, self.columns, arrays["adjacency"].shape[1]
        args = StartGraph.from_arrays(arrays, n=n, columns=columns, words=words)
        return Launch(UPDATE, "start_graph", min(1024, -(-n * columns // _BLOCK)), _BLOCK, args)

    def level(self, machine: Machine, arrays: Arrays, measured: np.float32) -> np.float32:
        """Read the level of a trail that never got more than all trails get."""
        level = machine.download(arrays["shares"]).view(Shares.dtype())["level"][0]
        return np.float32(level * INITIAL_LEVEL)
