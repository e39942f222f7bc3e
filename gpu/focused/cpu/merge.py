"""How the changes that ants made in different patches become changes of one tour.

What differs between a patch's tour and the source is an exchange of edges. Where it makes a tour of
what was merged before it, it is made as a whole. Else it falls into components, which have no city
in common; each that makes a tour is made, and the others are lost.

The log of a cell has what each ant changed whose tour was kept, to be made again on the colony's.
One ant after another is better than all changes of a cell at once: a few that do not fit to those
of another cell would cost the others, and of a double bridge neither half makes a tour by itself.

Partition crossover merges whole tours: the best of several is taken part by part from the tour that
is shorter there (in the spirit of Whitley, Hains and Howe 2009).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import distance, geometry_of, is_flat
from gpu.focused.cpu.directed import exact_geometry, halved, whole
from gpu.focused.cpu.state import FocusedState, Log
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.exchange import make
from gpu.tour_changes.cpu.patch import after, before
from gpu.tour_changes.cpu.state import (
    MOST_LEFT,
    PATCH_CHANGED,
    CityLists,
    Exchange,
    Patch,
    new_exchange,
)


@compiled
def merge(
    state: FocusedState,
    cities: NDArray[np.int32],
    members: NDArray[np.int32],
    begin: np.int64,
    size: np.int64,
    result: NDArray[np.int32],
    only_gains: bool,
) -> np.int64:
    """Merge a tour of ``size`` cities into ``state.tour``; return how much that gains.

    City i of ``result`` is number ``cities[members[begin + i]]`` of the instance, and the tour that
    was changed went through them in the order of i. With ``only_gains``, components that make the
    tour longer are left out.
    """
    room, geometry = state.exchange, state.lists.geometry
    count = _differences(room, cities, members, begin, size, result)
    if count == 0:
        return np.int64(0)
    for edge in range(count):
        room.order[0, edge] = room.order[1, edge] = edge
    gain = np.int64(0)
    if not only_gains and make(state.tour, state.place, room, np.int64(0), count):
        for edge in range(count):
            old, new = room.old[edge], room.new[edge]
            gain += distance(geometry, old[0], old[1]) - distance(geometry, new[0], new[1])
        return gain
    _sort_by_component(room, count)
    first, left = np.int64(0), 0
    while first < count:
        component, part = _component(room, room.old[room.order[0, first], 0]), np.int64(0)
        end = first
        while end < count and _component(room, room.old[room.order[0, end], 0]) == component:
            old, new = room.old[room.order[0, end]], room.new[room.order[1, end]]
            part += distance(geometry, old[0], old[1]) - distance(geometry, new[0], new[1])
            end += 1
        wanted = part > 0 or not only_gains
        if wanted and make(state.tour, state.place, room, first, end - first):
            gain += part
        elif left < MOST_LEFT:
            room.left[left, 0], room.left[left, 1] = first, end - first
            room.left_gains[left] = part
            left += 1
        first = end
    if only_gains:
        gain += _make_pairs(state, count, left)
    return gain


@inlined
def _make_pairs(state: FocusedState, count: np.int64, left: int) -> np.int64:
    """Make two components together that gain, where one alone would leave two tours."""
    room, gained = state.exchange, np.int64(0)
    for one in range(left):
        for other in range(one):
            gain = room.left_gains[one] + room.left_gains[other]
            size = np.int64(room.left[one, 1]) + np.int64(room.left[other, 1])
            if gain <= 0 or room.left[one, 1] == 0 or room.left[other, 1] == 0:
                continue
            if count + size > room.order.shape[1]:
                continue
            at = count  # behind the components
            for part in (one, other):
                for edge in range(room.left[part, 1]):
                    place = room.left[part, 0] + edge
                    room.order[0, at] = room.order[0, place]
                    room.order[1, at] = room.order[1, place]
                    at += 1
            if make(state.tour, state.place, room, count, size):
                gained += gain
                room.left[one, 1] = room.left[other, 1] = 0
    return gained


@inlined
def _differences(
    room: Exchange,
    cities: NDArray[np.int32],
    members: NDArray[np.int32],
    begin: np.int64,
    size: np.int64,
    result: NDArray[np.int32],
) -> np.int64:
    """Note the edges that differ, as cities of the instance, and find the components."""
    place, root = room.place, room.root
    for at in range(size):
        place[result[at]] = at
    olds = news = np.int64(0)
    for city in range(size):
        following = city + 1 if city + 1 < size else 0
        a, b = cities[members[begin + city]], cities[members[begin + following]]
        step = abs(np.int64(place[city]) - np.int64(place[following]))
        if step not in (1, size - 1):
            room.old[olds, 0], room.old[olds, 1] = a, b
            root[a], root[b] = a, b
            olds += 1
        city_after = result[city + 1 if city + 1 < size else 0]
        step = abs(np.int64(result[city]) - np.int64(city_after))
        if step not in (1, size - 1):
            room.new[news, 0] = cities[members[begin + result[city]]]
            room.new[news, 1] = cities[members[begin + city_after]]
            news += 1
    for edge in range(olds):
        _unite(room, room.old[edge, 0], room.old[edge, 1])
        _unite(room, room.new[edge, 0], room.new[edge, 1])
    return olds


@inlined
def _component(room: Exchange, city: Whole) -> np.int32:
    """Return the city that stands for a component."""
    root = room.root
    at = np.int32(city)
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


@inlined
def _unite(room: Exchange, a: Whole, b: Whole) -> None:
    """Make one component of two; the lower city stands for it."""
    first, second = _component(room, a), _component(room, b)
    room.root[max(first, second)] = min(first, second)


@inlined
def _sort_by_component(room: Exchange, count: Whole) -> None:
    """Sort old and new edges by the city that stands for their component.

    Both have as many of each component. The place of a component is counted in ``room.place``.
    """
    place = room.place
    for edge in range(count):
        place[_component(room, room.old[edge, 0])] = 0
    for edge in range(count):
        place[_component(room, room.old[edge, 0])] += 1
    begin = np.int32(0)
    for edge in range(count):  # in the order in which components come up
        component = _component(room, room.old[edge, 0])
        if place[component] > 0:
            size = place[component]
            place[component] = np.int32(-begin - 1)  # below 0: where it begins
            begin += size
    for side in range(2):
        for edge in range(count):
            city = room.old[edge, 0] if side == 0 else room.new[edge, 0]
            component = _component(room, city)
            at = -place[component] - 1
            room.order[side, at] = edge
            place[component] -= 1
        for edge in range(count if side == 0 else 0):  # back to where each begins
            place[_component(room, room.old[edge, 0])] += 1


Tour = NDArray[np.int32]


class _Room(NamedTuple):
    """What merging works on."""

    lists: CityLists  # only the geometry counts
    exchange: Exchange
    tour: Tour  # (n,)
    place: Tour  # (n,): of each city in ``tour``
    everyone: Tour  # (n,): 0 … n - 1
    number: Tour  # (n,): room to number cities in
    result: Tour  # (n,): the other tour in these numbers


class PartitionCrossover:
    """Crosses tours of an instance, one after another."""

    def __init__(self, instance: TspInstance) -> None:
        directed = instance.directed
        n = (2 if directed else 1) * instance.n
        geometry = exact_geometry(instance) if directed else geometry_of(instance, 1.0)
        nothing = np.zeros((n, 0), np.int32)
        lists = CityLists(geometry, is_flat(geometry), nothing, nothing)
        everyone = np.arange(n, dtype=np.int32)
        spare = [np.empty(n, np.int32) for _ in range(4)]
        self._room = _Room(lists, new_exchange(n), spare[0], spare[1], everyone, *spare[2:])
        self._instance = instance
        _cross(self._room, everyone, everyone)  # compiled now, and not in the time of solving

    def best_of(self, tours: Iterable[Tour]) -> tuple[Tour, int]:
        """Return a tour that is no longer than any of ``tours``, (n,) each, and its length.

        Raises
        ------
        ValueError
            If there are none.
        """
        best: Tour | None = None
        length = 0
        for tour in tours:
            own = self._instance.tour_length(tour)
            if best is None:
                best, length = tour.copy(), own
                continue
            first, second = (best, tour) if length <= own else (tour, best)
            if self._instance.directed:
                first, second = halved(first), halved(second)
            length = min(length, own) - int(_cross(self._room, first, second))
            best = self._room.tour.copy()
            if self._instance.directed:
                best = whole(best)
        if best is None:
            raise ValueError("no tour is given")
        return best, length


def crossed(
    crossing: PartitionCrossover, before: Tour, after: Tour, cycles: int
) -> tuple[Tour, list[int]]:
    """Return tours for the next cycle of cooling, (tours, n), and their lengths.

    A cycle made the tours ``after`` of those ``before``. Each is crossed with what it began as and
    with another one, which changes from cycle to cycle: so what one tour has found comes to all,
    and they still differ. The first one is crossed with all others: it is the best.
    """
    count = len(after)
    distance = 1 + cycles % max(1, count - 1)
    made = [
        crossing.best_of((after[i], before[i], after[(i + distance) % count])) for i in range(count)
    ]
    made[0] = crossing.best_of(tour for tour, _ in made)
    return np.array([tour for tour, _ in made]), [length for _, length in made]


@cached
def _cross(room: _Room, base: Tour, other: Tour) -> int:
    """Make ``room.tour`` of ``base`` and what is shorter in ``other``; return how much."""
    tour, place, number, result = room.tour, room.place, room.number, room.result
    n = tour.size
    for at in range(n):
        tour[at] = base[at]
        place[base[at]] = at
        number[base[at]] = at
    for at in range(n):
        result[at] = number[other[at]]
    everyone, end = room.everyone, np.int64(n)
    # The room has those fields of a FocusedState that merging uses.
    return int(merge(room, base, everyone, np.int64(0), end, result, True))  # type: ignore[arg-type]


EXCHANGES_WON, EXCHANGES_MERGED = range(2)  # places in the log's ``wins``


@compiled
def enter(log: Log, patch: Patch, cell: Whole) -> bool:
    """Enter what an ant changed, if there is room; return whether there was."""
    first, count = log.edges[cell], patch.numbers[PATCH_CHANGED]
    if first + count > log.old.shape[1]:
        return False
    olds = news = first
    for end in range(count):
        city = patch.ends[end]
        was, now = (
            (patch.beside[city, 0], patch.beside[city, 1]),
            (
                before(patch, city),
                after(patch, city),
            ),
        )
        here = patch.cities[city]
        for side in range(2):
            if was[side] > city and was[side] != now[0] and was[side] != now[1]:
                log.old[cell, olds, 0], log.old[cell, olds, 1] = here, patch.cities[was[side]]
                olds += 1
            if now[side] > city and now[side] != was[0] and now[side] != was[1]:
                log.new[cell, news, 0], log.new[cell, news, 1] = here, patch.cities[now[side]]
                news += 1
        patch.beside[city, 0], patch.beside[city, 1] = now
    if olds > first:
        log.sizes[cell, log.exchanges[cell]] = olds - first
        log.exchanges[cell] += 1
        log.edges[cell] = olds
    return True


@compiled
def make_again(state: FocusedState, cell: Whole) -> np.int64:
    """Make the exchanges of a cell's ants that make a tour; return how much shorter it is."""
    log, room, geometry = state.log, state.exchange, state.lists.geometry
    first, gained = np.int64(0), np.int64(0)
    log.wins[EXCHANGES_WON] += log.exchanges[cell]
    for entry in range(log.exchanges[cell]):
        count, gain = np.int64(log.sizes[cell, entry]), np.int64(0)
        for edge in range(count):
            old, new = log.old[cell, first + edge], log.new[cell, first + edge]
            room.old[edge, 0], room.old[edge, 1] = old[0], old[1]
            room.new[edge, 0], room.new[edge, 1] = new[0], new[1]
            room.order[0, edge] = room.order[1, edge] = edge
            gain += distance(geometry, old[0], old[1]) - distance(geometry, new[0], new[1])
        if make(state.tour, state.place, room, np.int64(0), count):
            gained += gain
            log.wins[EXCHANGES_MERGED] += 1
        first += count
    return gained
