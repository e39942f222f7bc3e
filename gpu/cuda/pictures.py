"""What the views show of the trails, reduced on the device before it is copied."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.problem import LANES, Problem
from gpu.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.snapshot import PICTURE_SIZE, STRONGEST_TRAILS, Trails
from gpu.summaries import frozen

_BLOCK = 256

FAINTEST = 1.05
"""Trails up to this many times the initial level are not drawn on the map."""


class Pictures:
    """The buffers for pictures of a colony's trails, and how they are made."""

    def __init__(self, problem: Problem, trails: MatrixTrails | SelectiveTrails) -> None:
        self.problem, self.source = problem, trails
        self.size = min(PICTURE_SIZE, problem.n)
        self.threshold = FAINTEST

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
        first, second, _ = pictures.source.arguments(arrays)
        self._trails = (first, second, np.int32(pictures.source.memory_size))

    def pheromone(self) -> NDArray[np.float32]:
        """All trails in the order of the best tour, in units of the initial trail."""
        size, arrays = self._pictures.size, self._arrays
        blank = (
            np.int32(size * size),
            arrays["picture"],
            np.int32(self._n),
            arrays["best_tour"],
            arrays["places"],
        )
        paint = (
            np.int32(self._n),
            np.int32(size),
            arrays["rows"],
            *self._trails,
            arrays["places"],
            arrays["picture"],
        )
        self._machine.run(
            [
                Launch("pictures.cu", "blank_picture", -(-size * size // _BLOCK), _BLOCK, blank),
                self._launch("paint_picture", paint),
            ]
        )
        return frozen(self._machine.download(arrays["picture"]))

    def trails(self) -> Trails:
        """The strongest trails. The threshold follows the number of trails above it."""
        pictures, arrays = self._pictures, self._arrays
        while True:
            self._machine.upload(arrays["edge_count"], np.zeros(1, dtype=np.int32))
            args = (
                np.int32(self._n),
                arrays["rows"],
                *self._trails,
                np.int32(pictures.problem.directed),
                np.float32(pictures.threshold),
                np.int32(STRONGEST_TRAILS),
                arrays["edges"],
                arrays["strengths"],
                arrays["edge_count"],
            )
            self._machine.run([self._launch("collect_trails", args)])
            count = int(self._machine.download(arrays["edge_count"])[0])
            if count <= STRONGEST_TRAILS:
                break
            pictures.threshold *= 1.5
        if count < STRONGEST_TRAILS // 4:
            pictures.threshold = max(FAINTEST, pictures.threshold / 1.5)
        strengths = self._machine.download(arrays["strengths"])[:count]
        edges = self._machine.download(arrays["edges"])[:count]
        order = np.argsort(-strengths)
        largest = strengths[order[0]] if count else np.float32(1)
        relative = (strengths[order] / largest).astype(np.float32)
        return Trails(frozen(edges[order]), frozen(relative))

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        arrays = self._arrays
        self._machine.upload(arrays["branches"], np.zeros(1, dtype=np.uint64))
        args = (np.int32(self._n), arrays["rows"], *self._trails, arrays["branches"])
        self._machine.run([self._launch("count_branches", args)])
        return float(self._machine.download(arrays["branches"])[0]) / self._n

    def _launch(self, kernel: str, args: tuple[object, ...]) -> Launch:
        name = f"{kernel}<{self._pictures.source.policy}>"
        grid = -(-self._n * LANES // _BLOCK)
        return Launch("pictures.cu", name, grid, _BLOCK, args)
