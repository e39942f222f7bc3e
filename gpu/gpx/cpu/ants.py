"""What an ant of each kind does in an iteration: it crosses, explores, or colors a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import below, draw_block, words_of
from gpu.cpu.record import ITERATION
from gpu.gpx.cpu.crossover import CROSS, CrossRoom, color_at_random, cross_colorings
from gpu.gpx.cpu.optimizer import optimize_once
from gpu.gpx.cpu.partial import (
    DRIVEN_OUT,
    LOOSE_COUNT,
    OPTIMIZE,
    OWN_COLORS,
    PartialColoring,
    begin_partial_coloring,
    partial_coloring_of,
)
from gpu.gpx.cpu.partial_tabu import begin_partial_tabu, move_partial_tabu
from gpu.gpx.cpu.rounds import LEFT, SUMS_DUE, begin_rounds, end_round, gather_loose, list_loose
from gpu.gpx.cpu.state import (
    BEGUN,
    BEST_COLORS,
    FOUND,
    GAINED_AT,
    GENERATION_MOVES,
    LEFT_OVER,
    MOVES,
    OPERATIONS,
    QUOTA,
    GpxRules,
    GpxState,
    Population,
    copy_colors,
    first_ant,
    island_of,
    kind_of,
)
from gpu.gpx.parameters import CROSSING, EXPLORING, OPTIMIZING, PARTIAL
from gpu.gpx.rule import EXPLORER_SPREADS, FEW_LOOSE, PARTIAL_TARGETS
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


@compiled
def let_search(state: GpxState, room: CrossRoom, ant: Whole, threads: Whole) -> None:
    """Let an ant search, or end the round that so many threads have played."""
    rules, progress = state.rules, state.population.progress[ant]
    progress[FOUND] = progress[OPERATIONS] = progress[MOVES] = 0
    target, kind = state.schedule[BEST_COLORS] - 1, kind_of(rules, ant)
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
def _key(colors: Whole, conflicts: Whole) -> np.int64:
    """Return by what results are compared: the number of colors, then that of conflicts."""
    return np.int64(colors) << 32 | np.int64(conflicts)


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
            copy_colors(own.colors, population.best)
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
        copy_colors(population.results[ant], own.colors)
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
                    copy_colors(population.results[ant], own.colors)
        if now[CONFLICTS] > 0:
            break
        _keep_found(population, ant, own.colors, own.names, now[NOW_COLORS])
        if progress[FOUND] == 1 or state.rules.anew:
            break
        copy_colors(own.colors, population.found[ant])
        now[NOW_COLORS] = progress[FOUND]
        _begin_search(state, own, number, progress[FOUND] - 1)
        work += own.colors.size * 8
        fewest = now[NOW_FEWEST]
        progress[GAINED_AT] = now[NOW_TIME]
        if keeps:
            population.result_keys[ant] = _key(now[NOW_COLORS], fewest)
            copy_colors(population.results[ant], own.colors)
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
        copy_colors(own.colors, state.population.best)
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
        copy_colors(own.colors, population.best)
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
        copy_colors(own.colors, population.found[ant])
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
        copy_colors(own.colors, population.best)
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
            copy_colors(own.colors, population.found[0])
            squeeze(own.colors, own.sizes, own.names, progress[FOUND], progress[FOUND] - 1)
            numbers[OWN_COLORS] = progress[FOUND] - 1
            begin_rounds(own, rounds)
    progress[MOVES], progress[OPERATIONS] = made, work
