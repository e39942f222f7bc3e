"""Vertices that need not be colored by a search, because they can be colored after all others.

For colorings with k colors or more, these can be removed from a graph, again and again:

- a vertex with fewer than k neighbours: one of the k colors is left for it;
- a vertex whose neighbours are all neighbours of another vertex, to which it is not adjacent: it
  takes the color of that one, which dominates it.

What remains is the kernel. The vertices of a clique, or of an odd cycle, that shows how many colors
are needed stay: so a coloring of the kernel has as many colors as the one of the whole that it
makes. Its components are left together: a search works on all of them, and the
colors of one are no matter to another. O(n + m) memory; dominating vertices are looked for as long
as that takes no more than :data:`DOMINATION_WORK`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import ParameterError
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import GraphInstance

DOMINATION_WORK = 40_000_000
"""Neighbours that are looked at for dominating vertices, at most: some 0.1 s on a small graph."""

_NOBODY = -1  # dominates a vertex that has few neighbours


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """A graph without vertices that can be colored last. All arrays are read-only."""

    # Where the neighbours of each vertex of the whole begin in ``adjacent``, and the last ones end.
    offsets: NDArray[np.int64]  # (n + 1,)
    adjacent: NDArray[np.int32]
    kernel: GraphInstance  # what is left of it: at least one vertex, with its former number
    colors: int  # the whole needs at most so many, or as many as the kernel, if these are more
    vertices: NDArray[np.int32]  # (kernel.n,): the vertex that each one of the kernel is
    removed: NDArray[np.int32]  # (n - kernel.n,): all others, in the order in which they were
    dominating: NDArray[np.int32]  # of each of these: whose color it takes; -1 for a free color

    @property
    def n(self) -> int:
        """Vertices of the whole."""
        return len(self.offsets) - 1

    def extended(self, coloring: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the coloring of the whole graph that begins with one of the kernel, read-only.

        It is proper if that is, and has no more than ``colors`` colors, or as many as that.
        """
        found = np.full(self.n, -1, np.int32)
        found[self.vertices] = coloring
        taken = np.full(self.n + 1, -1, np.int32)
        arrays = self.offsets, self.adjacent, self.removed, self.dominating
        _extend(*arrays, taken, found)
        return frozen(found)

    def restricted(self, coloring: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return what a coloring of the whole graph is on the kernel, without gaps in its colors.

        The colors keep their order.
        """
        left = np.asarray(coloring)[self.vertices]
        return frozen(np.unique(left, return_inverse=True)[1].reshape(-1).astype(np.int32))


class _Workspace(NamedTuple):
    """What reducing works with; arrays have n entries."""

    numbers: NDArray[np.int64]  # (4,): see the constants below
    here: NDArray[np.uint8]  # 1 for vertices that are left
    left: NDArray[np.int32]  # their neighbours that are left
    stays: NDArray[np.uint8]  # 1 for vertices that are not removed
    waiting: NDArray[np.int32]  # a ring of vertices that are to be looked at
    waits: NDArray[np.uint8]
    few: NDArray[np.int32]  # a stack of those with few neighbours
    marks: NDArray[np.uint8]
    removed: NDArray[np.int32]
    dominating: NDArray[np.int32]


_REMOVED, _FEW, _WAITING, _WORK = range(4)  # how many there are, and neighbours looked at


def reduced(
    graph: GraphInstance, colors: int, staying: NDArray[np.integer] | None = None
) -> Reduction:
    """Remove all that needs no search for colorings with ``colors`` colors or more.

    The vertices ``staying`` are not removed.

    With a lower bound, as that of :func:`gpu.bounds.coloring.coloring_bound`, no optimal coloring
    is lost. A search for a coloring with a given number of colors may give that number, which is
    at least 1: more is removed then. ParameterError if it is less.
    """
    if colors < 1:
        raise ParameterError(f"colors = {colors} is not at least 1")
    space = allocated(_Workspace, graph.n, numbers=4, left=graph.degrees.copy())
    space.here.fill(1)
    if staying is not None:
        space.stays[staying] = 1
    _reduce(graph.offsets, graph.adjacent, space, colors, DOMINATION_WORK)
    count = int(space.numbers[_REMOVED])
    removed, dominating = (one[:count].copy() for one in (space.removed, space.dominating))
    vertices = np.flatnonzero(space.here).astype(np.int32)
    kernel = graph
    if count:
        number = np.cumsum(space.here, dtype=np.int32) - 1
        inside = space.here[graph.edges].all(axis=1)
        kernel = GraphInstance(
            f"{graph.name} (kernel)",
            "",
            len(vertices),
            number[graph.edges[inside]],
            **graph.calling(vertices),
        )
    return Reduction(
        graph.offsets,
        graph.adjacent,
        kernel,
        colors,
        frozen(vertices),
        frozen(removed),
        frozen(dominating),
    )


@cached
def _reduce(
    offsets: NDArray[np.int64],
    adjacent: NDArray[np.int32],
    space: _Workspace,
    colors: Whole,
    limit: Whole,
) -> None:
    """Remove vertices until none can be, or one is left; fill ``removed`` and ``dominating``."""
    numbers, n = space.numbers, space.here.size
    first = np.int64(0)
    for one in range(n):
        _look_later(space, one, first, colors)
    while numbers[_FEW] + numbers[_WAITING] > 0 and numbers[_REMOVED] < n - 1:
        other = np.int64(_NOBODY)
        if numbers[_FEW] > 0:
            numbers[_FEW] -= 1
            vertex = np.int64(space.few[numbers[_FEW]])
        else:
            vertex = np.int64(space.waiting[first])
            first = (first + 1) % n
            numbers[_WAITING] -= 1
            space.waits[vertex] = 0
            if not space.here[vertex] or numbers[_WORK] > limit:
                continue
            other = _dominating(offsets, adjacent, space, vertex)
            if other == _NOBODY:
                continue
        space.removed[numbers[_REMOVED]] = vertex
        space.dominating[numbers[_REMOVED]] = other
        numbers[_REMOVED] += 1
        space.here[vertex] = 0
        for at in range(offsets[vertex], offsets[vertex + 1]):
            near = adjacent[at]
            if space.here[near]:
                space.left[near] -= 1
                _look_later(space, near, first, colors)


@inlined
def _look_later(space: _Workspace, vertex: Whole, first: Whole, colors: Whole) -> None:
    """Let a vertex that is left wait to be looked at: at once, where its neighbours became few."""
    numbers = space.numbers
    if space.stays[vertex]:
        return
    if space.left[vertex] < colors:
        if space.marks[vertex] & 2 == 0:
            space.marks[vertex] |= 2
            space.few[numbers[_FEW]] = vertex
            numbers[_FEW] += 1
    elif not space.waits[vertex]:
        space.waits[vertex] = 1
        space.waiting[(first + numbers[_WAITING]) % space.waiting.size] = vertex
        numbers[_WAITING] += 1


@compiled
def _dominating(
    offsets: NDArray[np.int64], adjacent: NDArray[np.int32], space: _Workspace, vertex: Whole
) -> np.int64:
    """Return a vertex that dominates ``vertex``; -1 if there is none."""
    here, left, marks, numbers = space.here, space.left, space.marks, space.numbers
    need = left[vertex]
    least = np.int64(_NOBODY)  # its neighbour with the fewest neighbours
    for at in range(offsets[vertex], offsets[vertex + 1]):
        near = np.int64(adjacent[at])
        if here[near]:
            marks[near] |= 1
            if least < 0 or left[near] < left[least]:
                least = near
    numbers[_WORK] += 2 * (offsets[vertex + 1] - offsets[vertex])
    found = np.int64(_NOBODY)
    for at in range(offsets[least], offsets[least + 1]):
        other = np.int64(adjacent[at])
        if not here[other] or other == vertex or marks[other] & 1 or left[other] < need:
            continue
        spare = left[other] - need  # neighbours that it may have beside those of the vertex
        place, end = offsets[other], offsets[other + 1]
        while place < end and spare >= 0:
            near = np.int64(adjacent[place])
            if here[near] and marks[near] & 1 == 0:
                spare -= 1
            place += 1
        numbers[_WORK] += place - offsets[other]
        if spare >= 0:
            found = other
            break
    for at in range(offsets[vertex], offsets[vertex + 1]):
        marks[adjacent[at]] &= 2
    return found


@cached
def _extend(
    offsets: NDArray[np.int64],
    adjacent: NDArray[np.int32],
    removed: NDArray[np.int32],
    dominating: NDArray[np.int32],
    taken: NDArray[np.int32],
    coloring: NDArray[np.int32],
) -> None:
    """Color what was removed, the last one first; ``taken`` has room for all colors."""
    for at in range(removed.size - 1, -1, -1):
        vertex = removed[at]
        if dominating[at] >= 0:
            coloring[vertex] = coloring[dominating[at]]
            continue
        for place in range(offsets[vertex], offsets[vertex + 1]):
            color = coloring[adjacent[place]]
            if color >= 0:
                taken[color] = vertex
        color = np.int32(0)
        while taken[color] == vertex:
            color += np.int32(1)
        coloring[vertex] = color
