"""Directed instances as symmetric ones (Jonker and Volgenant 1983).

City i becomes two: 2 i, which is entered, and 2 i + 1, which is left. A link is between them: every
tour has it. A candidate of a left city is an entered one, and the other way round. So whatever ants
do, entered and left cities take turns on a tour, and read in one of its directions it is a tour of
the directed instance. No move turns a stretch of it around: exchanges of 3 edges put stretches
elsewhere.

Before that, the assignment problem gives each city a successor, each another one, with the least
sum of distances. Most of these edges belong to a short tour, and so do many of those that would
cost little more: the latter is what reduced distances tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import DOUBLED, CityGeometry
from gpu.focused.cpu.state import FocusedState
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.state import CityLists

Matrix = NDArray[np.int64]

_REDUCED_MOST = 2**31 - 2  # reduced distance: they are kept as int32, whose largest stands for none


def prepared(instance: TspInstance) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the reduced distances of a directed instance, row to column, and a short tour."""
    costs = instance.all_distances().astype(np.int64)
    n = len(costs)
    np.fill_diagonal(costs, n * (int(costs.max()) + 1))  # more than any tour
    successors = np.asarray(linear_sum_assignment(costs)[1], np.int64)
    distances = reduced(costs, successors)
    tour = joined(distances, successors)
    np.fill_diagonal(distances, 0)
    np.fill_diagonal(costs, 0)
    if distances.max() > _REDUCED_MOST:
        distances = costs  # less helpful, but as true
    return distances.astype(np.int32), tour.astype(np.int32)


def reduced(costs: Matrix, successors: Matrix) -> Matrix:
    """Take the dual values of the assignment away from rows and columns.

    Then no distance is below 0, that to the successor is 0, and all tours are shorter than before
    by the same length. The value of a row is the length of a shortest path (Bellman 1958): at most
    that of another row, and what it costs to take over the successor of that one's city.
    """
    n = len(costs)
    own = costs[np.arange(n), successors]
    steps = costs.T[successors] - own[:, None]  # [b, a]: what it costs a to take over what b has
    rows, fallen = np.zeros(n, np.int64), np.arange(n)
    while fallen.size:
        lower = (steps[fallen] + rows[fallen, None]).min(axis=0)
        fallen = np.flatnonzero(lower < rows)
        rows[fallen] = lower[fallen]
    columns = np.empty(n, np.int64)
    columns[successors] = own - rows
    result: Matrix = costs - rows[:, None] - columns
    return result


def joined(distances: Matrix, successors: Matrix) -> Matrix:
    """Join the cycles of an assignment to one tour: the others to the largest (Karp 1979)."""
    following = successors.copy()
    cycles = sorted(_cycles(following), key=len, reverse=True)
    cities = cycles[0]
    for cycle in cycles[1:]:
        here, there = following[cities], following[cycle]
        more = distances[np.ix_(cities, there)] + distances[np.ix_(cycle, here)].T
        more -= distances[cities, here][:, None] + distances[cycle, there]
        a, b = np.unravel_index(int(more.argmin()), more.shape)
        following[cities[a]], following[cycle[b]] = there[b], here[a]
        cities = np.concatenate((cities, cycle))
    return _cycles(following)[0]


def _cycles(following: Matrix) -> list[Matrix]:
    """The cycles of a permutation, by their lowest cities."""
    left = set(range(len(following)))
    cycles = []
    for first in range(len(following)):
        cycle, city = [], first
        while city in left:
            left.remove(city)
            cycle.append(city)
            city = int(following[city])
        if cycle:
            cycles.append(np.array(cycle))
    return cycles


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
    geometry = CityGeometry(DOUBLED, np.zeros((2 * n, 3)), np.ones(3), distances, 1.0)
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
