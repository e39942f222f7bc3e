"""Colonies that visit places, shown as colonies that visit all cities.

Tours of heaps of cities can hardly be changed (:mod:`gpu.problems.tsp.heaps`). So ants know one
city of each place, and the others are visited with it. Among them is no way, so the tour is as
long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import Colony, never
from gpu.core.instance import Solution
from gpu.core.legacy import Adjustable
from gpu.core.parameters import Parameters
from gpu.core.snapshot import PICTURE_SIZE, Snapshot, Trails, TrailTable, Wanted
from gpu.problems.tsp.heaps import Places, places_of
from gpu.problems.tsp.instance import TspInstance

NOT_REPLAYED = (
    "Many cities are at one place, so the ants visit places. They work, but cannot be looked at."
)


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
