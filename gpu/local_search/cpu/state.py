"""What a local search on the CPU works on: its rule, and a workspace for each thread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.structures import allocated
from gpu.local_search.kinds import moves_of
from gpu.local_search.rule import NEIGHBOURS, WINDOW, neighbour_rows
from gpu.problems.tsp.instance import TspInstance

SEGMENT, A, P, C, D, E, Q = range(7)
"""Places in a move: cities of the segment (0 for 2-opt), then the ends of the edges given up."""


class LocalSearchRule(NamedTuple):
    """How a local search looks for moves; nothing here changes."""

    rows: NDArray[np.int32]  # (1 or 2, n, K, 2): see gpu.local_search.rule.neighbour_rows
    exchanges: bool  # these three: see gpu.local_search.kinds.Moves
    segments: bool
    turns: bool
    sample: int


class SearchWorkspace(NamedTuple):
    """What one thread improves a tour with."""

    tour: NDArray[np.int32]  # (n,): cities by position
    place: NDArray[np.int32]  # (n,): positions by city
    queue: NDArray[np.int32]  # (n,): a ring of cities that will look for a move
    waiting: NDArray[np.bool_]  # (n,): whether a city is in the queue; its don't-look bit, inverted
    keys: NDArray[np.int64]  # (WINDOW,): of the moves found in a round; 0 to LAST_CODE for none
    moves: NDArray[np.int32]  # (WINDOW, 7): those moves
    links: NDArray[np.int32]  # (n, 2): cities before and after each on the best tour so far, or -1
    built: NDArray[np.int32]  # (2, n): the thread's row of LocalSearch
    numbers: NDArray[np.int64]  # (8,): the thread's row of LocalSearch


class TourWorkspace(NamedTuple):
    """What one thread builds and improves tours with."""

    ants: Any
    search: SearchWorkspace


class LocalSearchState(NamedTuple):
    """A local search, and what its threads tell in an iteration; each thread has a row."""

    rule: LocalSearchRule
    # (threads, 2, n): as ants built them: the current tour, and what became the thread's best
    built: NDArray[np.int32]
    numbers: NDArray[np.int64]  # (threads, 8): see the constants of gpu.local_search.cpu.search
    best_built: NDArray[np.int32]  # (n,): the best tour of all threads, as its ant built it

    @property
    def is_used(self) -> bool:
        """Whether it makes any moves."""
        return self.rule.exchanges or self.rule.segments


def local_search_of(
    instance: TspInstance, kind: str, threads: int, neighbours: int = NEIGHBOURS
) -> LocalSearchState:
    """Prepare a local search of ``kind``; for ``none`` one that compiled code can read.

    Raises
    ------
    ParameterError
        As ``moves_of`` and ``neighbour_rows`` in :mod:`gpu.local_search` say.
    """
    moves = moves_of(instance, kind)
    if moves is None:
        rule, n = LocalSearchRule(np.zeros((1, 1, 1, 2), np.int32), False, False, False, 1), 1
    else:
        rows, n = neighbour_rows(instance, neighbours), instance.n
        rule = LocalSearchRule(rows, moves.exchanges, moves.segments, moves.turns, moves.sample)
    built, numbers = np.zeros((threads, 2, n), np.int32), np.zeros((threads, 8), np.int64)
    return LocalSearchState(rule, built, numbers, np.zeros(n, np.int32))


def workspace_of(search: LocalSearchState, thread: int) -> SearchWorkspace:
    """Make room for a thread's tour."""
    n = search.best_built.size
    links, moves = np.full((n, 2), -1, np.int32), (WINDOW, 7)
    built, numbers = search.built[thread], search.numbers[thread]
    return allocated(
        SearchWorkspace, n, keys=WINDOW, moves=moves, links=links, built=built, numbers=numbers
    )


def bytes_needed(instance: TspInstance, threads: int) -> int:
    """Bytes of a rule with lists of ``NEIGHBOURS``, and of the threads' searches."""
    n, sides = instance.n, 2 if instance.directed else 1
    search = 29 * n + WINDOW * (8 + 7 * 4) + 8 * 8
    return sides * 8 * n * min(NEIGHBOURS, n - 1) + threads * search + 4 * n
