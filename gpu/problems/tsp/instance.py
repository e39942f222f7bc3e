"""Instances: what every colony, view and export is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import SolutionError
from gpu.core.instance import chosen_evenly, gap_percent
from gpu.core.problem import Problem
from gpu.problems.tsp.metric import Metric


@dataclass(frozen=True, slots=True, eq=False)
class TspInstance:
    """A travelling-salesman instance; arrays are read-only."""

    problem: ClassVar[Problem] = Problem.TSP

    name: str  # the file's NAME, without the ending that a few of them have
    comment: str  # the file's COMMENT lines
    metric: Metric  # rule of the distances
    # (n, 2) or (n, 3): what the metric measures between; None for EXPLICIT
    coordinates: NDArray[np.float64] | None
    matrix: NDArray[np.int32] | None  # (n, n): the distances of an EXPLICIT instance, row to column
    display: NDArray[np.float64]  # (n, 2): where to draw each city, y up
    # true if ``display`` was computed because the file says nothing of places
    computed_layout: bool = False
    # true for ATSP: the distance from i to j may differ from that from j to i
    directed: bool = False
    optimum: int | None = None  # length of an optimal or best-known tour, where known
    # (n,): a tour of that length, 0-based, where known
    optimal_tour: NDArray[np.int32] | None = None
    # (n,): the cities' numbers in the file, ascending; None where they are 1 to n
    ids: NDArray[np.int64] | None = None
    note: str = ""  # what of the file is not kept, in words for the user; empty where all is
    path: Path | None = None  # the file it came from
    sha256: str = ""  # digest of the file's bytes, hexadecimal

    @property
    def n(self) -> int:
        """Number of cities."""
        return len(self.display)

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"{self.n:,} cities"

    @property
    def city_ids(self) -> NDArray[np.int64]:
        """Number of each city in the file, as tours are written; int64, shape (n,)."""
        return np.arange(1, self.n + 1) if self.ids is None else self.ids

    def distances(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
        """Distances from cities ``a`` to cities ``b`` (arrays that broadcast), exact int64."""
        from gpu.problems.tsp.distances import between

        return between(self, a, b)

    def tour_length(self, tour: NDArray[np.integer]) -> int:
        """Exact length of the closed ``tour`` (0-based, shape (n,)), summed in int64."""
        return int(self.distances(tour, np.roll(tour, -1)).sum(dtype=np.int64))

    def cost_of(self, solution: NDArray[np.integer]) -> int:
        """Exact length of a closed tour, which is checked to be one; see :class:`Instance`."""
        tour, n = np.asarray(solution), self.n
        if tour.shape != (n,) or tour.min() < 0 or np.any(np.bincount(tour, minlength=n) != 1):
            raise SolutionError(f"a route through {self.name} does not visit each city once")
        return self.tour_length(tour)

    def gap_percent(self, cost: int) -> float | None:
        """How far the length ``cost`` lies above the optimum, in %; see :class:`Instance`."""
        return gap_percent(cost, self.optimum)

    @property
    def facts(self) -> Mapping[str, int | str | bool]:
        """Metric and direction."""
        return {"metric": self.metric.value, "directed": self.directed}

    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """A tour in the city numbers of the file."""
        numbers: list[int] = self.city_ids[solution].tolist()
        return numbers

    def write(self, path: Path, solution: NDArray[np.integer], comment: str) -> None:
        """Write a tour as TSPLIB does; see :func:`gpu.problems.tsp.tours.write_tour`."""
        from gpu.problems.tsp.tours import write_tour

        write_tour(path, self, solution, comment)

    def part(self, size: int) -> TspInstance:
        """Choose ``size`` cities evenly."""
        kept = chosen_evenly(self.n, size)
        return TspInstance(
            name=self.name,
            comment="",
            metric=self.metric,
            coordinates=None if self.coordinates is None else self.coordinates[kept],
            matrix=None if self.matrix is None else self.matrix[np.ix_(kept, kept)],
            display=self.display[kept],
            computed_layout=self.computed_layout,
            directed=self.directed,
        )
