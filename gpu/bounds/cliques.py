"""Cliques of a graph: each of their vertices needs a color of its own.

A clique lies within the later neighbours of one of its vertices in the degeneracy order. So the
first cliques are built greedily from each vertex and its later neighbours, those of the densest
part of the graph first: the next member is the candidate with the most neighbours among the
candidates. Then a tabu search changes cliques (Wu, Hao and Glover 2012): it adds a vertex that is
adjacent to all members, else exchanges one member for a vertex that is adjacent to all others, else
drops one. What has left a clique may not come back for some moves.

All this takes O(n + m) memory. What is found depends on the graph, the seed and the amount of work
alone, however the work is divided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.graphs import degeneracy_order
from gpu.cpu.philox import Key, below, key_of, words_of
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import GraphInstance

GREEDY_WORK = 20_000_000
"""Neighbours that are looked at for greedy cliques, at most; a hundred million take some 0.15 s."""

WALK = 4000  # moves without a larger clique after which the tabu search begins elsewhere
VAIN_WALKS = 5  # in a row, after which it ends
MOVE_WORK = 200  # neighbours that could be looked at in the time that a move takes beside them
TENURE = 7  # moves, at least, for which a vertex that has left the clique may not come back

_PURPOSE = np.uint32(Purpose.CLIQUE)


class CliqueGraph(NamedTuple):
    """The graph, as compiled code reads it."""

    offsets: NDArray[np.int64]
    adjacent: NDArray[np.int32]
    order: NDArray[np.int32]  # see DegeneracyOrder
    places: NDArray[np.int32]
    cores: NDArray[np.int32]


class CliqueWorkspace(NamedTuple):
    """What the search keeps from one part of its work to the next. Arrays have n entries."""

    numbers: NDArray[np.int64]  # (7,): see the constants below
    best: NDArray[np.int32]  # the largest clique found
    clique: NDArray[np.int32]  # the one that is built or changed
    spots: NDArray[np.int32]  # tabu: where each member stands in the clique; -1 for all others
    links: NDArray[np.int32]  # members, or candidates, that are neighbours of each vertex
    chosen: NDArray[np.int32]  # candidates
    marks: NDArray[np.uint8]  # greedy: 1 for candidates, 2 for those that remain
    seen: NDArray[np.int64]  # tabu: the move in which a vertex was looked at last
    tabu: NDArray[np.int64]  # tabu: the move before which it may not come back


_BEST, _SIZE = 0, 1  # vertices of the largest clique, and of the one that is changed
_NEXT = 2  # place in the order from which on the next greedy clique is built
_WORK, _MOVE = 3, 4  # neighbours looked at, and moves, so far
_IDLE, _WALKS = 5, 6  # moves, and walks that have begun, since there was a larger clique


class CliqueSearch:
    """Looks for a large clique of a graph, in parts of any size."""

    def __init__(self, graph: GraphInstance, seed: int = 0) -> None:
        found = degeneracy_order(graph)
        self._graph = CliqueGraph(graph.offsets, graph.adjacent, *found)
        self._key = key_of(seed)
        self._workspace = allocated(CliqueWorkspace, graph.n, numbers=7)
        self._workspace.spots.fill(-1)
        self._workspace.numbers[_NEXT] = graph.n - 1

    @property
    def clique(self) -> NDArray[np.int32]:
        """The largest clique found so far: its vertices, ascending, read-only."""
        size = self._workspace.numbers[_BEST]
        return frozen(np.sort(self._workspace.best[:size]))

    @property
    def work(self) -> int:
        """Neighbours that were looked at so far, as a measure of what was done."""
        return int(self._workspace.numbers[_WORK])

    @property
    def ended(self) -> bool:
        """Whether more work finds nothing: there is no larger clique, or it was sought in vain."""
        numbers = self._workspace.numbers
        return bool(self._graph.cores.max() < numbers[_BEST] or numbers[_WALKS] > VAIN_WALKS)

    def improve(self, work: int) -> None:
        """Go on until about so many more neighbours have been looked at."""
        limit = self.work + work
        _build(self._graph, self._workspace, min(limit, GREEDY_WORK))
        _walk(self._graph, self._workspace, self._key, limit)


@cached
def _build(graph: CliqueGraph, workspace: CliqueWorkspace, limit: Whole) -> None:
    """Build greedy cliques from one vertex after the other, the last of the order first."""
    numbers = workspace.numbers
    while numbers[_NEXT] >= 0 and numbers[_WORK] < limit:
        vertex = graph.order[numbers[_NEXT]]
        numbers[_NEXT] -= 1
        if graph.cores[vertex] < numbers[_BEST]:  # so are those of all vertices before
            numbers[_NEXT] = -1
            return
        _build_from(graph, workspace, vertex)


@compiled
def _build_from(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole) -> None:
    """Build a clique of ``vertex`` and later neighbours, while it may become the largest."""
    offsets, adjacent = graph.offsets, graph.adjacent
    numbers, marks, links = workspace.numbers, workspace.marks, workspace.links
    clique, chosen = workspace.clique, workspace.chosen
    best = numbers[_BEST]
    left = np.int64(0)  # candidates
    numbers[_WORK] += offsets[vertex + 1] - offsets[vertex]
    for at in range(offsets[vertex], offsets[vertex + 1]):
        other = adjacent[at]
        if graph.places[other] > graph.places[vertex]:
            chosen[left] = other
            left += 1
    size = np.int64(1)
    clique[0] = vertex
    if size + left > best:
        for i in range(left):
            marks[chosen[i]] = 1
        for i in range(left):
            links[chosen[i]] = _marked(graph, workspace, chosen[i])
    left = _without_hopeless(graph, workspace, size, left)
    while left > 0 and size + left > best:
        most = np.int64(0)
        for i in range(1, left):
            if links[chosen[i]] > links[chosen[most]]:
                most = np.int64(i)
        member = chosen[most]
        clique[size] = member
        size += 1
        strangers = left - 1 > links[member]
        left = _without(graph, workspace, most, left)
        if strangers:
            left = _neighbours_of(graph, workspace, member, left)
            left = _without_hopeless(graph, workspace, size, left)
    for i in range(left):
        marks[chosen[i]] = 0
    if left == 0 and size > best:
        _keep(workspace, size)


@inlined
def _marked(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole) -> np.int64:
    """Count the neighbours of ``vertex`` that are candidates."""
    first, last = graph.offsets[vertex], graph.offsets[vertex + 1]
    workspace.numbers[_WORK] += last - first
    count = np.int64(0)
    for at in range(first, last):
        count += workspace.marks[graph.adjacent[at]]
    return count


@inlined
def _without(graph: CliqueGraph, workspace: CliqueWorkspace, place: Whole, left: Whole) -> np.int64:
    """Take the candidate at ``place`` out of those that are ``left``; return how many are then."""
    chosen, marks, links = workspace.chosen, workspace.marks, workspace.links
    gone = chosen[place]
    chosen[place] = chosen[left - 1]
    marks[gone] = 0
    first, last = graph.offsets[gone], graph.offsets[gone + 1]
    workspace.numbers[_WORK] += last - first
    for at in range(first, last):
        links[graph.adjacent[at]] -= 1  # those that are no candidates count nothing
    return np.int64(left - 1)


@compiled
def _neighbours_of(
    graph: CliqueGraph, workspace: CliqueWorkspace, member: Whole, left: Whole
) -> np.int64:
    """Keep those candidates that are neighbours of ``member``; return their number."""
    marks, chosen = workspace.marks, workspace.chosen
    first, last = graph.offsets[member], graph.offsets[member + 1]
    workspace.numbers[_WORK] += last - first
    for at in range(first, last):
        if marks[graph.adjacent[at]]:
            marks[graph.adjacent[at]] = 2
    i, many = np.int64(0), np.int64(left)
    while i < many:
        if marks[chosen[i]] == 2:
            marks[chosen[i]] = 1
            i += 1
        else:
            many = _without(graph, workspace, i, many)
    return many


@compiled
def _without_hopeless(
    graph: CliqueGraph, workspace: CliqueWorkspace, size: Whole, left: Whole
) -> np.int64:
    """Take out candidates with too few others beside them for a larger clique than the largest."""
    links, chosen = workspace.links, workspace.chosen
    least = workspace.numbers[_BEST] - size
    many, before = np.int64(left), np.int64(left + 1)
    while many < before:
        before = many
        i = np.int64(0)
        while i < many and size + many > workspace.numbers[_BEST]:
            if links[chosen[i]] < least:
                many = _without(graph, workspace, i, many)
            else:
                i += 1
    return many


@inlined
def _keep(workspace: CliqueWorkspace, size: Whole) -> None:
    """Keep the clique, of this size, as the largest."""
    workspace.numbers[_BEST] = size
    for i in range(size):
        workspace.best[i] = workspace.clique[i]


@cached
def _walk(graph: CliqueGraph, workspace: CliqueWorkspace, key: Key, limit: Whole) -> None:
    """Change cliques, move by move; begin with the largest that was built."""
    numbers, cores, order = workspace.numbers, graph.cores, graph.order
    n = order.size
    while numbers[_WORK] < limit:
        best, size = numbers[_BEST], numbers[_SIZE]
        if cores[order[n - 1]] < best or numbers[_WALKS] > VAIN_WALKS:
            return
        numbers[_MOVE] += 1
        numbers[_WORK] += MOVE_WORK
        words = words_of(
            key, _PURPOSE, numbers[_MOVE] & 0xFFFFFFFF, numbers[_MOVE] >> 32, np.uint32(0)
        )
        if size == 0 or numbers[_IDLE] >= WALK:
            _begin_anew(graph, workspace, words[0])
            continue
        numbers[_IDLE] += 1
        _move(graph, workspace, words)
        if numbers[_SIZE] > best:
            numbers[_IDLE], numbers[_WALKS] = 0, 1
            _keep(workspace, numbers[_SIZE])


@compiled
def _begin_anew(graph: CliqueGraph, workspace: CliqueWorkspace, word: np.uint32) -> None:
    """Begin with the largest clique that was built, later with a random vertex."""
    numbers, clique = workspace.numbers, workspace.clique
    numbers[_SIZE], numbers[_IDLE] = 0, 0
    numbers[_WORK] += clique.size
    workspace.spots[:] = -1
    workspace.links[:] = 0
    numbers[_WALKS] += 1
    if numbers[_WALKS] == 1:
        for i in range(numbers[_BEST]):
            _add(graph, workspace, workspace.best[i])
        return
    low, high = (
        np.int64(0),
        np.int64(graph.order.size - 1),
    )  # the first that may be in a larger clique
    while low < high:
        middle = (low + high) // 2
        if graph.cores[graph.order[middle]] < numbers[_BEST]:
            low = middle + 1
        else:
            high = middle
    _add(graph, workspace, graph.order[low + below(word, graph.order.size - low)])


@compiled
def _add(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole) -> None:
    """Add a vertex to the clique."""
    numbers = workspace.numbers
    size = numbers[_SIZE]
    workspace.clique[size] = vertex
    workspace.spots[vertex] = size
    numbers[_SIZE] = size + 1
    _link(graph, workspace, vertex, 1)


@compiled
def _drop(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole, until: Whole) -> None:
    """Take a vertex out of the clique; it may not come back before a move."""
    numbers, clique, spots = workspace.numbers, workspace.clique, workspace.spots
    size = numbers[_SIZE] - 1
    last = clique[size]
    clique[spots[vertex]] = last
    spots[last] = spots[vertex]
    spots[vertex] = -1
    numbers[_SIZE] = size
    workspace.tabu[vertex] = until
    _link(graph, workspace, vertex, -1)


@inlined
def _link(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole, change: Whole) -> None:
    """Count a member more, or fewer, for all neighbours of ``vertex``."""
    first, last = graph.offsets[vertex], graph.offsets[vertex + 1]
    workspace.numbers[_WORK] += last - first
    for at in range(first, last):
        workspace.links[graph.adjacent[at]] += change


@compiled
def _move(
    graph: CliqueGraph,
    workspace: CliqueWorkspace,
    words: tuple[np.uint32, np.uint32, np.uint32, np.uint32],
) -> None:
    """Add a vertex, else exchange one, else drop one."""
    numbers, chosen, clique = workspace.numbers, workspace.chosen, workspace.clique
    now = numbers[_MOVE]
    adding, exchanging = _candidates(graph, workspace)
    if adding > 0:
        _add(graph, workspace, chosen[below(words[0], adding)])
    elif exchanging > 0:
        vertex = chosen[chosen.size - 1 - below(words[0], exchanging)]
        member = _missing(graph, workspace, vertex)
        _drop(graph, workspace, member, now + TENURE + 1 + below(words[1], exchanging))
        _add(graph, workspace, vertex)
    else:
        _drop(graph, workspace, clique[below(words[0], numbers[_SIZE])], now + TENURE + 1)


@compiled
def _candidates(graph: CliqueGraph, workspace: CliqueWorkspace) -> tuple[np.int64, np.int64]:
    """Fill ``chosen``: from its start with vertices to add, from its end with those to exchange.

    Either are neighbours of one of any two members: those of the two with the fewest are looked
    at. Vertices whose core number is too low for a larger clique are left out.
    """
    offsets, adjacent, chosen = graph.offsets, graph.adjacent, workspace.chosen
    numbers, links, seen = workspace.numbers, workspace.links, workspace.seen
    size, best, now = numbers[_SIZE], numbers[_BEST], numbers[_MOVE]
    first = second = np.int64(-1)  # members of least degree
    for i in range(size):
        member = np.int64(workspace.clique[i])
        degree = offsets[member + 1] - offsets[member]
        if first < 0 or degree < offsets[first + 1] - offsets[first]:
            first, second = member, first
        elif second < 0 or degree < offsets[second + 1] - offsets[second]:
            second = member
    adding = exchanging = np.int64(0)
    for member in (first, second):
        if member < 0:
            continue
        numbers[_WORK] += offsets[member + 1] - offsets[member]
        for at in range(offsets[member], offsets[member + 1]):
            vertex = adjacent[at]
            linked = links[vertex]
            if linked < size - 1 or seen[vertex] == now or graph.cores[vertex] < best:
                continue
            seen[vertex] = now
            if workspace.spots[vertex] >= 0:
                continue
            if workspace.tabu[vertex] > now and not (linked == size and size == best):
                continue
            if linked == size:
                chosen[adding] = vertex
                adding += 1
            elif size > 1:
                exchanging += 1
                chosen[chosen.size - exchanging] = vertex
    return adding, exchanging


@compiled
def _missing(graph: CliqueGraph, workspace: CliqueWorkspace, vertex: Whole) -> np.int64:
    """Return the one member of the clique that is not a neighbour of ``vertex``."""
    offsets, adjacent = graph.offsets, graph.adjacent
    numbers, spots, seen = workspace.numbers, workspace.spots, workspace.seen
    numbers[_WORK] += offsets[vertex + 1] - offsets[vertex]
    mark = -numbers[_MOVE]
    for at in range(offsets[vertex], offsets[vertex + 1]):
        if spots[adjacent[at]] >= 0:
            seen[adjacent[at]] = mark
    for i in range(numbers[_SIZE]):
        if seen[workspace.clique[i]] != mark:
            return np.int64(workspace.clique[i])
    return np.int64(-1)
