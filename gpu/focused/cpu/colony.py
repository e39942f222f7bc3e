"""The focused colony on the CPU: cells, cooling, the stages of an iteration, and the colony.

Cells share out the cities: halves of halves, along directions that change.

Longer tours are kept in cycles, in which the temperature falls from its largest to 0. What two
cycles have led to is crossed: their tours differ in components that have no city in common, and the
shorter tour takes over from the other each component that makes it shorter still (in the spirit of
the partition crossover of Whitley, Hains and Howe 2009).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.core.snapshot import Merges, Wanted
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import ListedColony, ListedTrails
from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.philox import key_of, words_of
from gpu.cpu.record import (
    ITERATION,
    LAST_TOTAL,
    count_iteration,
    record_of,
)
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.focused.cpu import state as states
from gpu.focused.cpu.ants import search_cell, settle_all
from gpu.focused.cpu.directed import bytes_prepared, city_at, doubled, halved
from gpu.focused.cpu.merge import make_again, merge
from gpu.focused.cpu.state import (
    CHAMPION,
    CYCLE,
    CYCLE_DONE,
    TEMPERATURE,
    TOUR_LENGTH,
    FocusedRules,
    FocusedState,
    FocusedTrails,
)
from gpu.focused.parameters import FIRST_CYCLE, FULL_CYCLE, FocusedParameters, require_few_directed
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.cells import cells_of, cut
from gpu.tour_changes.cpu.patch import copy
from gpu.tour_changes.cpu.state import Patch, deepest_of, lists_of, new_exchange, new_patch
from gpu.tour_changes.parameters import STRONGEST

CELLS = np.uint32(Purpose.CELLS)


@compiled
def share_out(state: FocusedState) -> None:
    """Make the cells of the next iteration."""
    words = words_of(state.rules.key, CELLS, state.record.numbers[ITERATION], 0, 0)
    cells, geometry = state.cells, state.lists.geometry
    cut(geometry, state.source, cells.bounds, cells.members, cells.keys, cells.spare, words)


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


STRONGEST_TRAIL = np.float32(STRONGEST)

SEARCH, MERGE = range(2)
"""The stages of an iteration: the ants of each cell search; their changes are merged, and all that
the next iteration begins with follows from them."""


@loop_over((SEARCH,), (MERGE,))
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
    record = state.record
    improved = count_iteration(record, np.int64(state.schedule[TOUR_LENGTH]))
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


class FocusedCpuColony(ListedColony):
    """The focused colony on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed and too large.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"kick", "heat", "rho", "focus"})

    _run = run
    _instance: TspInstance

    def __init__(
        self,
        instance: TspInstance,
        parameters: FocusedParameters,
        seed: int,
        *,
        threads: int,
        start: NDArray[np.int32] | None = None,  # the first source, else a greedy tour
    ) -> None:
        require_few_directed(instance)
        assert parameters.ants is not None
        halves = 2 if instance.directed else 1
        n = halves * instance.n
        threads = min(threads, cells_of(n))
        needed = states.bytes_needed(n, parameters.candidates, parameters.ants, threads)
        if instance.directed:
            needed |= bytes_prepared(instance, parameters.candidates)
        memory.require(f"this colony on {instance.name} ({instance.n} cities)", needed)
        self._instance = instance
        if instance.directed:
            self._lists, first = doubled(instance, parameters.candidates)
            start = first if start is None else halved(start)
        else:
            self._lists, first = lists_of(instance, parameters.candidates, parameters.nearness)
            start = first if start is None else start
        length = instance.tour_length(start[::halves] // halves)
        cycle, full = (
            max(1, round(ants_a_city * instance.n / parameters.ants))
            for ants_a_city in (parameters.cooling or FIRST_CYCLE, parameters.cooling or FULL_CYCLE)
        )
        self._parameters, self._key, self._cycles = parameters, key_of(seed), (cycle, full)
        (rules,) = self._rules_for(parameters)
        tour, place, champion = start.copy(), np.empty(n, np.int32), start.copy()
        place[tour] = np.arange(n)
        values = np.ones((n, parameters.candidates), np.float32)
        self._trails = FocusedTrails(values, np.ones(n, np.float32))
        schedule = np.array((0.0, length, rules.cycle, 0.0, 0.0))
        record = record_of(instance.n)
        cells, exchange = states.new_cells(n), new_exchange(n)
        edges = states.logged_edges(n, parameters.ants)
        self._log = log = states.new_log(cells_of(n), edges)
        state = FocusedState(
            self._lists,
            rules,
            start.copy(),
            tour,
            place,
            cells,
            exchange,
            log,
            self._trails,
            champion,
            schedule,
            record,
        )
        count = cells_of(n)
        stages = (
            Stage(SEARCH, "construction", shared(count)),
            Stage(MERGE, "update", each(1)),
        )
        # The first thread settles the whole tour.
        sizes = [n, *[states.patch_size(n)] * (threads - 1)]
        workspaces = [new_patch(n, parameters.candidates, size) for size in sizes]
        super().__init__(parameters.ants, record, stages, state, workspaces)

    def _rules_for(self, parameters: FocusedParameters) -> Iterable[FocusedRules]:
        assert parameters.ants is not None
        directed, (cycle, full) = self._instance.directed, self._cycles
        rules = FocusedRules(
            key=self._key,
            ants=parameters.ants,
            kick=max(1, parameters.kick // 10) if directed else parameters.kick,
            heat=parameters.heat,
            cycle=cycle,
            doubling=parameters.cooling is None,
            full=full,
            keep=np.float32(1.0 - parameters.rho),
            focus=np.float32(parameters.focus),
            deepest=deepest_of((2 if directed else 1) * self._instance.n),
        )
        return (rules,)

    @property
    def standing(self) -> FocusedState:
        """The state as it stands, to be read alone: nobody changes it but the iterations."""
        state: FocusedState = self._shared
        return state

    def _listed_trails(self) -> ListedTrails:
        """Of directed instances, those of the candidates to which a city is left."""
        lists, values = self._lists.neighbours, self._trails.values
        if self._instance.directed:
            return ListedTrails(lists[1::2] // 2, values[1::2], directed=True)
        return ListedTrails(lists, values)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        more["limits"] = (1.0, STRONGEST)
        searching = max(0, int(self._record.numbers[ITERATION]) - 1)  # not in the first iteration
        more["merges"] = Merges(searching * self._m, *map(int, self._log.wins))
        return more
