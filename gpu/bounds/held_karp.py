"""How long every tour is at least: by 1-trees (Held and Karp 1970, 1971).

A 1-tree is a spanning tree with one further edge at one of its leaves. Every tour is one, so none
is shorter than the minimum 1-tree; and this holds, too, where each city has a penalty π that is
added to the length of each of its edges, once twice the sum of all π is taken away again. Penalties
are found on a sparse graph, as for lists by α-nearness. The bound then follows from the minimum
1-tree of all pairs of cities with these penalties, which are whole numbers: whatever they are, it
is right, and it can be checked from them.

A directed instance is one of twice as many cities: each is entered at one half and left at the
other, and between the halves is an edge that every tour has.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.bounds.spanning_trees import PAIRS_MOST, Lengths, SpanningTree, spanning_tree
from gpu.core.arguments import numbers_in
from gpu.core.arrays import frozen
from gpu.core.bounds import LowerBound
from gpu.core.colony import never
from gpu.core.errors import SolutionError
from gpu.cpu.alpha import FINEST, GRAPH_LISTED, OneTree, ascend, edges_of
from gpu.cpu.first_tours import greedy_tour
from gpu.cpu.geometry import (
    BOXED,
    DOUBLED,
    TABLE,
    CityGeometry,
    as_compiled,
    geometry_of,
)
from gpu.problems.tsp.distances import blocks
from gpu.problems.tsp.heaps import Places, places_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import quadrant_neighbours

BOUND_CITIES = 200_000
"""Cities of an instance whose bound is looked for, at most; see also ``PAIRS_MOST``."""

FEW_CITIES = 3
"""An instance with so many cities has one tour, or one in each direction."""

WHY = "a 1-tree of Held and Karp is as long"

_MOST_STEPS, _FEWEST_STEPS = 600, 100
_ASCENT_WORK = 24_000_000  # cities times steps, between these limits
_ROUNDS = 12  # how often edges that the sparse graph lacks are added to it, at most
_SHORTER = 0.25  # then, share of steps and of their lengths
_CLOSE = 0.9999  # share of the sparse graph's bound with which the whole graph's is close to it
_PLACES_MOST = 10_000  # places that give their penalties to the heaps of cities there
_LOOK = 0.05  # seconds between two looks at whether to stop, while another bound is looked for
_LARGEST_PENALTY = 2**40  # in steps: sums of all edges with such penalties are below 2^63

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Stop = Callable[[], bool]

_one_at_a_time = threading.Lock()
_made: WeakKeyDictionary[TspInstance, LowerBound] = WeakKeyDictionary()


def tour_bound(instance: TspInstance, stop: Stop = never) -> LowerBound | None:
    """Return what no tour is shorter than; None if ``stop`` said so before, or it is too large.

    The bound of an instance is made once, and is the same on every machine.
    """
    while not _one_at_a_time.acquire(timeout=_LOOK):  # the lanes of a race want the same
        if stop():
            return None
    try:
        if instance not in _made:
            if _is_too_large(instance):
                return None
            penalties = _penalties_of(instance, stop)
            if penalties is None:
                return None
            _made[instance] = bound_by_penalties(instance, penalties)
        return _made[instance]
    finally:
        _one_at_a_time.release()


def bound_by_penalties(instance: TspInstance, penalties: NDArray[np.integer]) -> LowerBound:
    """Return the bound that ``penalties`` show; SolutionError if they show none.

    Parameters
    ----------
    instance
        Whose tours it bounds.
    penalties
        Of each city, or of each half of the cities of a directed instance, in parts of a unit of
        length: how small they are follows from the instance. The same number more for all changes
        nothing. Shape (n,) or (2 n,); for 3 cities, which need none, (0,).
    """
    given = numbers_in(penalties, "iu")
    few = instance.n <= FEW_CITIES
    size = 0 if few else instance.n * (2 if instance.directed else 1)
    if given is None or given.shape != (size,) or _is_too_large(instance):
        raise SolutionError(f"a lower bound of {instance.name} is shown by {size} penalties")
    if few:
        cost = min(map(instance.tour_length, _all_tours(instance.n)))
        return LowerBound(
            cost, "no tour of so few cities is shorter", frozen(np.empty(0, np.int64))
        )
    graph = _Graph.of(instance)
    kept = np.clip(given.astype(np.int64), -_LARGEST_PENALTY, _LARGEST_PENALTY)
    found = graph.tree(kept)
    assert found is not None
    return LowerBound(graph.bound(found, kept), WHY, frozen(kept))


def _is_too_large(instance: TspInstance) -> bool:
    if instance.n <= FEW_CITIES:
        return False
    flat = instance.matrix is None and not instance.directed
    if flat and geometry_of(instance, 0.0).rule in BOXED:
        return instance.n > BOUND_CITIES
    return instance.n > PAIRS_MOST


def _all_tours(n: int) -> list[NDArray[np.int64]]:
    return [np.array((0, *rest)) for rest in itertools.permutations(range(1, n))]


class _Graph(NamedTuple):
    """An instance as bounds take it: symmetric, of ``n`` or ``2 n`` cities."""

    geometry: CityGeometry
    size: int  # cities, those that are doubled twice
    more: int  # what each edge has more where cities are doubled; see :class:`Lengths`
    precision: int  # steps of penalties in one unit of length
    extra: int  # what is too much of a tour: ``more`` for each of the cities

    @classmethod
    def of(cls, instance: TspInstance) -> _Graph:
        geometry, n, longest = geometry_of(instance, 0.0), instance.n, 2**31
        more = 0
        if instance.directed:
            matrix = as_compiled(instance.all_distances())
            geometry = CityGeometry(DOUBLED, np.zeros((2 * n, 3)), np.ones(3), matrix, 0.0)
            more = 1 + int(np.partition(matrix, min(n - 1, 2), axis=1)[:, min(n - 1, 2)].max())
        elif geometry.rule == TABLE and instance.matrix is not None:
            longest = 1 + int(instance.matrix.max())
        elif instance.coordinates is not None:
            spans = np.ptp(instance.coordinates, axis=0)
            longest = (
                min(longest, 1 + 2 * int(np.ceil(spans.sum())))
                if geometry.rule in BOXED
                else longest
            )
        size = 2 * n if instance.directed else n
        # A key of an edge of the sparse graph, its length before its number, is below 2^63.
        precision = int(np.clip(2**50 // (size * 2 * GRAPH_LISTED * longest), 1, FINEST))
        return cls(geometry, size, more, precision, more * n)

    def tree(
        self, penalties: Longs, known: tuple[Ints, Ints] | None = None, stop: Stop = never
    ) -> SpanningTree | None:
        """Return the minimum 1-tree; None if ``stop`` said so before."""
        none = np.empty(0, np.int32)
        lengths = Lengths(self.geometry, self.precision, self.more, penalties)
        return spanning_tree(lengths, (none, none) if known is None else known, stop)

    def bound(self, tree: SpanningTree, penalties: Longs) -> int:
        """Return the length that no tour is below, for a minimum 1-tree with ``penalties``."""
        return max(0, -(-tree.bound(penalties) // self.precision) - self.extra)


def _penalties_of(instance: TspInstance, stop: Stop) -> Longs | None:
    """Return good penalties; None if ``stop`` said so before."""
    if instance.n <= FEW_CITIES:
        return np.empty(0, np.int64)
    graph = _Graph.of(instance)
    places = places_of(instance)
    if places is not None and places.instance.n <= _PLACES_MOST:
        return _penalties_of_heaps(places, graph, stop)
    start, end, lengths = _sparse(instance, graph)
    steps = min(max(_ASCENT_WORK // graph.size, _FEWEST_STEPS), _MOST_STEPS)
    best, best_bound = np.zeros(graph.size, np.int64), -1
    penalties, share = best, 1.0
    for _ in range(_ROUNDS):
        ascent = OneTree(graph.size, start, end, lengths * graph.precision)
        sum_of_edges = ascent.grow(best * 0) - graph.extra * graph.precision
        mean = share * max(sum_of_edges, graph.size) / graph.size
        penalties, sparse_bound = ascend(ascent, int(steps * share), penalties, mean, stop)
        penalties = np.clip(penalties, -_LARGEST_PENALTY, _LARGEST_PENALTY)
        tree = graph.tree(penalties, (start, end), stop)
        if tree is None:
            return None
        if (bound := graph.bound(tree, penalties)) > best_bound:
            best, best_bound = penalties, bound
        missing = _missing(graph.size, (start, end), tree)
        if not len(missing) or tree.bound(penalties) >= _CLOSE * sparse_bound:
            break
        start, end = (np.concatenate(both) for both in zip((start, end), missing.T, strict=True))
        lengths = np.concatenate((lengths, _lengths(instance, graph, *missing.T)))
        share = _SHORTER
    return best


def _penalties_of_heaps(places: Places, graph: _Graph, stop: Stop) -> Longs | None:
    """Return penalties by those of places; None if ``stop`` said so before.

    The cities of a heap are joined to each other as long as no penalty is larger than another one
    and the way between both. So penalties become as small as that asks for.
    """
    part = places.instance
    found = _penalties_of(part, stop)
    if found is None:
        return None
    steps, everyone, lowered = _Graph.of(part).precision, np.arange(part.n), found.copy()
    for block in blocks(part.n, part.n):
        if stop():
            return None
        away = part.distances(everyone[block, None], everyone) * steps
        lowered[block] = (away + found).min(axis=1)
    return np.asarray((lowered * graph.precision // steps)[places.place], np.int64)


def _lengths(instance: TspInstance, graph: _Graph, start: Ints, end: Ints) -> Longs:
    """Return how long edges are without penalties."""
    if not graph.more:
        return instance.distances(start, end)
    odd = start & 1
    left, entered = np.where(odd, start, end) >> 1, np.where(odd, end, start) >> 1
    found = instance.distances(left, entered) + graph.more
    found[(start ^ end) & 1 == 0] = 4 * graph.more
    found[start >> 1 == end >> 1] = 0
    return found


def _sparse(instance: TspInstance, graph: _Graph) -> tuple[Ints, Ints, Longs]:
    """Return the edges of near cities and of a tour: their ends, and their lengths."""
    n = instance.n
    if not instance.directed:
        lists = quadrant_neighbours(instance, GRAPH_LISTED)
        start, end = edges_of(lists, greedy_tour(instance, lists))
        return start, end, _lengths(instance, graph, start, end)
    matrix, k = instance.all_distances(), min(GRAPH_LISTED, n - 1)
    own = matrix.copy()
    np.fill_diagonal(own, np.iinfo(np.int32).max)
    entering = np.argpartition(own, k - 1, axis=1)[:, :k]
    leaving = np.argpartition(own.T, k - 1, axis=1)[:, :k]
    lists = np.empty((2 * n, k), np.int32)
    lists[::2], lists[1::2] = 2 * leaving + 1, 2 * entering
    start, end = edges_of(lists, np.arange(2 * n, dtype=np.int32))
    return start, end, _lengths(instance, graph, start, end)


def _missing(size: int, known: tuple[Ints, Ints], tree: SpanningTree) -> Ints:
    """Return the edges of a 1-tree that are not known, shape (edges, 2)."""
    one = np.append(tree.start, tree.leaf)
    other = np.append(tree.end, tree.other)
    low, high = np.minimum(one, other), np.maximum(one, other)
    code = known[0].astype(np.int64) * size + known[1]
    new = ~np.isin(low.astype(np.int64) * size + high, code)
    return np.column_stack((low[new], high[new])).astype(np.int32)
