"""What a focused colony makes of a directed instance before it begins.

The assignment problem gives each city a successor, each another one, with the least sum of
distances. Most of these edges belong to a short tour, and so do many of those that would cost
little more: the latter is what reduced distances tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from gpu.problems.tsp.instance import TspInstance

Matrix = NDArray[np.int64]

_LARGEST = 2**31 - 2  # reduced distance: they are kept as int32, whose largest stands for none


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
    if distances.max() > _LARGEST:
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
