"""The lists of :func:`gpu.problems.tsp.neighbours.quadrant_neighbours`, for very many cities.

Cities are looked for in boxes around those that follow each other on Hilbert's curve, eight in a
box, and in boxes around eight boxes, up to one box around all. All cores look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.blocks import in_blocks, taken
from gpu.cpu.compilation import Whole, cached, inlined
from gpu.cpu.curve import cities_of, curve_keys, sharing_cells
from gpu.cpu.geometry import MANHATTAN, MAXIMUM, CityGeometry, distance, geometry_of
from gpu.cpu.structures import allocated
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import (
    IN_QUADRANT,
    LOOKED_AT,
    PLANE,
    heaps,
    looks_further,
    quadrant_neighbours,
)

MOST_BY_TREE = 50_000  # cities up to which the k-d tree is as fast as compiled code is loaded

_WIDE = 8  # cities in a box of the lowest level, and boxes in a box of any other
_BLOCK = 1 << 13  # cities that a thread looks around at once
_LAST = np.int64(np.iinfo(np.int64).max)  # key of a city with itself

Floats = NDArray[np.float64]


class HilbertRTree(NamedTuple):
    """Cities along the curve, and the boxes around them, level by level."""

    cities: NDArray[np.int32]  # (m,): those that are looked for, along the curve
    points: Floats  # (m, 2): of these
    first: NDArray[np.int64]  # (levels + 1,): where each level's boxes begin
    low: Floats  # (boxes, 2): corners
    high: Floats  # (boxes, 2)


class Nearest(NamedTuple):
    """The nearest cities found so far."""

    places: NDArray[np.int32]  # (width,): in ``HilbertRTree.cities``
    squares: Floats  # (width,): distances, squared where they are Euclid's
    keys: NDArray[np.int64]  # (width,): integer distance, then number
    waiting: NDArray[np.int64]  # (2 wide · levels, 2): boxes still to look into: level, box
    urgent: NDArray[np.int8]  # (width,): whether a city is one of two in a quadrant
    counts: NDArray[np.int64]  # (4,): these in each quadrant


def quadrant_lists(instance: TspInstance, k: int) -> NDArray[np.int32]:
    """Return ``quadrant_neighbours(instance, k)``, (n, k), made on all cores if cities are many.

    Of cities that are equally far away by real numbers, the last of those that are looked at have
    the lowest numbers.
    """
    if instance.n <= MOST_BY_TREE or instance.metric not in PLANE or instance.coordinates is None:
        return quadrant_neighbours(instance, k)
    return lists_around(geometry_of(instance, 0.0), k)


def renumbered(
    geometry: CityGeometry, lists: NDArray[np.int32], order: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the lists, (n, k), of cities that are numbered in this ``order``.

    ``geometry`` is as the cities are numbered then. Each list is by (distance, number).
    """
    n = len(order)
    number = np.empty(n, np.int32)
    number[order] = np.arange(n, dtype=np.int32)
    result = np.empty_like(lists)
    in_blocks(lambda begin, end: _renumber(geometry, lists, order, number, result, begin, end), n)
    return result


@cached
def _renumber(
    geometry: CityGeometry,
    lists: NDArray[np.int32],
    order: NDArray[np.int32],
    number: NDArray[np.int32],
    result: NDArray[np.int32],
    begin: Whole,
    end: Whole,
) -> None:
    n, k = result.shape
    for city in range(begin, end):
        for rank in range(k):
            other = number[lists[order[city], rank]]
            key, to = distance(geometry, city, other) * n + other, rank
            while to > 0:
                before = result[city, to - 1]
                if distance(geometry, city, before) * n + before < key:
                    break
                result[city, to] = before
                to -= 1
            result[city, to] = other


