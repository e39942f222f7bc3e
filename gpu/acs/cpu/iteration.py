"""The stages of an iteration of the Ant Colony System (Fig. 2), compiled.

The sequential colony and the one whose ants step together differ in one thing: whether an ant's
local update is made before the next ant chooses, or after all ants have chosen. In the second
case each thread chooses for its share of the ants and updates its share of the cities' rows. So
no two threads ever write the same trail, and the result does not depend on their number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu.choice import (
    EXPLOIT,
    choose_lane,
    fallback,
    heaviest_remembered,
    is_greedy,
    weigh,
)
from gpu.acs.cpu.pheromone import lane_of, update
from gpu.acs.cpu.state import AcsState, Ants, Edges, Rules, Workspace
from gpu.cpu.barrier import INNER, wait
from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.geometry import distance
from gpu.cpu.philox import start_city, words_of
from gpu.cpu.record import BEST_COST, GLOBAL_HITS, GLOBAL_TOTAL, ITERATION, Record, keep
from gpu.cpu.stage_loop import Task, loop_over
from gpu.local_search.cpu.search import improve_tours, keep_improvements
from gpu.local_search.cpu.state import TourWorkspace
from gpu.problems.tsp.neighbours import NOT_LISTED

CONSTRUCT, IMPROVE, FINISH = range(3)
"""The stages of an iteration: the ants' tours with their local updates; their local search; the
record and the global update."""


@loop_over
def run(
    state: AcsState, workspace: TourWorkspace, barrier: NDArray[np.int64], task: Task, stage: int
) -> None:
    """Do a thread's share of a stage.

    The units of CONSTRUCT are the n steps of a tour, the last one back to its start.
    """
    edges, ants, search, record = state.edges, state.ants, state.search, state.record
    if stage == CONSTRUCT:
        builders = min(task.threads, edges.rules.builders)
        if task.thread < builders:
            _construct(state, workspace.ants, barrier[INNER:], task, builders)
    elif stage == IMPROVE:
        own, geometry = workspace.search, edges.geometry
        improve_tours(search.rule, own, geometry, record, task, ants.routes.T, ants.lengths)
    elif task.thread == 0:
        keep_improvements(search, record, task.threads)
        keep(record, ants.lengths, ants.routes.T)
        _update_best(edges, record)


@inlined
def _construct(
    state: AcsState, workspace: Workspace, barrier: NDArray[np.int64], task: Task, threads: int
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
def _start(ants: Ants, rules: Rules, iteration: np.uint32, first: int, end: int) -> None:
    n, words, full = ants.routes.shape[0], ants.unvisited.shape[1], np.uint32(0xFFFFFFFF)
    for ant in range(first, end):
        ants.unvisited[ant] = full
        ants.unvisited[ant, words - 1] = np.uint32(full >> np.uint32(32 * words - n))
        ants.lengths[ant] = 0
        _visit(ants, 0, ant, start_city(rules.key, iteration, ant, n))


@inlined
def _visit(ants: Ants, position: int, ant: int, city: np.uint32) -> None:
    ants.routes[position, ant] = city
    bit = np.uint32(np.uint32(1) << np.uint32(city & np.uint32(31)))
    ants.unvisited[ant, city >> np.uint32(5)] &= np.uint32(~bit)


@inlined
def _draw(ants: Ants, rules: Rules, iteration: np.uint32, step: int, first: int, end: int) -> None:
    draws = ants.draws
    for ant in range(first, end):
        words = words_of(rules.key, EXPLOIT, iteration, ant, step // 4)
        draws[0, ant], draws[1, ant], draws[2, ant], draws[3, ant] = words


@inlined
def _extend(
    state: AcsState, iteration: np.uint32, step: int, ant: int, workspace: Workspace
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
def _close(edges: Edges, ants: Ants, ant: int) -> None:
    """Return from the last city to the first."""
    u, v = ants.routes[ants.routes.shape[0] - 1, ant], ants.routes[0, ant]
    ants.lanes[ant] = lane_of(edges.lists, u, v)
    ants.lengths[ant] += distance(edges.geometry, u, v)


@inlined
def _update_both(
    edges: Edges, ants: Ants, step: int, ant: int, thread: int, first: int, end: int
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
            ants.hits[thread, 0] += update(edges, u, v, lane, rules.keep, rules.drop)
            ants.hits[thread, 1] += 1


@inlined
def _update_best(edges: Edges, record: Record) -> None:
    """Strengthen the trails of the best tour so far (Fig. 2, lines 16 to 20; eq. 4)."""
    numbers, tour, rules = record.numbers, record.best_solution, edges.rules
    n = tour.size
    share = np.float64(max(rules.scale, 1)) / np.float64(max(numbers[BEST_COST], 1))
    added = np.float32(rules.alpha * share)
    for position in range(n):
        u = tour[position]
        v = tour[position + 1 if position + 1 < n else 0]
        for _ in range(1 if rules.directed else 2):
            lane = lane_of(edges.lists, u, v)
            numbers[GLOBAL_HITS] += update(edges, u, v, lane, rules.global_keep, added)
            numbers[GLOBAL_TOTAL] += 1
            u, v = v, u
