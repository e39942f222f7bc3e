"""The stages of a focused colony's iteration, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION, LAST_BEST, LAST_TOTAL, enter
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.focused.cpu.ants import search_cell, settle_all
from gpu.focused.cpu.cells import share_out
from gpu.focused.cpu.cooling import cool
from gpu.focused.cpu.doubled import city_at
from gpu.focused.cpu.log import make_again
from gpu.focused.cpu.merge import merge
from gpu.focused.cpu.state import TOUR_LENGTH, FocusedState
from gpu.tour_changes import parameters as shared
from gpu.tour_changes.cpu.state import Patch
from gpu.tour_changes.cpu.tour import copy

STRONGEST_TRAIL = np.float32(shared.STRONGEST)

SEARCH, MERGE = range(2)
"""The stages of an iteration: the ants of each cell search; their changes are merged, and all that
the next iteration begins with follows from them."""


@loop_over
def run(
    state: FocusedState, workspace: Patch, barrier: NDArray[np.int64], task: StageTask, stage: int
) -> None:
    """Do a thread's share of a stage. A unit of SEARCH is a cell."""
    if stage == SEARCH:
        for cell in units_of(state.cells.bounds.size - 1, task):
            search_cell(state, workspace, cell)
    elif task.thread == 0:
        _merge_all(state)
        if state.record.numbers[ITERATION] == 0 and state.cells.bounds.size > 2:
            settle_all(state, workspace)
        cool(state, workspace)
        _keep(state)
        _lay_trails(state)
        copy(state.source, state.tour)
        share_out(state)


@compiled
def _merge_all(state: FocusedState) -> None:
    """Merge the changes of all cells, beginning with another one in each iteration."""
    cells, numbers = state.cells, state.record.numbers
    count = cells.bounds.size - 1
    numbers[LAST_TOTAL] = state.rules.ants * np.int64(state.schedule[TOUR_LENGTH])
    for turn in range(count):
        cell = (numbers[ITERATION] + turn) % count
        if numbers[ITERATION] == 0:
            begin, end = cells.bounds[cell], cells.bounds[cell + 1]
            result = cells.results[cell]
            gain = merge(state, state.source, cells.members, begin, end - begin, result, False)
        else:
            gain = make_again(state, cell)
        state.schedule[TOUR_LENGTH] -= gain
        numbers[LAST_TOTAL] -= cells.gains[cell]


@inlined
def _keep(state: FocusedState) -> None:
    """Count the iteration; note its tour, and the best one so far."""
    record, numbers = state.record, state.record.numbers
    numbers[ITERATION] += 1
    numbers[LAST_BEST] = np.int64(state.schedule[TOUR_LENGTH])
    enter(record)
    improved = numbers[BEST_ITERATION] == 0 or numbers[LAST_BEST] < numbers[BEST_COST]
    if improved:
        numbers[BEST_COST] = numbers[LAST_BEST]
        numbers[BEST_ITERATION] = numbers[ITERATION]
    for at in range(record.last_solution.size):
        city = city_at(state, at)
        record.last_solution[at] = city
        if improved:
            record.best_solution[at] = city


@compiled
def _lay_trails(state: FocusedState) -> None:
    """Let all trails evaporate to the least one, and lay new ones on the edges of the tour."""
    trails, lists, rules, tour = state.trails, state.lists, state.rules, state.tour
    n, k = trails.values.shape
    added, least = np.float32(np.float32(1.0) - rules.keep) * STRONGEST_TRAIL, np.float32(1.0)
    for at in range(n):
        city = tour[at]
        last, following = tour[at - 1 if at > 0 else n - 1], tour[at + 1 if at + 1 < n else 0]
        trails.taken[city] = least
        for lane in range(k):
            other, trail = lists.neighbours[city, lane], trails.values[city, lane] * rules.keep
            if other in (last, following):
                trail += added
            trail = max(trail, least)
            if other == following:
                trails.taken[city] = trail
            trails.values[city, lane] = trail
