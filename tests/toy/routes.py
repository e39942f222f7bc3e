"""A toy problem: two vehicles visit all cities, so that a solution is no tour of n cities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.errors import SolutionError
from gpu.core.instance import Solution
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import RandomColony

BREAK = -1  # between the cities of the first vehicle and those of the second


class TwoRoutes(TspInstance):
    """Cities in the order of two routes, with ``BREAK`` between them: int32, shape (n + 1,)."""

    __slots__ = ()

    @classmethod
    def of(cls, cities: TspInstance) -> Self:
        """Return the problem of two vehicles on the cities of ``cities``."""
        return cls("routes", "", cities.metric, cities.coordinates, None, cities.display)

    @property
    def solution_shape(self) -> tuple[int, ...]:
        """All cities, and one break."""
        return (self.n + 1,)

    def cost_of(self, solution: Solution) -> int:
        """Length of both routes, each of them closed."""
        if np.shape(solution) != self.solution_shape or np.count_nonzero(solution == BREAK) != 1:
            raise SolutionError(f"it has not two routes through {self.name}")
        at = int(np.flatnonzero(solution == BREAK)[0])
        first, second = solution[:at], solution[at + 1 :]
        super().cost_of(np.concatenate((first, second)))  # each city once
        return self.tour_length(first) + self.tour_length(second)

    def written(self, solution: Solution) -> list[int]:
        """City numbers, and 0 for the break."""
        return [int(one) + 1 for one in solution]

    def read(self, written: Sequence[int]) -> NDArray[np.int32]:
        """Read what :meth:`written` wrote."""
        solution = (self.numbers_of(written) - 1).astype(np.int32)
        self.cost_of(solution)
        return frozen(solution)

    def write(self, path: Path, solution: Solution, comment: str = "") -> None:
        """Write the numbers alone."""
        path.write_text(" ".join(map(str, self.written(solution))))


class TwoRoutesColony(RandomColony):
    """Random routes."""

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        for _ in range(count):
            order = self.rng.permutation(self.instance.n).astype(np.int32)
            routes = np.insert(order, int(self.rng.integers(1, len(order))), BREAK)
            self.last_length = self.instance.cost_of(routes)
            self.lengths.append(self.last_length)
            self.iteration += 1
            if self.best is None or self.last_length < self.best_cost:
                self.best, self.best_cost = routes, self.last_length
                self.best_iteration = self.iteration
