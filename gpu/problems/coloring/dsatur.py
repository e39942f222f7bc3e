"""The greedy coloring by saturation (DSATUR, Brélaz 1979): every run on a graph begins with it.

The next vertex is one whose neighbours have the most colors; of these, one with the most neighbours
that have no color yet; of these, the lowest. It gets the first color that no neighbour has. A graph
without odd cycles, such as a tree, gets 2 colors.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.problems.coloring.instance import GraphInstance

_COLORED = -1  # stands where the colors of a vertex's neighbours did

_made: WeakKeyDictionary[GraphInstance, NDArray[np.int32]] = WeakKeyDictionary()


def dsatur_coloring(instance: GraphInstance) -> NDArray[np.int32]:
    """Return the greedy coloring: the color of each vertex, 0-based, shape (n,), read-only.

    It needs no compiler, O((n + m) log n) time and O(n + m) memory for n vertices and m edges: some
    tens of milliseconds for 100,000 edges. The coloring of an instance is made once.
    """
    if instance not in _made:
        _made[instance] = frozen(_colored(instance))
    return _made[instance]


def _colored(instance: GraphInstance) -> NDArray[np.int32]:
    n = instance.n
    starts, ends = _neighbours(instance)
    free: list[int] = instance.degrees.tolist()  # neighbours of each vertex without a color
    seen = [0] * n  # the colors of its neighbours, a bit for each
    colors = np.empty(n, np.int32)
    # By saturation, a heap of vertices as numbers v - n * free: the first one is the next. A vertex
    # is in the heap of each saturation that it ever had, and only the last of these counts.
    first = [vertex - n * count for vertex, count in enumerate(free)]
    heapify(first)
    waiting, saturation, left = [first], 0, n
    while left:
        while not waiting[saturation]:
            saturation -= 1
        number = heappop(waiting[saturation])
        vertex = number % n
        known = seen[vertex]
        if known == _COLORED or known.bit_count() != saturation:
            continue
        if number != (now := vertex - n * free[vertex]):  # neighbours have got colors since
            heappush(waiting[saturation], now)
            continue
        color = ~known & (known + 1)  # the lowest bit that is not set
        colors[vertex] = color.bit_length() - 1
        seen[vertex] = _COLORED
        left -= 1
        for other in ends[starts[vertex] : starts[vertex + 1]].tolist():
            known = seen[other]
            if known == _COLORED:
                continue
            free[other] -= 1
            if known & color:
                continue
            seen[other] = known = known | color
            reached = known.bit_count()
            if reached > saturation:  # by one: no vertex that waits has more
                saturation = reached
                if reached == len(waiting):
                    waiting.append([])
            heappush(waiting[reached], other - n * free[other])
    return colors


def _neighbours(instance: GraphInstance) -> tuple[list[int], NDArray[np.int32]]:
    """Return the neighbours of all vertices in one array, and where those of each begin in it."""
    vertices, others = instance.edges.T.ravel(), instance.edges[:, ::-1].T.ravel()
    starts = np.concatenate(([0], np.cumsum(instance.degrees, dtype=np.int64)))
    return starts.tolist(), others[np.argsort(vertices, kind="stable")]
