"""What a local search on the CPU works on: its rule, and a workspace for each thread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import inlined
from gpu.local_search.kinds import moves_of
from gpu.local_search.rule import NEIGHBOURS, WINDOW, neighbour_rows
from gpu.problems.tsp.instance import TspInstance

CODE_BITS = 10
"""Low bits of a move's key: its place in the order among moves that gain the same."""

LAST_CODE = (1 << CODE_BITS) - 1

SIDE_BIT, RANK_BIT = 3, 4
"""Parts of a code; the lowest bits are the kind of the move."""

LENGTH, A, P, C, D, E, Q = range(7)
"""Places in a move: cities of the segment (0 for 2-opt), then the ends of the edges given up."""

EXCHANGES, SEGMENTS, SHORTEST, KEPT = range(4)
"""Places in a thread's numbers."""


class Rule(NamedTuple):
    """How a local search looks for moves; nothing here changes.

    Attributes
    ----------
    rows : ndarray of int32, shape (1 or 2, n, K, 2)
        See :func:`gpu.local_search.rule.neighbour_rows`.
    exchanges, segments, turns : bool
        See :class:`gpu.local_search.kinds.Moves`.
    """

    rows: NDArray[np.int32]
    exchanges: bool
    segments: bool
    turns: bool


class Searches(NamedTuple):
    """The threads' workspaces: each thread has a row of every array.

    Attributes
    ----------
    tours, places : ndarray of int32, shape (threads, n)
        The tour, and the position of each city in it.
    queues : ndarray of int32, shape (threads, n)
        Cities whose turn to look for a move will come, in a ring.
    waiting : ndarray of bool, shape (threads, n)
        Whether a city is in the queue: its don't-look bit, inverted.
    keys : ndarray of int64, shape (threads, WINDOW)
        Of the moves found in a round: gain, then ``LAST_CODE`` less the code.
    moves : ndarray of int32, shape (threads, WINDOW, 7)
        Those moves.
    built : ndarray of int32, shape (threads, 2, n)
        As its ant built it: the current tour, and the one that became the thread's best.
    numbers : ndarray of int64, shape (threads, 8)
        Of this iteration: moves made by 2-opt and by Or-opt, the length of the thread's shortest
        tour, and the row of ``built`` that has it. The rest keeps threads' cache lines apart.
    best_built : ndarray of int32, shape (n,)
        The best tour of the last iteration, as its ant built it.
    links : ndarray of int32, shape (threads, n, 2)
        The cities before and after each on the best tour so far; -1 while there is none.
    """

    tours: NDArray[np.int32]
    places: NDArray[np.int32]
    queues: NDArray[np.int32]
    waiting: NDArray[np.bool_]
    keys: NDArray[np.int64]
    moves: NDArray[np.int32]
    built: NDArray[np.int32]
    numbers: NDArray[np.int64]
    best_built: NDArray[np.int32]
    links: NDArray[np.int32]


class LocalSearch(NamedTuple):
    """A local search and its workspaces."""

    rule: Rule
    searches: Searches

    @property
    def is_used(self) -> bool:
        """Whether it makes any moves."""
        return self.rule.exchanges or self.rule.segments


class Search(NamedTuple):
    """One thread's rows of :class:`Searches`."""

    tour: NDArray[np.int32]
    place: NDArray[np.int32]
    queue: NDArray[np.int32]
    waiting: NDArray[np.bool_]
    keys: NDArray[np.int64]
    moves: NDArray[np.int32]
    built: NDArray[np.int32]
    numbers: NDArray[np.int64]
    links: NDArray[np.int32]


@inlined
def of_thread(searches: Searches, thread: int) -> Search:
    """Return one thread's workspace."""
    return Search(
        searches.tours[thread],
        searches.places[thread],
        searches.queues[thread],
        searches.waiting[thread],
        searches.keys[thread],
        searches.moves[thread],
        searches.built[thread],
        searches.numbers[thread],
        searches.links[thread],
    )


def local_search_of(
    instance: TspInstance, kind: str, threads: int, neighbours: int = NEIGHBOURS
) -> LocalSearch:
    """Prepare a local search of ``kind``; for ``none`` one that compiled code can read.

    Raises
    ------
    ParameterError
        As ``moves_of`` and ``neighbour_rows`` in :mod:`gpu.local_search.rule` say.
    """
    moves = moves_of(instance, kind)
    if moves is None:
        no_rows = np.zeros((1, 1, 1, 2), np.int32)
        return LocalSearch(Rule(no_rows, False, False, False), searches_of(1, threads))
    rows = neighbour_rows(instance, neighbours)
    rule = Rule(rows, moves.exchanges, moves.segments, moves.turns)
    return LocalSearch(rule, searches_of(instance.n, threads))


def searches_of(n: int, threads: int) -> Searches:
    """Make room for tours of ``n`` cities: 29 bytes a city and thread."""
    return Searches(
        tours=np.zeros((threads, n), np.int32),
        places=np.zeros((threads, n), np.int32),
        queues=np.zeros((threads, n), np.int32),
        waiting=np.zeros((threads, n), np.bool_),
        keys=np.zeros((threads, WINDOW), np.int64),
        moves=np.zeros((threads, WINDOW, 7), np.int32),
        built=np.zeros((threads, 2, n), np.int32),
        numbers=np.zeros((threads, 8), np.int64),
        best_built=np.zeros(n, np.int32),
        links=np.full((threads, n, 2), -1, np.int32),
    )


def bytes_needed(instance: TspInstance, threads: int) -> int:
    """Bytes of a rule with lists of ``NEIGHBOURS``, and of the threads' searches."""
    n, sides = instance.n, 2 if instance.directed else 1
    search = 29 * n + WINDOW * (8 + 7 * 4) + 8 * 8
    return sides * 8 * n * min(NEIGHBOURS, n - 1) + threads * search + 4 * n
