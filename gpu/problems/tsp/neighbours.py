"""Nearest neighbours, exact under TSPLIB's integers, without an n × n array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.problems.tsp import distances
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric

NORMS = {
    **dict.fromkeys((Metric.EUC_2D, Metric.EUC_3D, Metric.CEIL_2D, Metric.ATT, Metric.GEO), 2.0),
    **dict.fromkeys((Metric.MAN_2D, Metric.MAN_3D), 1.0),
    **dict.fromkeys((Metric.MAX_2D, Metric.MAX_3D), np.inf),
}
"""Metrics whose length is a norm, or grows with one, and the norm's p."""

_SPARE = 16  # cities asked of the tree beyond those wanted, so that most ties are settled at once
_WIDENINGS = 3  # how often a row whose last place is tied asks the tree again, for twice as many
NOBODY = np.iinfo(np.int64).max  # key of a city with itself

Keys = NDArray[np.int64]


def nearest_neighbours(instance: TspInstance, k: int) -> NDArray[np.int32]:
    """List the ``k`` nearest cities of each city, by (distance, index); shape (n, k).

    The distance is TSPLIB's integer; in a directed instance it is the outgoing one. A city is
    never its own neighbour, but another city at the same place is. ValueError unless 1 <= k < n.

    Where very many cities are tied for the last places of a list (thousands at one place), those
    that follow the city in the order of numbers get them, cyclically. By the lowest numbers all
    their lists would have the same few cities, and an ant that has visited these would have to
    look at all others in each step.
    """
    n = instance.n
    if not 1 <= k < n:
        raise ValueError(f"k = {k} must be in [1, {n - 1}]")
    result = np.empty((n, k), np.int32)
    rows = np.arange(n)
    norm = NORMS.get(instance.metric)
    if norm is not None:
        tree = _Tree(instance, norm)
        for widening in range(_WIDENINGS):
            width = (k + 1 + _SPARE) << widening
            if width < n and rows.size:
                rows = tree.settle(result, rows, width, last=widening == _WIDENINGS - 1)
    _settle_by_all(instance, result, rows)
    return result


class _Tree:
    """A k-d tree in which distances are the metric's lengths, up to rounding noise."""

    def __init__(self, instance: TspInstance, norm: float) -> None:
        self._instance = instance
        self._norm = norm
        assert instance.coordinates is not None
        self._points = _embedded(instance.metric, instance.coordinates)
        self._tree = cKDTree(self._points)
        # Bounds the difference between a length here and in TSPLIB's formula; the arc cosine of
        # the formula alone is off by up to 1e-4 km for close places.
        self._noise = 1e-9 * float(np.abs(self._points).max())
        if instance.metric is Metric.GEO:
            self._noise += 1e-3

    def settle(
        self, result: NDArray[np.int32], rows: NDArray[np.int64], width: int, *, last: bool
    ) -> NDArray[np.int64]:
        """Fill the ``rows`` that ``width`` cities from the tree decide; return the others.

        The ``last`` time, those are filled too whose last places are tied with more cities.
        """
        k, n = result.shape[1], self._instance.n
        undecided = []
        for block in distances.blocks(len(rows), width):
            cities = rows[block]
            query = self._tree.query(self._points[cities], width, p=self._norm, workers=-1)
            found, near = np.asarray(query[0]), np.asarray(query[1])
            keys = pair_keys(self._instance, cities, near)
            keys.sort(axis=1)
            # Whoever was not found is at least as far as the last who was, less the noise.
            beyond = self._lengths(found[:, -1]) * (1.0 - 1e-9) - self._noise
            least = distances.round_length(self._instance.metric, np.maximum(beyond, 0.0))
            decided, tied = least > keys[:, k - 1] // n, least == keys[:, k - 1] // n
            result[cities[decided]] = keys[decided, :k] % n
            if last:
                _fill_by_following(self._instance, result, cities[tied], keys[tied, :k])
                decided |= tied
            undecided.append(cities[~decided])
        return np.concatenate(undecided)

    def _lengths(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._instance.metric is not Metric.GEO:
            return found
        diameter = 2.0 * distances.EARTH_RADIUS
        arcs: NDArray[np.float64] = diameter * np.arcsin(np.minimum(found / diameter, 1.0))
        return arcs


def _embedded(metric: Metric, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    if metric is Metric.ATT:
        scaled: NDArray[np.float64] = coordinates / np.sqrt(10.0)
        return scaled
    if metric is Metric.GEO:
        latitude, longitude = distances.radians(coordinates).T
        around = np.cos(latitude)
        axes = (around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude))
        return np.column_stack(axes) * distances.EARTH_RADIUS
    return coordinates


def _fill_by_following(
    instance: TspInstance, result: NDArray[np.int32], rows: NDArray[np.int64], keys: Keys
) -> None:
    """Fill ``rows``, of whose ``keys`` the last ones are tied with many more cities.

    All nearer cities are among the keys, (r, k), ascending.
    """
    n, k = instance.n, result.shape[1]
    ties = keys[:, -1] // n
    found = (keys // n < ties[:, None]).sum(axis=1)  # places of each list that are filled
    result[rows] = keys % n
    first, count = 1, 4 * k
    while rows.size:
        places = []
        for block in distances.blocks(len(rows), count):
            others = (rows[block, None] + np.arange(first, min(first + count, n))) % n
            tied = instance.distances(rows[block, None], others) == ties[block, None]
            place = found[block, None] + np.cumsum(tied, axis=1) - 1
            row, column = np.nonzero(tied & (place < k))
            result[rows[block][row], place[row, column]] = others[row, column]
            places.append(place[:, -1] + 1)
        found = np.concatenate(places)
        open_ = found < k
        rows, ties, found = rows[open_], ties[open_], found[open_]
        first, count = first + count, 2 * count


def _settle_by_all(
    instance: TspInstance, result: NDArray[np.int32], rows: NDArray[np.int64]
) -> None:
    """Fill ``rows`` by looking at every city."""
    n, k = instance.n, result.shape[1]
    everyone = np.arange(n)
    for block in distances.blocks(len(rows), n):
        cities = rows[block]
        keys = pair_keys(instance, cities, everyone)
        keys.partition(k - 1, axis=1)
        keys = np.sort(keys[:, :k], axis=1)
        result[cities] = keys % n


def pair_keys(
    instance: TspInstance, cities: NDArray[np.int64], others: NDArray[np.integer]
) -> Keys:
    """One number for each pair, ordered as (distance, index); the city itself comes last."""
    keys = instance.distances(cities[:, None], others) * instance.n + others
    keys[others == cities[:, None]] = NOBODY
    return keys
