"""2-opt and Or-opt on the CPU, compiled, by the rule of :mod:`gpu.local_search.rule`.

Each thread of a colony improves the tours of its own ants, one after the other, in a place of its
own, and counts the moves it makes. Of its best one it keeps what the ant had built.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.cpu.compiled import entry, part, piece
from gpu.cpu.geometry import Geometry, geometry_of
from gpu.cpu.record import BEST_ITERATION, ITERATION, OR_OPT, TWO_OPT, Record, record_of
from gpu.local_search.cpu.move_search import look
from gpu.local_search.cpu.tables import (
    CODE_BITS,
    EXCHANGES,
    KEPT,
    LAST_CODE,
    LENGTH,
    SEGMENTS,
    SHORTEST,
    A,
    Rule,
    Search,
    Searches,
    of_thread,
    rule_of,
    searches_of,
)
from gpu.local_search.cpu.tour_moves import exchange, relocate, wrapped
from gpu.local_search.rule import LEAST_CITIES, NEIGHBOURS, SAMPLE, WINDOW
from gpu.problems.tsp.instance import TspInstance

ENDS_OF_EXCHANGE, ENDS_OF_SEGMENT = 4, 6

NONE_YET = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Improved:
    """What a local search made of some tours.

    Attributes
    ----------
    tours : ndarray of int32, shape (ants, n)
    lengths : ndarray of int64, shape (ants,)
    exchanges, segments : int
        Moves made by 2-opt and by Or-opt.
    """

    tours: NDArray[np.int32]
    lengths: NDArray[np.int64]
    exchanges: int
    segments: int


def improve(
    instance: TspInstance,
    tours: NDArray[np.integer],
    kind: str,
    neighbours: int = NEIGHBOURS,
    best: ArrayLike | None = None,
    iteration: int = 0,
) -> Improved:
    """Improve ``tours``, permutations of shape (ants, n), on one core.

    ``best`` is the best tour so far, after so many iterations.

    Raises
    ------
    ParameterError
        As :func:`gpu.local_search.cpu.tables.rule_of` says.
    """
    improved = np.array(tours, np.int32, order="C")
    lengths = np.array([instance.tour_length(tour) for tour in improved], np.int64)
    rule = rule_of(instance, kind, neighbours)
    searches, record = searches_of(instance.n, 1), record_of(instance.n)
    record.numbers[ITERATION] = iteration
    if best is not None:
        record.numbers[BEST_ITERATION] = iteration
        record.best_solution[:] = np.asarray(best)
    if rule is not None:
        _improve_all(rule, geometry_of(instance, 1.0), searches, record, improved, lengths)
    exchanges, segments = (int(searches.numbers[0, which]) for which in (EXCHANGES, SEGMENTS))
    return Improved(improved, lengths, exchanges, segments)


@entry
def _improve_all(
    rule: Rule,
    geometry: Geometry,
    searches: Searches,
    record: Record,
    tours: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> None:
    improve_tours(
        rule, geometry, searches, record, 0, tours, lengths, 0, tours.shape[0], begun=False
    )


@part
def improve_tours(
    rule: Rule,
    geometry: Geometry,
    searches: Searches,
    record: Record,
    thread: int,
    routes: NDArray[np.integer],
    lengths: NDArray[np.int64],
    first: int,
    end: int,
    begun: bool,
) -> None:
    """Improve the tours of ants ``first`` to before ``end``, and take off what each gains.

    ``record`` is still that of the iteration before. ``routes`` has a row an ant. ``begun`` says
    whether the thread has improved others in this iteration.
    """
    search = of_thread(searches, thread)
    numbers = search.numbers
    n = routes.shape[1]
    if not begun:
        numbers[EXCHANGES] = numbers[SEGMENTS] = 0
        numbers[SHORTEST] = NONE_YET
        if record.numbers[BEST_ITERATION] > 0:
            _link(search.links, record.best_solution)
    for ant in range(first, end):
        row = 1 - numbers[KEPT]
        for position in range(n):
            city = np.int32(routes[ant, position])
            search.tour[position] = city
            search.built[row, position] = city
        lengths[ant] -= _improve_one(rule, geometry, search, record.numbers[ITERATION] + ant)
        if lengths[ant] < numbers[SHORTEST]:
            numbers[SHORTEST] = lengths[ant]
            numbers[KEPT] = row
        for position in range(n):
            routes[ant, position] = search.tour[position]


@piece
def keep_improvements(searches: Searches, record: Record, threads: int) -> None:
    """Note the moves of so many threads, and how the best tour of the iteration was built.

    Threads with a higher number have ants with a higher one, who lose ties.
    """
    best = 0
    record.numbers[TWO_OPT] = record.numbers[OR_OPT] = 0
    for thread in range(threads):
        record.numbers[TWO_OPT] += searches.numbers[thread, EXCHANGES]
        record.numbers[OR_OPT] += searches.numbers[thread, SEGMENTS]
        if searches.numbers[thread, SHORTEST] < searches.numbers[best, SHORTEST]:
            best = thread
    row = searches.numbers[best, KEPT]
    for position in range(searches.best_built.size):
        searches.best_built[position] = searches.built[best, row, position]


@part
def _improve_one(rule: Rule, geometry: Geometry, search: Search, turn: np.int64) -> np.int64:
    """Improve the tour in ``search``; return how much shorter it is.

    ``turn`` says which of the cities look that are as on the best tour.
    """
    queue, waiting = search.queue, search.waiting
    n = search.tour.shape[0]
    gained = np.int64(0)
    if n < LEAST_CITIES:
        return gained
    head, size = 0, _begin(rule, search, turn)
    while size > 0:
        lookers = min(WINDOW, size)
        for looker in range(lookers):
            a = np.int64(queue[head])
            head = head + 1 if head + 1 < n else 0
            waiting[a] = False
            search.keys[looker] = look(rule, geometry, search, a, looker)
        size -= lookers
        for looker in range(lookers):
            if search.keys[looker] <= LAST_CODE:
                continue
            ends = 1
            if search.moves[looker, LENGTH] == 0:
                if exchange(search, looker):
                    ends = ENDS_OF_EXCHANGE
                    search.numbers[EXCHANGES] += 1
            elif relocate(rule, search, looker):
                ends = ENDS_OF_SEGMENT
                search.numbers[SEGMENTS] += 1
            if ends > 1:
                gained += search.keys[looker] >> CODE_BITS
            for end in range(A, A + ends):
                city = search.moves[looker, end]
                if not waiting[city]:
                    waiting[city] = True
                    queue[wrapped(head + size, n)] = city
                    size += 1
    return gained


@piece
def _begin(rule: Rule, search: Search, turn: np.int64) -> int:
    """Note the positions, and make the first queue; return how many cities wait."""
    tour, links = search.tour, search.links
    n = tour.shape[0]
    stretch = (n + WINDOW - 1) // WINDOW
    size = 0
    for offset in range(stretch):
        for position in range(offset, n, stretch):
            city = tour[position]
            search.place[city] = position
            before = tour[position - 1 if position > 0 else n - 1]
            after = tour[position + 1 if position + 1 < n else 0]
            kept = (links[city, 0] == before and links[city, 1] == after) or (
                rule.turns and links[city, 0] == after and links[city, 1] == before
            )
            search.waiting[city] = not kept or (city + turn) % SAMPLE == 0
            if search.waiting[city]:
                search.queue[size] = city
                size += 1
    return size


@piece
def _link(links: NDArray[np.int32], tour: NDArray[np.integer]) -> None:
    """Note the cities before and after each on a tour."""
    n = tour.size
    for position in range(n):
        city, after = tour[position], tour[position + 1 if position + 1 < n else 0]
        links[city, 1] = after
        links[after, 0] = city
