"""A tree of boxes around the cities: where the best of many cities can be, and where it cannot.

When an ant has exhausted the neighbours of its city, its choice is the best of all unvisited
cities. A box bounds the distance to every city in it from below, and so their weights from above.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.acs.cpu.tables import DEEPEST
from gpu.cpu.compiled import Whole, part, piece
from gpu.cpu.geometry import BOXED, Geometry, length

LEAF = 24
"""Cities in a box that is not divided further."""


class Regions(NamedTuple):
    """Boxes, each before those it is divided into; none at all for metrics that know no boxes.

    Attributes
    ----------
    low, high : ndarray of float64, shape (b, 3)
        Corners of each box.
    parts : ndarray of int32, shape (b, 2)
        The two boxes it is divided into, or -1.
    spans : ndarray of int32, shape (b, 2)
        Where its cities begin and end in ``cities``.
    cities : ndarray of uint32, shape (n,)
        All cities, those of a box together.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    parts: NDArray[np.int32]
    spans: NDArray[np.int32]
    cities: NDArray[np.uint32]


_NONE = Regions(
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 2), np.int32),
    np.zeros(0, np.uint32),
)


def regions_of(geometry: Geometry) -> Regions:
    """Divide the cities into boxes, where the metric grows with every coordinate's difference."""
    if geometry.rule not in BOXED:
        return _NONE
    tree = cKDTree(geometry.points, leafsize=LEAF)
    cities = np.asarray(tree.indices)
    low, high = [], []
    parts: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[Any, int, int, int]] = [(tree.tree, 1, -1, 0)]
    while waiting:
        node, depth, parent, side = waiting.pop()
        if depth > DEEPEST:  # a shape that no known instance gives
            return _NONE
        here = len(spans)
        if parent >= 0:
            parts[parent][side] = here
        inside = geometry.points[cities[node.start_idx : node.end_idx]]
        low.append(inside.min(axis=0))
        high.append(inside.max(axis=0))
        parts.append([-1, -1])
        spans.append((node.start_idx, node.end_idx))
        if node.split_dim >= 0:
            waiting += [(node.lesser, depth + 1, here, 0), (node.greater, depth + 1, here, 1)]
    return Regions(
        np.array(low),
        np.array(high),
        np.array(parts, np.int32),
        np.array(spans, np.int32),
        cities.astype(np.uint32),
    )


@part
def nearest_possible(regions: Regions, geometry: Geometry, box: Whole, u: Whole) -> np.int64:
    """Return a distance that no city in ``box`` is nearer to ``u`` than."""
    gaps = (
        _gap(regions, geometry, box, u, 0),
        _gap(regions, geometry, box, u, 1),
        _gap(regions, geometry, box, u, 2),
    )
    return length(geometry, gaps[0], gaps[1], gaps[2])


@piece
def _gap(regions: Regions, geometry: Geometry, box: Whole, u: Whole, axis: int) -> np.float64:
    place = geometry.points[u, axis]
    below, above = regions.low[box, axis] - place, place - regions.high[box, axis]
    return np.float64(max(max(below, above), 0.0))
