"""The Ant Colony System on the CPU: one core or all, matrix or selective memory.

The stages of an iteration (Fig. 2) are compiled. The sequential colony and the one whose ants step
together differ in one thing: whether an ant's local update is made before the next ant chooses, or
after all ants have chosen. In the second case each thread chooses for its share of the ants and
updates its share of the cities' rows. So no two threads ever write the same trail, and the result
does not depend on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu import state as states
from gpu.acs.cpu.choice import (
    EXPLOIT,
    box_tree_of,
    choose_lane,
    fallback,
    heaviest_remembered,
    is_greedy,
    weigh,
)
from gpu.acs.cpu.state import (
    NO_CITY,
    AcsEdges,
    AcsRules,
    AcsState,
    AcsTours,
    AcsWorkspace,
    lane_of,
    update,
)
from gpu.acs.initial_trail import inverse_initial_trail
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Trails, Updates, Wanted
from gpu.core.trails import (
    KnownTrails,
    Single,
    lists_read,
    matrix_read,
    pheromone_picture,
    strongest_trails,
)
from gpu.cpu import record as records
from gpu.cpu.colony import Painter
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import distance, geometry_of
from gpu.cpu.philox import start_city, words_of
from gpu.cpu.record import (
    BEST_COST,
    GLOBAL_HITS,
    GLOBAL_TOTAL,
    ITERATION,
    ColonyRecord,
    keep,
    record_of,
)
from gpu.cpu.stage_loop import INNER_BARRIER, StageTask, loop_over, wait
from gpu.cpu.stages import Stage, each
from gpu.cpu.structures import allocated
from gpu.local_search.cpu import CpuTourColony, TourWorkspace, improve_tours, keep_improvements
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import BACKUP, NOT_LISTED, build_candidates

CONSTRUCT, IMPROVE, FINISH = range(3)
"""The stages of an iteration: the ants' tours with their local updates; their local search; the
record and the global update."""


@loop_over((CONSTRUCT,), (IMPROVE,), (FINISH,))
def run(
    state: AcsState,
    workspace: TourWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage.

    The units of CONSTRUCT are the n steps of a tour, the last one back to its start.
    """
    edges, ants, search, record = state.edges, state.ants, state.search, state.record
    if stage == CONSTRUCT:
        builders = min(task.threads, edges.rules.builders)
        if task.thread < builders:
            _construct(state, workspace.ants, barrier[INNER_BARRIER:], task, builders)
    elif stage == IMPROVE:
        own, geometry = workspace.search, edges.geometry
        improve_tours(search.rule, own, geometry, record, task, ants.routes.T, ants.lengths)
    elif task.thread == 0:
        keep_improvements(search, record, task.threads)
        keep(record, ants.lengths, ants.routes.T)
        _update_best(edges, record)


@inlined
def _construct(
    state: AcsState,
    workspace: AcsWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    threads: int,
) -> None:
    """Make the task's steps of all tours, as one of so many threads that build tours."""
    edges, ants, rules, thread = state.edges, state.ants, state.edges.rules, task.thread
    n, m = ants.routes.shape
    iteration = np.uint32(state.record.numbers[ITERATION])
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    block = 1 if rules.immediate else end_ant - first_ant
    if task.begin == 0:
        _start(ants, rules, iteration, first_ant, end_ant)
    for step in range(task.begin + 1, min(task.end, n) + 1):
        if step == 1 or step % 4 == 0:
            _draw(ants, rules, iteration, step, first_ant, end_ant)
        for first in range(first_ant, end_ant, block):
            for ant in range(first, first + block):
                if step < n:
                    _extend(state, iteration, step, ant, workspace)
                else:
                    _close(edges, ants, ant)
            if step % rules.period == 0:
                if not rules.immediate:
                    wait(barrier, threads)
                start = first if rules.immediate else 0
                for ant in range(start, first + block if rules.immediate else m):
                    _update_both(edges, ants, step, ant, thread, first_row, end_row)
                if not rules.immediate:
                    wait(barrier, threads)


@inlined
def _start(ants: AcsTours, rules: AcsRules, iteration: np.uint32, first: int, end: int) -> None:
    n, words, full = ants.routes.shape[0], ants.unvisited.shape[1], np.uint32(0xFFFFFFFF)
    for ant in range(first, end):
        ants.unvisited[ant] = full
        ants.unvisited[ant, words - 1] = np.uint32(full >> np.uint32(32 * words - n))
        ants.lengths[ant] = 0
        _visit(ants, 0, ant, start_city(rules.key, iteration, ant, n))


@inlined
def _visit(ants: AcsTours, position: int, ant: int, city: np.uint32) -> None:
    ants.routes[position, ant] = city
    bit = np.uint32(np.uint32(1) << np.uint32(city & np.uint32(31)))
    ants.unvisited[ant, city >> np.uint32(5)] &= np.uint32(~bit)


