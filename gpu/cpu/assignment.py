"""The assignment problem of directed distances: what makes near cities and a first tour of them.

Each city gets a successor, each another one, with the least sum of distances. Most of these edges
belong to a short tour, and so do many of those that would cost little more: the latter is what
reduced distances tell, those less the dual values of row and column.

It is solved on lists of near cities (shortest augmenting paths, Jonker and Volgenant 1987). Then
all distances are read once: edges that are on no list and would make it shorter come to the lists,
until there are none. So memory is O(n) beside the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, inlined
from gpu.cpu.geometry import as_compiled
from gpu.cpu.structures import allocated

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

LEAST_LISTED = 12  # edges from each city, and to it, on which the problem is solved
_MOST_ROUNDS = 20  # then it is solved well enough: any values shorten all tours alike
_NO_CITY = np.int32(-1)
_BEYOND_ALL = np.int64(2**62)


class Assignment(NamedTuple):
    """Near cities by reduced distances, and cycles that visit each city once."""

    rows: Longs  # (n,): what is taken away from distances from each city,
    columns: Longs  # (n,): and from those to each city
    leaving: Ints  # (n, k): cities to which the reduced distances are least, ascending
    entering: Ints  # (n, k): cities from which they are least
    successors: Ints  # (n,)

    def reduced(self, matrix: Ints, start: NDArray[np.integer], end: NDArray[np.integer]) -> Longs:
        """Reduced distances from cities to cities: arrays that broadcast."""
        lengths: Longs = matrix[start, end] - self.rows[start] - self.columns[end]
        return lengths


class _Flow(NamedTuple):
    """What augmenting works on."""

    rows: Longs  # (n,): dual values
    columns: Longs  # (n,)
    successors: Ints  # (n,): of each city, or none
    owners: Ints  # (n,): whose successor each one is, or nobody's
    first: Longs  # (n + 1,): where the edges of each city begin
    ends: Ints  # (m,): where each edge leads
    lengths: Ints  # (m,)
    away: Longs  # (n,): length of the shortest path to each city
    came: Ints  # (n,): the city whose edge it ends with
    seen: Ints  # (n,): cities that have such a path
    settled: Ints  # (n,): those whose path is the shortest one
    keys: Longs  # (m,): heap of paths by length
    heap: Ints  # (m,): where they lead


def assignment_of(matrix: NDArray[np.int32], k: int) -> Assignment:
    """Solve the problem for distances (n, n), row to column, and list ``k`` near cities of each.

    Those of equal reduced distance go by their numbers, beginning with that of the city, so that
    not all lists have the same. The diagonal does not count.
    """
    matrix = as_compiled(matrix)
    n = len(matrix)
    width = min(max(k, LEAST_LISTED), n - 1)
    everyone = np.arange(n, dtype=np.int32)
    edges = everyone * np.int64(n) + np.roll(everyone, -1)  # a cycle: so there is an assignment
    found = Assignment(
        np.zeros(n, np.int64),
        np.empty(n, np.int64),
        np.empty((n, width), np.int32),
        np.empty((n, width), np.int32),
        np.full(n, _NO_CITY),
    )
    rows, leaving, entering = found.rows, found.leaving, found.entering
    keys = np.empty((n + 1, width), np.int64)
    worst = np.empty(n, np.int64)
    _least_of_columns(matrix, found.columns)
    for turn in range(_MOST_ROUNDS):
        _fill_lists(matrix, found, keys, worst)
        least = found.reduced(matrix, everyone, leaving[:, 0])
        if turn == 0:
            rows += least
        elif least.min() >= 0:
            break
        else:
            rows += np.minimum(least, 0)
        listed = (
            everyone[:, None] * np.int64(n) + leaving,
            entering * np.int64(n) + everyone[:, None],
        )
        edges = np.unique(np.concatenate((edges, *(table.ravel() for table in listed))))
        _augment_all(_flow_of(matrix, found, edges))
    return found._replace(leaving=leaving[:, :k].copy(), entering=entering[:, :k].copy())


def _flow_of(matrix: Ints, found: Assignment, edges: Longs) -> _Flow:
    """Make room for paths along these edges: numbers of pairs, ascending."""
    n = len(matrix)
    start, end = (edges // n).astype(np.int32), (edges % n).astype(np.int32)
    owners = np.full(n, _NO_CITY)
    assigned = np.flatnonzero(found.successors != _NO_CITY)
    owners[found.successors[assigned]] = assigned
    return allocated(
        _Flow,
        n,
        rows=found.rows,
        columns=found.columns,
        successors=found.successors,
        owners=owners,
        first=np.searchsorted(start, np.arange(n + 1)).astype(np.int64),
        ends=end,
        lengths=matrix[start, end],
        away=np.full(n, _BEYOND_ALL),
        keys=end.size,
        heap=end.size,
    )


@cached
def _least_of_columns(matrix: Ints, columns: Longs) -> None:
    """Fill ``columns`` with the least distance to each city."""
    n = columns.size
    for city in range(n):
        columns[city] = _BEYOND_ALL
    for row in range(n):
        for city in range(n):
            if matrix[row, city] < columns[city] and row != city:
                columns[city] = matrix[row, city]


@cached
def _fill_lists(matrix: Ints, found: Assignment, keys: Longs, worst: Longs) -> None:
    """Fill the lists by reduced distances, least first.

    There is room for the keys of all lists of cities that enter, and for those of one that are left
    to; and for the largest key of each list.
    """
    rows, columns, leaving, entering, _ = found
    n, k = leaving.shape
    own = keys[n]
    for row in range(n):
        worst[row] = _BEYOND_ALL
        for rank in range(k):
            keys[row, rank] = _BEYOND_ALL
    for row in range(n):
        for rank in range(k):
            own[rank] = _BEYOND_ALL
        last = np.int64(_BEYOND_ALL)
        for city in range(n):
            if city == row:
                continue
            # Reduced distance, then how far behind the number of the list's city.
            away = (np.int64(matrix[row, city]) - rows[row] - columns[city]) * n
            key = away + (city - row if city > row else city - row + n)
            if key < last:
                last = _insert(own, leaving[row], key, city)
            key = away + (row - city if row > city else row - city + n)
            if key < worst[city]:
                worst[city] = _insert(keys[city], entering[city], key, row)


@inlined
def _insert(keys: Longs, cities: Ints, key: np.int64, city: Whole) -> np.int64:
    """Insert a city into a list that is sorted by ``keys``; the last one goes. Return its key."""
    at = cities.size - 1
    while at > 0 and keys[at - 1] > key:
        keys[at] = keys[at - 1]
        cities[at] = cities[at - 1]
        at -= 1
    keys[at] = key
    cities[at] = city
    return np.int64(keys[cities.size - 1])


@cached
def _augment_all(flow: _Flow) -> None:
    """Give a successor to each city that has none, or one that is no longer near enough."""
    n = flow.rows.size
    for city in range(n):
        own = flow.successors[city]
        for edge in range(flow.first[city], flow.first[city + 1]):
            end = flow.ends[edge]
            tight = flow.lengths[edge] == flow.rows[city] + flow.columns[end]
            if end == own and not tight:
                flow.successors[city] = flow.owners[own] = _NO_CITY
    for city in range(n):
        if flow.successors[city] != _NO_CITY:
            continue
        for edge in range(flow.first[city], flow.first[city + 1]):
            end = flow.ends[edge]
            tight = flow.lengths[edge] == flow.rows[city] + flow.columns[end]
            if tight and flow.owners[end] == _NO_CITY:
                flow.successors[city] = end
                flow.owners[end] = city
                break
    for city in range(n):
        if flow.successors[city] == _NO_CITY:
            _augment(flow, city)


@inlined
def _augment(flow: _Flow, root: Whole) -> None:
    """Assign along the shortest path from ``root`` to a city that is nobody's successor."""
    rows, columns, owners, away = flow.rows, flow.columns, flow.owners, flow.away
    seen = settled = waiting = 0
    row, here, sink = np.int64(root), np.int64(0), np.int64(_NO_CITY)
    while sink == _NO_CITY:
        for edge in range(flow.first[row], flow.first[row + 1]):
            end = flow.ends[edge]
            length = here + (flow.lengths[edge] - rows[row] - columns[end])
            if length < away[end]:
                if away[end] == _BEYOND_ALL:
                    flow.seen[seen] = end
                    seen += 1
                away[end] = length
                flow.came[end] = row
                _push(flow.keys, flow.heap, waiting, length, end)
                waiting += 1
        while True:
            here, city = flow.keys[0], np.int64(flow.heap[0])
            waiting -= 1
            _pop(flow.keys, flow.heap, waiting)
            if here == away[city]:  # else it was reached by a shorter path later
                break
        if owners[city] == _NO_CITY:
            sink = city
        else:
            flow.settled[settled] = city
            settled += 1
            row = np.int64(owners[city])
    rows[root] += here
    for entry in range(settled):
        city = np.int64(flow.settled[entry])
        more = here - away[city]
        columns[city] -= more
        rows[owners[city]] += more
    for entry in range(seen):
        away[flow.seen[entry]] = _BEYOND_ALL
    while True:
        row = np.int64(flow.came[sink])
        following = np.int64(flow.successors[row])
        flow.successors[row] = sink
        owners[sink] = row
        if row == root:
            return
        sink = following


