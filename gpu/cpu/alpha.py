"""Candidate lists by α-nearness (Helsgaun 2000): how much longer an edge makes the 1-tree.

A minimum 1-tree is a minimum spanning tree, and the shortest further edge of one of its leaves. No
tour is shorter, and it has many edges of a short tour, most of them once each city has a penalty π
which is added to the length of each of its edges, such that nearly all cities have two edges in
the tree. The α of an edge is the length of the shortest 1-tree that has it, less that of the
shortest of all.

The edges are those of a sparse graph, which lists and a tour make: memory is O(n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.greedy import greedy_tour
from gpu.cpu.one_tree import OneTree
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import quadrant_neighbours

_AROUND = 10  # cities on each city's list whose edges make the graph
_FINEST = 100  # steps of penalties in one unit of length

_FIRST_STEP = 6  # in mean lengths of an edge
_MOST_STEPS, _FEWEST_STEPS = 600, 50
_WORK = 8_000_000  # cities times steps, between these limits


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
    lists = quadrant_neighbours(instance, max(k, _AROUND))
    start, end = _edges(lists, greedy_tour(instance, lists))
    lengths = instance.distances(start, end)
    # A key of an edge, its length before its number, is below 2^63 with its penalties, too.
    precision = int(np.clip(2**50 // (start.size * max(1, int(lengths.max()))), 1, _FINEST))
    tree = OneTree(n, start, end, lengths * precision)
    if steps is None:
        steps = min(max(_WORK // n, _FEWEST_STEPS), _MOST_STEPS)
    penalties, bound = _ascend(tree, steps)
    alphas = tree.alphas(penalties)
    rows, columns = np.concatenate((start, end)), np.concatenate((end, start))
    order = np.lexsort((columns, np.tile(lengths, 2), np.tile(alphas, 2), rows))
    first = np.searchsorted(rows[order], np.arange(n))
    neighbours = columns[order[first[:, None] + np.arange(k)]]
    return AlphaLists(neighbours, penalties / precision, bound / precision)


def _edges(
    lists: NDArray[np.int32], tour: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Each edge of the lists and the tour, once: its lower and its higher cities."""
    n, k = lists.shape
    one = np.concatenate((np.repeat(np.arange(n), k), tour))
    other = np.concatenate((lists.ravel(), np.roll(tour, 1)))
    pairs = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    return (pairs // n).astype(np.int32), (pairs % n).astype(np.int32)


def _ascend(tree: OneTree, steps: int) -> tuple[NDArray[np.int64], int]:
    """Find penalties whose 1-tree bounds tours best; return them with the bound.

    A step raises the penalties of cities with more than two edges and lowers those of leaves, with
    some of the step before (Volgenant and Jonker 1982). A step is some edges long at first, so that
    the penalties of whole clusters can grow, and falls with the cube of those that are left.
    """
    exact = np.zeros(tree.n)
    best = exact.astype(np.int64)
    best_bound = tree.grow(best)
    scale = _FIRST_STEP * best_bound / tree.n
    before = tree.degrees - 2
    for step in range(steps):
        now = tree.degrees - 2
        if not now.any():  # the 1-tree is a tour
            break
        exact += scale * (1.0 - step / steps) ** 3 * (0.7 * now + 0.3 * before)
        before = now
        penalties = np.rint(exact).astype(np.int64)
        bound = tree.grow(penalties)
        if bound > best_bound:
            best, best_bound = penalties, bound
    return best, best_bound
