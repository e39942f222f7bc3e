"""When longer tours are kept: in cycles in which the temperature falls from its largest to 0.

What two cycles have led to is crossed: their tours differ in components that have no city in
common, and the shorter tour takes over from the other each component that makes it shorter still
(in the spirit of the partition crossover of Whitley, Hains and Howe 2009).
"""

from __future__ import annotations

import math

import numpy as np

from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.record import ITERATION
from gpu.focused.cpu.ants import settle_all
from gpu.focused.cpu.merge import merge
from gpu.focused.cpu.state import (
    CHAMPION,
    CYCLE,
    CYCLE_DONE,
    TEMPERATURE,
    TOUR_LENGTH,
    FocusedState,
)
from gpu.tour_changes.cpu.state import Patch
from gpu.tour_changes.cpu.tour import copy


@compiled
def cool(state: FocusedState, patch: Patch) -> None:
    """Set the temperature of the next iteration; at the end of a cycle make its champion.

    A short cycle begins less hot: it has no time to mend what a higher temperature would undo.
    """
    schedule, rules = state.schedule, state.rules
    if state.record.numbers[ITERATION] == 0:
        schedule[CYCLE] = rules.cycle
        copy(state.champion, state.tour)
        schedule[CHAMPION] = schedule[TOUR_LENGTH]
    else:
        schedule[CYCLE_DONE] += 1
        if schedule[CYCLE_DONE] >= schedule[CYCLE]:
            schedule[CYCLE_DONE] = 0
            _cross(state)
            if rules.deepest > 0:
                settle_all(state, patch)
                copy(state.champion, state.tour)
                schedule[CHAMPION] = schedule[TOUR_LENGTH]
            if rules.doubling:
                schedule[CYCLE] *= 2
    cycle = schedule[CYCLE]
    left = (cycle - 1 - schedule[CYCLE_DONE]) / max(cycle - 1, 1)
    begin = rules.heat * min(1.0, math.sqrt(cycle / rules.full))
    schedule[TEMPERATURE] = begin * left


@inlined
def _exchange(state: FocusedState) -> None:
    """Let the tour and the champion change places."""
    schedule, tour, champion = state.schedule, state.tour, state.champion
    for at in range(tour.size):
        tour[at], champion[at] = champion[at], tour[at]
        state.place[tour[at]] = at
    schedule[TOUR_LENGTH], schedule[CHAMPION] = schedule[CHAMPION], schedule[TOUR_LENGTH]


@inlined
def _cross(state: FocusedState) -> None:
    """Cross the tour with the champion, and make the result the champion and the tour."""
    schedule, tour, champion = state.schedule, state.tour, state.champion
    number, other = state.exchange.path, state.cells.spare
    if schedule[TOUR_LENGTH] > schedule[CHAMPION]:
        _exchange(state)  # the shorter one takes over
    for at in range(tour.size):
        number[tour[at]] = at
    for at in range(tour.size):
        other[at] = number[champion[at]]
        champion[at] = tour[at]  # merging changes ``tour``
    everyone, n = state.cells.everyone, np.int64(tour.size)
    schedule[TOUR_LENGTH] -= merge(state, champion, everyone, np.int64(0), n, other, True)
    copy(champion, tour)
    schedule[CHAMPION] = schedule[TOUR_LENGTH]
