"""Greedy tours of very many cities: part by part along Hilbert's curve, then between the parts.

The edges of a part fit a core's cache, and parts need not wait for each other. What is shorter than
an edge of a part, but leads to another part, comes too late: some edges in a hundred do.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.machine.blocks import in_blocks, taken
from gpu.core.machine.processors import usable_cores
from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, inlined
from gpu.cpu.curve import curve_order
from gpu.cpu.geometry import CityGeometry, distance
from gpu.cpu.philox import Key, Words, key_of, key_of_step, own_word
from gpu.cpu.quadrants import lists_around, renumbered

LONGER_BITS = 8  # of the random number that makes an edge longer
_LARGEST = np.int64(1 << 62)
_PURPOSE = np.uint32(Purpose.CROSS)
MOST_IN_ONE = 50_000  # cities up to which all edges are sorted at once
_JOINED = 8  # cities around each open end, where fragments are joined for the first time

Ints = NDArray[np.int32]
Keys = NDArray[np.int64]


class Map(NamedTuple):
    """Cities that are numbered along the curve, with their lists."""

    geometry: CityGeometry
    near: Ints  # (n, k)


class Draws(NamedTuple):
    """Whether lengths are drawn, up to half longer, and from which numbers."""

    drawn: bool
    key: Key
    tour: int


class Fragments(NamedTuple):
    """Edges that were linked."""

    links: Ints  # (n, 2): neighbours of each city, or -1
    ends: Ints  # (n,): the other end of the fragment that ends in a city


def parted_greedy_tours(
    geometry: CityGeometry,
    lists: Ints,
    count: int,
    seed: int | None = None,
    stop: Callable[[], bool] = never,
) -> Ints:
    """Return greedy tours, (count, n), from lists, (n, k).

    With a ``seed``, each has lengths that are drawn anew; else all are the same. Once ``stop`` says
    so, no further tour is begun, and what is returned is of no use.
    """
    n = len(lists)
    order = curve_order(geometry.points)
    ordered = geometry._replace(points=taken(geometry.points, order))
    cities = Map(ordered, renumbered(ordered, lists, order))
    tours = np.empty((count, n), np.int32)
    at_once = min(usable_cores(), count)

    def make(tour: int) -> None:
        if stop():
            return
        draws = Draws(seed is not None, key_of(seed or 0), tour)
        threads = usable_cores() // at_once
        _make(cities, draws, tours[tour], threads)
        tours[tour] = taken(order, tours[tour], threads)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(make, range(count)))
    return tours


def _make(cities: Map, draws: Draws, tour: Ints, threads: int) -> None:
    """Fill ``tour``."""
    n, k = cities.near.shape
    made = Fragments(np.full((n, 2), -1, np.int32), np.arange(n, dtype=np.int32))

    def link(first: int, end: int) -> int:
        keys = np.empty((end - first) * k, np.int64)
        keys = keys[: _rank_inside(cities, draws, made, first, end, keys)]
        keys.sort()
        return _link_edges(cities, made, keys, first, end)

    def between(first: int, end: int) -> NDArray[np.int64]:
        keys = np.empty((end - first) * k, np.int64)
        return keys[: _rank_between(cities, draws, made, first, end, keys)].copy()

    missing = n - 1 - sum(in_blocks(link, n, threads=threads))
    keys = np.concatenate(in_blocks(between, n, threads=threads))
    keys.sort()
    missing -= _link_edges(cities, made, keys, 0, n)
    width = _JOINED
    while missing > 0:
        free = np.flatnonzero(made.links[:, 1] < 0).astype(np.int32)
        ends = cities.geometry._replace(points=cities.geometry.points[free])
        lists = lists_around(ends, width, threads)
        keys = np.empty(lists.size, np.int64)
        keys = keys[: _rank_joints(cities, draws, made, free, lists, keys)]
        keys.sort()
        missing -= _link_joints(made, free, lists, keys)
        width *= 2  # a round joins most, or all that are near each other: there are few rounds
    _walk(made, tour)


@cached
def _rank_inside(
    cities: Map, draws: Draws, made: Fragments, first: Whole, end: Whole, keys: Keys
) -> int:
    """Fill ``keys`` with those of the edges between cities of a part; return their number."""
    return _rank(cities, draws, made, first, end, keys, True)


@cached
def _rank_between(
    cities: Map, draws: Draws, made: Fragments, first: Whole, end: Whole, keys: Keys
) -> int:
    """Fill ``keys`` with those of the edges of a part's cities that can still be linked."""
    return _rank(cities, draws, made, first, end, keys, False)


