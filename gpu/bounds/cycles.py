"""Odd cycles of a graph: one that has none can be colored with two colors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.cpu.compilation import cached
from gpu.problems.coloring.instance import GraphInstance


def odd_cycle(graph: GraphInstance) -> NDArray[np.int32] | None:
    """Return the vertices of an odd cycle in their order, read-only; None if there is none.

    It is the first one that a search in breadth meets, in O(n + m) time.
    """
    parents = np.full(graph.n, -1, np.int32)
    depths = np.full(graph.n, -1, np.int32)
    ends = np.empty(2, np.int32)
    queue = np.empty(graph.n, np.int32)
    if not _search(graph.offsets, graph.adjacent, parents, depths, queue, ends):
        return None
    # Both ends are as deep: their ways up meet in one vertex.
    one, other = int(ends[0]), int(ends[1])
    up, down = [one], [other]
    while parents[one] != parents[other]:
        one, other = int(parents[one]), int(parents[other])
        up.append(one)
        down.append(other)
    return frozen(np.array([*up, int(parents[one]), *reversed(down)], np.int32))


@cached
def _search(
    offsets: NDArray[np.int64],
    adjacent: NDArray[np.int32],
    parents: NDArray[np.int32],
    depths: NDArray[np.int32],
    queue: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> bool:
    """Search until two vertices of the same depth are adjacent; they are the ``ends``."""
    for root in range(depths.size):
        if depths[root] >= 0:
            continue
        depths[root] = 0
        queue[0] = root
        first, last = 0, 1
        while first < last:
            vertex = queue[first]
            first += 1
            for at in range(offsets[vertex], offsets[vertex + 1]):
                other = adjacent[at]
                if depths[other] < 0:
                    depths[other] = depths[vertex] + 1
                    parents[other] = vertex
                    queue[last] = other
                    last += 1
                elif depths[other] == depths[vertex]:
                    ends[0], ends[1] = vertex, other
                    return True
    return False
