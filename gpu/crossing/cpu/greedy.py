"""Greedy tours with drawn lengths alone, for colonies that improve them elsewhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import usable_cores
from gpu.cpu.compilation import Whole, cached
from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.draws import begin_draws
from gpu.crossing.cpu.first import draw_greedy
from gpu.crossing.cpu.state import CrossingRules, CrossingState, Room
from gpu.tour_changes.cpu.lists import CityLists


def drawn_tours(
    lists: CityLists, first: NDArray[np.int32], seed: int, count: int
) -> NDArray[np.int32]:
    """Return so many greedy tours, (count, n), each with lengths drawn anew.

    ``first`` is a tour that says which ends of pieces are near.
    """
    n, k = lists.neighbours.shape
    state = CrossingState(
        lists,
        CrossingRules(key_of(seed), ants=1, most=1, children=1, deepest=0, focus=False),
        states.candidate_edges_of(lists),
        first,
        np.arange(n, dtype=np.int32),
        states.new_population(n, k, 1, 1),
        np.zeros(len(states.SCHEDULE), np.int64),
        np.zeros(3, np.int64),
        record_of(n),
    )
    tours = np.empty((count, n), np.int32)
    threads = min(usable_cores(), count)

    def fill(thread: int) -> None:
        room = states.new_room(n, k)
        for tour in range(thread, count, threads):
            _draw(state, room, tour, tours[tour])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(threads)))
    return tours


@cached
def _draw(state: CrossingState, room: Room, number: Whole, tour: NDArray[np.int32]) -> None:
    """Fill ``tour`` with the one of this number."""
    begin_draws(room, np.int64(0), number)
    draw_greedy(state, room)
    for at in range(tour.size):
        tour[at] = room.tour[at]
