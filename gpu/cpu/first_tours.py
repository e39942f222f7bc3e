"""The tours that are made at once: to the nearest neighbour, and greedily.

Every run begins with the nearest-neighbour tour, and trails take their scale from it. The nearest
city that is left is looked for in boxes around cities that follow each other on a space-filling
curve, eight in a box, and in boxes around eight boxes, up to one box around all.

The greedy tour has the shortest edges first, as long as they make neither a fork nor a cycle.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.curve import curve_order
from gpu.cpu.geometry import BOXED, GEOGRAPHICAL, CityGeometry, distance, geometry_of, length
from gpu.cpu.quadrants import quadrant_lists
from gpu.problems.tsp.distances import EARTH_RADIUS
from gpu.problems.tsp.instance import TspInstance

_WIDE = 8  # cities in a box of the lowest level, and boxes in a box of any other
_CURVE_BITS = 20  # of each coordinate, for the curve
_NOISE = 1e-3  # km that TSPLIB's formula for GEO is off at most
_BEYOND_ALL = np.iinfo(np.int64).max

Floats = NDArray[np.float64]


class Boxes(NamedTuple):
    """The cities in their order along the curve, then the boxes around them, level by level."""

    geometry: CityGeometry  # of the cities in that order
    places: Floats  # (n, 3): what boxes are around: coordinates, for GEO on the sphere in space
    cities: NDArray[np.int32]  # (n,): their numbers in the instance
    left: NDArray[np.int32]  # (n + b,): cities that are not visited yet, 1 or 0 for a city itself
    first: NDArray[np.int64]  # (levels,): where each level begins in ``left``; cities are the first
    low: Floats  # (b, 3): corners
    high: Floats  # (b, 3)
    inside: NDArray[
        np.int64
    ]  # (b, 2): where the cities or boxes in a box begin and end in ``left``


_made: WeakKeyDictionary[TspInstance, dict[int, NDArray[np.int32]]] = WeakKeyDictionary()


def nearest_neighbour_tour(instance: TspInstance, start: int = 0) -> NDArray[np.int32]:
    """Return the tour to the nearest city not yet visited, from ``start`` on; it is read-only.

    Ties go to the lowest city. The tour of an instance is made once; of a million cities, in some
    seconds, with O(n) memory.
    """
    made = _made.setdefault(instance, {})
    if start not in made:
        boxes = _boxes_of(geometry_of(instance, 0.0))
        tour = np.empty(instance.n, np.int32)
        _visit(boxes, np.empty(_WIDE * boxes.first.size, np.int64), np.int64(start), tour)
        made[start] = frozen(tour)
    return made[start]


def curve_tour(instance: TspInstance) -> NDArray[np.int32]:
    """Return the tour along Hilbert's curve, by the first two coordinates; it is read-only.

    It is some 40 % longer than the shortest one, and takes no more than sorting.
    """
    return frozen(curve_order(geometry_of(instance, 0.0).points))


def nearest_neighbour_length(instance: TspInstance, start: int = 0) -> int:
    """Exact length L_nn of :func:`nearest_neighbour_tour`; τ₀ = 1/(n·L_nn)."""
    return instance.tour_length(nearest_neighbour_tour(instance, start))


def _boxes_of(geometry: CityGeometry) -> Boxes:
    places = geometry.points
    if geometry.rule == GEOGRAPHICAL:
        latitude, longitude = places[:, 0], places[:, 1]
        around = EARTH_RADIUS * np.cos(latitude)
        height = EARTH_RADIUS * np.sin(latitude)
        places = np.column_stack((around * np.cos(longitude), around * np.sin(longitude), height))
    # The order of a matrix, whose places are all the same, is that of the instance.
    cities = np.argsort(_along_the_curve(places), kind="stable").astype(np.int32)
    geometry = geometry._replace(points=geometry.points[cities])
    low = high = places = places[cities]
    lefts, lows, highs, insides = [np.ones(cities.size, np.int32)], [], [], []
    first = [0]
    while len(low) > 1:
        starts = np.arange(0, len(low), _WIDE)
        ends = np.minimum(starts + _WIDE, len(low))
        insides.append(first[-1] + np.column_stack((starts, ends)))
        first.append(first[-1] + len(low))
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        lows.append(low)
        highs.append(high)
        lefts.append(np.add.reduceat(lefts[-1], starts))
    joined = (np.concatenate(parts) for parts in (lows, highs, insides))
    return Boxes(geometry, places, cities, np.concatenate(lefts), np.array(first), *joined)


def _along_the_curve(places: Floats) -> NDArray[np.int64]:
    """Return a number of each place, near for near places: the bits of its coordinates in turn."""
    offsets = places - places.min(axis=0)
    cells = (offsets * ((2**_CURVE_BITS - 1) / max(float(offsets.max()), 1e-300))).astype(np.int64)
    numbers = np.zeros(len(places), np.int64)
    for axis in range(3):
        spread = cells[:, axis]
        for shift, mask in (
            (32, 0x1F00000000FFFF),
            (16, 0x1F0000FF0000FF),
            (8, 0x100F00F00F00F00F),
            (4, 0x10C30C30C30C30C3),
            (2, 0x1249249249249249),
        ):
            spread = (spread | spread << shift) & mask
        numbers |= spread << axis
    return numbers


@cached
def _visit(
    boxes: Boxes, waiting: NDArray[np.int64], start: np.int64, tour: NDArray[np.int32]
) -> None:
    """Fill ``tour``; there is room in ``waiting`` for the boxes that are still to be looked at."""
    city = np.int64(0)
    while boxes.cities[city] != start:
        city += 1
    for position in range(tour.size):
        if position > 0:
            city = _nearest(boxes, waiting, city)
        tour[position] = boxes.cities[city]
        place = city
        for level in range(boxes.first.size):
            boxes.left[boxes.first[level] + place] -= 1
            place //= _WIDE


@compiled
def _nearest(boxes: Boxes, waiting: NDArray[np.int64], city: np.int64) -> np.int64:
    """Return the unvisited city with the least (distance, number in the instance).

    The boxes beside that of ``city`` are looked at first, then those beside the box around it, and
    so on: what is found early excludes most others.
    """
    n = boxes.cities.size
    best, nearest = np.int64(_BEYOND_ALL), city
    came, place = city, city
    for level in range(1, boxes.first.size):
        place //= _WIDE
        around = boxes.first[level] + place
        count = _put_inside(boxes, waiting, 0, around - n, came)
        came = around
        while count > 0:
            count -= 1
            at = np.int64(waiting[count])
            if at >= n:
                if _least(boxes, at - n, city) <= best:
                    count = _put_inside(boxes, waiting, count, at - n, came)
                continue
            away = distance(boxes.geometry, city, at)
            if away < best or (away == best and boxes.cities[at] < boxes.cities[nearest]):
                best, nearest = away, at
    return nearest


@inlined
def _put_inside(
    boxes: Boxes, waiting: NDArray[np.int64], count: Whole, box: Whole, came: np.int64
) -> Whole:
    """Let what is inside ``box`` wait, unless all of it is visited, but for ``came``."""
    for at in range(boxes.inside[box, 0], boxes.inside[box, 1]):
        if boxes.left[at] > 0 and at != came:
            waiting[count] = at
            count += 1
    return count


@inlined
def _least(boxes: Boxes, box: Whole, city: np.int64) -> np.int64:
    """Return a lower bound of the distances from ``city`` to the cities in ``box``."""
    geometry = boxes.geometry
    x, y = _gap(boxes, box, city, 0), _gap(boxes, box, city, 1)
    z = _gap(boxes, box, city, 2)
    if geometry.rule in BOXED:
        return length(geometry, x, y, z)
    if geometry.rule != GEOGRAPHICAL:
        return np.int64(0)
    half = min(math.sqrt(x * x + y * y + z * z) / (2.0 * EARTH_RADIUS), 1.0)
    return np.int64(max(2.0 * EARTH_RADIUS * math.asin(half) - _NOISE, 0.0) + 1.0)


@inlined
def _gap(boxes: Boxes, box: Whole, city: np.int64, axis: int) -> np.float64:
    place = boxes.places[city, axis]
    below, above = boxes.low[box, axis] - place, place - boxes.high[box, axis]
    return np.float64(max(max(below, above), 0.0))


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
        lists = quadrant_lists(part, width)
        width *= 2  # a round joins most, or all that are near each other: there are few rounds
    tour = np.empty(n, np.int32)
    _walk(links, tour)
    return tour


@cached
def _rank_edges(
    geometry: CityGeometry, lists: Ints, cities: Ints, ends: Ints, keys: NDArray[np.int64]
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
