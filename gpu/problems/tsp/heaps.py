"""Instances with heaps of cities: many at one place.

Where many cities are at one place, the list of near cities of each has these alone, or one of the
others. So whoever looks for short tours or for their bound looks at places: one city of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.instance import Solution
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE

TOGETHER = 3  # cities at a place for whom the lists of all have room
WORTH_JOINING = 20  # places are visited if one city in so many is further than these, or more
FEWEST_PLACES = 20  # with fewer, all cities are visited


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
    """Return the places to look at in place of all cities; None if that is not worth it.

    Lengths are rounded, so a tour that comes to a place twice can be shorter by 1. This is why it
    takes many cities that are further than the third at a place.
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
