"""Pictures of the trails for the views, reduced on the device before they are copied."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import PICTURE_SIZE, STRONGEST_TRAILS, Trails
from gpu.cuda.kernels import PicturedTrails
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Array, Arrays, Buffer, Machine

_BLOCK = 256
_AT_ONCE = 1 << 18  # trails that one launch reads: 3 MB


class PicturedMemory(Protocol):
    """Trails on the device that pictures can be made of."""

    pictures: KernelSource  # the kernels that make the pictures
    policy: str  # the C++ structure in them that reads these trails
    memory_size: int  # the size that it needs to find its way in them

    def pictured(self, arrays: Arrays) -> tuple[Array, Array | None]:
        """Return the arrays of the trails that the structure reads."""

    def faintest(self, machine: Machine, arrays: Arrays) -> float:
        """Return the trail up to which none is drawn on the map."""


class PicturedInstance(Protocol):
    """What pictures need of the instance."""

    @property
    def n(self) -> int:
        """Cities (vertices)."""

    @property
    def directed(self) -> bool:
        """Whether trails have a direction."""


def picture_buffers(n: int) -> list[Buffer]:
    """What the pictures of ``n`` cities (vertices) need: about 4.4 MB, and 4 n bytes."""
    size = min(PICTURE_SIZE, n)
    return [
        Buffer("picture", (size, size), np.float32),
        Buffer("places", (n,), np.int32),
        Buffer("edges", (STRONGEST_TRAILS, 2), np.int32),
        Buffer("strengths", (STRONGEST_TRAILS,), np.float32),
        Buffer("edge_count", (1,), np.int32),
        Buffer("branches", (1,), np.uint64),
        Buffer("pair_cities", (_AT_ONCE, 2), np.int32),
        Buffer("pair_trails", (_AT_ONCE,), np.float32),
    ]


class PictureReader:
    """Makes and copies the pictures of a colony's trails that a snapshot asks for."""

    def __init__(
        self, problem: PicturedInstance, trails: PicturedMemory, machine: Machine, arrays: Arrays
    ) -> None:
        self._problem, self._source = problem, trails
        self._machine, self._arrays = machine, arrays
        self._threshold = 0.0
        self._size = arrays["picture"].shape[0]

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of cities, in units of the initial trail."""
        pixels = self._size * self._size
        blocks = -(-pixels // _BLOCK)
        self._run("blank_picture", blocks, n=self._problem.n, pixels=pixels, tour=order)
        self._run("paint_picture", pictured=self._pictured(), size=self._size)
        return frozen(self._machine.download(self._arrays["picture"]))

    def trails(self) -> Trails:
        """The strongest trails: all that are worth drawing, or most of those that fit."""
        arrays, count = self._arrays, self._collect_strongest()
        strengths = self._machine.download(arrays["strengths"])[:count]
        edges = self._machine.download(arrays["edges"])[:count]
        order = np.argsort(-strengths)
        largest = strengths[order[0]] if count else np.float32(1)
        relative = (strengths[order] / largest).astype(np.float32)
        return Trails(frozen(edges[order]), frozen(relative))

    def _collect_strongest(self) -> int:
        """Collect all that are worth drawing, or at least half as many as fit; return how many.

        The threshold is sought, from where it was last, between one that lets too many through
        and one that lets too few through.
        """
        most = STRONGEST_TRAILS
        low, high = self._source.faintest(self._machine, self._arrays), math.inf
        count = self._collect(low)
        if count <= most:
            return count
        threshold = max(self._threshold, 1.5 * low)
        while True:
            count = self._collect(threshold)
            if count > most:
                low = threshold
            elif count >= most // 2 or threshold <= 1.02 * low:
                self._threshold = threshold
                return count
            else:
                high = threshold
            threshold = min(1.5 * low, math.sqrt(low * high))

    def _collect(self, threshold: float) -> int:
        """List the trails above ``threshold``, if they fit; return how many there are."""
        count = self._arrays["edge_count"]
        self._machine.upload(count, np.zeros(1, dtype=np.int32))
        values = {"directed": self._problem.directed, "capacity": STRONGEST_TRAILS}
        pictured, least = self._pictured(), np.float32(threshold)
        self._run("collect_trails", pictured=pictured, threshold=least, **values)
        return int(self._machine.download(count)[0])

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        branches = self._arrays["branches"]
        self._machine.upload(branches, np.zeros(1, dtype=np.uint64))
        self._run("count_branches", pictured=self._pictured())
        return float(self._machine.download(branches)[0]) / self._problem.n

    def between(
        self, cities: NDArray[np.integer], others: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """The trails from cities to others; see :data:`gpu.core.trails.Read`."""
        arrays, machine = self._arrays, self._machine
        found = np.empty(others.shape, np.float32)
        rows = max(1, _AT_ONCE // others.shape[1])
        for first in range(0, len(cities), rows):
            some = slice(first, first + rows)
            pairs = np.empty((*others[some].shape, 2), np.int32)
            pairs[..., 0], pairs[..., 1] = cities[some, None], others[some]
            count = pairs.size // 2
            machine.upload(arrays["pair_cities"][:count], pairs.reshape(-1, 2))
            self._run("read_trails", -(-count // _BLOCK), count=count, pictured=self._pictured())
            read = machine.download(arrays["pair_trails"][:count])
            found[some] = read.reshape(others[some].shape)
        return found

    def _pictured(self) -> PicturedTrails:
        trails, more = self._source.pictured(self._arrays)
        values = {"trails": trails, "more_trails": more, "memory_size": self._source.memory_size}
        return PicturedTrails.from_arrays(self._arrays, n=self._problem.n, **values)

    def _run(self, kernel: str, grid: int | None = None, **values: Any) -> None:
        """Launch a kernel, for all cities if no grid is given."""
        grid = grid or -(-self._problem.n * LANES // _BLOCK)
        name = f"{kernel}<{self._source.policy}>"
        launch = self._source.pictures.launch(name, grid, _BLOCK, self._arrays, **values)
        self._machine.run([launch])
