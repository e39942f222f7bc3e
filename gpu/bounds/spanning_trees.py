"""Minimum spanning trees over all pairs of cities, whose edges are longer by a penalty of each end.

Nothing is left out: the tree is that of the complete graph, in whole numbers, so that what follows
from its length is certain. Where a box around cities bounds the distance to them (as in a plane),
Borůvka's rule finds each part's shortest edge to another part by a k-d tree, in O(n) memory;
elsewhere Prim's rule looks at every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.cpu.compilation import Whole, cached, compiled
from gpu.cpu.geometry import BOXED, DOUBLED, CityGeometry, distance, length

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

PAIRS_MOST = 20_000
"""Cities all of whose pairs are looked at, at most: that takes some seconds."""

_FAR = 2**62  # longer than any edge with its penalties
_IN_LEAF = 8  # cities in a leaf of the k-d tree, at most
_AT_ONCE = 5_000_000  # pairs between two looks at whether to stop
_STACK = 64  # nodes that wait in a search: one a level, and the tree has fewer


class Lengths(NamedTuple):
    """How long each edge is: a whole number."""

    geometry: CityGeometry
    precision: int  # steps in one unit of length
    # what each edge has in addition, in units of length, but those between the two halves of a
    # directed city, which are 0 long
    more: int
    penalties: Longs  # (n,): what each edge of a city has in addition, in steps


@dataclass(frozen=True, slots=True, eq=False)
class SpanningTree:
    """A minimum spanning tree, and the further edge that makes it a 1-tree."""

    start: Ints  # (n - 1,): cities of each edge
    end: Ints
    length: int  # with penalties, in steps
    further: int  # of all leaves' shortest further edges the longest; its length
    leaf: int  # the leaf that has it, and the city at its other end
    other: int

    def bound(self, penalties: Longs) -> int:
        """Return what no tour is shorter than, in steps, with the ``penalties`` taken away."""
        return self.length + self.further - 2 * int(penalties.sum())


def spanning_tree(
    lengths: Lengths, known: tuple[Ints, Ints], stop: Callable[[], bool] = never
) -> SpanningTree | None:
    """Return the minimum 1-tree of the complete graph; None if ``stop`` said so before.

    The cities at the two ends of ``known`` edges, shape (edges,) each, make it faster.
    """
    n = lengths.penalties.size
    if lengths.geometry.rule in BOXED:
        boxes = _boxes_of(lengths.geometry.points, lengths.penalties)
        ends = _by_parts(lengths, boxes, known, stop)
    else:
        boxes = None
        ends = _by_pairs(lengths, stop)
    if ends is None:
        return None
    start, end = ends
    total = int(_length(lengths, start, end))
    degrees = np.bincount(np.concatenate(ends), minlength=n)
    beside = np.empty(n, np.int32)  # of a leaf: its neighbour
    beside[start], beside[end] = end, start
    leaves = np.flatnonzero(degrees == 1).astype(np.int32)
    others = np.empty(leaves.size, np.int32)
    if boxes is not None:
        _further_in_boxes(lengths, boxes, leaves, beside, others)
    else:
        _further_of_all(lengths, leaves, beside, others)
    found = np.empty(leaves.size, np.int64)
    _each_length(lengths, leaves, others, found)
    last = int(found.argmax())
    return SpanningTree(start, end, total, int(found[last]), int(leaves[last]), int(others[last]))


@compiled
def _long(lengths: Lengths, a: Whole, b: Whole) -> np.int64:
    """Return the length of an edge, with penalties."""
    geometry, penalties = lengths.geometry, lengths.penalties
    away = np.int64(0)
    if geometry.rule != DOUBLED:
        away = distance(geometry, a, b)
    elif a >> 1 != b >> 1:  # a city is left for another one; two alike are forbidden
        away = np.int64(lengths.more) * 4
        if (a & 1) != (b & 1):
            away = distance(geometry, a, b) + lengths.more
    elif a == b:
        return np.int64(_FAR)
    return np.int64(away * lengths.precision + penalties[a] + penalties[b])


@cached
def _each_length(lengths: Lengths, start: Ints, end: Ints, found: Longs) -> None:
    for edge in range(start.size):
        found[edge] = _long(lengths, start[edge], end[edge])


def _length(lengths: Lengths, start: Ints, end: Ints) -> np.int64:
    found = np.empty(start.size, np.int64)
    _each_length(lengths, start, end, found)
    total: np.int64 = found.sum()
    return total


# Prim's rule


def _by_pairs(lengths: Lengths, stop: Callable[[], bool]) -> tuple[Ints, Ints] | None:
    n = lengths.penalties.size
    near = np.full(n, _FAR, np.int64)
    to = np.zeros(n, np.int32)
    left = np.arange(n, dtype=np.int32)  # those in no tree yet come first
    start, end = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32)
    made = 0
    while made < n - 1:
        if stop():
            return None
        count = min(max(_AT_ONCE // n, 1), n - 1 - made)
        _join_nearest(lengths, made, count, near, to, left, start, end)
        made += count
    return start, end


@cached
def _join_nearest(
    lengths: Lengths,
    made: int,
    count: int,
    near: Longs,
    to: Ints,
    left: Ints,
    start: Ints,
    end: Ints,
) -> None:
    """Add ``count`` edges to the ``made`` ones; the last city that joined is behind those left."""
    n = left.size
    for edge in range(made, made + count):
        last = n - 1 - edge
        joined = left[last]
        nearest = 0
        for place in range(last):
            city = left[place]
            away = _long(lengths, joined, city)
            if away < near[city]:
                near[city] = away
                to[city] = joined
            if near[city] < near[left[nearest]]:
                nearest = place
        city = left[nearest]
        start[edge], end[edge] = city, to[city]
        left[nearest], left[last - 1] = left[last - 1], city


@cached
def _further_of_all(lengths: Lengths, leaves: Ints, beside: Ints, others: Ints) -> None:
    for at in range(leaves.size):
        leaf = leaves[at]
        least = np.int64(_FAR)
        for city in range(beside.size):
            if city != leaf and city != beside[leaf]:
                away = _long(lengths, leaf, city)
                if away < least:
                    least = away
                    others[at] = city


# Borůvka's rule


class KdTree(NamedTuple):
    """A k-d tree: below node i are the nodes 2 i + 1 and 2 i + 2; all leaves are equally deep."""

    order: Ints  # (n,): the cities, those of each node one after the other
    first: Ints  # (nodes + 1,): where those of a leaf begin; the leaf after it has the others
    low: NDArray[np.float64]  # (nodes, 3): least coordinates of the cities of a node
    high: NDArray[np.float64]  # (nodes, 3): the largest
    least: Longs  # (nodes,): the least penalty of a city
    leaves: int  # nodes from here on are leaves
    stack: Ints  # (64,): room for the nodes that wait in a search


def _boxes_of(points: NDArray[np.float64], penalties: Longs) -> KdTree:
    n = len(points)
    depth = max(0, math.ceil(math.log2(n / _IN_LEAF)))
    leaves = (1 << depth) - 1
    nodes = 2 * leaves + 1
    order = np.arange(n, dtype=np.int32)
    begin, end = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    end[0] = n
    low, high, least = np.empty((nodes, 3)), np.empty((nodes, 3)), np.empty(nodes, np.int64)
    for node in range(nodes):
        here = order[begin[node] : end[node]]
        places = points[here]
        low[node], high[node] = places.min(axis=0), places.max(axis=0)
        least[node] = penalties[here].min()
        if node < leaves:
            middle = here.size // 2
            along = places[:, np.argmax(high[node] - low[node])]
            here[:] = here[np.argpartition(along, middle)]
            begin[2 * node + 1], end[2 * node + 1] = begin[node], begin[node] + middle
            begin[2 * node + 2], end[2 * node + 2] = begin[node] + middle, end[node]
    return KdTree(
        order,
        np.append(begin, n).astype(np.int32),
        low,
        high,
        least,
        leaves,
        np.empty(_STACK, np.int32),
    )


def _by_parts(
    lengths: Lengths, boxes: KdTree, known: tuple[Ints, Ints], stop: Callable[[], bool]
) -> tuple[Ints, Ints] | None:
    n = boxes.order.size
    parts = np.arange(n, dtype=np.int32)  # of each city, by one of its cities
    of_nodes = np.empty(boxes.least.size, np.int32)
    near = np.empty(n, np.int64)
    one, other = np.empty(n, np.int32), np.empty(n, np.int32)
    start, end = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32)
    made = 0
    while made < n - 1:
        near[:] = _FAR
        _try_known(lengths, known[0], known[1], parts, near, one, other)
        _note_parts(boxes, parts, of_nodes)
        for first in range(0, n, 10_000):
            if stop():
                return None
            last = min(first + 10_000, n)
            _try_others(lengths, boxes, parts, of_nodes, first, last, near, one, other)
        made = _join_parts(parts, near, one, other, made, start, end)
    return start, end


@compiled
def _try(away: Whole, a: Whole, b: Whole, part: Whole, near: Longs, one: Ints, other: Ints) -> None:
    """Make an edge the shortest one of a part, if it is."""
    if away < near[part]:
        near[part] = away
        one[part] = a
        other[part] = b


@cached
def _try_known(
    lengths: Lengths, start: Ints, end: Ints, parts: Ints, near: Longs, one: Ints, other: Ints
) -> None:
    for edge in range(start.size):
        a, b = start[edge], end[edge]
        if parts[a] != parts[b]:
            away = _long(lengths, a, b)
            _try(away, a, b, parts[a], near, one, other)
            _try(away, a, b, parts[b], near, one, other)


@cached
def _note_parts(boxes: KdTree, parts: Ints, of_nodes: Ints) -> None:
    """Note of each node to which part all its cities belong; -1 if these are several."""
    for back in range(of_nodes.size):
        node = of_nodes.size - 1 - back
        if node < boxes.leaves:
            below = of_nodes[2 * node + 1]
            of_nodes[node] = below if below == of_nodes[2 * node + 2] else -1
        else:
            part = parts[boxes.order[boxes.first[node]]]
            for place in range(boxes.first[node], boxes.first[node + 1]):
                if parts[boxes.order[place]] != part:
                    part = -1
            of_nodes[node] = part


@compiled
def _least_to(lengths: Lengths, boxes: KdTree, city: Whole, node: Whole) -> np.int64:
    """Return a length that no edge from a city to those of a node is below.

    Differences of coordinates, and lengths of them, never fall by rounding where they grow.
    """
    points, low, high = lengths.geometry.points, boxes.low, boxes.high
    x = max(max(low[node, 0] - points[city, 0], points[city, 0] - high[node, 0]), 0.0)
    y = max(max(low[node, 1] - points[city, 1], points[city, 1] - high[node, 1]), 0.0)
    z = max(max(low[node, 2] - points[city, 2], points[city, 2] - high[node, 2]), 0.0)
    away = length(lengths.geometry, x, y, z)
    return np.int64(away * lengths.precision + lengths.penalties[city] + boxes.least[node])


@compiled
def _push_below(
    lengths: Lengths, boxes: KdTree, city: Whole, node: Whole, stack: Ints, held: Whole
) -> Whole:
    """Push both nodes below, the nearer one last; return how many there are then."""
    left, right = 2 * node + 1, 2 * node + 2
    if _least_to(lengths, boxes, city, left) < _least_to(lengths, boxes, city, right):
        left, right = right, left
    stack[held], stack[held + 1] = left, right
    return held + 2


@cached
def _try_others(
    lengths: Lengths,
    boxes: KdTree,
    parts: Ints,
    of_nodes: Ints,
    first: int,
    last: int,
    near: Longs,
    one: Ints,
    other: Ints,
) -> None:
    """Try the shortest edges of some cities, by their order, to cities of other parts."""
    stack = boxes.stack
    for at in range(first, last):
        city = boxes.order[at]
        part = parts[city]
        stack[0] = 0
        held: Whole = 1
        while held > 0:
            held -= 1
            node = int(stack[held])
            if of_nodes[node] == part or _least_to(lengths, boxes, city, node) >= near[part]:
                continue
            if node < boxes.leaves:
                held = _push_below(lengths, boxes, city, node, stack, held)
                continue
            for place in range(boxes.first[node], boxes.first[node + 1]):
                b = boxes.order[place]
                if parts[b] != part:
                    _try(_long(lengths, city, b), city, b, part, near, one, other)


@cached
def _join_parts(
    parts: Ints, near: Longs, one: Ints, other: Ints, made: int, start: Ints, end: Ints
) -> int:
    """Add the shortest edge of each part, but those that would close a circle of equal ones."""
    n = parts.size
    for part in range(n):
        if near[part] < _FAR:  # it is a part's number
            a, b = one[part], other[part]
            while parts[a] != a:
                a = parts[a]
            while parts[b] != b:
                b = parts[b]
            if a != b:
                start[made], end[made] = one[part], other[part]
                made += 1
                parts[max(a, b)] = min(a, b)
    for city in range(n):  # each one's part has a lower number
        parts[city] = parts[parts[city]]
    return made


@cached
def _further_in_boxes(
    lengths: Lengths, boxes: KdTree, leaves: Ints, beside: Ints, others: Ints
) -> None:
    stack = boxes.stack
    for at in range(leaves.size):
        leaf = leaves[at]
        least = np.int64(_FAR)
        stack[0] = 0
        held: Whole = 1
        while held > 0:
            held -= 1
            node = int(stack[held])
            if _least_to(lengths, boxes, leaf, node) >= least:
                continue
            if node < boxes.leaves:
                held = _push_below(lengths, boxes, leaf, node, stack, held)
                continue
            for place in range(boxes.first[node], boxes.first[node + 1]):
                b = boxes.order[place]
                if b != leaf and b != beside[leaf]:
                    away = _long(lengths, leaf, b)
                    if away < least:
                        least = away
                        others[at] = b
