"""Directed instances as symmetric ones (Jonker and Volgenant 1983).

City i becomes two: 2 i, which is entered, and 2 i + 1, which is left. A link is between them: every
tour has it. A candidate of a left city is an entered one, and the other way round. So whatever ants
do, entered and left cities take turns on a tour, and read in one of its directions it is a tour of
the directed instance. No move turns a stretch of it around: exchanges of 3 edges put stretches
elsewhere.

The distances are reduced: the dual values of the assignment problem, which makes the first tour,
are taken away from them (:mod:`gpu.cpu.assignment`). The table stays as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.assignment import LEAST_LISTED, assignment_of, joined
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import DOUBLED, CityGeometry, as_compiled
from gpu.focused.cpu.state import FocusedState
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.state import FAR_AWAY, CityLists

_PREPARING = 200  # bytes for each near city of a list while it is made


def bytes_prepared(instance: TspInstance, k: int) -> dict[str, int]:
    """Bytes of each part, beside the instance, that :func:`doubled` takes."""
    table = 0 if instance.matrix is not None else 4 * instance.n**2
    lists = instance.n * max(k, LEAST_LISTED) * _PREPARING
    return {"table of distances": table, "lists of near cities": lists}


def doubled(instance: TspInstance, k: int) -> tuple[CityLists, NDArray[np.int32]]:
    """Return lists of ``k`` candidates for a directed instance, and a tour; 2 n cities in both."""
    matrix, n = as_compiled(instance.all_distances()), instance.n
    found = assignment_of(matrix, k)
    tour = joined(matrix, found)
    cities, shape = np.arange(n)[:, None], (2 * n, k)
    neighbours, lengths = np.empty(shape, np.int32), np.empty(shape, np.int32)
    neighbours[::2], neighbours[1::2] = 2 * found.entering + 1, 2 * found.leaving
    for half, start, end in ((0, found.entering, cities), (1, cities, found.leaving)):
        lengths[half::2] = np.minimum(found.reduced(matrix, start, end), FAR_AWAY)
    points = np.zeros((2 * n, 3))
    points[::2, 0], points[1::2, 0] = found.columns, found.rows
    geometry = CityGeometry(DOUBLED, points, np.ones(3), matrix, 1.0)
    return CityLists(geometry, False, neighbours, lengths), halved(tour)


def halved(tour: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a tour of 2 n cities: each city is entered, then left."""
    return np.column_stack((2 * tour, 2 * tour + 1)).ravel()


def whole(tour: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the tour of the instance that a tour of 2 n cities is, read in its direction."""
    forward = tour[::-1] if tour[0] & 1 else tour  # else its first city is left at once
    return forward[::2] // 2


def exact_geometry(instance: TspInstance) -> CityGeometry:
    """Return the doubled cities of an instance, with nothing taken away from distances."""
    matrix = as_compiled(instance.all_distances())
    return CityGeometry(DOUBLED, np.zeros((2 * instance.n, 3)), np.ones(3), matrix, 1.0)


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
