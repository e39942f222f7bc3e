"""Nearest neighbours, exact under TSPLIB's integers, without an n × n array."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import usable_cores
from gpu.problems.tsp import distances
from gpu.problems.tsp.distances import SHORTEST, Metric
from gpu.problems.tsp.instance import TspInstance

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

NORMS = {
    **dict.fromkeys((Metric.EUC_2D, Metric.EUC_3D, Metric.ATT, Metric.GEO), 2.0),
    **dict.fromkeys((Metric.CEIL_2D, Metric.CEIL_3D, Metric.FLOOR_2D, Metric.FLOOR_3D), 2.0),
    **dict.fromkeys((Metric.MAN_2D, Metric.MAN_3D), 1.0),
    **dict.fromkeys((Metric.MAX_2D, Metric.MAX_3D), np.inf),
}
"""Metrics whose length is a norm, or grows with one, and the norm's p."""

_SPARE_CITIES = (
    16  # cities asked of the tree beyond those wanted, so that most ties are settled at once
)
_WIDENINGS = 3  # how often a row whose last place is tied asks the tree again, for twice as many
OWN_KEY = np.iinfo(np.int64).max  # key of a city with itself

_LOOKING_THREADS = 8

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
        rows = tree.all_rows()
        for widening in range(_WIDENINGS):
            width = (k + 1 + _SPARE_CITIES) << widening
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
        from scipy.spatial import cKDTree  # slow to import

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
        fill = partial(self._fill, result, width=width, last=last)
        blocks = distances.blocks(len(rows), _LOOKING_THREADS * width)
        with ThreadPoolExecutor(min(usable_cores(), _LOOKING_THREADS)) as pool:
            return np.concatenate(list(pool.map(fill, [rows[block] for block in blocks])))

    def all_rows(self) -> NDArray[np.int64]:
        """Return all cities, near ones one after the other."""
        rows: NDArray[np.int64] = self._tree.indices
        return rows

    def _fill(
        self, result: NDArray[np.int32], cities: NDArray[np.int64], *, width: int, last: bool
    ) -> NDArray[np.int64]:
        """Fill the rows of some cities; return those that are still to be filled."""
        k, n = result.shape[1], self._instance.n
        query = self._tree.query(self._points[cities], width, p=self._norm)
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
        return cities[~decided]

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
    keys[others == cities[:, None]] = OWN_KEY
    return keys


PLANE = (
    Metric.EUC_2D, Metric.CEIL_2D, Metric.FLOOR_2D, Metric.ATT, Metric.MAN_2D, Metric.MAX_2D
)  # fmt: skip
"""Metrics with quadrants around a city: lengths grow with the differences of x and of y."""

LOOKED_AT = (24, 96, 384)
"""Cities asked of the k-d tree: first, and again where a quadrant has too few of them."""

IN_QUADRANT = 2  # cities that each quadrant has on a list

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
    rank, before, _ = heaps(points)
    known = np.flatnonzero(rank <= k)
    further = np.flatnonzero(rank > k)
    from scipy.spatial import cKDTree  # slow to import

    tree = cKDTree(points[known])
    result = np.empty((n, k), np.int32)
    rows = np.concatenate((known[tree.indices], further))  # near ones one after the other
    with ThreadPoolExecutor(min(usable_cores(), _LOOKING_THREADS)) as pool:
        for looked_at in LOOKED_AT:
            width = min(max(looked_at, 2 * k), known.size)
            look = partial(_look, instance, tree, known, width, result)
            blocks = distances.blocks(len(rows), _LOOKING_THREADS * width)
            rows = np.concatenate(list(pool.map(look, [rows[block] for block in blocks])))
            if not looks_further(rows.size, width, known.size, n):
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
    quadrants[keys == OWN_KEY] = -1
    chosen, complete = _chosen(quadrants, result.shape[1])
    result[cities] = np.take_along_axis(others, chosen, 1)
    return cities[~complete]


def looks_further(left: int, width: int, known: int, n: int) -> bool:
    """Whether to look for more than ``width`` cities where these were too few for ``left`` rows.

    Where cities are in line, most have nobody in some quadrants, however far they look.
    """
    return width < known and left * width <= max(1 << 20, 12 * n)


