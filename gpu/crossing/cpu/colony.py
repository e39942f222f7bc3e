"""The crossing colony on the CPU, and the stages of its iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Merges, Wanted
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import ListedColony, ListedTrails
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import key_of
from gpu.cpu.random_keys import minus_log2
from gpu.cpu.record import (
    ITERATION,
    LAST_TOTAL,
    count_iteration,
    record_of,
)
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.crossing import cross
from gpu.crossing.cpu.first import make_first, settle_further
from gpu.crossing.cpu.state import (
    CHAMPION_LENGTH,
    IDLE_ROUNDS,
    MAKING,
    NEXT,
    POPULATIONS,
    READ_SIDE,
    ROUND_WINS,
    SETTLED,
    SIZE_OF,
    CrossingRules,
    CrossingState,
    CrossingWorkspace,
    Room,
    begin_draws,
    next_below,
)
from gpu.crossing.parameters import BY_TRAILS, PATIENT_ROUNDS, CrossingParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.state import deepest_of, lists_of
from gpu.tour_changes.parameters import STRONGEST, require_symmetric

WORK, GATHER = range(2)
"""The stages of an iteration: each ant makes a first tour or crosses its tour; what follows is
gathered from that."""


CROSSED, WINNERS, TOURS_COUNTED = range(3)  # places in the state's totals


@loop_over((WORK,), (GATHER,))
def run(
    state: CrossingState,
    workspace: CrossingWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage. A unit of WORK is an ant."""
    if stage == WORK:
        for ant in units_of(state.rules.ants, task):
            _work(state, workspace, ant)
    elif task.thread == 0:
        _gather(state, workspace.room)


@compiled
def _work(state: CrossingState, workspace: CrossingWorkspace, ant: Whole) -> None:
    """Make a first tour or improve it, or cross one with the next in the order of this round.

    The first tour of a further population is the champion: what was found before is not lost.
    """
    schedule, population, room = state.schedule, state.population, workspace.room
    side, turn = schedule[READ_SIDE], schedule[NEXT] + ant
    begin_draws(room, state.record.numbers[ITERATION], ant)
    population.wins[ant] = 0
    if schedule[MAKING] and schedule[POPULATIONS] > 0 and turn == 0:
        _copy(population.links[side, turn], population.champion)
        population.lengths[side, turn] = schedule[CHAMPION_LENGTH]
        return
    if schedule[MAKING] and schedule[SETTLED] > 0:
        links = population.links[side, turn]
        population.lengths[side, turn] -= settle_further(state, workspace, links)
        return
    if schedule[MAKING]:
        drawn = schedule[POPULATIONS] > 0 or turn > 0
        population.lengths[side, turn] = make_first(
            state, workspace, drawn, population.links[side, turn]
        )
        return
    size = schedule[SIZE_OF]
    own, other = population.order[turn], population.order[turn + 1 if turn + 1 < size else 0]
    gain = cross(
        state, room, workspace.exchange, population.links[side, own], population.links[side, other]
    )
    _copy(population.links[1 - side, own], room.work)
    population.lengths[1 - side, own] = population.lengths[side, own] - gain
    population.wins[ant] = gain > 0


@inlined
def _copy(to: NDArray[np.int32], links: NDArray[np.int32]) -> None:
    """Copy a tour."""
    for city in range(links.shape[0]):
        to[city, 0], to[city, 1] = links[city, 0], links[city, 1]


@compiled
def _gather(state: CrossingState, room: Room) -> None:
    """Note what the ants made; at the end of a round begin another one, or another population."""
    schedule, population, rules, record = (
        state.schedule,
        state.population,
        state.rules,
        state.record,
    )
    making, side = bool(schedule[MAKING]), schedule[READ_SIDE]
    settles = making and schedule[SETTLED] < rules.settling
    if not making:
        side = 1 - side
        state.totals[CROSSED] += rules.ants
    best = total = np.int64(0)
    for ant in range(rules.ants):
        at = schedule[NEXT] + ant
        tour = at if making else np.int64(population.order[at])
        if ant == 0 or population.lengths[side, tour] < population.lengths[side, best]:
            best = np.int64(tour)
        total += population.lengths[side, tour]
        if not settles:
            _count(state, population.links[side, tour], 1)
        if not making:
            _count(state, population.links[1 - side, tour], -1)
        schedule[ROUND_WINS] += population.wins[ant]
        state.totals[WINNERS] += population.wins[ant]
    _copy(room.work, population.links[side, best])
    length = np.int64(population.lengths[side, best])
    record.numbers[LAST_TOTAL] = total
    schedule[SETTLED] += 1
    if not settles:
        schedule[NEXT] += rules.ants
        schedule[SETTLED] = 0
    state.totals[TOURS_COUNTED] = schedule[NEXT] if making else schedule[SIZE_OF]
    if schedule[NEXT] == schedule[SIZE_OF]:
        begin_draws(room, record.numbers[ITERATION], rules.ants)
        schedule[NEXT], schedule[READ_SIDE], schedule[MAKING] = 0, side, 0
        schedule[IDLE_ROUNDS] = (
            schedule[IDLE_ROUNDS] + 1 if schedule[ROUND_WINS] == 0 and not making else 0
        )
        schedule[ROUND_WINS] = 0
        if making:
            _weigh(state)
        elif schedule[IDLE_ROUNDS] >= PATIENT_ROUNDS:
            _end_population(state)
        _draw_order(state, room)
    _keep(state, room, length)


