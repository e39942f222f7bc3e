"""A tree of boxes around the cities, to find the best of many cities without looking at all.

When no neighbour of an ant's city is left, the ant takes the best of all unvisited cities. The
distance to a box is at most that to any city in it, and so it bounds the weights of its cities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import BOXED, Geometry, length
from gpu.cpu.structures import allocated

LEAF = 24  # cities in a box that is not divided further
BOX_LEVELS = 64  # most levels of a tree of boxes, which halves the cities at each


class BoxTree(NamedTuple):
    """Boxes, each before its parts; no boxes for metrics that are not bounded by coordinates."""

    low: NDArray[np.float64]  # (b, 3): corners of each box
    high: NDArray[np.float64]  # (b, 3)
    parts: NDArray[np.int32]  # (b, 2): the two boxes into which it is divided, or -1
    spans: NDArray[np.int32]  # (b, 2): where its cities begin and end in ``cities``
    cities: NDArray[np.uint32]  # (n,): all cities, those of a box together


_NONE = allocated(BoxTree, (0, 2), low=(0, 3), high=(0, 3), cities=0)


def box_tree_of(geometry: Geometry) -> BoxTree:
    """Divide the cities into boxes, if distances grow with every coordinate's difference."""
    if geometry.rule not in BOXED:
        return _NONE
    kd_tree = cKDTree(geometry.points, leafsize=LEAF)
    cities = np.asarray(kd_tree.indices)
    corners: list[tuple[Any, Any]] = []  # the low ones and the high ones
    parts: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[Any, int, int, int]] = [(kd_tree.tree, 1, -1, 0)]
    while waiting:
        node, depth, parent, side = waiting.pop()
        if depth > BOX_LEVELS:  # no known instance has such a shape
            return _NONE
        here = len(spans)
        if parent >= 0:
            parts[parent][side] = here
        inside = geometry.points[cities[node.start_idx : node.end_idx]]
        corners.append((inside.min(axis=0), inside.max(axis=0)))
        parts.append([-1, -1])
        spans.append((node.start_idx, node.end_idx))
        if node.split_dim >= 0:
            waiting += [(node.lesser, depth + 1, here, 0), (node.greater, depth + 1, here, 1)]
    low, high = np.array(corners).swapaxes(0, 1).copy()
    ends = np.array(parts, np.int32), np.array(spans, np.int32)
    return BoxTree(low, high, *ends, cities.astype(np.uint32))


@compiled
def nearest_possible(tree: BoxTree, geometry: Geometry, box: Whole, u: Whole) -> np.int64:
    """Return a lower bound of the distance from ``u`` to the cities in ``box``."""
    x, y = _gap(tree, geometry, box, u, 0), _gap(tree, geometry, box, u, 1)
    return length(geometry, x, y, _gap(tree, geometry, box, u, 2))


@inlined
def _gap(tree: BoxTree, geometry: Geometry, box: Whole, u: Whole, axis: int) -> np.float64:
    place = geometry.points[u, axis]
    below, above = tree.low[box, axis] - place, place - tree.high[box, axis]
    return np.float64(max(max(below, above), 0.0))
