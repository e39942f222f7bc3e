"""Directed instances as symmetric ones (Jonker and Volgenant 1983).

City i becomes two: 2 i, which is entered, and 2 i + 1, which is left. A link is between them: every
tour has it. A candidate of a left city is an entered one, and the other way round. So whatever ants
do, entered and left cities take turns on a tour, and read in one of its directions it is a tour of
the directed instance. No move turns a stretch of it around: exchanges of 3 edges put stretches
elsewhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import DOUBLED, Geometry
from gpu.focused.cpu.state import FocusedState
from gpu.focused.directed import prepared
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.lists import CityLists

PREPARING = 64  # bytes for each pair of cities while lists are made


def doubled(instance: TspInstance, k: int) -> tuple[CityLists, NDArray[np.int32]]:
    """Return lists of ``k`` candidates for a directed instance, and a tour; 2 n cities in both.

    Distances are reduced; candidates go by them, and those of equal distance by their numbers,
    beginning with that of the city, so that not all lists have the same.
    """
    distances, tour = prepared(instance)
    n = instance.n
    cities = np.arange(n)
    behind = (cities - cities[:, None]) % n
    shape = (2 * n, k)
    neighbours, lengths = np.empty(shape, np.int32), np.empty(shape, np.int32)
    for entered, table in ((0, distances.T), (1, distances)):
        keys = table * np.int64(n) + behind
        np.fill_diagonal(keys, np.iinfo(np.int64).max)  # a city is no candidate of its own
        near = np.argsort(keys, axis=1)[:, :k]
        neighbours[entered::2] = 2 * near + (1 - entered)
        lengths[entered::2] = np.take_along_axis(table, near, 1)
    geometry = Geometry(DOUBLED, np.zeros((2 * n, 3)), np.ones(3), distances, 1.0)
    return CityLists(geometry, False, neighbours, lengths), halved(tour)


def halved(tour: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a tour of 2 n cities: each city is entered, then left."""
    return np.column_stack((2 * tour, 2 * tour + 1)).ravel()


@inlined
def stride(state: FocusedState) -> np.int64:
    """Return how many cities of a tour stay together: 2 where they are doubled."""
    return np.int64(2 if state.lists.geometry.rule == DOUBLED else 1)


@inlined
def city_at(state: FocusedState, place: Whole) -> np.uint32:
    """Return the city of the instance at a place of the tour, read in its direction."""
    tour = state.tour
    if state.lists.geometry.rule != DOUBLED:
        return np.uint32(tour[place])
    backward = tour[0] & 1  # its first city is left at once
    return np.uint32(tour[tour.size - 1 - 2 * place if backward else 2 * place] >> 1)
