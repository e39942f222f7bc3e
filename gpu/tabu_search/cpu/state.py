"""The arrays that tabu searches on the CPU work on; see :mod:`gpu.tabu_search.cpu.search`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.problems.coloring.instance import GraphInstance


class TabuRules(NamedTuple):
    """What all searches share.

    Attributes
    ----------
    key0, key1 : uint32
        The seed.
    most : int
        Most colors that a search may have.
    moves : int
        Moves that a search makes in one iteration of its colony.
    ends : ndarray of int64, shape (n + 1,)
        Where the neighbours of each vertex begin in ``neighbours``, and where the last end.
    neighbours : ndarray of int32, shape (2 e,)
    """

    key0: np.uint32
    key1: np.uint32
    most: int
    moves: int
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int32]


class Searches(NamedTuple):
    """What searches keep from one iteration to the next.

    Attributes
    ----------
    states : ndarray of int64, shape (s, 4)
        See the index constants.
    colors : ndarray of int32, shape (s, n)
        Of all vertices, with conflicts.
    kept : ndarray of int32, shape (s, n)
        The best proper coloring that each has found.
    expiries : ndarray of uint32, shape (s, n, most)
        The move before which a vertex may not go back to a color.
    """

    states: NDArray[np.int64]
    colors: NDArray[np.int32]
    kept: NDArray[np.int32]
    expiries: NDArray[np.uint32]


COLORS, TIME, FEWEST, KEPT_COLORS = range(4)
"""Number of colors that a search tries to use, 0 before it begins; moves made; fewest conflicts so
far with that number of colors; number of colors of what it has kept, 0 for nothing."""


class Workspace(NamedTuple):
    """What one thread works with, for one search at a time.

    Attributes
    ----------
    colors : ndarray of int32, shape (n,)
    counts : ndarray of uint16, shape (n, most)
        Neighbours of each vertex by color.
    wrong, places : ndarray of int32, shape (n,)
        Vertices in conflict, in any order, and the place of each vertex among them, or -1.
    sizes, names : ndarray of int32, shape (n + 1,)
        By color.
    numbers : ndarray of int64, shape (8,)
        See the index constants.
    words : ndarray of uint32, shape (4,)
        Random words of four moves.
    """

    colors: NDArray[np.int32]
    counts: NDArray[np.uint16]
    wrong: NDArray[np.int32]
    places: NDArray[np.int32]
    sizes: NDArray[np.int32]
    names: NDArray[np.int32]
    numbers: NDArray[np.int64]
    words: NDArray[np.uint32]


NOW_COLORS, NOW_TIME, NOW_FEWEST, CONFLICTS, WRONG = range(5)
"""The first three as in the state of a search; numbers of edges and of vertices in conflict."""


def rules_of(key: tuple[int, int], graph: GraphInstance, most: int, moves: int) -> TabuRules:
    """Prepare the rules of searches with at most ``most`` colors."""
    pairs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return TabuRules(
        key0=np.uint32(key[0]),
        key1=np.uint32(key[1]),
        most=most,
        moves=moves,
        ends=np.concatenate([[0], np.cumsum(graph.degrees, dtype=np.int64)]),
        neighbours=np.ascontiguousarray(pairs[order, 1]),
    )


def searches_of(n: int, most: int, count: int) -> Searches:
    """Allocate ``count`` searches that have not begun."""
    return Searches(
        states=np.zeros((count, 4), np.int64),
        colors=np.zeros((count, n), np.int32),
        kept=np.zeros((count, n), np.int32),
        expiries=np.zeros((count, n, most), np.uint32),
    )


def workspace_of(n: int, most: int) -> Workspace:
    """Allocate a thread's workspace."""
    return Workspace(
        colors=np.zeros(n, np.int32),
        counts=np.zeros((n, most), np.uint16),
        wrong=np.zeros(n, np.int32),
        places=np.zeros(n, np.int32),
        sizes=np.zeros(n + 1, np.int32),
        names=np.zeros(n + 1, np.int32),
        numbers=np.zeros(8, np.int64),
        words=np.zeros(4, np.uint32),
    )


def bytes_needed(n: int, most: int, count: int, threads: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "tabu searches": count * (4 * n * most + 8 * n + 32),
        "counts of the tabu searches": threads * (2 * n * most + 20 * n),
    }
