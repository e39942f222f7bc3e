"""First tours: greedy, with lengths that are drawn anew for each, and improved by local search.

So tours differ from the beginning: what one of them lacks, another one may have. Colonies on a GPU
improve them there.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.machine.processors import usable_cores
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.settling import improve_by_ants
from gpu.crossing.cpu.state import (
    JOINED_ENDS,
    LONGER_BITS,
    CrossingRules,
    CrossingState,
    CrossingWorkspace,
    Room,
    apart,
    begin_draws,
    word,
    write_down,
)
from gpu.tour_changes.cpu.exchange import sort
from gpu.tour_changes.cpu.patch import forget, lay_out
from gpu.tour_changes.cpu.search import settle
from gpu.tour_changes.cpu.state import NOBODY, CityLists


@compiled
def make_first(
    state: CrossingState, work: CrossingWorkspace, drawn: bool, links: NDArray[np.int32]
) -> np.int64:
    """Make a tour: ``state.first`` improved, or one that is drawn; return its length."""
    room, patch, n = work.room, work.patch, np.int64(state.first.size)
    if drawn:
        draw_greedy(state, room)
    else:
        for at in range(n):
            room.tour[at] = state.first[at]
    length = np.int64(0)
    for at in range(n):
        length += apart(state.lists, room.tour[at - 1 if at > 0 else n - 1], room.tour[at])
    lay_out(state.lists, patch, room.tour, state.everyone, np.int64(0), n)
    length -= settle(state.lists, patch, state.rules.deepest)
    for at in range(n):
        room.tour[at] = patch.cities[patch.tour[at]]
    forget(patch)
    _write_links(room, links)
    return length


@compiled
def settle_further(
    state: CrossingState, work: CrossingWorkspace, links: NDArray[np.int32]
) -> np.int64:
    """Let an ant for each city improve a first tour; return how much shorter it gets."""
    room = work.room
    for city in range(links.shape[0]):
        room.work[city, 0], room.work[city, 1] = links[city, 0], links[city, 1]
    write_down(room)
    gained = improve_by_ants(state, work)
    _write_links(room, links)
    return gained


@inlined
def _write_links(room: Room, links: NDArray[np.int32]) -> None:
    """Write ``room.tour`` as both neighbours of each city."""
    n = room.tour.size
    for at in range(n):
        city = room.tour[at]
        links[city, 0] = room.tour[at - 1 if at > 0 else n - 1]
        links[city, 1] = room.tour[at + 1 if at + 1 < n else 0]


@compiled
def draw_greedy(state: CrossingState, room: Room) -> None:
    """Fill ``room.tour``: the shortest edges first, as long as they make no fork and no cycle.

    Pieces are joined by short edges between their ends; the first tour says which are near.
    """
    keys, n = room.keys, state.first.size
    count = _rank_pairs(state, room)
    sort(keys, count)
    missing = n - 1 - _link(room, state.pairs.cities, keys, count)
    while missing > 0:
        count = _rank_joints(state, room)
        sort(keys, count)
        missing -= _link(room, room.joints, keys, count)
    _walk(room)


@inlined
def _rank_pairs(state: CrossingState, room: Room) -> int:
    """Begin without links: fill ``room.keys`` with those of all listed edges; return how many."""
    for city in range(state.first.size):
        room.work[city, 0] = room.work[city, 1] = NOBODY
        room.ends[city] = city
    count = state.pairs.lengths.size
    for edge in range(count):
        room.keys[edge] = _key(state, room, state.pairs.lengths[edge], edge, count)
    return count


@inlined
def _rank_joints(state: CrossingState, room: Room) -> int:
    """List edges between ends of pieces, and fill ``room.keys``; return their number."""
    count = _list_joints(state, room)
    for edge in range(count):
        a, b = room.joints[edge, 0], room.joints[edge, 1]
        room.keys[edge] = _key(state, room, apart(state.lists, a, b), edge, count)
    return count


@inlined
def _list_joints(state: CrossingState, room: Room) -> int:
    """List edges between ends of different pieces; return their number."""
    links, free, count = room.work, 0, 0
    for at in range(state.first.size):
        city = state.first[at]
        if links[city, 1] == NOBODY:
            room.free[free] = city
            free += 1
    for one in range(free):
        for step in range(1, min(JOINED_ENDS, free - 1 - one) + 1):
            end, other = room.free[one], room.free[one + step]
            if room.ends[end] != other:
                room.joints[count, 0], room.joints[count, 1] = end, other
                count += 1
    return count


@inlined
def _walk(room: Room) -> None:
    """Fill ``room.tour`` with the cities of the one piece."""
    links, city, before = room.work, np.int32(0), NOBODY
    while links[city, 1] != NOBODY:
        city = np.int32(city + 1)
    for at in range(room.tour.size):
        room.tour[at] = city
        following = links[city, 0] if links[city, 0] != before else links[city, 1]
        before, city = city, following


@inlined
def _key(state: CrossingState, room: Room, length: np.int64, edge: Whole, count: Whole) -> np.int64:
    """Return the length of an edge, up to half longer, with the edge's number behind it."""
    share = np.int64(word(room, state.rules.key) >> np.uint32(32 - LONGER_BITS))
    return np.int64(((length << (LONGER_BITS + 1)) + length * share) * count + edge)