def lists_around(geometry: CityGeometry, k: int, threads: int | None = None) -> NDArray[np.int32]:
    """Return :func:`quadrant_lists` of cities in a plane, however many they are.

    So many ``threads`` look around them, or one for each core.
    """
    points, n = geometry.points, len(geometry.points)
    k = min(k, n - 1)
    keys = curve_keys(points)
    cities = known = cities_of(keys)
    crowded = sharing_cells(keys)
    rank, before, lead = heaps(points[crowded])
    beyond = rank > k  # cities at a place that are on no other city's list, but for the next
    if beyond.any():
        away = np.zeros(n, np.bool_)
        away[crowded[beyond]] = True
        known = cities[~away[cities]]
    boxes = _boxes_of(points, known)
    starts = np.arange(known.size)
    place = np.empty(n, np.int64)
    place[known] = starts
    cities = np.concatenate((known, crowded[beyond]))
    starts = np.concatenate((starts, place[crowded[lead[beyond]]]))
    result = np.empty((n, k), np.int32)
    for looked_at in LOOKED_AT:
        width = min(max(looked_at, 2 * k), known.size)
        whole = np.empty(cities.size, np.bool_)

        def look(
            begin: int,
            end: int,
            width: int = width,
            cities: NDArray[np.int32] = cities,
            starts: NDArray[np.int64] = starts,
            whole: NDArray[np.bool_] = whole,
        ) -> None:
            found = _room(boxes, width)
            _look(geometry, boxes, found, cities, starts, result, whole, begin, end)

        in_blocks(look, cities.size, _BLOCK, threads)
        cities, starts = cities[~whole], starts[~whole]
        if not looks_further(cities.size, width, known.size, n):
            break
    if beyond.any():
        _lead(geometry, crowded[beyond], crowded[before[beyond]], result)
    return result


@cached
def _lead(
    geometry: CityGeometry,
    further: NDArray[np.int32],
    before: NDArray[np.int32],
    result: NDArray[np.int32],
) -> None:
    """Let each further city of a place have the one before it on its list.

    The first of its list is at the same place, and on many lists already.
    """
    n, k = geometry.points.shape[0], result.shape[1]
    for entry in range(further.size):
        city, new = np.int64(further[entry]), np.int64(before[entry])
        key, to = distance(geometry, city, new) * n + new, 0
        while to + 1 < k:
            following = np.int64(result[city, to + 1])
            if distance(geometry, city, following) * n + following > key:
                break
            result[city, to] = following
            to += 1
        result[city, to] = new


def _boxes_of(points: Floats, cities: NDArray[np.int32]) -> HilbertRTree:
    low = high = places = taken(points, cities)[:, :2].copy()
    lows, highs, first = [], [], [0]
    while len(low) > 1:
        low, high = _joined(np.minimum, low), _joined(np.maximum, high)
        lows.append(low)
        highs.append(high)
        first.append(first[-1] + len(low))
    return HilbertRTree(
        cities, places, np.array(first), np.concatenate(lows), np.concatenate(highs)
    )


