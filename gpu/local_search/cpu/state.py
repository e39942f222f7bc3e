"""What a local search on the CPU works on: its rule, and a workspace for each thread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import inlined
from gpu.cpu.structures import allocated
from gpu.local_search.kinds import moves_of
from gpu.local_search.rule import NEIGHBOURS, WINDOW, neighbour_rows
from gpu.problems.tsp.instance import TspInstance

CODE_BITS = 10
"""Low bits of a move's key: its place in the order among moves that gain the same."""

LAST_CODE = (1 << CODE_BITS) - 1

SIDE_BIT, RANK_BIT = 3, 4
"""Parts of a code; the lowest bits are the kind of the move."""

LENGTH, A, P, C, D, E, Q = range(7)
"""Places in a move: number of cities of the segment (0 for 2-opt), then the ends of the edges that
the move gives up."""

EXCHANGES, SEGMENTS, SHORTEST, KEPT = range(4)
"""Places in a thread's numbers: moves made by 2-opt and by Or-opt, the length of the thread's
shortest tour, and the row of ``built`` that has it."""


class Rule(NamedTuple):
    """How a local search looks for moves; nothing here changes."""

    rows: NDArray[np.int32]  # (1 or 2, n, K, 2): see gpu.local_search.rule.neighbour_rows
    exchanges: bool  # these three: see gpu.local_search.kinds.Moves
    segments: bool
    turns: bool


class Searches(NamedTuple):
    """The threads' workspaces: each thread has a row of every array, except ``best_built``."""

    tours: NDArray[np.int32]  # (threads, n): cities by position
    places: NDArray[np.int32]  # (threads, n): positions by city
    queues: NDArray[np.int32]  # (threads, n): a ring of cities that will look for a move
    # (threads, n): whether a city is in the queue; the opposite of its don't-look bit
    waiting: NDArray[np.bool_]
    # (threads, WINDOW): of the moves found in a round: gain, then LAST_CODE less the code
    keys: NDArray[np.int64]
    moves: NDArray[np.int32]  # (threads, WINDOW, 7): those moves
    # (threads, 2, n): as ants built them: the current tour, and what became the thread's best
    built: NDArray[np.int32]
    # (threads, 8): of this iteration: see the constants; the rest separates threads' cache lines
    numbers: NDArray[np.int64]
    # (threads, n, 2): the cities before and after each on the best tour so far; -1 without one
    links: NDArray[np.int32]
    best_built: NDArray[np.int32]  # (n,): the best tour of the last iteration, as its ant built it


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
        As ``moves_of`` and ``neighbour_rows`` in :mod:`gpu.local_search` say.
    """
    moves = moves_of(instance, kind)
    if moves is None:
        rule, n = Rule(np.zeros((1, 1, 1, 2), np.int32), False, False, False), 1
    else:
        rows, n = neighbour_rows(instance, neighbours), instance.n
        rule = Rule(rows, moves.exchanges, moves.segments, moves.turns)
    searches = allocated(
        Searches,
        tours=(threads, n),
        places=(threads, n),
        queues=(threads, n),
        waiting=(threads, n),
        keys=(threads, WINDOW),
        moves=(threads, WINDOW, 7),
        built=(threads, 2, n),
        numbers=(threads, 8),
        links=np.full((threads, n, 2), -1, np.int32),
        best_built=n,
    )
    return LocalSearch(rule, searches)


def bytes_needed(instance: TspInstance, threads: int) -> int:
    """Bytes of a rule with lists of ``NEIGHBOURS``, and of the threads' searches."""
    n, sides = instance.n, 2 if instance.directed else 1
    search = 29 * n + WINDOW * (8 + 7 * 4) + 8 * 8
    return sides * 8 * n * min(NEIGHBOURS, n - 1) + threads * search + 4 * n