def heaps(points: NDArray[np.float64]) -> tuple[Cities, Cities, Cities]:
    """Number the cities at each place, by index; also return who is one before, and the first."""
    order = np.lexsort(points.T)
    ordered = points[order]
    position = np.arange(len(points))
    first = np.ones(len(points), np.bool_)
    first[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    rank, before, lead = (np.empty_like(position) for _ in range(3))
    begins = np.maximum.accumulate(np.where(first, position, 0))
    rank[order] = position - begins
    before[order] = np.roll(order, 1)
    lead[order] = order[begins]
    return rank, before, lead


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
        for _ in range(IN_QUADRANT):
            first = here.argmax(axis=1)
            found = here[np.arange(len(here)), first]
            urgent[found, first[found]] = True
            here[found, first[found]] = False
        complete &= found
    chosen = np.argsort(~urgent, axis=1, kind="stable")[:, :k]
    chosen.sort(axis=1)
    return chosen, complete


NOT_LISTED = 255  # in ``reverse``: this city is not on the neighbour's list
LEAST_WEIGHT = 1e-30  # smallest η^β, in units of the row's largest; see :func:`weights`

LIGHTEST, HEAVIEST = np.float32(2.0**-100), np.float32(2.0**100)
"""Products of trail and η^β stay between these, so that a wheel's scale is an ordinary float32."""

BACKUP = 128  # neighbours beyond the candidates that the fallback tries before it scans every city


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate lists of an instance."""

    neighbours: NDArray[np.int32]  # (n, cl): nearest cities of each city, by distance, then index
    distances: NDArray[np.int32]  # (n, cl): their distances
    # (n, cl): rank of city u on the list of ``neighbours[u, r]``, or ``NOT_LISTED``
    reverse: NDArray[np.uint8]
    # (n, b): the next neighbours, in the same order; b = min(128, n - 1 - cl)
    backup: NDArray[np.int32]
    shortest: float = SHORTEST  # what stands for a distance of 0 in weights


def build_candidates(instance: TspInstance, cl: int) -> Candidates:
    """Build the lists of the ``cl`` nearest neighbours (1 <= cl <= min(n - 1, 254))."""
    n = instance.n
    both = nearest_neighbours(instance, min(n - 1, cl + BACKUP))
    neighbours = np.ascontiguousarray(both[:, :cl])
    cities = np.arange(n, dtype=np.int64)
    distances = instance.distances(cities[:, None], neighbours)
    # Position of the pair (v, u) among all listed pairs, found by binary search on v * n + u.
    pair = (cities[:, None] * n + neighbours).ravel()
    order = np.argsort(pair, kind="stable")
    wanted = (neighbours.astype(np.int64) * n + cities[:, None]).ravel()
    place = np.minimum(np.searchsorted(pair, wanted, sorter=order), pair.size - 1)
    listed = pair[order[place]] == wanted
    reverse = np.where(listed, order[place] % cl, NOT_LISTED).astype(np.uint8)
    return Candidates(
        neighbours,
        distances.astype(np.int32),
        reverse.reshape(n, cl),
        np.ascontiguousarray(both[:, cl:]),
        instance.shortest,
    )


def weights(
    distances: NDArray[np.integer],
    nearest: NDArray[np.integer],
    beta: float,
    shortest: float = SHORTEST,
) -> NDArray[np.float32]:
    """η^β in units of each row's nearest neighbour: (d_nearest / d)^β, float32.

    Equations 1 and 2 of the 2016 paper compare and normalize within one city's row, so a factor
    common to the row changes nothing; without it η^β underflows float32 for long edges. A weight
    is never below ``LEAST_WEIGHT``, so that it is never a subnormal number, which a GPU takes
    for 0 and a CPU does not. ``nearest`` broadcasts to ``distances``. A whole β is a repeated
    product, in the same order on every device. A distance of 0 counts as the ``shortest`` one.
    """
    near, away = (np.where(one > 0, one, shortest) for one in (nearest, distances))
    ratio = near.astype(np.float64) / away.astype(np.float64)
    if float(beta).is_integer():
        power = np.ones_like(ratio)
        for _ in range(int(beta)):
            power = power * ratio
    else:
        power = ratio**beta
    return np.maximum(power, LEAST_WEIGHT).astype(np.float32)
