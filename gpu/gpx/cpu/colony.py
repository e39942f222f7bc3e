"""The gpx colony on the CPU, and the stages of its iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import INITIAL_LEVEL, matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import CpuColony, Painter
from gpu.cpu.first_colorings import best_greedy_coloring
from gpu.cpu.philox import key_of
from gpu.cpu.record import ITERATION, record_of
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.gpx.cpu import state as states
from gpu.gpx.cpu.ants import let_search
from gpu.gpx.cpu.crossover import CrossRoom
from gpu.gpx.cpu.gathering import gather, renew_trails
from gpu.gpx.cpu.partial import new_partial_colorings, partial_coloring_of
from gpu.gpx.cpu.rounds import CHECK, CHOOSE, DRAW, SETTLE, TAKE, TELL, new_rounds, play_stage
from gpu.gpx.cpu.state import (
    BEGUN,
    BEST_COLORS,
    BEST_ISLAND,
    COST,
    ENDS,
    FOUND_BY,
    QUOTA,
    SCHEDULE_SIZE,
    GpxState,
    ant_of,
)
from gpu.gpx.parameters import (
    CROSSING,
    KIND_NAMES,
    KINDS,
    NOBODY,
    GpxParameters,
    HeadParameters,
    trails_note,
)
from gpu.gpx.rule import MOST_TRAIL
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.tabu_search import cpu as tabu

WORK, GATHER, MARK = range(SETTLE + 1, SETTLE + 4)
"""The stages after those of a round, which only large graphs have: each ant searches; what they
found is gathered; trails are renewed."""


@loop_over((WORK,), (GATHER,), (MARK,), (DRAW, CHOOSE, CHECK, TAKE, TELL, SETTLE))
def run(
    state: GpxState,
    workspace: CrossRoom,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage. A unit of WORK is an ant, one of MARK a row of trails."""
    if stage == WORK:
        for unit in units_of(state.rules.ants, task):
            let_search(state, workspace, ant_of(state.rules, unit), task.threads)
    elif stage == MARK:
        if state.schedule[ENDS]:
            islands, n, _ = state.trails.matrices.shape
            for row in units_of(islands * n, task):
                renew_trails(state, row // n, row % n)
    elif stage == GATHER:
        if task.thread == 0:
            gather(state)
    elif state.population.progress[0, BEGUN]:
        own, iteration = partial_coloring_of(state.optimizers, 0), state.record.numbers[ITERATION]
        play_stage(state.graph, own, state.rounds, iteration, state.rules.noise, task, stage)


STRONGEST = 100.0  # trail, as shown, of vertices that always have one color; of never, it is 1


class GpxCpuColony(CpuColony):
    """The gpx colony on the CPU: the same colorings with any number of threads.

    It begins with the coloring ``start``, else with the greedy one.

    Raises
    ------
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"moves", "cycle", "noise", "left", "explored", "patience", "rho"})

    _run = run
    _instance: GraphInstance
    _parameters: GpxParameters | HeadParameters

    def __init__(
        self,
        instance: GraphInstance,
        parameters: GpxParameters | HeadParameters,
        seed: int,
        *,
        threads: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        n = instance.n
        rules = states.rules_of(parameters, instance)
        threads = threads if rules.in_rounds else max(1, min(threads, rules.ants))
        best = best_greedy_coloring(instance) if start is None else start
        most = max(1, int(best.max()) + 1)
        needed = states.bytes_needed(instance, rules, most, threads)
        memory.require(f"this colony on {instance.name} ({n} vertices, {rules.ants} ants)", needed)
        self._instance, self._parameters = instance, parameters
        searches = rules.crossing + rules.explorers
        if searches and int(instance.degrees.max(initial=0)) >= int(tabu.COUNTED):
            raise ParameterError(
                f"{instance.name} has a vertex with {int(tabu.COUNTED):,} neighbours or more, "
                "which tabu searches cannot count: choose gpx with optimizers alone"
            )
        graph = tabu.rules_of(key_of(seed), instance, most, 0)
        schedule = np.zeros(SCHEDULE_SIZE, np.int64)
        schedule[BEST_COLORS], schedule[FOUND_BY] = most, NOBODY
        cost = 2 * len(instance.adjacent) // n + most
        schedule[COST : COST + KINDS] = cost
        schedule[QUOTA : QUOTA + KINDS] = max(1, min(rules.moves, rules.work // cost))
        # At first most vertices are in conflict, and a move looks at all of them.
        first = cost + 40 + n * (most // 16 + 2)
        schedule[QUOTA + CROSSING] = max(1, min(rules.moves, rules.work // first))
        state = GpxState(
            graph,
            rules,
            states.new_searches(instance, searches, most),
            states.Expiries(np.zeros((searches, n, most), np.uint32)),
            new_partial_colorings(instance, rules.optimizers, most, tabu=False),
            new_partial_colorings(instance, rules.partials, most, tabu=True),
            new_rounds(n, len(instance.adjacent), most, threads if rules.in_rounds else 0),
            states.new_population(instance, rules, best),
            schedule,
            states.new_trails(n, rules.islands),
            record_of(n),
        )
        self._population, self._schedule = state.population, schedule
        self._matrices = state.trails.matrices
        stages = [Stage(WORK, "search", shared(rules.ants)), Stage(GATHER, "update", each(1))]
        if self._matrices.size:
            islands, side, _ = self._matrices.shape
            stages.append(Stage(MARK, "update", shared(islands * side)))
        if rules.in_rounds:
            round_stages = DRAW, CHOOSE, CHECK, TAKE, TELL, SETTLE
            stages = [*(Stage(one, "search", each(1)) for one in round_stages), *stages]
        crossed = 0 if rules.in_rounds else n
        rooms = [states.new_room(crossed, most) for _ in range(threads)]
        super().__init__(rules.ants, state.record, stages, state, rooms)

    def _rules_for(self, parameters: Any) -> Sequence[Any]:
        return (states.rules_of(parameters, self._instance),)

    @property
    def standing(self) -> GpxState:
        """The state as it stands, to be read alone: nobody changes it but the iterations."""
        state: GpxState = self._shared
        return state

    def standing_of(self, ant: int) -> GpxState:
        """Return the state as it stands; see :class:`gpu.gpx.replay.ReadableGpxColony`."""
        return self.standing

    @property
    def _shown(self) -> NDArray[np.uint16]:
        """The trails of the island that last found a better coloring than all before."""
        matrix: NDArray[np.uint16] = self._matrices[int(self._schedule[BEST_ISLAND])]
        return matrix

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of vertex ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        if not self._matrices.size:  # no pair of vertices has a trail
            return np.ones(self._instance.n, np.float32)
        return _as_shown(self._shown[city])

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        kind = int(self._schedule[FOUND_BY])
        found_by = "" if kind == NOBODY else KIND_NAMES[kind]
        note = trails_note(self._parameters, self._instance.n)
        return {**super()._more(wanted), "found_by": found_by, "trails_note": note}

    def _painters(self) -> tuple[Painter, Callable[[], Trails]] | None:
        if not self._matrices.size:
            return None
        matrix = _as_shown(self._shown)
        select = partial(matrix_trails, matrix, directed=False, level=INITIAL_LEVEL)
        return lambda coloring: matrix_picture(matrix, class_order(coloring)), select


def _as_shown(trails: NDArray[np.uint16]) -> NDArray[np.float32]:
    return np.float32(1) + trails * np.float32((STRONGEST - 1) / MOST_TRAIL)
