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
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.first_colorings import best_greedy_coloring
from gpu.cpu.philox import below, draw_block, key_of, words_of
from gpu.cpu.record import BEST_ITERATION, ITERATION, LAST_TOTAL, count_iteration, record_of
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.gpx.cpu import state as states
from gpu.gpx.cpu.crossover import CROSS, CrossRoom, color_at_random, cross_colorings
from gpu.gpx.cpu.optimizer import optimize_once
from gpu.gpx.cpu.partial import (
    DRIVEN_OUT,
    LOOSE_COUNT,
    OPTIMIZE,
    OWN_COLORS,
    PartialColoring,
    begin_partial_coloring,
    new_partial_colorings,
    partial_coloring_of,
)
from gpu.gpx.cpu.partial_tabu import begin_partial_tabu, move_partial_tabu
from gpu.gpx.cpu.rounds import (
    CHECK,
    CHOOSE,
    DRAW,
    LEFT,
    SETTLE,
    SUMS_DUE,
    TAKE,
    TELL,
    begin_rounds,
    end_round,
    gather_loose,
    list_loose,
    new_rounds,
    play_stage,
)
from gpu.gpx.cpu.state import (
    BEGUN,
    BEST_COLORS,
    BEST_ISLAND,
    COST,
    ENDS,
    FOUND,
    FOUND_BY,
    GAINED_AT,
    GENERATION_MOVES,
    GENERATIONS,
    HALVED,
    IDLE,
    LEFT_OVER,
    MOVES,
    NO_RESULT,
    OPERATIONS,
    QUOTA,
    SCHEDULE_SIZE,
    GpxRules,
    GpxState,
    Population,
)
from gpu.gpx.parameters import (
    ALIKE,
    CROSSING,
    EXPLORER_HALVINGS,
    EXPLORING,
    KIND_NAMES,
    KINDS,
    MOST_HALVINGS,
    NOBODY,
    OPTIMIZING,
    PARTIAL,
    RECOVERY,
    GpxParameters,
    HeadParameters,
    trails_note,
)
from gpu.gpx.rule import (
    EXPLORER_SPREADS,
    FEW_LOOSE,
    MOST_TRAIL,
    PARTIAL_TARGETS,
    WHOLE_KEEP,
)
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.tabu_search import cpu as tabu
from gpu.tabu_search.cpu import (
    CONFLICTS,
    NOW_COLORS,
    NOW_FEWEST,
    NOW_TIME,
    TABU,
    WRONG,
    TabuRules,
    TabuWorkspace,
    build,
    move,
    squeeze,
)

WORK, GATHER, MARK = range(SETTLE + 1, SETTLE + 4)
"""The stages after those of a round, which only large graphs have: each ant searches; what they
found is gathered; trails are renewed."""


