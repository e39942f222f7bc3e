"""What becomes of what the ants have found: whose turn and quota it is, generations, trails."""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.record import BEST_ITERATION, ITERATION, LAST_TOTAL, count_iteration
from gpu.gpx.cpu.state import (
    BEST_COLORS,
    BEST_ISLAND,
    COST,
    ENDS,
    FOUND,
    FOUND_BY,
    GENERATION_MOVES,
    GENERATIONS,
    HALVED,
    IDLE,
    LEFT_OVER,
    MOVES,
    NO_RESULT,
    OPERATIONS,
    QUOTA,
    GpxState,
    copy_colors,
    first_ant,
    island_of,
    kind_of,
)
from gpu.gpx.parameters import (
    ALIKE,
    CROSSING,
    EXPLORER_HALVINGS,
    EXPLORING,
    KINDS,
    MOST_HALVINGS,
    RECOVERY,
)
from gpu.gpx.rule import MOST_TRAIL, WHOLE_KEEP


@compiled
def gather(state: GpxState) -> None:
    """Note what the ants found, and say what they do in the next iteration."""
    schedule, population, rules = state.schedule, state.population, state.rules
    record, progress = state.record, population.progress
    before, total = schedule[BEST_COLORS], np.int64(0)
    finder = np.int64(-1)
    for ant in range(rules.ants):
        found = progress[ant, FOUND]
        total += found if 0 < found < before else before
        if 0 < found < schedule[BEST_COLORS]:
            schedule[BEST_COLORS] = found
            finder = np.int64(ant)
    if finder >= 0:
        copy_colors(population.best, population.found[finder])
        schedule[FOUND_BY] = kind_of(rules, finder)
        if schedule[FOUND_BY] == CROSSING:
            schedule[BEST_ISLAND] = island_of(rules, finder)
    record.numbers[LAST_TOTAL] = total
    best = schedule[BEST_COLORS]
    first = record.numbers[ITERATION] == 0
    improved = count_iteration(record, best)
    if improved or first:
        for v in range(record.best_solution.size):
            record.best_solution[v] = record.last_solution[v] = population.best[v]
    if schedule[FOUND_BY] < 0:  # it is what the colony began with, which no iteration has found
        record.numbers[BEST_ITERATION] = 0
    _share_work(state, finder)
    _end_generation(state)
    _plan(state, bool(finder >= 0))


@inlined
def _share_work(state: GpxState, finder: Whole) -> None:
    """Let kinds work the less the longer others have found all; measure what moves cost."""
    schedule, progress, rules = state.schedule, state.population.progress, state.rules
    schedule[IDLE] += 1
    if finder >= 0:
        schedule[IDLE] = 0
        for kind in range(KINDS):
            most = EXPLORER_HALVINGS if kind == EXPLORING else MOST_HALVINGS
            halved = min(schedule[HALVED + kind] + 1, most)
            schedule[HALVED + kind] = 0 if kind == schedule[FOUND_BY] else halved
    elif schedule[IDLE] % RECOVERY == 0:
        for kind in range(KINDS):
            schedule[HALVED + kind] -= schedule[HALVED + kind] > 0
    for kind in range(KINDS):
        work = moves = np.int64(0)
        for ant in range(rules.ants):
            if kind_of(rules, ant) == kind:
                work += progress[ant, OPERATIONS]
                moves += progress[ant, MOVES]
        if moves > 0:
            schedule[COST + kind] = max(np.int64(1), work // moves)


@inlined
def _first_cost(state: GpxState) -> np.int64:
    """Return the operations of a move while all vertices are in conflict."""
    n = state.population.best.size
    near = 2 * state.graph.neighbours.size // n
    return np.int64(near + 40 + n * (state.schedule[BEST_COLORS] // 16 + 2))


@inlined
def _plan(state: GpxState, anew: bool) -> None:
    """Say how many moves each ant makes in the next iteration, in which all may begin ``anew``."""
    schedule, rules = state.schedule, state.rules
    crossing = rules.crossing
    work = np.int64(rules.work)
    if crossing > 0:
        work = min(work, rules.moves * schedule[COST + CROSSING])
    for kind in range(KINDS):
        own, cost = work, schedule[COST + kind]
        if kind == CROSSING:
            own = np.int64(rules.work)
            if schedule[GENERATION_MOVES] == 0 or (anew and rules.anew):
                cost = max(cost, _first_cost(state))
        quota = own // cost >> schedule[HALVED + kind]
        schedule[QUOTA + kind] = max(np.int64(1), quota)
    left = rules.moves - schedule[GENERATION_MOVES]
    schedule[QUOTA + CROSSING] = min(schedule[QUOTA + CROSSING], left)


@inlined
def _end_generation(state: GpxState) -> None:
    """At the end of a generation, its results become parents; renew elites."""
    schedule, population, rules = state.schedule, state.population, state.rules
    crossing = rules.crossing
    schedule[GENERATION_MOVES] += schedule[QUOTA + CROSSING]
    schedule[ENDS] = crossing > 0 and schedule[GENERATION_MOVES] >= rules.moves
    if not schedule[ENDS]:
        return
    schedule[GENERATION_MOVES] = 0
    schedule[GENERATIONS] += 1
    for ant in range(crossing):
        copy_colors(population.parents[ant], population.results[ant])
    for island in range(rules.islands):
        first, end = first_ant(rules, island), first_ant(rules, island + 1)
        ended = int(end - first > 1)  # an ant alone goes on with its classes
        for ant in range(first, end):
            if population.progress[ant, LEFT_OVER] * ALIKE > population.best.size:
                ended = 0
        population.ended[island] = ended
        if rules.cycle > 0:
            _keep_elites(state, island, first, end)


@inlined
def _keep_elites(state: GpxState, island: Whole, first: Whole, end: Whole) -> None:
    """Keep the best result of a cycle; that of the cycle before comes back at its end."""
    population = state.population
    keys, elites, elite_keys = population.result_keys, population.elites, population.elite_keys
    for elite in range(2):
        more = elite_keys[island, elite] >> 32 > keys[first] >> 32  # colors than now
        if population.ended[island] or more:
            elite_keys[island, elite] = NO_RESULT
    if population.ended[island]:
        return
    for ant in range(first, end):
        if keys[ant] < elite_keys[island, 0]:
            elite_keys[island, 0] = keys[ant]
            copy_colors(elites[island, 0], population.results[ant])
    if state.schedule[GENERATIONS] % state.rules.cycle == 0:
        if elite_keys[island, 1] != NO_RESULT:
            copy_colors(population.parents[first], elites[island, 1])
        copy_colors(elites[island, 1], elites[island, 0])
        elite_keys[island, 1] = elite_keys[island, 0]
        elite_keys[island, 0] = NO_RESULT


@compiled
def renew_trails(state: GpxState, island: Whole, v: Whole) -> None:
    """Renew the trails of ``v``: how often another vertex had its color lately."""
    rules, row = state.rules, state.trails.matrices[island, v]
    if state.population.ended[island]:
        row[:] = 0
        return
    first, end = first_ant(rules, island), first_ant(rules, island + 1)
    keep = np.uint32(rules.keep)
    deposit = np.uint16((WHOLE_KEEP - rules.keep) * MOST_TRAIL // WHOLE_KEEP // (end - first))
    for u in range(row.size):
        row[u] = np.uint16(np.uint32(np.uint32(row[u]) * keep) >> np.uint32(16))
    for ant in range(first, end):
        colors = state.population.results[ant]
        own = colors[v]
        for u in range(row.size):
            row[u] += deposit if colors[u] == own else np.uint16(0)
