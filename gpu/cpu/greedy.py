"""The greedy tour: the shortest edges first, as long as they make neither a fork nor a cycle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, inlined
from gpu.cpu.geometry import Geometry, distance, geometry_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import quadrant_neighbours

_JOINED_BY = 8  # cities around each open end, where fragments are joined for the first time

Ints = NDArray[np.int32]


def greedy_tour(instance: TspInstance, neighbours: NDArray[np.int32]) -> NDArray[np.int32]:
    """Link cities by the edges of their lists, (n, k), then the fragments by their near ends.

    Edges go by length; of equal ones, those of the lower city first, in the order of its list.
    Fragments are joined in rounds, in each by new lists that hold nothing but open ends. The
    instance is symmetric and has at least 3 cities.
    """
    n = instance.n
    links = np.full((n, 2), -1, np.int32)
    ends = np.arange(n, dtype=np.int32)
    cities, part, lists = ends.copy(), instance, neighbours
    missing = n - 1
    width = _JOINED_BY
    while True:
        keys = np.empty(lists.size, np.int64)
        count = _rank_edges(geometry_of(part, 0.0), lists, cities, ends, keys)
        keys = keys[:count]
        keys.sort()
        missing -= _link(keys, lists, cities, ends, links)
        if missing == 0:
            break
        cities = np.flatnonzero(links[:, 1] < 0).astype(np.int32)
        part = instance.restricted_to(cities)
        lists = quadrant_neighbours(part, width)
        width *= 2  # a round joins most, or all that are near each other: there are few rounds
    tour = np.empty(n, np.int32)
    _walk(links, tour)
    return tour


@cached
def _rank_edges(
    geometry: Geometry, lists: Ints, cities: Ints, ends: Ints, keys: NDArray[np.int64]
) -> int:
    """Fill ``keys`` with length and place on the lists of each edge; return their number.

    An edge on two lists counts once, and one between the ends of one fragment not at all.
    ``cities`` are those that the lists' rows and entries stand for; ``ends`` is the other end of
    the fragment that ends in a city.
    """
    rows, k = lists.shape
    count = 0
    for row in range(rows):
        for rank in range(k):
            other = lists[row, rank]
            if other < row:
                listed = False
                for back in range(k):
                    listed |= lists[other, back] == row
                if listed:
                    continue
            if ends[cities[row]] != cities[other]:
                keys[count] = distance(geometry, row, other) * (rows * k) + (row * k + rank)
                count += 1
    return count


@cached
def _link(keys: NDArray[np.int64], lists: Ints, cities: Ints, ends: Ints, links: Ints) -> int:
    """Link the edges in the order of ``keys``; return how many were."""
    rows, k = lists.shape
    count = 0
    for key in keys:
        place = key % (rows * k)
        a, b = cities[place // k], cities[lists[place // k, place % k]]
        if links[a, 1] < 0 and links[b, 1] < 0 and ends[a] != b:
            _add(links, a, b)
            _add(links, b, a)
            one, other = ends[a], ends[b]
            ends[one] = other
            ends[other] = one
            count += 1
    return count


@inlined
def _add(links: Ints, a: Whole, b: Whole) -> None:
    links[a, 1 if links[a, 0] >= 0 else 0] = b


@cached
def _walk(links: Ints, tour: Ints) -> None:
    """Fill ``tour`` with the cities of the one path, from that of its ends with the lower index."""
    city = 0
    while links[city, 1] >= 0:
        city += 1
    before = -1
    for position in range(tour.size):
        tour[position] = city
        following = links[city, 0] if links[city, 0] != before else links[city, 1]
        before = city
        city = following
