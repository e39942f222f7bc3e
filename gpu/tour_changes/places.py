"""Colonies that visit places, shown as colonies that visit all cities.

Where many cities are at one place, the lists of each have these alone, or one of the others: tours
of such cities can hardly be changed. So ants know one city of each place, and the others are
visited with it. Among them is no way, so the tour is as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import Colony, never
from gpu.core.instance import Solution
from gpu.core.legacy import Adjustable
from gpu.core.parameters import Parameters
from gpu.core.snapshot import PICTURE_SIZE, Snapshot, Trails, TrailTable, Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE

TOGETHER = 3  # cities at a place for whom the lists of all have room
WORTH_JOINING = 20  # places are visited if one city in so many is further than these, or more
FEWEST_PLACES = 20  # with fewer, all cities are visited

NOT_REPLAYED = (
    "Many cities are at one place, so the ants visit places. They work, but cannot be looked at."
)


@dataclass(frozen=True, eq=False)
class Places:
    """The different places of an instance, numbered by the first city at each."""

    instance: TspInstance  # of these first cities
    cities: NDArray[np.int32]  # (k,): the first city at each place
    place: NDArray[np.int32]  # (n,): the place of each city
    order: NDArray[np.int32]  # (n,): cities, place by place
    begins: NDArray[np.int64]  # (k + 1,): where each place's begin

    def extended(self, tour: Solution) -> Solution:
        """Return the tour of all cities that visits the places as ``tour`` does, (k,)."""
        sizes = np.diff(self.begins)[tour]
        before = np.cumsum(sizes) - sizes
        at = np.repeat(self.begins[tour] - before, sizes) + np.arange(len(self.order))
        return frozen(self.order[at])

    def restricted(self, tour: Solution) -> Solution:
        """Return the tour of the places in the order in which ``tour``, (n,), comes to them."""
        first = np.unique(self.place[tour], return_index=True)[1]
        return frozen(self.place[tour[np.sort(first)]])


# None where it is not worth it. What is kept must not hold the instance itself.
_found: WeakKeyDictionary[TspInstance, Places | None] = WeakKeyDictionary()


def places_of(instance: TspInstance) -> Places | None:
    """Return the places that ants are to visit in place of all cities; None if all are visited.

    Lengths are rounded, so coming to a place twice can be shorter by 1. This is why it is done
    only where many cities are further than the third at a place.
    """
    if instance not in _found:
        _found[instance] = _look_for_places(instance)
    return _found[instance]


def _look_for_places(instance: TspInstance) -> Places | None:
    if instance.metric not in PLANE or instance.coordinates is None:
        return None
    at = np.ascontiguousarray(instance.coordinates[:, :2]) + 0.0  # of -0, too
    flat = at.view(np.complex128).ravel()
    _, first, which, sizes = np.unique(
        flat, return_index=True, return_inverse=True, return_counts=True
    )
    further = int(np.maximum(sizes - TOGETHER, 0).sum())
    if len(first) < FEWEST_PLACES or further * WORTH_JOINING < instance.n:
        return None
    by_city = np.argsort(first)  # places in the order of their first cities
    number = np.empty(len(first), np.int32)
    number[by_city] = np.arange(len(first), dtype=np.int32)
    cities, place = first[by_city].astype(np.int32), number[which.ravel()]
    order = np.argsort(place, kind="stable").astype(np.int32)
    begins = np.concatenate(([0], np.cumsum(sizes[by_city]))).astype(np.int64)
    return Places(instance.restricted_to(cities), cities, place, order, begins)


def colony_on_places(
    instance: TspInstance,
    start: Solution | None,
    build: Callable[[TspInstance, Solution | None], Colony],
) -> Colony:
    """Build a colony on the places of ``instance``, or on all cities; it may begin with a tour."""
    found = places_of(instance)
    if found is None:
        return build(instance, start)
    begin = None if start is None else found.restricted(start)
    return PlacesColony(build(found.instance, begin), found)


class PlacesColony:
    """A colony on places, as one on all cities; see :class:`gpu.core.colony.Colony`."""

    def __init__(self, colony: Colony, places: Places) -> None:
        self.colony, self._places = colony, places

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self.colony.iterate(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        return self.colony.timed_iteration()

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        return isinstance(self.colony, Adjustable) and self.colony.adjust(parameters)

    def close(self) -> None:
        """Free the colony's memory."""
        self.colony.close()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state, with tours, trails and their picture of all cities."""
        places = self._places
        painted = Wanted.PHEROMONE in wanted
        shown = self.colony.snapshot(wanted | Wanted.SOLUTION if painted else wanted)
        trails, picture = shown.trails, shown.pheromone
        if trails is not None:
            trails = Trails(frozen(places.cities[trails.edges]), trails.strength)
        if picture is not None:
            picture = self._picture(picture, shown.best_solution)
        return replace(
            shown,
            best_solution=self._whole(shown.best_solution),
            iteration_solution=self._whole(shown.iteration_solution),
            built_solution=self._whole(shown.built_solution),
            pheromone=picture,
            trails=trails,
            strip=self._table(shown.strip),
            band=self._table(shown.band),
            kernel=places.instance.n,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of a city: those of its place, where the first city is."""
        places = self._places
        trails = np.ones(len(places.place), np.float32)
        trails[places.cities] = self.colony.trails_from(int(places.place[city]))
        return trails

    def _whole(self, tour: Solution | None) -> Solution | None:
        return None if tour is None else self._places.extended(tour)

    def _table(self, table: TrailTable | None) -> TrailTable | None:
        """Return the table with a row for each city: those at one place have the same one."""
        if table is None:
            return None
        places = self._places
        row = np.empty(len(table.cities), np.intp)
        row[table.cities] = np.arange(len(row))
        cities = places.extended(table.cities)
        rows = row[places.place[cities]]
        return TrailTable(
            cities, frozen(places.cities[table.others[rows]]), frozen(table.values[rows])
        )

    def _picture(self, picture: NDArray[np.float32], best: Solution | None) -> NDArray[np.float32]:
        """Return the picture of the trails among all cities: each pixel is of its first city."""
        places = self._places
        n, left = len(places.place), places.instance.n
        tour = np.arange(left) if best is None else best
        visited = np.repeat(np.arange(left), np.diff(places.begins)[tour])  # turn of each city
        p = min(n, PICTURE_SIZE)
        first = visited[-(-np.arange(p, dtype=np.int64) * n // p)]
        pixel = first * len(picture) // left
        return frozen(picture[np.ix_(pixel, pixel)])
