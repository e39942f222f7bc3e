"""The stages of an iteration of Focused ACO, compiled.

Trails are in units of the initial one, 1/(C_0·(1 - ρ)), which is τ_max for the first source of
length C_0. After all ants have their tours:

- The bandit learns from all of them; see :mod:`gpu.faco.cpu.bandit`.
- If one is shorter than the best tour so far, it becomes the best tour. With C its length,
  τ_max = C_0/C and τ_min = τ_max · min(1, (1 - p)/((cl - 1)·p)), with p = p_best^(1/cl), but at
  least 2^-60.
- One tour, of length L, becomes the next source, and deposits: the best of the iteration (ties to
  the lowest ant), or with probability q the best so far.
- τ = min(max(τ·ρ, τ_min), τ_max) for all candidates' edges, then τ = min(τ + (1 - ρ)·C_0/L, τ_max)
  for those of that tour.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.core.trails import LEAST_TRAIL
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import share, words_of
from gpu.cpu.record import (
    BEST_COST,
    BEST_ITERATION,
    ITERATION,
    LAST_BEST,
    LAST_TOTAL,
    TWO_OPT,
    enter,
)
from gpu.cpu.stage_loop import Task, loop_over, units_of
from gpu.faco.cpu.bandit import draw_arm, learn
from gpu.faco.cpu.construction import beside, lay_out, walk
from gpu.faco.cpu.search import improve
from gpu.faco.cpu.state import (
    LEAST,
    MOST,
    FacoLists,
    FacoSource,
    FacoState,
    Pheromone,
    Rules,
    Workspace,
)
from gpu.faco.cpu.stretches import follow, restore
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST

BUILD, CHOOSE, RENEW = range(3)
"""The stages of an iteration: ants build tours and improve them; the next source is chosen; trails
are renewed."""

SOURCE = np.uint32(Purpose.SOURCE)


@loop_over
def run(
    state: FacoState, workspace: Workspace, barrier: NDArray[np.int64], task: Task, stage: int
) -> None:
    """Do a thread's share of a stage. A unit of BUILD is an ant, one of RENEW a city."""
    if stage == BUILD:
        if task.begin == 0:
            follow(state.source, workspace)
        for ant in units_of(state.ants.lengths.size, task):
            _build(state, workspace, ant)
            restore(state.source, workspace)
    elif stage == CHOOSE:
        if task.thread == 0:
            _choose_source(state, workspace)
    else:
        for city in units_of(state.source.tour.size, task):
            _renew_row(state.lists, state.rules, state.source, state.pheromone, city)


@compiled
def _build(state: FacoState, work: Workspace, ant: int) -> None:
    """Build an ant's tour in the workspace, and improve it."""
    state.ants.arms[ant] = draw_arm(
        state.bandit, state.rules.key, np.uint32(state.record.numbers[ITERATION]), ant
    )
    walk(state, work, ant)
    longer = lay_out(state, work)
    gained, moves = improve(state.lists, work)
    state.ants.lengths[ant] = state.source.length[0] + longer - gained
    state.ants.moves[ant] = moves


@compiled
def _choose_source(state: FacoState, work: Workspace) -> None:
    """Count the iteration, note its best tour and the best so far, and choose the next source."""
    record, source, rules = state.record, state.source, state.rules
    numbers, lengths = record.numbers, state.ants.lengths
    ant = lengths.argmin()
    walk(state, work, int(ant))  # once more, because the tour was not kept
    lay_out(state, work)
    for at in range(source.tour.size):
        state.ants.best_built[at] = work.tour[at]
    improve(state.lists, work)
    learn(state.bandit, state.ants, rules, source.length[0])
    draw = share(words_of(rules.key, SOURCE, np.uint32(numbers[ITERATION]), 0, 0)[0])
    numbers[ITERATION] += 1
    numbers[LAST_BEST], numbers[LAST_TOTAL] = lengths[ant], lengths.sum()
    enter(record)
    numbers[TWO_OPT] = state.ants.moves.sum()
    improved = lengths[ant] < numbers[BEST_COST]
    if improved:
        numbers[BEST_COST], numbers[BEST_ITERATION] = lengths[ant], numbers[ITERATION]
        set_limits(rules, state.pheromone.limits, lengths[ant])
    best = draw < rules.best_source
    source.length[0] = numbers[BEST_COST] if best else numbers[LAST_BEST]
    amount = rules.gain / np.float64(max(source.length[0], np.int64(1)))
    state.pheromone.amount[0] = np.float32(amount)
    for at in range(source.tour.size):
        record.last_solution[at] = work.tour[at]
        if improved:
            record.best_solution[at] = work.tour[at]
        city = np.int64(record.best_solution[at]) if best else np.int64(work.tour[at])
        source.tour[at], source.place[city] = city, at


@inlined
def set_limits(rules: Rules, limits: NDArray[np.float32], length: np.int64) -> None:
    """Set τ_min and τ_max for a shortest tour of this length."""
    most = rules.start / np.float64(max(length, np.int64(1)))
    limits[MOST] = np.float32(most)
    limits[LEAST] = max(np.float32(most * rules.spread), LEAST_TRAIL)


@compiled
def _renew_row(
    lists: FacoLists, rules: Rules, source: FacoSource, pheromone: Pheromone, city: Whole
) -> None:
    """Let the trails from ``city`` evaporate, and deposit on those of the source."""
    least, most = pheromone.limits[LEAST], pheromone.limits[MOST]
    before, after = beside(source.tour, source.place, city)
    for lane in range(pheromone.trails.shape[1]):
        trail = np.float32(pheromone.trails[city, lane] * rules.keep)
        trail = min(max(trail, least), most)
        if lists.candidates[city, lane] in (before, after):
            trail = min(np.float32(trail + pheromone.amount[0]), most)
        pheromone.trails[city, lane] = trail
        weight = np.float32(trail * lists.heuristic[city, lane])
        pheromone.weights[city, lane] = min(max(weight, LIGHTEST), HEAVIEST)
