"""Pictures of the trails for the views, reduced on the device before they are copied."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import PICTURE_SIZE, STRONGEST_TRAILS, Trails
from gpu.cuda.arguments import KernelArguments
from gpu.cuda.cities import LANES
from gpu.cuda.kernels import (
    BlankPicture,
    CollectTrails,
    CountBranches,
    PaintPicture,
    PicturedTrails,
)
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Array, Buffer, Launch, Machine

_BLOCK = 256


class TrailSource(Protocol):
    """Trails on the device that pictures can be made of."""

    pictures: KernelSource
    """The kernels that make the pictures."""

    policy: str
    """The C++ structure in them that reads these trails."""

    memory_size: int
    """The size that it needs to find its way in them."""

    def pictured(self, arrays: Mapping[str, Array]) -> tuple[Array, Array | None]:
        """Return the arrays of the trails that the structure reads."""

    def faintest(self, machine: Machine, arrays: Mapping[str, Array]) -> float:
        """Return the trail up to which none is drawn on the map."""


class Places(Protocol):
    """What pictures need of the instance."""

    @property
    def n(self) -> int:
        """Cities (vertices)."""

    @property
    def directed(self) -> bool:
        """Whether trails have a direction."""


class Pictures:
    """The buffers for pictures of a colony's trails, and how they are made."""

    def __init__(self, problem: Places, trails: TrailSource) -> None:
        self.problem, self.source = problem, trails
        self.size = min(PICTURE_SIZE, problem.n)
        self.threshold = 0.0

    def buffers(self) -> list[Buffer]:
        """About 1.3 MB, and 4 n bytes."""
        return [
            Buffer("picture", (self.size, self.size), np.float32),
            Buffer("places", (self.problem.n,), np.int32),
            Buffer("edges", (STRONGEST_TRAILS, 2), np.int32),
            Buffer("strengths", (STRONGEST_TRAILS,), np.float32),
            Buffer("edge_count", (1,), np.int32),
            Buffer("branches", (1,), np.uint64),
        ]

    def reader(self, machine: Machine, arrays: Mapping[str, Array]) -> PictureReader:
        """Ready to read the pictures of a colony on ``machine``."""
        return PictureReader(self, machine, arrays)


class PictureReader:
    """Makes and copies the pictures that a snapshot asks for."""

    def __init__(self, pictures: Pictures, machine: Machine, arrays: Mapping[str, Array]) -> None:
        self._pictures, self._machine, self._arrays = pictures, machine, arrays
        self._n = pictures.problem.n
        trails, more_trails = pictures.source.pictured(arrays)
        self._pictured = PicturedTrails(
            n=self._n,
            rows=arrays.get("rows"),
            trails=trails,
            more_trails=more_trails,
            memory_size=pictures.source.memory_size,
        )

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of cities, in units of the initial trail."""
        size, arrays = self._pictures.size, self._arrays
        blank = BlankPicture(
            pixels=size * size,
            picture=arrays["picture"],
            n=self._n,
            tour=order,
            places=arrays["places"],
        )
        paint = PaintPicture(
            pictured=self._pictured,
            size=size,
            places=arrays["places"],
            picture=arrays["picture"],
        )
        self._machine.run(
            [
                self._launch("blank_picture", blank, -(-size * size // _BLOCK)),
                self._launch("paint_picture", paint),
            ]
        )
        return frozen(self._machine.download(arrays["picture"]))

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
        pictures, most = self._pictures, STRONGEST_TRAILS
        low, high = pictures.source.faintest(self._machine, self._arrays), math.inf
        count = self._collect(low)
        if count <= most:
            return count
        threshold = max(pictures.threshold, 1.5 * low)
        while True:
            count = self._collect(threshold)
            if count > most:
                low = threshold
            elif count >= most // 2 or threshold <= 1.02 * low:
                pictures.threshold = threshold
                return count
            else:
                high = threshold
            threshold = min(1.5 * low, math.sqrt(low * high))

    def _collect(self, threshold: float) -> int:
        """List the trails above ``threshold``, if they fit; return how many there are."""
        arrays = self._arrays
        self._machine.upload(arrays["edge_count"], np.zeros(1, dtype=np.int32))
        args = CollectTrails(
            pictured=self._pictured,
            directed=self._pictures.problem.directed,
            threshold=np.float32(threshold),
            capacity=STRONGEST_TRAILS,
            edges=arrays["edges"],
            strengths=arrays["strengths"],
            count=arrays["edge_count"],
        )
        self._machine.run([self._launch("collect_trails", args)])
        return int(self._machine.download(arrays["edge_count"])[0])

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        arrays = self._arrays
        self._machine.upload(arrays["branches"], np.zeros(1, dtype=np.uint64))
        args = CountBranches(pictured=self._pictured, total=arrays["branches"])
        self._machine.run([self._launch("count_branches", args)])
        return float(self._machine.download(arrays["branches"])[0]) / self._n

    def _launch(self, kernel: str, args: KernelArguments, grid: int | None = None) -> Launch:
        name = f"{kernel}<{self._pictures.source.policy}>"
        grid = grid or -(-self._n * LANES // _BLOCK)
        return Launch(self._pictures.source.pictures, name, grid, _BLOCK, args)
