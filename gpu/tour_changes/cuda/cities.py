"""An instance as kernels read it whose ants change tours: cities numbered along a tour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.alpha import alpha_neighbours
from gpu.cpu.assignment import assignment_of, joined
from gpu.cpu.first_tours import greedy_tour
from gpu.cpu.geometry import geometry_of
from gpu.cpu.parted_greedy import MOST_IN_ONE, parted_greedy_tours
from gpu.cpu.quadrants import quadrant_lists, renumbered
from gpu.cuda.instances import check_cities, distance_values
from gpu.cuda.machine import made_once
from gpu.cuda.trails import CudaListedTrails
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE
from gpu.tour_changes.parameters import ALPHA

_GREEDY_LISTED = 8  # cities on the lists that the greedy tour begins with
_MOST_TAKEN = 1 << 30  # from a distance: any such values shorten all tours alike
_MOVED = 0.5  # how far cities are moved for another greedy tour, in distances of the nearest one


@dataclass(frozen=True, eq=False)
class OrderedCities:
    """The instance with its cities in the order of a first tour: near ones have near numbers."""

    instance: TspInstance  # with these numbers
    order: NDArray[np.int32]  # (n,): the city of the given instance that each one is
    neighbours: NDArray[np.int32]  # (n, k): candidates by distance
    # Of a directed instance: candidates that come before a city, (n, k); and (n, 2), what is taken
    # away from distances to each city, and from those that leave it.
    entering: NDArray[np.int32] | None = None
    reductions: NDArray[np.int32] | None = None

    @staticmethod
    def of(
        instance: TspInstance,
        width: int,
        nearness: str,
        start: NDArray[np.int32] | None = None,
    ) -> OrderedCities:
        """Prepare ``instance`` with ``width`` candidates for each city.

        The first tour is ``start``, else the greedy one, of a directed instance an assignment's.
        Colonies that are given none share what is prepared, which is done once for all of them.

        Raises
        ------
        DeviceMemoryError
            If the instance has more cities than the kernels can number.
        """
        if start is None:
            return _prepared(instance, width, nearness)
        return OrderedCities._of(instance, width, nearness, start)

    @classmethod
    def _of(
        cls,
        instance: TspInstance,
        width: int,
        nearness: str,
        start: NDArray[np.int32] | None = None,
    ) -> OrderedCities:
        check_cities(instance)
        if instance.directed:
            return cls._of_directed(instance, width, start)
        lists = quadrant_lists(instance, max(width, _GREEDY_LISTED))
        order = first_tour(instance, lists) if start is None else start
        if nearness == ALPHA:
            lists = alpha_neighbours(instance, width).neighbours
        elif lists.shape[1] != width:
            lists = quadrant_lists(instance, width)
        ours = instance.restricted_to(order)
        made = cls(ours, order, renumbered(geometry_of(ours, 0.0), lists, order))
        assert made.values  # made now: two colonies at once would make it twice
        return made

    @classmethod
    def _of_directed(
        cls, instance: TspInstance, width: int, start: NDArray[np.int32] | None
    ) -> OrderedCities:
        matrix = instance.all_distances()
        found = assignment_of(matrix, width)
        order = joined(matrix, found) if start is None else start
        number = np.empty(instance.n, np.int32)
        number[order] = np.arange(instance.n, dtype=np.int32)
        near, entering = (number[lists[order]] for lists in (found.leaving, found.entering))
        values = np.clip((found.columns, found.rows), -_MOST_TAKEN, _MOST_TAKEN)
        reductions = values.T[order].astype(np.int32)
        made = cls(instance.restricted_to(order), order, near, entering, reductions)
        assert made.values  # made now: two colonies at once would make it twice
        return made

    def starts(self, count: int, seed: int) -> NDArray[np.int32]:
        """Tours to begin with, (count, n): the first, then greedy ones of cities moved a little.

        So tours differ from the beginning, and what one of them lacks another one may have.
        """
        tours = np.tile(np.arange(self.n, dtype=np.int32), (count, 1))
        places = self.instance.coordinates
        if places is None or self.instance.metric not in PLANE or self.directed:
            return tours
        rng = np.random.default_rng(seed)
        nearest = self.instance.distances(np.arange(self.n), self.neighbours[:, 0])
        for tour in tours[1:]:
            moves = rng.uniform(-_MOVED, _MOVED, (self.n, 2)) * nearest[:, None]
            moved = replace(self.instance, coordinates=places[:, :2] + moves)
            tour[:] = greedy_tour(moved, self.neighbours)
        return tours

    @property
    def n(self) -> int:
        """Cities."""
        return self.instance.n

    @property
    def directed(self) -> bool:
        """Whether trails have a direction."""
        return self.instance.directed

    @property
    def width(self) -> int:
        """Candidates of a city."""
        return int(self.neighbours.shape[1])

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """Coordinates from the middle of the map on, (n, 2): float32 is exact enough near it.

        Of a directed instance: the bits of what is taken away from its distances.
        """
        if self.reductions is not None:
            return self.reductions.view(np.float32)
        if self.instance.coordinates is None:
            return np.zeros((self.n, 2), np.float32)
        plane = self.instance.coordinates[:, :2]
        middle = (plane.min(axis=0) + plane.max(axis=0)) // 2
        return np.asarray(plane - middle, np.float32)

    @cached_property
    def per_map(self) -> float:
        """1 / the mean side of the map, or 0 if most cities are at one place.

        It does not count the tenth of the cities that are farthest to the sides.
        """
        low, high = np.percentile(self.points, (5, 95), axis=0)
        wide, tall = (high - low).tolist()
        side = (wide * tall) ** 0.5 or max(wide, tall)
        return 0.9 / side if side else 0.0

    @cached_property
    def values(self) -> dict[str, NDArray[Any]]:
        """Host arrays that kernels read, by the name of the buffer that they go into."""
        near = self.neighbours
        return {
            "near": near if self.entering is None else np.concatenate((near, self.entering)),
            "points": self.points,
            "nearest": np.ones(1, np.int32),  # of η, which these ants have no use for
            **distance_values(self.instance),
        }

    @cached_property
    def trails(self) -> CudaListedTrails:
        """The memory of trails; all edges that are on no list have the least one, 1."""
        return CudaListedTrails(self.neighbours, self.order)

    @cached_property
    def lists(self) -> NDArray[np.int32]:
        """The candidates of each city of the given instance, (n, k)."""
        return self.order[self.neighbours[self.trails.number]]


def first_tour(instance: TspInstance, lists: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the greedy tour; of very many cities, the one that is made by parts."""
    if instance.n <= MOST_IN_ONE or instance.metric not in PLANE:
        return greedy_tour(instance, lists)
    tours = parted_greedy_tours(geometry_of(instance, 0.0), lists, 1)
    return tours.reshape(-1)


_prepared = made_once(OrderedCities._of)