@inlined
def _rank(
    cities: Map,
    draws: Draws,
    made: Fragments,
    first: Whole,
    end: Whole,
    keys: Keys,
    inside: bool,
) -> int:
    n, k = cities.near.shape
    origin, span = (first, end - first) if inside else (0, n)
    words = key_of_step(draws.key, _PURPOSE, np.uint32(0), draws.tour, 0)
    count = 0
    for city in range(first, end):
        if made.links[city, 1] >= 0:
            continue
        for rank in range(k):
            other = cities.near[city, rank]
            if inside:
                if other < first or other >= end:
                    continue
            elif made.links[other, 1] >= 0 or made.ends[city] == other:
                continue
            if other < city and _listed(cities.near, other, city):
                continue  # the edge counts once
            away = _longer(draws, words, distance(cities.geometry, city, other), city * k + rank)
            keys[count] = _key(away, (city - origin) * k + rank, span * k)
            count += 1
    return count


@inlined
def _listed(lists: Ints, city: Whole, other: Whole) -> bool:
    listed = False
    for rank in range(lists.shape[1]):
        listed |= lists[city, rank] == other
    return listed


@inlined
def _longer(draws: Draws, words: Words, away: np.int64, edge: Whole) -> np.int64:
    """Return a length in units of 1 / 2⁹, up to half longer if lengths are drawn."""
    length = away << (LONGER_BITS + 1)
    if draws.drawn:
        length += away * np.int64(own_word(np.uint32(edge), words) >> np.uint32(32 - LONGER_BITS))
    return np.int64(length)


@inlined
def _key(length: np.int64, edge: Whole, edges: Whole) -> np.int64:
    """Return the length with the edge's number behind it; very long ones count as equal."""
    return np.int64(min(length, _LARGEST // edges - 1) * edges + edge)


@cached
def _link_edges(cities: Map, made: Fragments, keys: Keys, first: Whole, end: Whole) -> int:
    """Link edges of cities from ``first`` on in the order of their keys; return how many were."""
    k, count = cities.near.shape[1], 0
    for key in keys:
        edge = key % ((end - first) * k)
        city = first + edge // k
        count += _link(made, city, cities.near[city, edge % k])
    return count


@inlined
def _link(made: Fragments, a: Whole, b: Whole) -> int:
    """Link two cities, unless that makes a fork or a cycle; return whether they were."""
    links, ends = made.links, made.ends
    if links[a, 1] >= 0 or links[b, 1] >= 0 or ends[a] == b:
        return 0
    links[a, 1 if links[a, 0] >= 0 else 0] = b
    links[b, 1 if links[b, 0] >= 0 else 0] = a
    one, other = ends[a], ends[b]
    ends[one], ends[other] = other, one
    return 1


@cached
def _rank_joints(
    cities: Map, draws: Draws, made: Fragments, free: Ints, lists: Ints, keys: Keys
) -> int:
    """Fill ``keys`` with edges between ends of fragments; return their number."""
    words = key_of_step(draws.key, _PURPOSE, np.uint32(0), draws.tour, 1)
    k, count = lists.shape[1], 0
    for row in range(free.size):
        for rank in range(k):
            entry = lists[row, rank]
            city, other = free[row], free[entry]
            if made.ends[city] == other or (entry < row and _listed(lists, entry, row)):
                continue
            joint = row * k + rank
            away = _longer(draws, words, distance(cities.geometry, city, other), joint)
            keys[count] = _key(away, joint, lists.size)
            count += 1
    return count


@cached
def _link_joints(made: Fragments, free: Ints, lists: Ints, keys: Keys) -> int:
    """Link ends of fragments in the order of their keys; return how many were."""
    k, count = lists.shape[1], 0
    for key in keys:
        joint = key % lists.size
        count += _link(made, free[joint // k], free[lists[joint // k, joint % k]])
    return count


@cached
def _walk(made: Fragments, tour: Ints) -> None:
    """Fill ``tour`` with the cities of the one fragment, from its end with the lower number."""
    city, before = 0, -1
    while made.links[city, 1] >= 0:
        city += 1
    for place in range(tour.size):
        tour[place] = city
        following = made.links[city, 0]
        if following == before:
            following = made.links[city, 1]
        before, city = city, following
