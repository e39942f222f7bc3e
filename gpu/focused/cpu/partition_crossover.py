"""The best of several tours: where they differ, each part is taken from the tour that is shorter.

Parts are components that have no city in common (in the spirit of the partition crossover of
Whitley, Hains and Howe 2009).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.cpu.geometry import geometry_of, is_flat
from gpu.focused.cpu.merge import merge
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.lists import CityLists
from gpu.tour_changes.cpu.state import Exchange, new_exchange

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
        n, geometry = instance.n, geometry_of(instance, 1.0)
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
            length = min(length, own) - int(_cross(self._room, first, second))
            best = self._room.tour.copy()
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
