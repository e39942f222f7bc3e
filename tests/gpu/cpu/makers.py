"""Small instances of every kind, and what literal and compiled functions are called with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.cpu.compilation import _OPTIONS
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance


def points(xy: ArrayLike, metric: Metric = Metric.EUC_2D, **more: Any) -> TspInstance:
    place = np.asarray(xy, float)
    return TspInstance("points", "", metric, place, None, place[:, :2], **more)


def explicit(matrix: ArrayLike, **more: Any) -> TspInstance:
    table = np.array(matrix, np.int32)
    table.flags.writeable = False
    return TspInstance(
        "explicit", "", Metric.EXPLICIT, None, table, np.zeros((len(table), 2)), **more
    )


def uniform(n: int, seed: int = 0, size: int = 1000) -> TspInstance:
    return points(np.random.default_rng(seed).integers(0, size, (n, 2)))


def crowded(n: int, seed: int = 0) -> TspInstance:
    """Many cities at the same places: distances of 0, and ties everywhere."""
    return points(np.random.default_rng(seed).integers(0, 4, (n, 2)))


def grid(width: int, height: int) -> TspInstance:
    """Unit squares: an even number of cities has a tour of exactly that length."""
    xy = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 2)
    return points(xy * 10, optimum=10 * width * height)


def ring(n: int) -> TspInstance:
    """Cities in convex position: the optimal tour goes around."""
    angle = 2 * np.pi * np.random.default_rng(n).permutation(n) / n
    instance = points(1e5 * np.column_stack((np.cos(angle), np.sin(angle))))
    around = np.argsort(angle)
    return dataclasses.replace(instance, optimum=instance.tour_length(around))


def far_cluster(n: int) -> TspInstance:
    """All cities at a few places, but for some that are very far away."""
    rng = np.random.default_rng(5)
    near, far = rng.integers(0, 9, (n - 6, 2)), 4_000_000 + rng.integers(0, 9, (6, 2))
    return points(np.concatenate((near, far)))


def symmetric(n: int, seed: int = 0) -> TspInstance:
    """Distances with no geometry behind them."""
    half = np.triu(np.random.default_rng(seed).integers(1, 100, (n, n)), 1)
    return explicit(half + half.T)


def directed(n: int, seed: int = 0) -> TspInstance:
    matrix = np.random.default_rng(seed).integers(1, 100, (n, n))
    np.fill_diagonal(matrix, 9999)
    return explicit(matrix, directed=True)


Function = TypeVar("Function", bound=Callable[..., Any])


def caller(function: Function) -> Function:
    """Compile a function that calls an inlined one."""
    made: Function = numba.njit(**_OPTIONS)(function)
    return made


class LiteralTours:
    """Lengths and the nearest-neighbour tour, from all distances."""

    n: int
    d: NDArray[np.int64]

    def nearest_neighbour_tour(self, start: int = 0) -> list[int]:
        tour = [start]
        while len(tour) < self.n:
            left = [v for v in range(self.n) if v not in tour]
            tour.append(min(left, key=lambda v: (self.d[tour[-1], v], v)))
        return tour

    def length(self, tour: list[int]) -> int:
        return sum(int(self.d[u, v]) for u, v in zip(tour, tour[1:] + tour[:1], strict=True))