@inlined
def _push(keys: Longs, heap: Ints, size: Whole, key: np.int64, item: Whole) -> None:
    """Put an item into a heap of this size."""
    at = size
    while at > 0 and keys[(at - 1) // 2] > key:
        above = (at - 1) // 2
        keys[at] = keys[above]
        heap[at] = heap[above]
        at = above
    keys[at] = key
    heap[at] = item


@inlined
def _pop(keys: Longs, heap: Ints, size: Whole) -> None:
    """Take the first item out of a heap, which has this size afterwards."""
    key, item = keys[size], heap[size]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[at] = keys[below]
        heap[at] = heap[below]
        at = below
    keys[at] = key
    heap[at] = item


def joined(matrix: NDArray[np.int32], found: Assignment) -> Ints:
    """Join the cycles of an assignment to one tour (Karp 1979).

    Two edges of different cycles are given up for those that join them. Of near cities, the ones
    that cost least come first; then all other cycles are joined to the largest.
    """
    matrix, n = as_compiled(matrix), len(matrix)
    following, cycles = found.successors.copy(), np.empty(n, np.int32)
    owners = np.empty(n, np.int32)
    owners[following] = np.arange(n, dtype=np.int32)
    costs, others = np.empty(n, np.int64), np.empty(n, np.int32)
    changed = np.empty(n, np.bool_)
    while _number_cycles(following, cycles) > 1:
        _find_patches(matrix, found, following, owners, cycles, costs, others)
        order = np.argsort(costs, kind="stable")[: np.count_nonzero(costs < _BEYOND_ALL)]
        if not order.size:
            break
        changed.fill(False)
        _make_patches(following, owners, cycles, order, others, changed)
    _number_cycles(following, cycles)
    by_cycle = np.argsort(cycles, kind="stable").astype(np.int32)
    parts = np.split(by_cycle, np.flatnonzero(np.diff(cycles[by_cycle])) + 1)
    parts.sort(key=len, reverse=True)
    cities = parts[0]
    for cycle in parts[1:]:
        _join(matrix, following, cities, cycle)
        cities = np.concatenate((cities, cycle))
    tour = np.empty(n, np.int32)
    _walk(following, tour)
    return tour


@cached
def _number_cycles(following: Ints, cycles: Ints) -> int:
    """Fill ``cycles`` with the lowest city of that of each city; return how many there are."""
    for at in range(following.size):
        cycles[at] = _NO_CITY
    count = 0
    for first in range(following.size):
        city = np.int32(first)
        if cycles[city] == _NO_CITY:
            count += 1
        while cycles[city] == _NO_CITY:
            cycles[city] = first
            city = following[city]
    return count


@cached
def _find_patches(
    matrix: Ints,
    found: Assignment,
    following: Ints,
    owners: Ints,
    cycles: Ints,
    costs: Longs,
    others: Ints,
) -> None:
    """Fill ``others`` with the city that each one best changes successors with, and the costs."""
    for city in range(following.size):
        costs[city] = _BEYOND_ALL
        own = following[city]
        for rank in range(found.leaving.shape[1]):
            end = found.leaving[city, rank]
            other = owners[end]
            if cycles[other] == cycles[city]:
                continue
            cost = np.int64(matrix[city, end]) + matrix[other, own]
            cost -= np.int64(matrix[city, own]) + matrix[other, end]
            if cost < costs[city]:
                costs[city] = cost
                others[city] = other


@cached
def _make_patches(
    following: Ints,
    owners: Ints,
    cycles: Ints,
    order: Longs,
    others: Ints,
    changed: NDArray[np.bool_],
) -> None:
    """Let cities change successors in this order, once each, if that joins cycles."""
    for city in order:
        other = others[city]
        one, two = _root(cycles, city), _root(cycles, other)
        if one == two or changed[city] or changed[other]:
            continue
        changed[city] = changed[other] = True
        cycles[two] = one
        own, end = following[city], following[other]
        following[city], following[other] = end, own
        owners[end], owners[own] = city, other


@inlined
def _root(cycles: Ints, city: Whole) -> np.int32:
    """Return the city that stands for a cycle, and for all that were joined with it."""
    at = cycles[city]
    while cycles[at] != at:
        cycles[at] = cycles[cycles[at]]
        at = cycles[at]
    return np.int32(at)


@cached
def _join(matrix: Ints, following: Ints, cities: Ints, cycle: Ints) -> None:
    """Join a cycle to another one where that costs least."""
    best, one, two = _BEYOND_ALL, np.int32(0), np.int32(0)
    for here in cities:
        own = following[here]
        for there in cycle:
            end = following[there]
            cost = np.int64(matrix[here, end]) + matrix[there, own]
            cost -= np.int64(matrix[here, own]) + matrix[there, end]
            if cost < best:
                best, one, two = cost, here, there
    following[one], following[two] = following[two], following[one]


@cached
def _walk(following: Ints, tour: Ints) -> None:
    """Fill ``tour`` with the cities from city 0 on."""
    city = np.int32(0)
    for place in range(tour.size):
        tour[place] = city
        city = following[city]