@inlined
def _count(state: CrossingState, links: NDArray[np.int32], by: int) -> None:
    """Count the edges of a tour in the trails, or strike them."""
    neighbours, counts = state.lists.neighbours, state.population.counts
    for city in range(links.shape[0]):
        left = 2
        for lane in range(neighbours.shape[1]):
            near = neighbours[city, lane]
            if near == links[city, 0] or near == links[city, 1]:
                counts[city, lane] += by
                left -= 1
                if left == 0:
                    break


@inlined
def _weigh(state: CrossingState) -> None:
    """Compute what an edge of so many tours adds to the entropy."""
    size, spread = state.schedule[SIZE_OF], state.population.spread
    for tours in range(size + 1):
        share = np.float32(np.float32(tours) / np.float32(size))
        inside = 0 < tours < size
        spread[tours] = np.float64(share) * np.float64(minus_log2(share)) if inside else 0.0


@inlined
def _draw_order(state: CrossingState, room: Room) -> None:
    """Draw the order in which the tours are crossed in the next round."""
    order, size = state.population.order, state.schedule[SIZE_OF]
    for at in range(size):
        order[at] = at
    for at in range(size - 1, 0, -1):
        other = next_below(room, state.rules.key, at + 1)
        order[at], order[other] = order[other], order[at]


@inlined
def _end_population(state: CrossingState) -> None:
    """Keep the best tour as the champion, and begin a larger population."""
    schedule, population = state.schedule, state.population
    side, best = schedule[READ_SIDE], np.int64(0)
    for tour in range(1, schedule[SIZE_OF]):
        if population.lengths[side, tour] < population.lengths[side, best]:
            best = np.int64(tour)
    _copy(population.champion, population.links[side, best])
    schedule[CHAMPION_LENGTH] = population.lengths[side, best]
    schedule[POPULATIONS] += 1
    schedule[MAKING], schedule[IDLE_ROUNDS] = 1, 0
    schedule[SIZE_OF] = min(2 * schedule[SIZE_OF], state.rules.most)
    for city in range(population.counts.shape[0]):
        for lane in range(population.counts.shape[1]):
            population.counts[city, lane] = 0


@inlined
def _keep(state: CrossingState, room: Room, length: np.int64) -> None:
    """Count the iteration; note its best tour, ``room.work``, and the best one so far."""
    record, links = state.record, room.work
    improved = count_iteration(record, length)
    city, before = np.int32(0), links[0, 0]
    for at in range(record.last_solution.size):
        record.last_solution[at] = city
        if improved:
            record.best_solution[at] = city
        following = links[city, 0] if links[city, 0] != before else links[city, 1]
        before, city = city, following


class CrossingCpuColony(ListedColony):
    """The crossing colony on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    _run = run
    _instance: TspInstance

    def __init__(
        self,
        instance: TspInstance,
        parameters: CrossingParameters,
        seed: int,
        *,
        threads: int,
        start: NDArray[np.int32] | None = None,  # the first tour of all, else a greedy one
    ) -> None:
        require_symmetric(instance)
        p, n = parameters, instance.n
        assert p.ants is not None
        assert p.settling is not None
        threads = min(threads, p.ants)
        needed = states.bytes_needed(n, p.candidates, p.ants, threads)
        memory.require(f"this colony on {instance.name} ({n} cities)", needed)
        self._instance, self._parameters = instance, p
        self._lists, first = lists_of(instance, p.candidates, p.nearness)
        most = states.most_tours(n, p.ants)
        rules = CrossingRules(
            key=key_of(seed),
            ants=p.ants,
            most=most,
            children=p.children,
            deepest=deepest_of(n),
            focus=p.weight == BY_TRAILS,
            settling=p.settling,
            kick=p.kick,
        )
        self._population = states.new_population(n, p.candidates, p.ants, most)
        self._schedule = np.zeros(len(states.SCHEDULED), np.int64)
        self._schedule[[states.MAKING, states.SIZE_OF]] = 1, p.ants
        self._totals = np.zeros(3, np.int64)
        record = record_of(n)
        state = CrossingState(
            self._lists,
            rules,
            states.candidate_edges_of(self._lists),
            first if start is None else start.copy(),
            np.arange(n, dtype=np.int32),
            self._population,
            self._schedule,
            self._totals,
            record,
        )
        stages = (
            Stage(WORK, "construction", shared(p.ants)),
            Stage(GATHER, "update", each(1)),
        )
        workspaces = [states.new_workspace(n, p.candidates) for _ in range(threads)]
        super().__init__(p.ants, record, stages, state, workspaces)

    @property
    def standing(self) -> CrossingState:
        """The state as it stands, to be read alone: nobody changes it but the iterations."""
        state: CrossingState = self._shared
        return state

    def candidate_trails(self) -> NDArray[np.float32]:
        """Trails of the candidates' edges, (n, k): from 1, of no tour, to 100, of all."""
        share = self._population.counts / max(1, int(self._totals[TOURS_COUNTED]))
        return np.asarray(1 + (STRONGEST - 1) * share, np.float32)

    def _listed_trails(self) -> ListedTrails:
        return ListedTrails(self._lists.neighbours, self.candidate_trails())

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        more["limits"] = (1.0, STRONGEST)
        crossed, won = int(self._totals[CROSSED]), int(self._totals[WINNERS])
        more["merges"] = Merges(crossed, won, won)
        return more
