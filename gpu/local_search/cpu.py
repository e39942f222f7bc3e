"""2-opt and Or-opt on the CPU, by the rule of :mod:`gpu.local_search.rule`.

Each thread of a colony improves the tours of its own ants, one after the other, in its own
workspace, and counts the moves that it makes. It keeps its best tour as the ant had built it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import MovesMade, Wanted
from gpu.core.trails import branching_factor
from gpu.cpu import main_memory as memory
from gpu.cpu import record as records
from gpu.cpu.colony import CpuHeir
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import EUCLIDEAN, CityGeometry, distance
from gpu.cpu.record import BEST_ITERATION, ITERATION, OR_OPT, TWO_OPT, ColonyRecord
from gpu.cpu.stage_loop import StageTask, share_of
from gpu.cpu.stages import EVERYTHING, Stage, each
from gpu.cpu.structures import allocated
from gpu.local_search.kinds import NO_LOCAL_SEARCH, moves_of
from gpu.local_search.rule import (
    CODE_BITS,
    LEAST_CITIES,
    NEIGHBOURS,
    RANK_BIT,
    SIDE_BIT,
    WINDOW,
    neighbour_rows,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.walks import walks_of

SEGMENT, A, P, C, D, E, Q = range(7)
"""Places in a move: cities of the segment (0 for 2-opt), then the ends of the edges given up."""


class LocalSearchRule(NamedTuple):
    """How a local search looks for moves; nothing here changes."""

    rows: NDArray[np.int32]  # (1 or 2, n, K, 2): see gpu.local_search.rule.neighbour_rows
    exchanges: bool  # these five: see gpu.local_search.kinds.Moves
    segments: bool
    turns: bool
    sample: int
    largest: bool


class SearchWorkspace(NamedTuple):
    """What one thread improves a tour with."""

    tour: NDArray[np.int32]  # (n,): cities by position
    place: NDArray[np.int32]  # (n,): positions by city
    queue: NDArray[np.int32]  # (n,): a ring of cities that will look for a move
    waiting: NDArray[np.bool_]  # (n,): whether a city is in the queue; its don't-look bit, inverted
    keys: NDArray[np.int64]  # (WINDOW,): of the moves found in a round; 0 to LAST_CODE for none
    moves: NDArray[np.int32]  # (WINDOW, 7): those moves
    links: NDArray[np.int32]  # (n, 2): cities before and after each on the best tour so far, or -1
    built: NDArray[np.int32]  # (2, n): the thread's row of LocalSearchState
    numbers: NDArray[np.int64]  # (8,): the thread's row of LocalSearchState


class TourWorkspace(NamedTuple):
    """What one thread builds and improves tours with."""

    ants: Any
    search: SearchWorkspace


class LocalSearchState(NamedTuple):
    """A local search, and what its threads tell in an iteration; each thread has a row."""

    rule: LocalSearchRule
    # (threads, 2, n): as ants built them: the current tour, and what became the thread's best
    built: NDArray[np.int32]
    numbers: NDArray[np.int64]  # (threads, 8): see the constants below
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
        rule = LocalSearchRule(np.zeros((1, 1, 1, 2), np.int32), False, False, False, 1, False)
        n = 1
    else:
        rows, n = neighbour_rows(instance, neighbours), instance.n
        rule = LocalSearchRule(
            rows, moves.exchanges, moves.segments, moves.turns, moves.sample, moves.largest
        )
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


LAST_CODE = (1 << CODE_BITS) - 1


@inlined
def wrapped(position: Whole, n: Whole) -> Whole:
    """Return a position that may lie up to a whole tour past the last one, or before the first."""
    if position >= n:
        return position - n
    return position + n if position < 0 else position


@inlined
def at(search: SearchWorkspace, position: Whole) -> np.int64:
    """Return the city at a position as :func:`wrapped` takes it."""
    n = search.tour.shape[0]
    return np.int64(search.tour[wrapped(position, n)])


@inlined
def exchange(search: SearchWorkspace, looker: int) -> bool:
    """Make a 2-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n = tour.shape[0]
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    first: Whole
    last: Whole
    if wrapped(at_p - at_a, n) == 1 and wrapped(at_d - at_c, n) == 1:
        first, count, other = at_p, wrapped(at_c - at_p, n) + 1, at_d
    elif wrapped(at_a - at_p, n) == 1 and wrapped(at_c - at_d, n) == 1:
        first, count, other = at_a, wrapped(at_d - at_a, n) + 1, at_c
    else:
        return False
    if 2 * count > n:
        first, count = other, n - count
    last = wrapped(first + count - 1, n)
    for _ in range(count // 2):
        city, swapped = tour[first], tour[last]
        tour[first], tour[last] = swapped, city
        place[swapped], place[city] = first, last
        first, last = wrapped(first + 1, n), wrapped(last - 1, n)
    return True


@inlined
def relocate(rule: LocalSearchRule, search: SearchWorkspace, looker: int) -> bool:
    """Make an Or-opt move if its edges are still there and run the same way; say whether."""
    tour, place, move = search.tour, search.place, search.moves[looker]
    n, length = tour.shape[0], np.int64(move[SEGMENT])
    at_a, at_p = np.int64(place[move[A]]), np.int64(place[move[P]])
    at_e, at_q = np.int64(place[move[E]]), np.int64(place[move[Q]])
    at_c, at_d = np.int64(place[move[C]]), np.int64(place[move[D]])
    if wrapped(at_p - at_a, n) == 1:
        forward = 1
    elif wrapped(at_a - at_p, n) == 1:
        forward = -1
    else:
        return False
    if (
        wrapped(forward * (at_a - at_e), n) != length - 1
        or wrapped(forward * (at_a - at_q), n) != length
    ):
        return False
    if wrapped(at_d - at_c, n) == 1:
        upstream, from_a = at_c, True  # the new place is behind c, and the segment begins with a
    elif wrapped(at_c - at_d, n) == 1:
        upstream, from_a = at_d, False
    else:
        return False
    if not rule.turns:  # the edges must run the very way they did
        code = np.int64(LAST_CODE) - (search.keys[looker] & np.int64(LAST_CODE))
        towards_successor = (code >> SIDE_BIT) & 1 == 0
        if towards_successor != (forward == 1) or towards_successor == from_a:
            return False
    start = at_e if forward == 1 else at_a
    turned = from_a == (forward == 1)
    s0 = tour[start]
    s1 = tour[wrapped(start + 1, n)]
    s2 = tour[wrapped(start + 2, n)]
    behind = wrapped(upstream - start, n) + 1 - length
    to: Whole
    source: Whole
    if 2 * behind <= n - length:
        to, source = start, wrapped(start + length, n)
        for _ in range(behind):
            city = tour[source]
            tour[to], place[city] = city, to
            to, source = wrapped(to + 1, n), wrapped(source + 1, n)
    else:
        to, source = wrapped(start + length - 1, n), start
        for _ in range(n - length - behind):
            source = wrapped(source - 1, n)
            city = tour[source]
            tour[to], place[city] = city, to
            to = wrapped(to - 1, n)
        to = wrapped(to - length + 1, n)
    for i in range(length):
        which = length - 1 - i if turned else i
        city = s0 if which == 0 else (s1 if which == 1 else s2)
        tour[to], place[city] = city, to
        to = wrapped(to + 1, n)
    return True


@inlined
def _between(geometry: CityGeometry, a: Whole, b: Whole) -> np.int64:
    """Return the distance from ``a`` to ``b``; the commonest rule is compiled in."""
    if geometry.rule == EUCLIDEAN:
        points = geometry.points
        x = points[a, 0] - points[b, 0]
        y = points[a, 1] - points[b, 1]
        z = points[a, 2] - points[b, 2]
        return np.int64(math.sqrt(x * x + y * y + z * z) + 0.5)
    return distance(geometry, a, b)


@inlined
def _away(rule: LocalSearchRule, geometry: CityGeometry, side: int, a: Whole, b: Whole) -> np.int64:
    """Return the distance between neighbours-to-be, ``b`` being on ``side`` of ``a``."""
    if side == 1 and not rule.turns:
        return _between(geometry, b, a)
    return _between(geometry, a, b)


@compiled
def look(
    rule: LocalSearchRule, geometry: CityGeometry, search: SearchWorkspace, a: np.int64, looker: int
) -> np.int64:
    """Find the best move of city ``a``, write it down and return its key."""
    n = search.tour.shape[0]
    place, move = search.place, search.moves[looker]
    here = np.int64(place[a])
    best = np.int64(LAST_CODE)
    longest = min(3, n - 3) if rule.segments else 0
    for side in range(2):
        forward = 1 - 2 * side  # to the position on this side
        p = at(search, here + forward)
        given_up = _away(rule, geometry, side, a, p)
        rows = rule.rows[side if rule.rows.shape[0] == 2 else 0]
        for rank in range(rows.shape[1]):
            near = np.int64(rows[a, rank, 1])
            if near >= given_up:
                break
            c = np.int64(rows[a, rank, 0])
            there = np.int64(place[c])
            after, before = at(search, there + forward), at(search, there - forward)
            away_after = np.int64(0)
            if rule.turns:
                away_after = _between(geometry, c, after)
            code = rank << RANK_BIT | side << SIDE_BIT
            if rule.exchanges:
                gain = given_up + away_after - near - _between(geometry, p, after)
                key = (gain << CODE_BITS) + (LAST_CODE - code)
                if key > best:
                    best = key
                    move[SEGMENT] = 0
                    move[A], move[P], move[C], move[D] = a, p, c, after
            if longest == 0:
                continue
            away_before = _away(rule, geometry, side, before, c)
            behind = wrapped(forward * (here - there), n)  # cities from a to c, leaving p behind
            e = a
            for length in range(1, longest + 1):
                if behind < length:
                    break
                q = at(search, here - forward * length)
                spared = (
                    given_up
                    + _away(rule, geometry, side, q, e)
                    - _away(rule, geometry, side, q, p)
                    - near
                )
                gain = spared + away_before - _away(rule, geometry, side, before, e)
                key = (gain << CODE_BITS) + (LAST_CODE - (code | length))
                if key > best:
                    best = key
                    move[SEGMENT] = length
                    move[A], move[P], move[C], move[D] = a, p, c, before
                    move[E], move[Q] = e, q
                if rule.turns and behind != length:
                    gain = spared + away_after - _between(geometry, after, e)
                    key = (gain << CODE_BITS) + (LAST_CODE - (code | 3 + length))
                    if key > best:
                        best = key
                        move[SEGMENT] = length
                        move[A], move[P], move[C], move[D] = a, p, c, after
                        move[E], move[Q] = e, q
                e = q
    return best


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
    geometry: CityGeometry,
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
    geometry: CityGeometry,
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
def _round(rule: LocalSearchRule, geometry: CityGeometry, search: SearchWorkspace) -> np.int64:
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
    if rule.largest:
        back = _keep_largest(search, lookers, head)
        head, size = wrapped(head - back, n), size + back
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
def _keep_largest(search: SearchWorkspace, lookers: int, head: np.int64) -> int:
    """Keep the move that gains most, the first of equals; the cities of the others wait in front.

    Return how many these are. ``head`` is where the queue began without them.
    """
    keys, n = search.keys, search.tour.shape[0]
    best, back = 0, 0
    for looker in range(1, lookers):
        if keys[looker] >> CODE_BITS > keys[best] >> CODE_BITS:
            best = looker
    for looker in range(lookers - 1, -1, -1):
        if looker != best and keys[looker] > LAST_CODE:
            back += 1
            city = search.moves[looker, A]
            search.queue[wrapped(head - back, n)] = city
            search.waiting[city] = True
            keys[looker] = LAST_CODE
    return back


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


class CpuTourColony(CpuHeir):
    """A colony on the CPU whose ants build tours; see :class:`CpuHeir`.

    A subclass calls :meth:`_prepare` first.
    """

    _instance: TspInstance

    def _prepare(
        self, instance: TspInstance, ants: int, kind: str, threads: int, needed: dict[str, int]
    ) -> LocalSearchState:
        """Prepare the local search, if all that the colony needs fits into memory.

        Raises
        ------
        ParameterError
            If the local search is not for this instance.
        DeviceMemoryError
            If the colony would not fit into free memory.
        """
        if kind != NO_LOCAL_SEARCH:
            needed["local search"] = bytes_needed(instance, threads)
        what = f"this colony on {instance.name} ({instance.n} cities, {ants} ants)"
        memory.require(what, needed, ants)
        self._instance = instance
        self._search = local_search_of(instance, kind, threads)
        return self._search

    def _with_searches(self, ants: Sequence[Any]) -> list[TourWorkspace]:
        """Complete the threads' workspaces for building tours."""
        return [
            TourWorkspace(own, workspace_of(self._search, thread))
            for thread, own in enumerate(ants)
        ]

    def _improvement(self, number: int, ants: int) -> list[Stage]:
        """Return the stage in which tours are improved, if there is a local search."""
        done = self._search.numbers[:, ANT]

        def left(workers: int) -> float:
            ends = [ants * (thread + 1) // workers for thread in range(workers)]
            return float((ends - done[:workers]).sum() / ants)

        stage = Stage(number, "local search", each(EVERYTHING), left=left)
        return [stage] if self._search.is_used else []

    @abstractmethod
    def _listed(self) -> NDArray[np.float32]:
        """Collect the trails of each city to its nearest, shape (n, k)."""

    @abstractmethod
    def _routes(self) -> NDArray[np.integer]:
        """Return the tours that the ants have built, (ants, n)."""

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more: dict[str, Any] = super()._more(wanted)
        numbers = self._record.numbers
        walked = numbers[records.ITERATION] > self._inherited and not self.midway
        if Wanted.WALKS in wanted and walked:
            kept = self._search.best_built[None] if self._search.is_used else self._routes()
            more["walks"] = walks_of(self._instance, kept)
        if Wanted.BRANCHING in wanted and not self.midway:
            more["branching"] = branching_factor(self._listed())
        if self._search.is_used:
            moves = numbers[[records.TWO_OPT, records.OR_OPT]].tolist()
            more["moves"] = MovesMade(*moves)
            begun = numbers[records.ITERATION] > self._inherited
            if begun and Wanted.BUILT_SOLUTION in wanted:
                built = self._search.best_built
                more["built_solution"] = self._instance.checked(built)
        return more
