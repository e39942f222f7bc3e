"""The stops of a route, one after the other: what lists, tables and files of it are made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.instance import RouteOrder, TspInstance
from gpu.problems.tsp.routes.route_instance import RouteInstance


class Stop(NamedTuple):
    """One stop; lengths are in the instance's unit, as its costs are."""

    order: int  # 1 is the start
    city: int  # from 0
    number: int  # of the city in its file
    name: str  # of the city; empty where it has none
    leg: int  # way from the stop before; 0 at the start
    total: int  # way from the start


@dataclass(frozen=True, slots=True, eq=False)
class Stops(Sequence[Stop]):
    """The stops of a route, each made when it is asked for: a route may have a million."""

    instance: TspInstance  # of the user's cities alone
    cities: NDArray[np.integer]  # from 0, in their order; a closed route ends where it begins
    legs: NDArray[np.int64]
    totals: NDArray[np.int64]
    closed: bool  # whether the last stop is the start once more

    def __len__(self) -> int:
        return len(self.cities)

    @overload
    def __getitem__(self, at: int) -> Stop: ...
    @overload
    def __getitem__(self, at: slice) -> list[Stop]: ...
    def __getitem__(self, at: int | slice) -> Stop | list[Stop]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        at = range(len(self))[at]  # IndexError beyond the end
        instance, city = self.instance, int(self.cities[at])
        number = city + 1 if instance.ids is None else int(instance.ids[city])
        name = instance.names[city] if instance.names else ""
        return Stop(at + 1, city, number, name, int(self.legs[at]), int(self.totals[at]))

    def __iter__(self) -> Iterator[Stop]:
        return map(self.__getitem__, range(len(self)))


def stops(instance: TspInstance, solution: NDArray[np.integer]) -> Stops:
    """Return the stops of a tour (0-based), from its start; a closed one comes back to it.

    Where no start is wanted, a closed tour begins with the first city of the file. SolutionError if
    ``solution`` is no tour of ``instance``.
    """
    instance.cost_of(solution)
    route = in_order(instance, solution)
    cities = route.path
    # Its own distances are others between the ends of a fixed edge.
    given = instance.base if isinstance(instance, RouteInstance) else None
    real = given or instance
    legs = np.append(np.int64(0), real.distances(cities[:-1], cities[1:]))
    return Stops(real, cities, legs, np.cumsum(legs), route.closed)


def in_order(instance: TspInstance, solution: NDArray[np.integer]) -> RouteOrder:
    """Return the cities of a tour from its start: where none is chosen, from the file's first."""
    cities, closed = instance.route_of(solution)
    start = instance.start if isinstance(instance, RouteInstance) else None
    if closed and start is None:
        cities = np.roll(cities, -int(np.flatnonzero(cities == 0)[0]))
    return RouteOrder(cities, closed)
