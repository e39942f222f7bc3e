"""How the ants of the Ant System and its descendants build tours, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.random_keys import (
    independent_of_all,
    independent_of_listed,
    reservoir_of_all,
    reservoir_of_listed,
)
from gpu.construction.cpu.state import AntTours, ChoiceRules, Construction, Matrices, Workspace
from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, compiled, inlined, pasted
from gpu.cpu.geometry import Geometry, distance
from gpu.cpu.philox import philox, start_city
from gpu.cpu.record import ITERATION, Record, keep_best, keep_numbers, shortest
from gpu.cpu.stage_loop import Task, share_of, units_of
from gpu.cpu.wheel import (
    add_up,
    first_of,
    place_at,
    scale_of,
    slot_at,
    spin,
    weigh_all,
    weigh_listed,
)
from gpu.local_search.cpu.search import improve_tours, keep_improvements
from gpu.local_search.cpu.state import Searches
from gpu.problems.tsp.candidates import HEAVIEST, LIGHTEST

START, ROULETTE = np.uint32(Purpose.START), np.uint32(Purpose.ROULETTE)
INDEPENDENT, RESERVOIR = np.uint32(Purpose.INDEPENDENT), np.uint32(Purpose.RESERVOIR)

UPPER_BITS, BELOW_HALF = np.int32(-(2**16)), np.int32(2**15 - 1)
"""The bits of a float32 that half weights keep; just less than half of the last of them."""

VISITED, UNVISITED = np.int32(0), np.int32(-1)

WEIGH, CONSTRUCT, IMPROVE, LINK, RENEW, FINISH = range(6)
"""The stages of an iteration: weights of edges; the ants' tours; their local search; whose tours
deposit where; the trails; the record. LINK and RENEW are those of each family."""


@pasted
def do_stage(colony: Construction, workspace: Workspace, task: Task, stage: int) -> None:
    """Do a thread's share of a stage, but for LINK and RENEW.

    In each stage a thread has rows of the matrices, or ants, of its own. No thread writes what
    another one reads or writes, so nothing is atomic, and the result does not depend on the number
    of threads.
    """
    ants = colony.ants
    if stage == WEIGH:
        first, end = units_of(ants.routes.shape[1], task)
        for u in range(first, end):
            weigh_row(colony.matrices, colony.rules, u)
    elif stage == CONSTRUCT:
        _construct(colony, workspace, task)
    elif stage == IMPROVE:
        improve_tours(
            colony.search, colony.geometry, colony.record, task, ants.routes, ants.lengths
        )
    elif stage == FINISH and task.thread == 0:
        _finish(ants, colony.search.searches, colony.record, task.threads)


@inlined
def _finish(ants: AntTours, searches: Searches, record: Record, threads: int) -> None:
    """Note the best tour, and what the local search did."""
    keep_improvements(searches, record, threads)
    best = shortest(ants.lengths)
    keep_numbers(record, ants.lengths, best)
    for position in range(record.last_solution.size):
        record.last_solution[position] = ants.routes[best, position]
    keep_best(record)


@inlined
def rounded_to_half(weight: np.float32) -> np.float32:
    """Round to 8 significant bits, to the nearest, on a tie to the even one."""
    bits = np.float32(weight).view(np.int32)
    odd = np.int32(np.int32(bits >> np.int32(16)) & np.int32(1))
    return np.int32(np.int32(bits + BELOW_HALF + odd) & UPPER_BITS).view(np.float32)


@compiled
def weigh_row(matrices: Matrices, rules: ChoiceRules, u: int) -> None:
    """Compute the weights of the edges from ``u``: ``choice_info``, the numerator of eq. 1.

    A whole α is a repeated product, in the same order on every device. Each factor is multiplied
    into the whole row, which stays in the first-level cache.
    """
    trails, weights = matrices.trails, matrices.weights
    n = trails.shape[1]
    if rules.factors >= 0:
        for v in range(n):
            weights[u, v] = np.float32(1.0)
        for _ in range(rules.factors):
            for v in range(n):
                weights[u, v] *= trails[u, v]
    else:
        for v in range(n):
            weights[u, v] = np.float32(np.float64(trails[u, v]) ** rules.alpha)
    for v in range(n):
        weight = np.float32(weights[u, v] * matrices.heuristic[u, v])
        weights[u, v] = min(max(weight, LIGHTEST), HEAVIEST)
    if rules.halves:
        for v in range(n):
            weights[u, v] = rounded_to_half(weights[u, v])
    for lane in range(matrices.neighbours.shape[1]):
        matrices.listed[u, lane] = weights[u, matrices.neighbours[u, lane]]


@compiled
def _construct(colony: Construction, workspace: Workspace, task: Task) -> None:
    """Make the task's steps of all those that the thread's ants make, one ant after the other."""
    ants, rules = colony.ants, colony.rules
    m, n = ants.routes.shape
    iteration = np.uint32(colony.record.numbers[ITERATION])
    first, last = share_of(m, task)
    ant, step = first + task.begin // n, task.begin % n
    for _ in range(task.begin, min(task.end, n * (last - first))):
        if step == 0:
            city = start_city(n, ant, iteration, START, rules.key0, rules.key1)
            _start(ants, rules, workspace, ant, city)
        else:
            if step == 1 or step % 4 == 0:
                draw_words(rules, workspace, iteration, ant, step)
            route = ants.routes[ant]
            u = route[step - 1]
            city = choose(colony.matrices, route, rules, workspace, iteration, ant, step, u)
        workspace.unvisited[city] = VISITED
        step += 1
        if step == n:
            ants.lengths[ant] = _length(colony.geometry, ants.routes, ant)
            step = 0
            ant += 1


@inlined
def draw_words(
    rules: ChoiceRules, workspace: Workspace, iteration: np.uint32, ant: int, step: int
) -> None:
    """Draw the random words for this step's wheel and for those of its block of four."""
    words = philox(
        np.uint32(step // 4), np.uint32(ant), iteration, ROULETTE, rules.key0, rules.key1
    )
    for word in range(4):
        workspace.words[word] = words[word]


@inlined
def _start(
    ants: AntTours, rules: ChoiceRules, workspace: Workspace, ant: int, city: np.uint32
) -> None:
    n = ants.routes.shape[1]
    for other in range(n):
        workspace.unvisited[other] = UNVISITED
    if rules.lists:
        for other in range(n):
            ants.routes[ant, other] = other
        ants.routes[ant, city] = 0
    ants.routes[ant, 0] = city


@inlined
def choose(
    matrices: Matrices,
    route: NDArray[np.uint32],
    rules: ChoiceRules,
    workspace: Workspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    u: Whole,
) -> np.uint32:
    """Choose the city of ``ant`` at position ``step``, and write it to its ``route`` (eq. 1).

    ``u`` is the row of the matrices that has the edges from the city where it is.
    """
    neighbours = matrices.neighbours
    word = workspace.words[step & 3]
    largest = np.int32(0)
    if neighbours.shape[1] > 0:
        largest = weigh_listed(matrices.listed, neighbours, workspace.unvisited, u, workspace.lanes)
    if largest != 0:
        if rules.own == INDEPENDENT:
            city = independent_of_listed(
                workspace.lanes, neighbours, u, ant, iteration, step, rules.key0, rules.key1
            )
        elif rules.own == RESERVOIR:
            city = reservoir_of_listed(
                workspace.lanes, neighbours, u, ant, iteration, step, rules.key0, rules.key1
            )
        else:
            scale = scale_of(largest)
            stop = spin(word, add_up(workspace.lanes, scale, workspace.sums))
            city = neighbours[u, slot_at(workspace.lanes, scale, workspace.sums, stop)]
        route[step] = city
        return city
    largest = weigh_all(matrices.weights, workspace.unvisited, u, workspace.keys)
    if neighbours.shape[1] > 0:  # no candidate is left: the heaviest of all
        city = np.uint32(first_of(workspace.keys, largest))
    elif rules.own == INDEPENDENT:
        largest = independent_of_all(workspace.keys, ant, iteration, step, rules.key0, rules.key1)
        city = np.uint32(first_of(workspace.keys, largest))
    elif rules.own == RESERVOIR:
        largest = reservoir_of_all(workspace.keys, ant, iteration, step, rules.key0, rules.key1)
        city = np.uint32(first_of(workspace.keys, largest))
    else:
        scale = scale_of(largest)
        stop = spin(word, add_up(workspace.keys, scale, workspace.sums))
        if rules.lists:
            position = place_at(workspace.keys, scale, route, step, stop)
            city = route[position]
            route[position] = route[step]
        else:
            city = np.uint32(slot_at(workspace.keys, scale, workspace.sums, stop))
    route[step] = city
    return city


@inlined
def _length(geometry: Geometry, routes: NDArray[np.uint32], ant: int) -> np.int64:
    n = routes.shape[1]
    length = distance(geometry, routes[ant, n - 1], routes[ant, 0])
    for position in range(n - 1):
        length += distance(geometry, routes[ant, position], routes[ant, position + 1])
    return length
