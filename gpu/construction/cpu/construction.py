"""How the ants of the Ant System and its descendants build tours, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu import random_keys
from gpu.construction.cpu.state import AntTours, ChoiceRules, Construction, Matrices, Workspace
from gpu.core.random import Purpose
from gpu.cpu import wheel
from gpu.cpu.compilation import Whole, cached, compiled, inlined, pasted
from gpu.cpu.geometry import Geometry, distance
from gpu.cpu.philox import draw_block, key_of_step, odd_share, own_word, start_city
from gpu.cpu.record import ITERATION, keep
from gpu.cpu.stage_loop import Task, share_of, units_of
from gpu.local_search.cpu.search import improve_tours, keep_improvements
from gpu.local_search.cpu.state import TourWorkspace
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST

ROULETTE, INDEPENDENT = np.uint32(Purpose.ROULETTE), np.uint32(Purpose.INDEPENDENT)

UPPER_BITS, BELOW_HALF = np.int32(-(2**16)), np.int32(2**15 - 1)
"""The bits of a float32 that half weights keep; just less than half of the last of them."""

VISITED, UNVISITED = np.int32(0), np.int32(-1)

WEIGH, CONSTRUCT, IMPROVE, LINK, RENEW, FINISH = range(6)
"""The stages of an iteration: weights of edges; the ants' tours; their local search; whose tours
deposit where; the trails; the record. LINK and RENEW are those of each family."""


@pasted
def do_stage(colony: Construction, workspace: TourWorkspace, task: Task, stage: int) -> None:
    """Do a thread's share of a stage, but for LINK and RENEW.

    In each stage a thread has rows of the matrices, or ants, of its own. No thread writes what
    another one reads or writes, so nothing is atomic, and the result does not depend on the number
    of threads.
    """
    ants, search, record = colony.ants, colony.search, colony.record
    if stage == WEIGH:
        for u in units_of(ants.routes.shape[1], task):
            weigh_row(colony.matrices, colony.rules, u)
    elif stage == CONSTRUCT:
        _construct(colony, workspace.ants, task)
    elif stage == IMPROVE:
        own, geometry = workspace.search, colony.geometry
        improve_tours(search.rule, own, geometry, record, task, ants.routes, ants.lengths)
    elif stage == FINISH and task.thread == 0:
        keep_improvements(search, record, task.threads)
        keep(record, ants.lengths, ants.routes)


@inlined
def rounded_to_half(weight: np.float32) -> np.float32:
    """Round to 8 significant bits, to the nearest, on a tie to the even one."""
    bits = np.float32(weight).view(np.int32)
    odd = np.int32(np.int32(bits >> np.int32(16)) & np.int32(1))
    return np.int32(np.int32(bits + BELOW_HALF + odd) & UPPER_BITS).view(np.float32)


@compiled
def weigh_row(matrices: Matrices, rules: ChoiceRules, u: int) -> None:
    """Compute the weights of the edges from ``u``: ``choice_info``, the numerator of eq. 1."""
    weights, n = matrices.weights, matrices.trails.shape[1]
    wheel.raise_all(matrices.trails[u], rules.alpha, rules.factors, weights[u])
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
            city = start_city(rules.key, iteration, ant, n)
            _start(ants, rules, workspace, ant, city)
        else:
            if step == 1 or step % 4 == 0:
                draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, step // 4)
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
def _start(
    ants: AntTours, rules: ChoiceRules, workspace: Workspace, ant: int, city: np.uint32
) -> None:
    n = ants.routes.shape[1]
    workspace.unvisited[:n] = UNVISITED
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
    neighbours, unvisited, sums = matrices.neighbours, workspace.unvisited, workspace.sums
    keys, lanes, word = workspace.keys, workspace.lanes, workspace.words[step & 3]
    city: np.uint32
    largest = np.int32(0)
    if neighbours.shape[1] > 0:
        largest = wheel.weigh_listed(matrices.listed, neighbours, unvisited, u, lanes)
    if largest != 0:
        if rules.own == 0:
            city = neighbours[u, wheel.slot_of(lanes, largest, sums, word)]
        else:
            key = key_of_step(rules.key, rules.own, iteration, ant, step)
            if rules.own == INDEPENDENT:
                city = random_keys.independent_of_listed(lanes, neighbours, u, key)
            else:
                city = random_keys.reservoir_of_listed(lanes, neighbours, u, key)
        route[step] = city
        return city
    largest = wheel.weigh_all(matrices.weights, unvisited, u, keys)
    if neighbours.shape[1] > 0:  # no candidate is left: the heaviest of all
        city = np.uint32(wheel.first_of(keys, largest))
    elif rules.own != 0:
        key = key_of_step(rules.key, rules.own, iteration, ant, step)
        if rules.own == INDEPENDENT:
            largest = random_keys.independent_of_all(keys, key)
        else:
            largest = random_keys.reservoir_of_all(keys, key)
        city = np.uint32(wheel.first_of(keys, largest))
    elif rules.lists:
        scale = wheel.scale_of(largest)
        stop = wheel.spin(word, wheel.add_up(keys, scale, sums))
        position = wheel.place_at(keys, scale, route, step, stop)
        city = route[position]
        route[position] = route[step]
    else:
        city = np.uint32(wheel.slot_of(keys, largest, sums, word))
    route[step] = city
    return city


@inlined
def _length(geometry: Geometry, routes: NDArray[np.uint32], ant: int) -> np.int64:
    n = routes.shape[1]
    length = distance(geometry, routes[ant, n - 1], routes[ant, 0])
    for position in range(n - 1):
        length += distance(geometry, routes[ant, position], routes[ant, position + 1])
    return length


@cached
def choose_once(
    matrices: Matrices,
    route: NDArray[np.uint32],
    rules: ChoiceRules,
    workspace: Workspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    cities: NDArray[np.uint32],
    parts: NDArray[np.uint32],
    draws: NDArray[np.float32],
) -> np.uint32:
    """Return one choice for the decision view: the city at position ``step`` of an ant's tour.

    It is written to the ant's ``route``. The matrices have one row, that of the city where the ant
    is; its weights are written. The ant chooses between ``cities``: their parts of a wheel and
    their own random numbers are written. The workspace has the unvisited cities, and gets the
    random words of the step.
    """
    weigh_row(matrices, rules, 0)
    draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, step // 4)
    weights = matrices.weights
    largest = np.int32(0)
    for place in range(cities.size):
        largest = max(largest, np.float32(weights[0, cities[place]]).view(np.int32))
    scale = wheel.scale_of(largest)
    key = key_of_step(rules.key, rules.own, iteration, ant, step)
    for place in range(cities.size):
        city = cities[place]
        parts[place] = wheel.part_of(np.float32(weights[0, city]).view(np.int32), scale)
        draws[place] = odd_share(own_word(city, key))
    return choose(matrices, route, rules, workspace, iteration, ant, step, 0)