@loop_over
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
            _work(state, workspace, _ant_of(state.rules, unit), task.threads)
    elif stage == MARK:
        if state.schedule[ENDS]:
            islands, n, _ = state.trails.matrices.shape
            for row in units_of(islands * n, task):
                _renew_trails(state, row // n, row % n)
    elif stage == GATHER:
        if task.thread == 0:
            _gather(state)
    elif state.population.progress[0, BEGUN]:
        own, iteration = partial_coloring_of(state.optimizers, 0), state.record.numbers[ITERATION]
        play_stage(state.graph, own, state.rounds, iteration, state.rules.noise, task, stage)


@inlined
def _ant_of(rules: GpxRules, unit: Whole) -> np.int64:
    """Return whose turn it is: partial colorings come first, so that two threads share."""
    crossing, partial_ = rules.crossing, rules.optimizers + rules.partials
    if unit < partial_:
        return np.int64(crossing + unit)
    return np.int64(unit - partial_ if unit < partial_ + crossing else unit)


@compiled
def _work(state: GpxState, room: CrossRoom, ant: Whole, threads: Whole) -> None:
    """Let an ant search, or end the round that so many threads have played."""
    rules, progress = state.rules, state.population.progress[ant]
    progress[FOUND] = progress[OPERATIONS] = progress[MOVES] = 0
    target, kind = state.schedule[BEST_COLORS] - 1, _kind_of(rules, ant)
    if target < 1:
        return
    if rules.in_rounds:
        _end_round(state, threads, target)
    elif kind == CROSSING:
        _cross_and_search(state, room, ant, target)
    elif kind == EXPLORING:
        _explore(state, ant, target)
    else:
        _color_in_part(state, ant, kind, target)


@inlined
def _search_of(state: GpxState, number: Whole) -> TabuWorkspace:
    """Return what one ant's tabu search works with."""
    s = state.searches
    return TabuWorkspace(
        s.colors[number],
        s.counts[number],
        s.rows[number],
        s.least[number],
        s.wrong[number],
        s.places[number],
        s.members[number],
        s.sizes[number],
        s.names[number],
        s.heads[number],
        s.entries[number],
        s.links[number],
        s.numbers[number],
        s.words[number],
    )


@inlined
def _copy(to: NDArray[np.int32], colors: NDArray[np.int32]) -> None:
    for v in range(colors.size):
        to[v] = colors[v]


@inlined
def _key(colors: Whole, conflicts: Whole) -> np.int64:
    """Return by what results are compared: the number of colors, then that of conflicts."""
    return np.int64(colors) << 32 | np.int64(conflicts)


@inlined
def first_ant(rules: GpxRules, island: Whole) -> np.int64:
    """Return the first ant of an island; the number of islands gives the end of the last one."""
    return np.int64(rules.crossing * island // rules.islands)


@inlined
def island_of(rules: GpxRules, ant: Whole) -> np.int64:
    """Return on which island an ant lives."""
    return np.int64((rules.islands * (ant + 1) - 1) // rules.crossing)


@inlined
def partner_of(rules: GpxRules, ant: Whole, word: np.uint32) -> np.int64:
    """Return with whom an ant crosses colorings: with itself if it is alone on its island."""
    island = island_of(rules, ant)
    first = first_ant(rules, island)
    others = first_ant(rules, island + 1) - first - 1
    if others == 0:
        return np.int64(ant)
    partner = first + below(word, others)
    return partner + 1 if partner >= ant else partner


@compiled
def _cross_and_search(state: GpxState, room: CrossRoom, ant: Whole, target: Whole) -> None:
    """Make a child at the beginning of a generation, and make moves of this generation."""
    rules, population, schedule = state.rules, state.population, state.schedule
    progress, own, key = population.progress[ant], _search_of(state, ant), state.graph.key
    now, island = own.numbers, island_of(rules, ant)
    words = words_of(key, CROSS, state.record.numbers[ITERATION], ant, 0)
    behind = now[NOW_COLORS] - target
    begins = not progress[BEGUN]
    far = begins or (behind > 0 if rules.anew else behind > max(1, target // rules.behind))
    crosses = schedule[GENERATION_MOVES] == 0
    random = False
    if begins:
        draw_block(own.words, key, TABU, 0, ant, 0)
        progress[BEGUN] = 1
    if far:
        random = rules.anew or ant != first_ant(rules, island)
        if not random:
            _copy(own.colors, population.best)
            now[NOW_COLORS] = schedule[BEST_COLORS]
        progress[LEFT_OVER] = own.colors.size
    elif crosses:
        random = population.ended[island] != 0
        progress[LEFT_OVER] = own.colors.size
        if not random:
            parents, partner = population.parents, partner_of(rules, ant, words[2])
            trails = state.trails.matrices[island]
            progress[LEFT_OVER] = cross_colorings(
                room,
                parents[ant],
                parents[partner],
                own.colors,
                target,
                words,
                trails if rules.by_trails else trails[:0],
            )
        now[NOW_COLORS] = target
    if random:
        now[NOW_COLORS] = target
        color_at_random(own.colors, target, words[1])
    if far or crosses or behind > 0:
        _begin_search(state, own, ant, target)
        population.result_keys[ant] = _key(now[NOW_COLORS], now[CONFLICTS])
        _copy(population.results[ant], own.colors)
    _search(state, own, ant, ant, schedule[QUOTA + CROSSING], tabu.SPREAD, True)


@inlined
def _begin_search(state: GpxState, own: TabuWorkspace, number: Whole, target: Whole) -> None:
    """Begin a tabu search with so many colors; the smallest classes are given up."""
    now = own.numbers
    if now[NOW_COLORS] > target:
        squeeze(own.colors, own.sizes, own.names, now[NOW_COLORS], target)
        now[NOW_COLORS] = target
    build(state.graph, own, state.expiries.moves[number], True)
    now[NOW_FEWEST] = now[CONFLICTS]


@compiled
def _search(
    state: GpxState,
    own: TabuWorkspace,
    ant: Whole,
    number: Whole,
    quota: Whole,
    spread: Whole,
    keeps: bool,
) -> None:
    """Make so many moves of tabu search; whenever a coloring is proper, give up a class.

    If the ant ``keeps`` results, it remembers the coloring with the fewest conflicts.
    """
    population, now = state.population, own.numbers
    progress, expiries = population.progress[ant], state.expiries.moves[number]
    vector = 8 if state.graph.near.size > 0 else 1
    fixed = 2 * state.graph.neighbours.size // own.colors.size // vector + 40
    made = work = np.int64(0)
    most_work = np.int64(state.rules.work)  # of an explorer, whose moves nobody counts
    fewest = now[NOW_FEWEST]
    while True:
        while now[CONFLICTS] > 0 and made < quota and (keeps or work < most_work):
            work += fixed + now[WRONG] * (now[NOW_COLORS] // 16 + 2)
            move(state.graph, own, expiries, ant, spread)
            made += 1
            if now[NOW_FEWEST] < fewest:
                fewest = now[NOW_FEWEST]
                progress[GAINED_AT] = now[NOW_TIME]
                if keeps:
                    population.result_keys[ant] = _key(now[NOW_COLORS], fewest)
                    _copy(population.results[ant], own.colors)
        if now[CONFLICTS] > 0:
            break
        _keep_found(population, ant, own.colors, own.names, now[NOW_COLORS])
        if progress[FOUND] == 1 or state.rules.anew:
            break
        _copy(own.colors, population.found[ant])
        now[NOW_COLORS] = progress[FOUND]
        _begin_search(state, own, number, progress[FOUND] - 1)
        work += own.colors.size * 8
        fewest = now[NOW_FEWEST]
        progress[GAINED_AT] = now[NOW_TIME]
        if keeps:
            population.result_keys[ant] = _key(now[NOW_COLORS], fewest)
            _copy(population.results[ant], own.colors)
    progress[MOVES], progress[OPERATIONS] = made, work


@inlined
def _keep_found(
    population: Population,
    ant: Whole,
    colors: NDArray[np.int32],
    names: NDArray[np.int32],
    count: Whole,
) -> None:
    """Keep a proper coloring; classes without vertices do not count."""
    names[:count] = 0
    for color in colors:
        names[color] = 1
    used = 0
    for color in range(count):
        if names[color]:
            names[color] = used
            used += 1
    for v in range(colors.size):
        population.found[ant, v] = names[colors[v]]
    population.progress[ant, FOUND] = used


@compiled
def _explore(state: GpxState, ant: Whole, target: np.int64) -> None:
    """Search without crossing: with far fewer colors, or with tenures of one's own."""
    rules, progress = state.rules, state.population.progress[ant]
    number, setting = ant - rules.optimizers - rules.partials, _setting_of(rules, ant)
    own, key = _search_of(state, number), state.graph.key
    now = own.numbers
    if setting == 0:
        explored = np.int64(rules.explored * (target + 1) + 0.5)
        if explored < target:
            target = explored if explored > 0 else np.int64(1)
    stalled = setting == 0 and now[NOW_TIME] - progress[GAINED_AT] > rules.patience
    if not progress[BEGUN]:
        draw_block(own.words, key, TABU, 0, ant, 0)
    if setting != 0 and not progress[BEGUN]:
        progress[BEGUN] = 1
        _copy(own.colors, state.population.best)
        now[NOW_COLORS] = state.schedule[BEST_COLORS]
        _begin_search(state, own, number, target)
    elif not progress[BEGUN] or stalled:
        progress[BEGUN] = 1
        progress[GAINED_AT] = now[NOW_TIME]
        now[NOW_COLORS] = target
        words = words_of(key, CROSS, state.record.numbers[ITERATION], ant, 0)
        color_at_random(own.colors, target, words[1])
        _begin_search(state, own, number, target)
    elif now[NOW_COLORS] > target:
        _begin_search(state, own, number, target)
    quota, spread = state.schedule[QUOTA + EXPLORING], EXPLORER_SPREADS[setting]
    _search(state, own, ant, number, quota, spread, False)


@inlined
def _setting_of(rules: GpxRules, ant: Whole) -> np.int64:
    """Return the place of an explorer's spread: the first of them tries far fewer colors."""
    return np.int64((ant - rules.ants + rules.explorers) % len(EXPLORER_SPREADS))


@compiled
def _color_in_part(state: GpxState, ant: Whole, kind: Whole, target: np.int64) -> None:
    """Make moves on a partial coloring; whenever all vertices have a color, give up a class."""
    rules, graph, population = state.rules, state.graph, state.population
    first, by_tabu, fewer = rules.crossing, kind == PARTIAL, np.int64(0)
    if by_tabu:
        number = ant - first - rules.optimizers
        fewer = np.int64(number % PARTIAL_TARGETS)
        target = max(np.int64(1), np.int64(target - fewer))
        own = partial_coloring_of(state.partials, number)
    else:
        own = partial_coloring_of(state.optimizers, ant - first)
    progress, numbers, n = population.progress[ant], own.numbers, own.colors.size
    if not progress[BEGUN] or numbers[OWN_COLORS] > target:
        if not progress[BEGUN]:
            draw_block(own.words, graph.key, OPTIMIZE, 0, ant, 0)
        progress[BEGUN] = 1
        _copy(own.colors, population.best)
        _give_up_classes(graph, own, state.schedule[BEST_COLORS], target, by_tabu)
    dense = graph.near.size > 0
    neighbours = graph.neighbours.size // n
    a_vertex = n // 8 if dense else 2 * neighbours
    quota = state.schedule[QUOTA + kind]
    made = work = np.int64(0)
    while True:
        while numbers[LOOSE_COUNT] > 0 and made < quota:
            looked_at = np.int64(2 * numbers[OWN_COLORS])
            if by_tabu:
                looked_at = numbers[OWN_COLORS] * numbers[LOOSE_COUNT]
                move_partial_tabu(graph, own, ant)
            else:
                optimize_once(graph, own, ant, rules.noise, rules.heaviest)
            work += looked_at + a_vertex * (1 + numbers[DRIVEN_OUT]) + 40
            made += 1
        if numbers[LOOSE_COUNT] > 0:
            break
        _keep_found(population, ant, own.colors, own.names, numbers[OWN_COLORS])
        found = progress[FOUND]
        if found == 1:
            break
        _copy(own.colors, population.found[ant])
        _give_up_classes(graph, own, found, max(np.int64(1), found - 1 - fewer), by_tabu)
        work += n * (own.row.size + 8)
        if made >= quota:
            break
    progress[MOVES], progress[OPERATIONS] = made, work


@inlined
def _give_up_classes(
    graph: TabuRules, own: PartialColoring, count: Whole, target: Whole, by_tabu: bool
) -> None:
    """Go on with a whole coloring of ``count`` colors, whose smallest classes are given up."""
    squeeze(own.colors, own.sizes, own.names, count, target)
    own.numbers[OWN_COLORS] = target
    if by_tabu:
        begin_partial_tabu(graph, own)
    else:
        begin_partial_coloring(graph, own)


@compiled
def _end_round(state: GpxState, threads: Whole, target: Whole) -> None:
    """End the round of the only ant; make single moves where few vertices have no color."""
    rules, graph, population, rounds = state.rules, state.graph, state.population, state.rounds
    own, progress = partial_coloring_of(state.optimizers, 0), population.progress[0]
    numbers, n = own.numbers, own.colors.size
    if not progress[BEGUN] or numbers[OWN_COLORS] > target:
        if not progress[BEGUN]:
            draw_block(own.words, graph.key, OPTIMIZE, 0, 0, 0)
        progress[BEGUN] = 1
        _copy(own.colors, population.best)
        squeeze(own.colors, own.sizes, own.names, target + 1, target)
        numbers[OWN_COLORS] = target
        begin_rounds(own, rounds)
        return
    a_move, a_vertex = 2 * numbers[OWN_COLORS] + 40, 2 * graph.neighbours.size // n
    made, driven = end_round(own, rounds, threads, rules.heaviest)
    work = made * (a_move + a_vertex) + driven * a_vertex
    if 0 < rounds.numbers[LEFT] < FEW_LOOSE and not rounds.numbers[SUMS_DUE]:
        quota = made + state.schedule[QUOTA + OPTIMIZING]
        list_loose(own, rounds)
        while numbers[LOOSE_COUNT] > 0 and made < quota:
            optimize_once(graph, own, 0, rules.noise, rules.heaviest)
            work += a_move + a_vertex * (1 + numbers[DRIVEN_OUT])
            made += 1
        gather_loose(own, rounds)
    if rounds.numbers[LEFT] == 0:
        _keep_found(population, 0, own.colors, own.names, numbers[OWN_COLORS])
        if progress[FOUND] > 1:
            _copy(own.colors, population.found[0])
            squeeze(own.colors, own.sizes, own.names, progress[FOUND], progress[FOUND] - 1)
            numbers[OWN_COLORS] = progress[FOUND] - 1
            begin_rounds(own, rounds)
    progress[MOVES], progress[OPERATIONS] = made, work


@compiled
def _gather(state: GpxState) -> None:
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
        _copy(population.best, population.found[finder])
        schedule[FOUND_BY] = _kind_of(rules, finder)
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
def _kind_of(rules: GpxRules, ant: Whole) -> int:
    crossing = rules.crossing
    if ant < crossing:
        return CROSSING
    if ant < crossing + rules.optimizers:
        return OPTIMIZING
    return PARTIAL if ant < rules.ants - rules.explorers else EXPLORING


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
            if _kind_of(rules, ant) == kind:
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
        _copy(population.parents[ant], population.results[ant])
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
            _copy(elites[island, 0], population.results[ant])
    if state.schedule[GENERATIONS] % state.rules.cycle == 0:
        if elite_keys[island, 1] != NO_RESULT:
            _copy(population.parents[first], elites[island, 1])
        _copy(elites[island, 1], elites[island, 0])
        elite_keys[island, 1] = elite_keys[island, 0]
        elite_keys[island, 0] = NO_RESULT


@compiled
def _renew_trails(state: GpxState, island: Whole, v: Whole) -> None:
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

    _run = staticmethod(run)
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
