"""The nearest-neighbour tour: every run begins with it, and trails take their scale from it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.problems.tsp.candidates import Candidates, build_candidates
from gpu.problems.tsp.instance import TspInstance

_LISTED = 32  # nearest neighbours that are looked at first

_made: WeakKeyDictionary[TspInstance, NDArray[np.int32]] = WeakKeyDictionary()


def start_tour(instance: TspInstance) -> NDArray[np.int32]:
    """Return the nearest-neighbour tour, read-only: the one that a colony made, if one did."""
    if instance not in _made:
        lists = build_candidates(instance, min(_LISTED, instance.n - 1))
        nearest_neighbour_length(instance, lists)
    return _made[instance]


def nearest_neighbour_tour(instance: TspInstance, candidates: Candidates) -> NDArray[np.int32]:
    """Go to the nearest city not yet visited, from city 0 on; ties to the lowest index.

    The lists hold each city's nearest in that very order, so that their first unvisited city is
    the one wanted; all cities are looked at only where a whole list is visited. Memory is O(n),
    and 85,900 cities take seconds.
    """
    n = instance.n
    unvisited = np.ones(n, dtype=np.bool_)
    tour = np.zeros(n, dtype=np.int32)
    city = 0
    for position in range(1, n):
        unvisited[city] = False
        for near in (candidates.neighbours, candidates.backup):
            row = near[city]
            free = unvisited[row]
            if free.any():
                city = int(row[free.argmax()])
                break
        else:
            left = np.flatnonzero(unvisited)
            city = int(left[instance.distances(np.array(city), left).argmin()])
        tour[position] = city
    return tour


def nearest_neighbour_length(instance: TspInstance, candidates: Candidates) -> int:
    """Exact length L_nn of :func:`nearest_neighbour_tour`; τ₀ = 1/(n·L_nn)."""
    if instance not in _made:
        _made[instance] = frozen(nearest_neighbour_tour(instance, candidates))
    return instance.tour_length(_made[instance])
