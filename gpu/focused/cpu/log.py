"""The log of a cell: what each ant changed whose tour was kept, to be made again on the colony's.

One ant after another is better than all changes of a cell at once: a few that do not fit to those
of another cell would cost the others, and of a double bridge neither half makes a tour by itself.
"""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled
from gpu.cpu.geometry import distance
from gpu.focused.cpu.state import FocusedState, Log
from gpu.tour_changes.cpu.exchange import make
from gpu.tour_changes.cpu.state import PATCH_CHANGED, Patch
from gpu.tour_changes.cpu.tour import after, before

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
