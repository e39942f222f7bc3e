"""The arrays that tabu searches on the CPU work on; see :mod:`gpu.tabu_search.cpu.search`."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.philox import Key
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import GraphInstance


class TabuRules(NamedTuple):
    """What all searches share."""

    key: Key  # the seed
    most: int  # most colors that a search may have
    moves: int  # of a search in one iteration of its colony
    # (n + 1,): where the neighbours of each vertex begin in ``neighbours``, and the last ones end
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int32]  # (2 e,)


class Searches(NamedTuple):
    """What searches keep from one iteration to the next."""

    states: NDArray[np.int64]  # (s, 4): see the constants of gpu.tabu_search.cpu.search
    colors: NDArray[np.int32]  # (s, n): of all vertices, with conflicts
    kept: NDArray[np.int32]  # (s, n): the best proper coloring that each has found
    expiries: NDArray[np.uint32]  # (s, n, most): the move before which a color is tabu for a vertex


class TabuStanding(NamedTuple):
    """Where one search stands between two iterations."""

    colors: NDArray[np.int32]  # (n,)
    tries: int  # the number of colors that it tries to use; 0 before the first iteration
    time: int  # moves made
    fewest: int  # conflicts
    expiries: NDArray[np.uint32]  # (n, most)
    best: int  # number of colors of the best coloring of all


class TabuWorkspace(NamedTuple):
    """What one thread works with, for one search at a time."""

    colors: NDArray[np.int32]  # (n,)
    counts: NDArray[np.uint16]  # (n, most): neighbours of each vertex by color
    wrong: NDArray[np.int32]  # (n,): vertices in conflict, in any order
    places: NDArray[np.int32]  # (n,): place of each vertex among those, or -1
    sizes: NDArray[np.int32]  # (n + 1,): of the classes
    names: NDArray[np.int32]  # (n + 1,): new numbers of the colors
    numbers: NDArray[np.int64]  # (8,): see the constants of gpu.tabu_search.cpu.search
    words: NDArray[np.uint32]  # (4,): random words of four moves


def rules_of(key: Key, graph: GraphInstance, most: int, moves: int) -> TabuRules:
    """Prepare the rules of searches with at most ``most`` colors."""
    ends = np.concatenate([[0], np.cumsum(graph.degrees, dtype=np.int64)])
    neighbours = np.empty(ends[-1], np.int32)
    for vertex, (begin, end) in enumerate(pairwise(ends)):
        neighbours[begin:end] = graph.neighbours(vertex)
    return TabuRules(key, most, moves, ends, neighbours)


def workspace_of(n: int, most: int) -> TabuWorkspace:
    """Allocate a thread's workspace."""
    sizes = {"sizes": n + 1, "names": n + 1, "numbers": 8, "words": 4}
    return allocated(TabuWorkspace, n, counts=(n, most), **sizes)


def bytes_needed(n: int, most: int, count: int, threads: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "tabu searches": count * (4 * n * most + 8 * n + 32),
        "counts of the tabu searches": threads * (2 * n * most + 20 * n),
    }
