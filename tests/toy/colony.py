"""A plain Ant System in NumPy: slow, short, and honest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.history import HISTORY_KEPT, of_ring
from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.trails import matrix_picture, matrix_trails
from gpu.problems.tsp.instance import TspInstance
from tests.toy.parameters import ToyParameters


class ToyColony:
    """Ants that draw cities in proportion to τ/d; see :class:`gpu.core.colony.Colony`."""

    def __init__(self, instance: TspInstance, parameters: ToyParameters, seed: int) -> None:
        self._instance, self._parameters = instance, parameters
        self._random = np.random.default_rng(seed)
        n = instance.n
        cities = np.arange(n)
        self._near = 1.0 / np.maximum(instance.distances(cities[:, None], cities[None]), 1)
        self._trails = np.ones((n, n), np.float32)
        self._best: tuple[int, NDArray[np.int32], int] | None = None
        self._lengths = np.zeros(parameters.ants, np.int64)
        self._costs = np.zeros((HISTORY_KEPT, 2), np.int64)
        self._last = np.arange(n, dtype=np.int32)
        self._iteration = 0
        self._phases: Mapping[str, float] = {}

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run so many iterations, or fewer if told to stop."""
        for _ in range(count):
            self.timed_iteration()
            if stop():
                return

    def timed_iteration(self) -> Mapping[str, float]:
        """Build all tours, then evaporate and deposit."""
        begin = time.perf_counter()
        tours = [self._tour() for _ in range(self._parameters.ants)]
        self._lengths = np.array([self._instance.tour_length(tour) for tour in tours])
        built = time.perf_counter()
        self._iteration += 1
        self._costs[self._iteration % HISTORY_KEPT] = self._lengths.min(), self._lengths.sum()
        first = int(self._lengths.argmin())
        self._last = tours[first]
        if self._best is None or self._lengths[first] < self._best[0]:
            self._best = int(self._lengths[first]), tours[first], self._iteration
        self._trails *= np.float32(1 - self._parameters.rho)
        for tour in tours if self._parameters.deposit == "all" else [tours[first]]:
            after = np.roll(tour, -1)
            self._trails[tour, after] += np.float32(self._parameters.rho)
            self._trails[after, tour] = self._trails[tour, after]
        updated = time.perf_counter()
        self._phases = {"construction": 1e3 * (built - begin), "update": 1e3 * (updated - built)}
        return self._phases

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration."""
        if self._best is None:
            return Snapshot(0, 0, None, 0, None, float("nan"))
        cost, best, at = self._best
        drawn = self._trails.copy()
        return Snapshot(
            iteration=self._iteration,
            solutions_built=self._iteration * self._parameters.ants,
            best_cost=cost,
            best_iteration=at,
            iteration_best=int(self._lengths.min()),
            iteration_mean=float(self._lengths.mean()),
            history=of_ring(self._costs, self._iteration, self._parameters.ants),
            best_solution=frozen(best.copy()) if Wanted.SOLUTION in wanted else None,
            iteration_solution=(
                frozen(self._last.copy()) if Wanted.ITERATION_SOLUTION in wanted else None
            ),
            pheromone=matrix_picture(drawn, best) if Wanted.PHEROMONE in wanted else None,
            trails=matrix_trails(drawn, directed=False) if Wanted.TRAILS in wanted else None,
            phases=self._phases,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return a copy of all trails from ``city``."""
        return np.array(self._trails[city])

    def close(self) -> None:
        """Nothing is held."""

    def _tour(self) -> NDArray[np.int32]:
        n = self._instance.n
        tour = np.empty(n, np.int32)
        left = np.ones(n, np.bool_)
        city = int(self._random.integers(n))
        for position in range(n):
            tour[position] = city
            left[city] = False
            if position + 1 < n:
                weights = np.cumsum(np.where(left, self._trails[city] * self._near[city], 0))
                drawn = self._random.random() * weights[-1]
                city = int(np.searchsorted(weights, drawn, side="right"))
        return tour
