"""The greedy coloring by saturation (DSATUR, Brélaz 1979): runs on graphs begin with it.

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

_SMALL = 500_000  # vertices and edges that are colored in some tenths of a second

_DENSE = 128
"""Neighbours of a vertex on average from which on arrays are faster than a heap."""

_COLORED = -1  # stands where the colors of a vertex's neighbours did


def is_small(graph: GraphInstance) -> bool:
    """Whether ``graph`` is colored here at once; else ``gpu/cpu/first_colorings.py`` is faster."""
    return graph.n + len(graph.edges) <= _SMALL


MADE: WeakKeyDictionary[GraphInstance, NDArray[np.int32]] = WeakKeyDictionary()
"""The coloring of each graph that has been made, here or by compiled code."""


def dsatur_coloring(instance: GraphInstance) -> NDArray[np.int32]:
    """Return the greedy coloring: the color of each vertex, 0-based, shape (n,), read-only.

    It needs no compiler, O((n + m) log n) time and O(n + m) memory for n vertices and m edges: some
    tens of milliseconds for 100,000 edges. The coloring of an instance is made once.
    """
    if instance not in MADE:
        MADE[instance] = frozen(_colored(instance))
    return MADE[instance]


def _colored(instance: GraphInstance) -> NDArray[np.int32]:
    dense = 2 * len(instance.edges) >= _DENSE * instance.n
    return _of_dense(instance) if dense else _of_sparse(instance)


def _of_dense(instance: GraphInstance) -> NDArray[np.int32]:
    """Look at all vertices for the next one, and at all its neighbours at once."""
    n = instance.n
    starts, colors = instance.offsets.tolist(), np.empty(n, np.int32)
    urgency = instance.degrees.astype(np.int64)  # n * saturation + free; less than 0 if colored
    seen = np.zeros((n, 64), np.bool_)  # whether a neighbour has that color
    for _ in range(n):
        vertex = int(urgency.argmax())
        color = int(seen[vertex].argmin())
        if seen[vertex, color]:
            color = seen.shape[1]
            seen = np.hstack((seen, np.zeros_like(seen)))
        colors[vertex] = color
        urgency[vertex] = -1
        others = instance.adjacent[starts[vertex] : starts[vertex + 1]]
        others = others[urgency[others] >= 0]
        urgency[others] += np.where(seen[others, color], -1, n - 1)
        seen[others, color] = True
    return colors


def _of_sparse(instance: GraphInstance) -> NDArray[np.int32]:
    n = instance.n
    starts, ends = instance.offsets.tolist(), instance.adjacent
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
