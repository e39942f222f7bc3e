"""Candidate lists that look around: near cities in every direction, not the nearest alone.

Where cities stand in clusters, all of a city's nearest are in its own cluster, so that lists of
them hold no edge between clusters; a good tour has some.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.core.machine.processors import usable_cores
from gpu.problems.tsp import distances
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from gpu.problems.tsp.neighbours import NOBODY, NORMS, nearest_neighbours, pair_keys

PLANE = (Metric.EUC_2D, Metric.CEIL_2D, Metric.ATT, Metric.MAN_2D, Metric.MAX_2D)
"""Metrics with quadrants around a city: lengths grow with the differences of x and of y."""

LOOKED_AT = (24, 96, 384)
"""Cities asked of the k-d tree: first, and again where a quadrant has too few of them."""

_MOST_THREADS = 8

_IN_QUADRANT = 2  # cities that each quadrant has on a list

Cities = NDArray[np.int64]


def quadrant_neighbours(instance: TspInstance, k: int) -> NDArray[np.int32]:
    """List ``k`` cities around each city, or all others where there are fewer; shape (n, k).

    The two nearest in each quadrant are on the list before any other city; of these, and of the
    others, the nearest are. All goes by (TSPLIB's distance, index), as the order of a row does.
    Where cities are not in a plane, these are the lists of :func:`nearest_neighbours`.

    Only some hundred cities near each city are looked at. So that a heap of cities at one place
    does not hide the others, its first k + 1 alone are on the lists of others; each further one
    is on the list of the next.
    """
    n = instance.n
    k = min(k, n - 1)
    if instance.metric not in PLANE or instance.coordinates is None:
        return nearest_neighbours(instance, k)
    points = instance.coordinates
    rank, before = _heaps(points)
    known = np.flatnonzero(rank <= k)
    further = np.flatnonzero(rank > k)
    tree = cKDTree(points[known])
    result = np.empty((n, k), np.int32)
    rows = np.concatenate((known[tree.indices], further))  # near ones one after the other
    with ThreadPoolExecutor(min(usable_cores(), _MOST_THREADS)) as pool:
        for looked_at in LOOKED_AT:
            width = min(max(looked_at, 2 * k), known.size)
            look = partial(_look, instance, tree, known, width, result)
            blocks = distances.blocks(len(rows), _MOST_THREADS * width)
            rows = np.concatenate(list(pool.map(look, [rows[block] for block in blocks])))
            # Where cities are in line, most have nobody in some quadrants, however far they look.
            if width == known.size or rows.size * width > max(1 << 20, 12 * n):
                break
    # The first of a further city's list is at the same place, and on many lists already.
    keys = pair_keys(instance, further, np.column_stack((before[further], result[further, 1:])))
    result[further] = np.sort(keys, axis=1) % n
    return result


def _look(
    instance: TspInstance,
    tree: cKDTree,
    known: Cities,
    width: int,
    result: NDArray[np.int32],
    cities: Cities,
) -> Cities:
    """Fill the rows of ``cities``; return those for whom ``width`` of the tree are too few."""
    assert instance.coordinates is not None
    points = instance.coordinates
    near = tree.query(points[cities], width, p=NORMS[instance.metric])[1]
    keys = pair_keys(instance, cities, known[near.reshape(-1, width)])
    keys.sort(axis=1)
    others = keys % instance.n
    quadrants = _quadrants(points, cities, others)
    quadrants[keys == NOBODY] = -1
    chosen, complete = _chosen(quadrants, result.shape[1])
    result[cities] = np.take_along_axis(others, chosen, 1)
    return cities[~complete]


def _heaps(points: NDArray[np.float64]) -> tuple[Cities, Cities]:
    """Number the cities at each place, by index; return the numbers, and who is one before."""
    order = np.lexsort(points.T)
    ordered = points[order]
    position = np.arange(len(points))
    first = np.ones(len(points), np.bool_)
    first[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    rank, before = np.empty_like(position), np.empty_like(position)
    rank[order] = position - np.maximum.accumulate(np.where(first, position, 0))
    before[order] = np.roll(order, 1)
    return rank, before


def _quadrants(points: NDArray[np.float64], cities: Cities, others: Cities) -> NDArray[np.int8]:
    """Quadrant of each other city around ``cities``, 0 to 3 with one border each; or -1: none."""
    x, y = points.T
    right = x[others] - x[cities, None]
    up = y[others] - y[cities, None]
    above = (up > 0) | ((up == 0) & (right > 0))
    result: NDArray[np.int8] = np.where(above, right <= 0, 3 - (right < 0)).astype(np.int8)
    result[(right == 0) & (up == 0)] = -1
    return result


def _chosen(quadrants: NDArray[np.int8], k: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Choose ``k`` columns of each row, whose cities come by distance, the city itself last.

    Also tell which rows have two cities in every quadrant.
    """
    urgent = np.zeros(quadrants.shape, np.bool_)
    complete = np.ones(len(quadrants), np.bool_)
    for quadrant in range(4):
        here = quadrants == quadrant
        for _ in range(_IN_QUADRANT):
            first = here.argmax(axis=1)
            found = here[np.arange(len(here)), first]
            urgent[found, first[found]] = True
            here[found, first[found]] = False
        complete &= found
    chosen = np.argsort(~urgent, axis=1, kind="stable")[:, :k]
    chosen.sort(axis=1)
    return chosen, complete
