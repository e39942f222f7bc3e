"""2-opt and Or-opt on the CPU, compiled, by the rule of :mod:`gpu.local_search.rule`.

Each thread of a colony improves the tours of its own ants, one after the other, in its own
workspace, and counts the moves that it makes. It keeps its best tour as the ant had built it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached, compiled, inlined
from gpu.cpu.geometry import Geometry
from gpu.cpu.record import BEST_ITERATION, ITERATION, OR_OPT, TWO_OPT, ColonyRecord
from gpu.cpu.stage_loop import StageTask, share_of
from gpu.local_search.cpu.move_search import look
from gpu.local_search.cpu.state import (
    SEGMENT,
    A,
    LocalSearchRule,
    LocalSearchState,
    SearchWorkspace,
)
from gpu.local_search.cpu.tour_moves import LAST_CODE, exchange, relocate, wrapped
from gpu.local_search.rule import CODE_BITS, LEAST_CITIES, WINDOW

EXCHANGES, SEGMENTS, SEARCH_SHORTEST, SEARCH_KEPT, ANT, SEARCH_HEAD, SEARCH_WAITING, SEARCH_OPEN = (
    range(8)
)
"""Places in a thread's numbers: moves made by 2-opt and by Or-opt; the length of the thread's
shortest tour, and the row of ``built`` that has it; the ant whose tour comes next, the place of
the first city in its queue and how many wait there, and whether (1) its tour has been begun."""

ENDS_OF_EXCHANGE, ENDS_OF_SEGMENT = 4, 6

NONE_YET = np.iinfo(np.int64).max


@compiled
def improve_tours(
    rule: LocalSearchRule,
    own: SearchWorkspace,
    geometry: Geometry,
    record: ColonyRecord,
    task: StageTask,
    routes: NDArray[np.integer],
    lengths: NDArray[np.int64],
) -> None:
    """Improve the tours of the thread's ants, a row of ``routes`` each, and shorten their lengths.

    A unit of the stage is a round of moves; to begin a tour is one, too. The next call goes on
    with a tour that is not improved to its end. ``record`` is still that of the iteration before.
    """
    numbers = own.numbers
    m, n = routes.shape
    first, last = share_of(m, task)
    if task.begin == 0:
        numbers[EXCHANGES] = numbers[SEGMENTS] = 0
        numbers[SEARCH_SHORTEST] = NONE_YET
        numbers[ANT] = first
        if record.numbers[BEST_ITERATION] > 0:
            _link(own.links, record.best_solution)
    units = task.end - task.begin
    while units > 0 and numbers[ANT] < last:
        ant = numbers[ANT]
        row = 1 - numbers[SEARCH_KEPT]
        if numbers[SEARCH_OPEN] == 0:
            for position in range(n):
                city = np.int32(routes[ant, position])
                own.tour[position] = city
                own.built[row, position] = city
            numbers[SEARCH_OPEN], numbers[SEARCH_HEAD], numbers[SEARCH_WAITING] = 1, 0, 0
            if n >= LEAST_CITIES:
                numbers[SEARCH_WAITING] = _begin(rule, own, record.numbers[ITERATION] + ant)
            units -= 1
        while units > 0 and numbers[SEARCH_WAITING] > 0:
            lengths[ant] -= _round(rule, geometry, own)
            units -= 1
        if numbers[SEARCH_WAITING] > 0:
            return
        if lengths[ant] < numbers[SEARCH_SHORTEST]:
            numbers[SEARCH_SHORTEST] = lengths[ant]
            numbers[SEARCH_KEPT] = row
        for position in range(n):
            routes[ant, position] = own.tour[position]
        numbers[SEARCH_OPEN] = 0
        numbers[ANT] += 1


@cached
def improve_now(
    rule: LocalSearchRule,
    own: SearchWorkspace,
    geometry: Geometry,
    record: ColonyRecord,
    task: StageTask,
    routes: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> None:
    """Improve tours as :func:`improve_tours`, outside compiled code."""
    improve_tours(rule, own, geometry, record, task, routes, lengths)


@inlined
def keep_improvements(search: LocalSearchState, record: ColonyRecord, threads: int) -> None:
    """Note the moves of so many threads, and how the best tour of the iteration was built.

    On ties the lowest ant has the best tour, and threads with lower numbers have lower ants.
    """
    numbers = search.numbers[:threads]
    record.numbers[TWO_OPT] = numbers[:, EXCHANGES].sum()
    record.numbers[OR_OPT] = numbers[:, SEGMENTS].sum()
    best = numbers[:, SEARCH_SHORTEST].argmin()
    row = numbers[best, SEARCH_KEPT]
    for position in range(search.best_built.size):
        search.best_built[position] = search.built[best, row, position]


@compiled
def _round(rule: LocalSearchRule, geometry: Geometry, search: SearchWorkspace) -> np.int64:
    """Make the moves that the first cities in the queue find; return how much they gain."""
    queue, waiting = search.queue, search.waiting
    n = search.tour.shape[0]
    gained = np.int64(0)
    head, size = search.numbers[SEARCH_HEAD], search.numbers[SEARCH_WAITING]
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
        if search.moves[looker, SEGMENT] == 0:
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
    search.numbers[SEARCH_HEAD], search.numbers[SEARCH_WAITING] = head, size
    return gained


@inlined
def _begin(rule: LocalSearchRule, search: SearchWorkspace, turn: np.int64) -> int:
    """Note the positions, and make the first queue; return how many cities wait.

    ``turn`` says which cities look of those whose neighbours are as on the best tour.
    """
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
            search.waiting[city] = not kept or (city + turn) % rule.sample == 0
            if search.waiting[city]:
                search.queue[size] = city
                size += 1
    return size


@inlined
def _link(links: NDArray[np.int32], tour: NDArray[np.integer]) -> None:
    """Note the cities before and after each on a tour."""
    n = tour.size
    for position in range(n):
        city, after = tour[position], tour[position + 1 if position + 1 < n else 0]
        links[city, 1] = after
        links[after, 0] = city
