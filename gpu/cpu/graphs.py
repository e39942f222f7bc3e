"""Graphs as compiled code reads them, and the order of their vertices by degeneracy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.problems.coloring.instance import GraphInstance

Ints = NDArray[np.int32]


class GraphArrays(NamedTuple):
    """The neighbours of all vertices; see :class:`GraphInstance`."""

    offsets: NDArray[np.int64]  # (n + 1,)
    adjacent: Ints  # (2 e,)


def graph_arrays(graph: GraphInstance) -> GraphArrays:
    """Return the arrays of ``graph``."""
    return GraphArrays(graph.offsets, graph.adjacent)


class DegeneracyOrder(NamedTuple):
    """The vertices of a graph in their order, with core numbers, which ascend along it."""

    order: Ints  # (n,)
    places: Ints  # (n,): of each vertex in the order
    cores: Ints  # (n,): core number of each vertex


def degeneracy_order(graph: GraphInstance) -> DegeneracyOrder:
    """Return the order in which the most later neighbours that any vertex has are fewest.

    That number is the degeneracy of the graph. The k-core is what is left after vertices with fewer
    than k neighbours are removed, again and again; a vertex' core number is the largest k of a core
    that has it. The order takes away the vertex with the fewest neighbours that are left, again and
    again (smallest last: Matula and Beck 1983), and none has more later neighbours than its core
    number. A million vertices with five million edges take half a second: O(n + m) time and memory.
    """
    n = graph.n
    found = DegeneracyOrder(np.empty(n, np.int32), np.empty(n, np.int32), np.array(graph.degrees))
    first = np.zeros(int(graph.degrees.max()) + 2, np.int32)
    _take_away(graph_arrays(graph), first, found)
    return found


@cached
def _take_away(graph: GraphArrays, first: Ints, found: DegeneracyOrder) -> None:
    """Fill the order as vertices are taken away, and turn degrees, in ``cores``, into core numbers.

    Those that are left are in the order by the number of their neighbours that are left; ``first``
    is where the first is that has so many or more, if it is not past already (Batagelj and
    Zaversnik 2003). It has zeros before, as many as the largest degree and two.
    """
    order, places, left = found.order, found.places, found.cores
    n = order.size
    for vertex in range(n):
        first[left[vertex] + 1] += 1
    for degree in range(1, first.size):
        first[degree] += first[degree - 1]
    for vertex in range(n):  # by degree; first[d] becomes where those of degree d end
        place = first[left[vertex]]
        first[left[vertex]] += 1
        places[vertex] = place
        order[place] = vertex
    for degree in range(first.size - 1, 0, -1):
        first[degree] = first[degree - 1]
    first[0] = 0
    core = np.int32(0)
    for place in range(n):
        vertex = order[place]
        core = max(core, left[vertex])
        left[vertex] = core
        for at in range(graph.offsets[vertex], graph.offsets[vertex + 1]):
            other = graph.adjacent[at]
            if places[other] < place:  # it had its turn
                continue
            # It changes places with the first of those that have as many, and that group shrinks.
            many = left[other]
            begin = max(first[many], np.int32(place + 1))
            swapped = order[begin]
            order[places[other]], places[swapped] = swapped, places[other]
            order[begin], places[other] = other, begin
            first[many] = begin + np.int32(1)
            left[other] = many - np.int32(1)
