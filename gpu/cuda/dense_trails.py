"""Trails in one matrix, all of which change in every iteration: of Ant Systems, and of graphs."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gpu.core.legacy import KeptTrails
from gpu.core.trails import FAINTEST
from gpu.cuda.kernels import DENSE_TRAILS
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.pictures import Places

_BLOCK = 256


def weight_columns(n: int) -> int:
    """Floats from one row of ``weights`` to the next: each row begins on a line of 128 bytes.

    There is at least one more than there are cities: a 0, which is read for places behind the end
    of a tour list.
    """
    return n // LANES * LANES + LANES


class DenseTrails:
    """An n x n matrix of trails; from a city to itself: the level without any deposit."""

    pictures = DENSE_TRAILS
    policy = "DenseTrails"

    def __init__(self, problem: Places) -> None:
        self.problem = problem
        self.columns = weight_columns(problem.n)
        self.quarters = problem.n * self.columns // 4  # groups of four, as kernels go through them
        self.memory_size = self.columns  # all that the kernels of pictures need to know

    def matrix(self, name: str, kind: DTypeLike, *, zeroed: bool = False) -> Buffer:
        """A matrix beside that of the trails, rows padded to 128 bytes."""
        return Buffer(name, (self.problem.n, self.columns), kind, zeroed)

    def buffers(self) -> list[Buffer]:
        """4 n² bytes, rows padded to 128."""
        return [self.matrix("trails", np.float32), Buffer("range", (2,), np.float32)]

    def pictured(self, arrays: Arrays) -> tuple[Array, None]:
        """The memory's pointers, as pictures take them."""
        return arrays["trails"], None

    def start(self, arrays: Arrays) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        grid = min(1024, -(-self.quarters // _BLOCK))
        return DENSE_TRAILS.launch("start_trails", grid, _BLOCK, arrays, quarters=self.quarters)

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        row: NDArray[np.float32] = machine.download(arrays["trails"][city])
        return row[: self.problem.n]

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails."""
        n = self.problem.n
        return KeptTrails(n, np.array(machine.download(arrays["trails"])[:, :n]))

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails."""
        trails = machine.download(arrays["trails"])
        trails[:, : self.problem.n] = kept.matrix()
        machine.upload(arrays["trails"], trails)

    def faintest(self, machine: Machine, arrays: Arrays) -> float:
        """The trail up to which none is drawn; see :func:`gpu.core.trails.matrix_trails`."""
        machine.upload(arrays["range"], np.zeros(2, dtype=np.float32))
        n, grid = self.problem.n, min(1024, self.problem.n)
        machine.run(
            [DENSE_TRAILS.launch("measure_trails", grid, _BLOCK, arrays, n=n, columns=self.columns)]
        )
        level, largest = machine.download(arrays["range"])
        level = self.level(machine, arrays, level)
        return float(max(level, np.float32(FAINTEST * largest)))

    def level(self, machine: Machine, arrays: Arrays, measured: np.float32) -> np.float32:
        """The level of a trail that never got a deposit, ``measured`` from a city to itself."""
        return measured
