"""Trails on the device: a matrix, or lists beside the candidates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gpu.core.arrays import frozen
from gpu.core.legacy import KeptTrails
from gpu.core.snapshot import Trails
from gpu.core.trails import (
    FAINTEST,
    KnownTrails,
    branching_factor,
    lists_read,
    pheromone_picture,
    strongest_trails,
)
from gpu.cuda.colony import State
from gpu.cuda.kernels import DENSE_TRAILS
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.pictures import PicturedInstance

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

    def __init__(self, problem: PicturedInstance) -> None:
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


class CudaListedTrails:
    """A trail for each entry of the candidate lists; all other edges have the least trail.

    ``lists``, of shape (n, k), are as the device numbers the cities; ``order`` says which city each
    one is, where that differs. ``least`` gives the least trail for the length of the best tour.
    """

    def __init__(
        self,
        lists: NDArray[np.int32],
        order: NDArray[np.int32] | None = None,
        least: Callable[[int], np.float32] = lambda length: np.float32(1),
    ) -> None:
        self.lists, self._least = lists, least
        self.order = np.arange(len(lists), dtype=np.int32) if order is None else order
        self.number = np.empty_like(self.order)  # the device's number of each city
        self.number[self.order] = np.arange(len(lists), dtype=np.int32)

    def buffers(self) -> list[Buffer]:
        """4 bytes a candidate."""
        return [Buffer("trails", self.lists.shape, np.float32)]

    def least(self, machine: Machine, arrays: Arrays) -> np.float32:
        """The trail of edges on no list."""
        return self._least(State(machine.download(arrays["state"])).best_length)

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        own, row = self.number[city], np.full(len(self.lists), self.least(machine, arrays))
        row[self.order[self.lists[own]]] = machine.download(arrays["trails"][own])
        return row

    def known(self, machine: Machine, arrays: Arrays, unit: np.float32) -> KnownTrails:
        """Collect the candidates' trails, in units of ``unit``; cities as the device has them."""
        n, k = self.lists.shape
        values = np.asarray(machine.download(arrays["trails"]) / unit, np.float32)
        cities = np.repeat(np.arange(n, dtype=np.int32), k)
        return KnownTrails(cities, self.lists.ravel(), values.ravel())

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails."""
        cities, others, values = self.known(machine, arrays, np.float32(1))
        known = KnownTrails(self.order[cities], self.order[others], values)
        return KeptTrails(len(self.lists), known)

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails."""
        trails = kept.at(self.order[:, None], self.order[self.lists])
        machine.upload(arrays["trails"], trails)


class ListedPictures:
    """Makes the pictures that a snapshot asks for on the host, from a copy of the listed trails."""

    def __init__(
        self, problem: PicturedInstance, trails: CudaListedTrails, machine: Machine, arrays: Arrays
    ) -> None:
        self._trails, self._machine, self._arrays = trails, machine, arrays
        self._directed = problem.directed

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of the device's cities."""
        least = self._trails.least(self._machine, self._arrays)
        picture = pheromone_picture(self._known(least), self._machine.download(order))
        return frozen(picture * least)

    def trails(self) -> Trails:
        """The strongest trails."""
        known = self._known(self._trails.least(self._machine, self._arrays))
        found = strongest_trails(known, len(self._trails.lists), self._directed)
        return Trails(frozen(self._trails.order[found.edges]), found.strength)

    def between(
        self, cities: NDArray[np.integer], others: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """The trails from cities to others; see :data:`gpu.core.trails.Read`."""
        trails, values = self._trails, self._machine.download(self._arrays["trails"])
        least = float(trails.least(self._machine, self._arrays))
        return lists_read(trails.lists, values, least)(trails.number[cities], trails.number[others])

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        return branching_factor(self._machine.download(self._arrays["trails"]))

    def _known(self, unit: np.float32) -> KnownTrails:
        return self._trails.known(self._machine, self._arrays, unit)
