"""A tree of boxes around the cities, to find the best of many cities without looking at all.

When no neighbour of an ant's city is left, the ant takes the best of all unvisited cities. The
distance to a box is at most that to any city in it, and so it bounds the weights of its cities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.acs.cpu.state import DEEPEST
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import BOXED, Geometry, length

LEAF = 24
"""Cities in a box that is not divided further."""


class BoxTree(NamedTuple):
    """Boxes, each before its parts; no boxes for metrics that are not bounded by coordinates.

    Attributes
    ----------
    low, high : ndarray of float64, shape (b, 3)
        Corners of each box.
    parts : ndarray of int32, shape (b, 2)
        The two boxes into which it is divided, or -1.
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


_NONE = BoxTree(
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros((0, 2), np.int32),
    np.zeros((0, 2), np.int32),
    np.zeros(0, np.uint32),
)


def box_tree_of(geometry: Geometry) -> BoxTree:
    """Divide the cities into boxes, if distances grow with every coordinate's difference."""
    if geometry.rule not in BOXED:
        return _NONE
    kd_tree = cKDTree(geometry.points, leafsize=LEAF)
    cities = np.asarray(kd_tree.indices)
    low, high = [], []
    parts: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[Any, int, int, int]] = [(kd_tree.tree, 1, -1, 0)]
    while waiting:
        node, depth, parent, side = waiting.pop()
        if depth > DEEPEST:  # no known instance has such a shape
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
    return BoxTree(
        np.array(low),
        np.array(high),
        np.array(parts, np.int32),
        np.array(spans, np.int32),
        cities.astype(np.uint32),
    )


@compiled
def nearest_possible(tree: BoxTree, geometry: Geometry, box: Whole, u: Whole) -> np.int64:
    """Return a lower bound of the distance from ``u`` to the cities in ``box``."""
    gaps = (
        _gap(tree, geometry, box, u, 0),
        _gap(tree, geometry, box, u, 1),
        _gap(tree, geometry, box, u, 2),
    )
    return length(geometry, gaps[0], gaps[1], gaps[2])


@inlined
def _gap(tree: BoxTree, geometry: Geometry, box: Whole, u: Whole, axis: int) -> np.float64:
    place = geometry.points[u, axis]
    below, above = tree.low[box, axis] - place, place - tree.high[box, axis]
    return np.float64(max(max(below, above), 0.0))