@inlined
def _draw(
    ants: AcsTours, rules: AcsRules, iteration: np.uint32, step: int, first: int, end: int
) -> None:
    draws = ants.draws
    for ant in range(first, end):
        words = words_of(rules.key, EXPLOIT, iteration, ant, step // 4)
        draws[0, ant], draws[1, ant], draws[2, ant], draws[3, ant] = words


@inlined
def _extend(
    state: AcsState, iteration: np.uint32, step: int, ant: int, workspace: AcsWorkspace
) -> None:
    """Choose the city of ``ant`` at position ``step``, and go there.

    With ``rules.remembered`` the greedy choice takes, of all unvisited candidates and all unvisited
    cities that the present one remembers, the one with the largest τ·η^β. Of equals it takes one
    that is remembered, as the author's program does, and of such the newest. That program looks at
    the remembered cities and the nearest candidate alone: that is the same, for no trail is below
    the initial one. The wheel has the candidates alone. Where none of them is unvisited,
    :func:`fallback` looks at all cities.
    """
    edges, lists, trails, ants = state.edges, state.edges.lists, state.edges.trails, state.ants
    u = ants.routes[step - 1, ant]
    largest = weigh(lists, trails, ants.unvisited, ant, u, workspace.keys)
    draw = ants.draws[step & 3, ant]
    lane = choose_lane(lists, edges.rules, workspace, iteration, ant, step, u, largest, draw)
    slot = -1
    if lane != NOT_LISTED and edges.rules.remembered and is_greedy(edges.rules, draw):
        weights = workspace.weights
        slot = heaviest_remembered(edges, ants.unvisited, weights, ant, u, weights[lane])
    if slot >= 0:
        lane = np.int64(trails.lanes[u, slot])
    if lane != NOT_LISTED:
        v = lists.neighbours[u, lane]
        ants.lengths[ant] += lists.distances[u, lane]
    elif slot >= 0:
        v = np.uint32(trails.cities[u, slot])
        ants.lengths[ant] += distance(edges.geometry, u, v)
    else:
        left = ants.routes.shape[0] - step
        v = fallback(edges, state.boxes, ants.unvisited, workspace.waiting, ant, u, left)
        ants.lengths[ant] += distance(edges.geometry, u, v)
    ants.lanes[ant] = lane
    _visit(ants, step, ant, v)


@inlined
def _close(edges: AcsEdges, ants: AcsTours, ant: int) -> None:
    """Return from the last city to the first."""
    u, v = ants.routes[ants.routes.shape[0] - 1, ant], ants.routes[0, ant]
    ants.lanes[ant] = lane_of(edges.lists, u, v)
    ants.lengths[ant] += distance(edges.geometry, u, v)


@inlined
def _update_both(
    edges: AcsEdges, ants: AcsTours, step: int, ant: int, thread: int, first: int, end: int
) -> None:
    """Update locally the edge that ``ant`` took at ``step``, in rows ``first`` to ``end - 1``."""
    lists, rules = edges.lists, edges.rules
    u = ants.routes[step - 1, ant]
    v = ants.routes[step if step < ants.routes.shape[0] else 0, ant]
    lane: Whole = np.int64(ants.lanes[ant])
    for side in range(1 if rules.directed else 2):
        if side == 1:
            lane = np.int64(lists.reverse[u, lane]) if lane != NOT_LISTED else lane_of(lists, v, u)
            u, v = v, u
        if first <= u < end:
            ants.hits[thread, 0] += update(edges, u, v, lane, rules.keep, rules.add)
            ants.hits[thread, 1] += 1


@inlined
def _update_best(edges: AcsEdges, record: ColonyRecord) -> None:
    """Strengthen the trails of the best tour so far (Fig. 2, lines 16 to 20; eq. 4)."""
    numbers, tour, rules = record.numbers, record.best_solution, edges.rules
    n = tour.size
    share = max(rules.scale, 1.0) / np.float64(max(numbers[BEST_COST], 1))
    added = np.float32(rules.alpha * share)
    for position in range(n):
        u = tour[position]
        v = tour[position + 1 if position + 1 < n else 0]
        for _ in range(1 if rules.directed else 2):
            lane = lane_of(edges.lists, u, v)
            numbers[GLOBAL_HITS] += update(edges, u, v, lane, rules.global_keep, added)
            numbers[GLOBAL_TOTAL] += 1
            u, v = v, u


ANTS_PER_THREAD = 16
"""A thread has at least so many; with fewer, waiting at each step takes longer than the work."""


class AcsCpuColony(CpuTourColony):
    """The Ant Colony System on the CPU; see :class:`CpuTourColony`.

    ``SpmParameters`` choose the selective memory. The seed is in [0, 2**64). At most ``threads``
    threads work; the sequential colony takes 1. If ``stepwise``, all ants choose before any of them
    updates (ACS-GPU), else they take turns (Fig. 2).
    """

    NUMBERS = frozenset({"alpha", "rho", "q0", "update_period"})

    _run = run

    def __init__(
        self,
        instance: TspInstance,
        parameters: AcsParameters,
        seed: int,
        *,
        threads: int,
        stepwise: bool,
    ) -> None:
        n = instance.n
        assert parameters.ants is not None
        m, self._cl = parameters.ants, parameters.candidates
        slots = parameters.memory if isinstance(parameters, SpmParameters) else 0
        builders = max(1, min(threads, m // ANTS_PER_THREAD))
        improves = parameters.local_search != NO_LOCAL_SEARCH
        threads = max(1, min(threads, m)) if improves else builders
        needed = states.bytes_needed(n, m, self._cl, min(BACKUP, n - 1 - self._cl), slots)
        search = self._prepare(instance, m, parameters.local_search, threads, needed)
        candidates = build_candidates(instance, self._cl)
        geometry = geometry_of(instance, parameters.beta)
        self._parameters = parameters
        self._given: dict[str, Any] = {
            "seed": seed,
            "scale": inverse_initial_trail(instance, parameters),
            "immediate": not stepwise,
            "directed": instance.directed,
            "builders": builders,
        }
        (rules,) = self._rules_for(parameters)
        lists, boxes = states.lists_of(candidates, parameters.beta), box_tree_of(geometry)
        trails = states.pheromone_of(n, self._cl, slots)
        self._edges = AcsEdges(lists, geometry, trails, rules)
        bits, hits = (m, -(-n // 32)), (threads, 8)
        self._ants = allocated(AcsTours, m, routes=(n, m), unvisited=bits, draws=(4, m), hits=hits)
        record = record_of(n)
        state = AcsState(self._edges, boxes, self._ants, search, record)
        stages = (
            Stage(CONSTRUCT, "construction", each(n), together=stepwise and not improves),
            *self._improvement(IMPROVE, m),
            Stage(FINISH, "update", each(1)),
        )
        workspaces = self._with_searches([states.new_workspace() for _ in range(threads)])
        super().__init__(m, record, stages, state, workspaces)

    def _rules_for(self, parameters: AcsParameters) -> Iterable[AcsRules]:
        return (states.rules_of(parameters, **self._given),)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        trails = self._edges.trails
        if self._edges.rules.selective:
            row = np.ones(self._instance.n, np.float32)
            held = trails.cities[city] != NO_CITY
            row[trails.cities[city][held]] = trails.values[city][held]
        else:
            row = np.array(trails.others[city])
            row[self._edges.lists.neighbours[city, : self._cl]] = trails.listed[city, : self._cl]
        return row

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.ForgetfulSource`."""
        return np.roll(self._edges.trails.cities[city], -1 - int(self._edges.trails.tails[city]))

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        known, n, directed = self._known_trails(), self._instance.n, self._instance.directed
        return partial(pheromone_picture, known), partial(strongest_trails, known, n, directed)

    def _single_trails(self) -> Single:
        trails, lists = self._edges.trails, self._edges.lists.neighbours[:, : self._cl]
        if self._edges.rules.selective:
            # Empty records name no city that there is.
            return lists, lists_read(trails.cities, trails.values)
        return lists, lists_read(lists, self._listed(), matrix_read(trails.others))

    def _routes(self) -> NDArray[np.integer]:
        return self._ants.routes.T

    def _listed(self) -> NDArray[np.float32]:
        return self._edges.trails.listed[:, : self._cl]

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        if self._edges.rules.selective:
            globally = self._record.numbers[[records.GLOBAL_HITS, records.GLOBAL_TOTAL]]
            locally = self._ants.hits.sum(axis=0)[:2]
            more["updates"] = Updates(*locally.tolist(), *globally.tolist())
        return more

    def _kept_trails(self) -> KeptTrails:
        trails, n = self._edges.trails, self._instance.n
        if not self._edges.rules.selective:
            return KeptTrails(n, self._known_trails())
        return KeptTrails(n, states.by_age(trails))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        states.refill(self._edges, self._cl, trails)
        if (updates := legacy.state.updates) is not None:
            numbers = updates.global_hits, updates.global_total
            self._record.numbers[[records.GLOBAL_HITS, records.GLOBAL_TOTAL]] = numbers
            self._ants.hits[0, :2] = updates.local_hits, updates.local_total

    def _known_trails(self) -> KnownTrails:
        """Collect every trail that may differ from 1."""
        trails, n = self._edges.trails, self._instance.n
        if self._edges.rules.selective:
            cities, slots = np.nonzero(trails.cities != NO_CITY)
            remembered = trails.cities[cities, slots]
            return KnownTrails(cities.astype(np.int32), remembered, trails.values[cities, slots])
        changed = np.flatnonzero(np.any(trails.bounds != 1, axis=1))  # few, as a rule
        places, columns = np.nonzero(trails.others[changed] != 1)
        rows = changed[places]
        everyone = np.repeat(np.arange(n, dtype=np.int32), self._cl)
        listed = self._edges.lists.neighbours[:, : self._cl].astype(np.int32).ravel()
        starts = np.concatenate((everyone, rows.astype(np.int32)))
        ends = np.concatenate((listed, columns.astype(np.int32)))
        values = np.concatenate((self._listed().ravel(), trails.others[rows, columns]))
        return KnownTrails(starts, ends, values)
