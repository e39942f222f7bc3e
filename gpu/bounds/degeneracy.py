"""The order of a graph's vertices in which the most later neighbours that any has are fewest.

That number is the degeneracy of the graph. The k-core is what is left after vertices with fewer
than k neighbours are removed, again and again; a vertex's core number is the largest k of a core
that has it. The order takes vertices by core number (smallest last: Matula and Beck 1983), in
O(n + m) time, and none has more later neighbours than its core number. So a clique of k + 1
vertices is among those whose core number is k or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.problems.coloring.instance import GraphInstance


class DegeneracyOrder(NamedTuple):
    """The vertices of a graph in their order, with core numbers, which ascend along it."""

    order: NDArray[np.int32]  # (n,)
    places: NDArray[np.int32]  # (n,): of each vertex in the order
    cores: NDArray[np.int32]  # (n,): core number of each vertex


def degeneracy_order(graph: GraphInstance) -> DegeneracyOrder:
    """Return the order; a million vertices take some tenths of a second."""
    n = graph.n
    found = DegeneracyOrder(np.empty(n, np.int32), np.empty(n, np.int32), graph.degrees.copy())
    _fill(graph.offsets, graph.adjacent, np.zeros(n + 2, np.int32), found)
    return found


@cached
def _fill(
    offsets: NDArray[np.int64],
    adjacent: NDArray[np.int32],
    first: NDArray[np.int32],
    found: DegeneracyOrder,
) -> None:
    """Fill the order; ``cores`` has the degrees, and ``first`` zeros, shape (n + 2,)."""
    order, places, left = found.order, found.places, found.cores
    n = order.size
    for vertex in range(n):
        first[left[vertex] + 2] += 1
    for degree in range(2, n + 1):
        first[degree] += first[degree - 1]
    for vertex in range(n):  # by degree; first[d + 1] becomes where those of degree d end
        place = first[left[vertex] + 1]
        first[left[vertex] + 1] += 1
        places[vertex] = place
        order[place] = vertex
    for place in range(n):
        vertex = order[place]
        for at in range(offsets[vertex], offsets[vertex + 1]):
            other = adjacent[at]
            many = left[other]
            if many <= left[vertex]:  # it had its turn, or its core number is no greater
                continue
            # It changes places with the first of those that have as many, and that group shrinks.
            begin = first[many]
            swapped = order[begin]
            order[begin], order[places[other]] = other, swapped
            places[swapped], places[other] = places[other], begin
            first[many] += 1
            left[other] = many - 1