def _joined(extreme: np.ufunc, corners: Floats) -> Floats:
    """Return the corners of boxes around the boxes with these."""
    result = np.empty((-(-len(corners) // _WIDE), 2))

    def join(first: int, end: int) -> None:
        inside = corners[first * _WIDE : end * _WIDE]
        starts = np.arange(0, len(inside), _WIDE)
        extreme.reduceat(inside, starts, out=result[first:end])

    in_blocks(join, len(result))
    return result


def _room(boxes: HilbertRTree, width: int) -> Nearest:
    most = 2 * _WIDE * boxes.first.size
    return allocated(Nearest, width, waiting=(most, 2), counts=4)


@cached
def _look(
    geometry: CityGeometry,
    boxes: HilbertRTree,
    near: Nearest,
    cities: NDArray[np.int32],
    starts: NDArray[np.int64],
    result: NDArray[np.int32],
    whole: NDArray[np.bool_],
    begin: Whole,
    end: Whole,
) -> None:
    """Fill the rows of ``cities``; say whose quadrants have two cities each.

    ``starts`` are places in ``boxes``, each with the coordinates of one of ``cities``.
    """
    for at in range(begin, end):
        _find(geometry, boxes, near, starts[at])
        _rank(geometry, boxes, near, np.int64(cities[at]))
        whole[at] = _choose(geometry, near, np.int64(cities[at]), result)


@inlined
def _find(geometry: CityGeometry, boxes: HilbertRTree, near: Nearest, place: np.int64) -> None:
    """Fill ``near.places`` with the nearest cities around one, itself among them, ascending.

    The boxes beside that of the city are looked at first, then those beside the box around it, and
    so on: what is found early excludes most others.
    """
    rule, width, levels = geometry.rule, near.places.size, boxes.first.size - 1
    x, y = boxes.points[place, 0], boxes.points[place, 1]
    count = _add(rule, boxes, near, 0, x, y, place // _WIDE)
    came = place // _WIDE
    for level in range(1, levels):
        around = came // _WIDE
        waiting = _put(rule, boxes, near, 0, count, x, y, level, around, came)
        came = around
        while waiting > 0:
            waiting -= 1
            deep, box = near.waiting[waiting, 0], near.waiting[waiting, 1]
            if count == width and _least(rule, boxes, deep, box, x, y) > near.squares[width - 1]:
                continue
            if deep == 1:
                count = _add(rule, boxes, near, count, x, y, box)
            else:
                waiting = _put(rule, boxes, near, waiting, count, x, y, deep - 1, box, -1)


@inlined
def _put(
    rule: Whole,
    boxes: HilbertRTree,
    near: Nearest,
    waiting: Whole,
    count: Whole,
    x: np.float64,
    y: np.float64,
    level: Whole,
    around: Whole,
    came: Whole,
) -> Whole:
    """Let the boxes of a level wait that are in the one ``around`` them, but for ``came``."""
    width = near.places.size
    last = min((around + 1) * _WIDE, boxes.first[level] - boxes.first[level - 1])
    for box in range(around * _WIDE, last):
        if box == came:
            continue
        if count < width or _least(rule, boxes, level, box, x, y) <= near.squares[width - 1]:
            near.waiting[waiting, 0], near.waiting[waiting, 1] = level, box
            waiting += 1
    return waiting


@inlined
def _add(
    rule: Whole,
    boxes: HilbertRTree,
    near: Nearest,
    count: Whole,
    x: np.float64,
    y: np.float64,
    box: Whole,
) -> Whole:
    """Look at the cities of a lowest box; return how many are among the nearest now."""
    width = near.places.size
    for place in range(box * _WIDE, min((box + 1) * _WIDE, boxes.cities.size)):
        away = _apart(rule, abs(boxes.points[place, 0] - x), abs(boxes.points[place, 1] - y))
        city = boxes.cities[place]
        if count == width:
            last = near.squares[width - 1]
            if away > last or (away == last and city > boxes.cities[near.places[width - 1]]):
                continue
            count -= 1
        to = count
        while to > 0:
            before = near.squares[to - 1]
            if before < away or (before == away and boxes.cities[near.places[to - 1]] < city):
                break
            near.squares[to], near.places[to] = before, near.places[to - 1]
            to -= 1
        near.squares[to], near.places[to] = away, place
        count += 1
    return count


@inlined
def _least(
    rule: Whole, boxes: HilbertRTree, level: Whole, box: Whole, x: np.float64, y: np.float64
) -> np.float64:
    """Return a lower bound of what :func:`_apart` is to the cities in a box."""
    at = boxes.first[level - 1] + box
    left = max(max(boxes.low[at, 0] - x, x - boxes.high[at, 0]), 0.0)
    under = max(max(boxes.low[at, 1] - y, y - boxes.high[at, 1]), 0.0)
    return _apart(rule, left, under)


@inlined
def _apart(rule: Whole, x: np.float64, y: np.float64) -> np.float64:
    """Return a real number that grows with the distance."""
    if rule == MANHATTAN:
        return x + y
    if rule == MAXIMUM:
        return max(x, y)
    return x * x + y * y


@inlined
def _rank(geometry: CityGeometry, boxes: HilbertRTree, near: Nearest, own: np.int64) -> None:
    """Fill ``near.keys``, ascending: integer distance, then number; the city itself comes last."""
    n = geometry.points.shape[0]
    for at in range(near.places.size):
        city = np.int64(boxes.cities[near.places[at]])
        key = _LAST if city == own else distance(geometry, own, city) * n + city
        to = at
        while to > 0 and near.keys[to - 1] > key:
            near.keys[to] = near.keys[to - 1]
            to -= 1
        near.keys[to] = key


@inlined
def _choose(
    geometry: CityGeometry, near: Nearest, own: np.int64, result: NDArray[np.int32]
) -> bool:
    """Fill the row of a city; return whether there are two cities in every quadrant."""
    n, k, points = geometry.points.shape[0], result.shape[1], geometry.points
    urgent, counts = 0, near.counts
    for quadrant in range(4):
        counts[quadrant] = 0
    for at in range(near.keys.size):
        near.urgent[at] = 0
        if near.keys[at] == _LAST:
            continue
        city = near.keys[at] % n
        right, up = points[city, 0] - points[own, 0], points[city, 1] - points[own, 1]
        if right == 0 and up == 0:
            continue
        if up > 0 or (up == 0 and right > 0):
            quadrant = 1 if right <= 0 else 0
        else:
            quadrant = 2 if right < 0 else 3
        if counts[quadrant] < IN_QUADRANT:
            counts[quadrant] += 1
            near.urgent[at] = 1
            urgent += 1
    others, filled = max(k - urgent, 0), 0
    for at in range(near.keys.size):
        if filled == k:
            break
        if near.urgent[at] == 0:
            if others == 0:
                continue
            others -= 1
        result[own, filled] = near.keys[at] % n
        filled += 1
    return bool(urgent == 4 * IN_QUADRANT)