@inlined
def _link(room: Room, pairs: NDArray[np.int32], keys: NDArray[np.int64], count: Whole) -> np.int64:
    """Link the edges in the order of their keys; return how many were."""
    links, ends, made = room.work, room.ends, np.int64(0)
    for entry in range(count):
        edge = keys[entry] % count
        a, b = pairs[edge, 0], pairs[edge, 1]
        if links[a, 1] == NOBODY and links[b, 1] == NOBODY and ends[a] != b:
            links[a, 1 if links[a, 0] != NOBODY else 0] = b
            links[b, 1 if links[b, 0] != NOBODY else 0] = a
            one, other = ends[a], ends[b]
            ends[one], ends[other] = other, one
            made += 1
    return made


def drawn_tours(
    lists: CityLists,
    first: NDArray[np.int32],
    seed: int,
    count: int,
    stop: Callable[[], bool] = never,
) -> NDArray[np.int32]:
    """Return so many greedy tours, (count, n), each with lengths drawn anew.

    ``first`` is a tour that says which ends of pieces are near. Once ``stop`` says so, no further
    tour is begun, and what is returned is of no use.
    """
    n, k = lists.neighbours.shape
    state = CrossingState(
        lists,
        CrossingRules(
            key_of(seed), ants=1, most=1, children=1, deepest=0, focus=False, settling=0, kick=1
        ),
        states.candidate_edges_of(lists),
        first,
        np.arange(n, dtype=np.int32),
        states.new_population(n, k, 1, 1),
        np.zeros(len(states.SCHEDULED), np.int64),
        np.zeros(3, np.int64),
        record_of(n),
    )
    tours = np.empty((count, n), np.int32)
    threads = min(usable_cores(), count)

    def fill(thread: int) -> None:
        room = states.new_room(n, k)
        for tour in range(thread, count, threads):
            if stop():
                return
            _draw(state, room, tour)
            tours[tour] = room.tour[:n]

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(threads)))
    return tours


def _draw(state: CrossingState, room: Room, number: int) -> None:
    """Fill ``room.tour`` as :func:`draw_greedy` does; NumPy sorts millions of keys faster."""
    count = _begin_drawing(state, room, number)
    room.keys[:count].sort()
    missing = state.first.size - 1 - _link_ends(room, state.pairs.cities, room.keys, count)
    while missing > 0:
        count = _rank_ends(state, room)
        room.keys[:count].sort()
        missing -= _link_ends(room, room.joints, room.keys, count)
    _finish_drawing(room)


@cached
def _begin_drawing(state: CrossingState, room: Room, number: Whole) -> int:
    begin_draws(room, np.int64(0), number)
    return _rank_pairs(state, room)


@cached
def _rank_ends(state: CrossingState, room: Room) -> int:
    return _rank_joints(state, room)


@cached
def _link_ends(
    room: Room, pairs: NDArray[np.int32], keys: NDArray[np.int64], count: Whole
) -> np.int64:
    return _link(room, pairs, keys, count)


@cached
def _finish_drawing(room: Room) -> None:
    _walk(room)
