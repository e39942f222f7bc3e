"""Candidate lists by α-nearness (Helsgaun 2000): how much longer an edge makes the 1-tree.

A minimum 1-tree is a minimum spanning tree, and the shortest further edge of one of its leaves. No
tour is shorter, and it has many edges of a short tour, most of them once each city has a penalty π
which is added to the length of each of its edges, such that nearly all cities have two edges in
the tree. The α of an edge is the length of the shortest 1-tree that has it, less that of the
shortest of all.

The edges are those of a sparse graph, which lists and a tour make: memory is O(n). The tree is
grown by Kruskal's rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.cpu.compilation import Whole, cached, inlined
from gpu.cpu.first_tours import greedy_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import quadrant_neighbours

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class OneTree:
    """The minimum 1-tree of a graph whose cities have penalties.

    The graph is connected, and each city has two edges at least.

    Parameters
    ----------
    n
        Number of cities.
    start, end
        Cities of each edge; shape (edges,).
    lengths
        Its length without penalties; shape (edges,).
    """

    def __init__(self, n: int, start: Ints, end: Ints, lengths: Longs) -> None:
        self.n = n
        self.degrees = np.empty(n, np.int32)  # edges of each city in the tree that was grown last
        self._graph = start, end, lengths
        self._bits = int(start.size).bit_length()
        # Edges by length: length, then number. In the spanning tree it is -1 - number.
        self._keys = np.empty(start.size, np.int64)
        self._parents = np.empty(n, np.int32)

    def grow(self, penalties: Longs) -> int:
        """Find the 1-tree under ``penalties``; return its length less twice their sum."""
        return self._grow(penalties)[0]

    def alphas(self, penalties: Longs) -> Longs:
        """Return the α of each edge."""
        _, further, leaf = self._grow(penalties)
        result = np.empty(self._keys.size, np.int64)
        joined = np.empty(self.n, np.int64)
        sizes = np.empty(self.n, np.int32)
        _find_alphas(
            *self._graph, penalties, self._keys, further, leaf, self._parents, joined, sizes, result
        )
        return result

    def _grow(self, penalties: Longs) -> tuple[int, int, int]:
        _rank_edges(*self._graph, penalties, 2 * penalties.min(), self._bits, self._keys)
        self._keys.sort()
        further, leaf = _span(*self._graph[:2], self._bits, self._keys, self._parents, self.degrees)
        length = _tree_length(*self._graph, penalties, self._keys, further)
        return int(length - 2 * penalties.sum()), further, leaf


@cached
def _rank_edges(
    start: Ints, end: Ints, lengths: Longs, penalties: Longs, least: int, bits: int, keys: Longs
) -> None:
    for edge in range(keys.size):
        length = lengths[edge] + penalties[start[edge]] + penalties[end[edge]]
        keys[edge] = (length - least) << bits | edge


@inlined
def _joined(parents: Ints, a: Whole, b: Whole) -> bool:
    """Join the parts of two cities, unless they are the same (Rem's algorithm).

    Parents have higher numbers; on the way to the roots they are replaced by higher ones yet.
    """
    while parents[a] != parents[b]:
        if parents[a] > parents[b]:
            a, b = b, a
        above = parents[a]
        parents[a] = parents[b]
        if a == above:
            return True
        a = above
    return False


@cached
def _span(
    start: Ints, end: Ints, bits: int, keys: Longs, parents: Ints, degrees: Ints
) -> tuple[int, int]:
    """Mark the spanning tree in ``keys``, and count each city's edges in the 1-tree.

    Return the 1-tree's further edge and the leaf that it belongs to: of all leaves' shortest
    further edges, the longest.
    """
    for city in range(parents.size):
        parents[city] = city
        degrees[city] = 0
    mask = (1 << bits) - 1
    missing = parents.size - 1
    place = 0
    while missing > 0:
        edge = keys[place] & mask
        a, b = start[edge], end[edge]
        if _joined(parents, a, b):
            degrees[a] += 1
            degrees[b] += 1
            keys[place] = -1 - edge
            missing -= 1
        place += 1
    leaves = 0
    for city in range(parents.size):
        parents[city] = degrees[city]
        leaves += degrees[city] == 1
    further, leaf = 0, 0
    place = 0
    while leaves > 0:  # the last leaf to come upon a further edge has the longest
        if keys[place] >= 0:
            edge = keys[place] & mask
            for city in (start[edge], end[edge]):
                if parents[city] == 1:
                    parents[city] = 0
                    leaves -= 1
                    further, leaf = edge, city
        place += 1
    degrees[start[further]] += 1
    degrees[end[further]] += 1
    return further, leaf


@cached
def _tree_length(
    start: Ints, end: Ints, lengths: Longs, penalties: Longs, keys: Longs, further: int
) -> np.int64:
    total = np.int64(lengths[further] + penalties[start[further]] + penalties[end[further]])
    for key in keys:
        if key < 0:
            edge = -1 - key
            total += lengths[edge] + penalties[start[edge]] + penalties[end[edge]]
    return total


@cached
def _find_alphas(
    start: Ints,
    end: Ints,
    lengths: Longs,
    penalties: Longs,
    keys: Longs,
    further: int,
    leaf: int,
    parents: Ints,
    joined: Longs,
    sizes: Ints,
    alphas: Longs,
) -> None:
    """Fill ``alphas``: an edge's length less that of the longest one that it can replace.

    The spanning tree is put together once more, always the smaller part below the larger, with
    the place in ``keys`` where that happened. The longest edge between two cities joined the parts
    that they were in: it is found by climbing, at most log2(n) times.
    """
    never = keys.size
    for city in range(parents.size):
        parents[city] = city
        joined[city] = never
        sizes[city] = 1
    for place in range(keys.size):
        if keys[place] < 0:
            edge = -1 - keys[place]
            alphas[edge] = 0
            a, b = start[edge], end[edge]
            while parents[a] != a:
                a = parents[a]
            while parents[b] != b:
                b = parents[b]
            if sizes[a] > sizes[b]:
                a, b = b, a
            parents[a] = b
            joined[a] = place
            sizes[b] += sizes[a]
    for edge in range(keys.size):
        length = lengths[edge] + penalties[start[edge]] + penalties[end[edge]]
        a, b = start[edge], end[edge]
        replaced = further
        if a != leaf and b != leaf:
            place = 0
            while a != b:
                if joined[a] < joined[b]:
                    place = joined[a]
                    a = parents[a]
                else:
                    place = joined[b]
                    b = parents[b]
            replaced = -1 - keys[place]
        known = lengths[replaced] + penalties[start[replaced]] + penalties[end[replaced]]
        alphas[edge] = max(length - known, 0)


GRAPH_LISTED = 10  # cities on each city's list whose edges make the graph
FINEST = 100  # steps of penalties in one unit of length

FIRST_STEP = 6  # in mean lengths of an edge
_MOST_STEPS, _FEWEST_STEPS = 600, 50
_ASCENT_WORK = 8_000_000  # cities times steps, between these limits


@dataclass(frozen=True, slots=True, eq=False)
class AlphaLists:
    """Lists by α, and what they follow from."""

    neighbours: NDArray[np.int32]  # (n, k): cities by (α, distance, index)
    penalties: NDArray[np.float64]  # (n,): π of each city, as a length
    bound: float  # no tour in the graph is shorter; mostly some 1 % below the optimum


def alpha_neighbours(instance: TspInstance, k: int, steps: int | None = None) -> AlphaLists:
    """List ``k`` cities for each city, or all others where there are fewer.

    The penalties are found in ``steps`` steps of ascent, or as many as take some seconds. The
    instance is symmetric and has at least 3 cities.
    """
    n = instance.n
    k = min(k, n - 1)
    lists = quadrant_neighbours(instance, max(k, GRAPH_LISTED))
    start, end = edges_of(lists, greedy_tour(instance, lists))
    lengths = instance.distances(start, end)
    # A key of an edge, its length before its number, is below 2^63 with its penalties, too.
    precision = int(np.clip(2**50 // (start.size * max(1, int(lengths.max()))), 1, FINEST))
    tree = OneTree(n, start, end, lengths * precision)
    if steps is None:
        steps = min(max(_ASCENT_WORK // n, _FEWEST_STEPS), _MOST_STEPS)
    penalties, bound = ascend(tree, steps)
    alphas = tree.alphas(penalties)
    rows, columns = np.concatenate((start, end)), np.concatenate((end, start))
    order = np.lexsort((columns, np.tile(lengths, 2), np.tile(alphas, 2), rows))
    first = np.searchsorted(rows[order], np.arange(n))
    neighbours = columns[order[first[:, None] + np.arange(k)]]
    return AlphaLists(neighbours, penalties / precision, bound / precision)


def edges_of(
    lists: NDArray[np.int32], tour: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return each edge of the lists and the tour, once: its lower and its higher cities."""
    n, k = lists.shape
    one = np.concatenate((np.repeat(np.arange(n), k), tour))
    other = np.concatenate((lists.ravel(), np.roll(tour, 1)))
    pairs = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    return (pairs // n).astype(np.int32), (pairs % n).astype(np.int32)


def ascend(
    tree: OneTree,
    steps: int,
    begin: NDArray[np.int64] | None = None,
    mean: float | None = None,
    stop: Callable[[], bool] = never,
) -> tuple[NDArray[np.int64], int]:
    """Find penalties whose 1-tree bounds tours best; return them with the bound.

    A step raises the penalties of cities with more than two edges and lowers those of leaves, with
    some of the step before (Volgenant and Jonker 1982). A step is some edges long at first, so that
    the penalties of whole clusters can grow, and falls with the cube of those that are left.

    Parameters
    ----------
    tree
        The 1-tree of the graph.
    steps
        How many to make, unless the tree becomes a tour.
    begin
        Penalties to begin with; shape (n,). None for none.
    mean
        Mean length of an edge of a tour, if it is not that of the first tree's: steps go by it.
    stop
        Asked before each step whether to end with the best until then.
    """
    best = np.zeros(tree.n, np.int64) if begin is None else begin
    exact = best.astype(np.float64)
    best_bound = tree.grow(best)
    scale = FIRST_STEP * (best_bound / tree.n if mean is None else mean)
    before = tree.degrees - 2
    for step in range(steps):
        now = tree.degrees - 2
        if stop() or not now.any():  # the 1-tree is a tour
            break
        exact += scale * (1.0 - step / steps) ** 3 * (0.7 * now + 0.3 * before)
        before = now
        penalties = np.rint(exact).astype(np.int64)
        bound = tree.grow(penalties)
        if bound > best_bound:
            best, best_bound = penalties, bound
    return best, best_bound
