"""Whole iterations of the Ant Colony System (Fig. 2), compiled, for any number of threads.

The sequential colony and the one whose ants step together differ in one place: whether an ant's
local update is made before the next ant chooses or after all ants have chosen. In the second
case each thread chooses for its share of the ants and updates its share of the cities' rows, so
that no two threads ever write the same trail, and the result does not depend on their number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu.choice import fallback, heaviest, roulette, weigh
from gpu.acs.cpu.pheromone import lane_of, update
from gpu.acs.cpu.regions import Regions
from gpu.acs.cpu.tables import Ants, Pheromone, Rules, Scratch, Tables
from gpu.core.random import DRAW_BITS, Purpose
from gpu.cpu import barrier
from gpu.cpu.compiled import Whole, entry, piece
from gpu.cpu.geometry import Geometry, distance
from gpu.cpu.philox import philox, start_city
from gpu.cpu.record import (
    BEST_COST,
    GLOBAL_HITS,
    GLOBAL_TOTAL,
    ITERATION,
    Record,
    keep_best,
    keep_numbers,
    shortest,
)
from gpu.local_search.cpu.search import improve_tours, keep_improvements
from gpu.local_search.cpu.tables import Rule, Searches
from gpu.problems.tsp.candidates import NOT_LISTED

CONSTRUCT, IMPROVE, FINISH = 1, 2, 4
"""Parts of an iteration: the ants' tours with their local updates; their local search; then the
global update."""

START, EXPLOIT = np.uint32(Purpose.START), np.uint32(Purpose.EXPLOIT)
ROULETTE = np.uint32(Purpose.ROULETTE)
SHARE = np.float32(2.0**-DRAW_BITS)
SPARE_BITS = np.uint32(32 - DRAW_BITS)


@entry
def run(
    tables: Tables,
    geometry: Geometry,
    regions: Regions,
    trails: Pheromone,
    ants: Ants,
    rules: Rules,
    moves: Rule,
    searches: Searches,
    record: Record,
    gate: NDArray[np.int64],
    scratch: Scratch,
    builders: int,
    thread: int,
    threads: int,
    count: int,
    parts: int,
    begin: int,
    end: int,
) -> None:
    """Run ``count`` iterations, or one part of each, as thread ``thread`` of ``threads``.

    Of the n steps of each tour, the last one back to its start, those from ``begin`` to before
    ``end`` are made, by the first ``builders`` threads; the local search is that of so many of the
    thread's ants.
    """
    m = ants.routes.shape[1]
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    met = met_in_steps = 0
    for _ in range(count):
        if parts & CONSTRUCT and thread < builders:
            iteration = np.uint32(record.numbers[ITERATION])
            met_in_steps = _construct(
                tables, geometry, regions, trails, ants, rules, iteration,
                gate[barrier.INNER :], scratch, thread, builders, begin, end, met_in_steps,
            )  # fmt: skip
        met += threads
        barrier.meet(gate, met)
        if parts & IMPROVE:
            improve_tours(
                moves, geometry, searches, record, thread, ants.routes.T, ants.lengths,
                first_ant + begin, min(first_ant + end, end_ant), begin > 0,
            )  # fmt: skip
            met += threads
            barrier.meet(gate, met)
        if parts & FINISH and thread == 0:
            keep_improvements(searches, record, threads)
            _finish(tables, trails, ants, rules, record)
        met += threads
        barrier.meet(gate, met)


@piece
def _construct(
    tables: Tables,
    geometry: Geometry,
    regions: Regions,
    trails: Pheromone,
    ants: Ants,
    rules: Rules,
    iteration: np.uint32,
    gate: NDArray[np.int64],
    scratch: Scratch,
    thread: int,
    threads: int,
    begin: int,
    end: int,
    met: int,
) -> int:
    """Make steps of all tours as thread ``thread`` of those that do.

    Return how many arrivals at the barrier were expected so far, ``met`` of them before.
    """
    n, m = ants.routes.shape
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    block = 1 if rules.immediate else end_ant - first_ant
    if begin == 0:
        _start(ants, rules, iteration, first_ant, end_ant)
    for step in range(begin + 1, min(end, n) + 1):
        if step == 1 or step % 4 == 0:
            _draw(ants, rules, iteration, step, first_ant, end_ant)
        for first in range(first_ant, end_ant, block):
            for ant in range(first, first + block):
                if step < n:
                    _extend(
                        tables, geometry, regions, trails, ants, rules,
                        iteration, step, ant, scratch,
                    )  # fmt: skip
                else:
                    _close(tables, geometry, ants, ant)
            if step % rules.period == 0:
                if not rules.immediate:
                    met += threads
                    barrier.meet(gate, met)
                start = first if rules.immediate else 0
                for ant in range(start, first + block if rules.immediate else m):
                    _update_both(tables, trails, ants, rules, step, ant, thread, first_row, end_row)
                if not rules.immediate:
                    met += threads
                    barrier.meet(gate, met)
    return met


@piece
def _start(ants: Ants, rules: Rules, iteration: np.uint32, first: int, end: int) -> None:
    n = ants.routes.shape[0]
    words = ants.unvisited.shape[1]
    full = np.uint32(0xFFFFFFFF)
    for ant in range(first, end):
        for word in range(words):
            ants.unvisited[ant, word] = full
        ants.unvisited[ant, words - 1] = np.uint32(full >> np.uint32(32 * words - n))
        city = start_city(n, ant, iteration, START, rules.key0, rules.key1)
        ants.lengths[ant] = 0
        _visit(ants, 0, ant, city)


@piece
def _visit(ants: Ants, position: int, ant: int, city: np.uint32) -> None:
    ants.routes[position, ant] = city
    bit = np.uint32(np.uint32(1) << np.uint32(city & np.uint32(31)))
    ants.unvisited[ant, city >> np.uint32(5)] &= np.uint32(~bit)


@piece
def _draw(ants: Ants, rules: Rules, iteration: np.uint32, step: int, first: int, end: int) -> None:
    block = np.uint32(step // 4)
    for ant in range(first, end):
        words = philox(block, np.uint32(ant), iteration, EXPLOIT, rules.key0, rules.key1)
        ants.draws[0, ant] = words[0]
        ants.draws[1, ant] = words[1]
        ants.draws[2, ant] = words[2]
        ants.draws[3, ant] = words[3]


@piece
def _extend(
    tables: Tables,
    geometry: Geometry,
    regions: Regions,
    trails: Pheromone,
    ants: Ants,
    rules: Rules,
    iteration: np.uint32,
    step: int,
    ant: int,
    scratch: Scratch,
) -> None:
    """Choose the city of ``ant`` at position ``step``, and go there."""
    u = ants.routes[step - 1, ant]
    largest = weigh(tables, trails, ants.unvisited, ant, u, scratch.keys)
    lane: Whole = NOT_LISTED
    if largest != 0:
        if ants.draws[step & 3, ant] >> SPARE_BITS < rules.greedy:
            lane = heaviest(tables, u, scratch.keys, largest)
        else:
            block = np.uint32(step // 4)
            words = philox(block, np.uint32(ant), iteration, ROULETTE, rules.key0, rules.key1)
            share = np.float32(np.float32(words[step & 3] >> SPARE_BITS) * SHARE)
            lane = roulette(scratch.weights, scratch.sums, share)
    if lane != NOT_LISTED:
        v = tables.neighbours[u, lane]
        ants.lengths[ant] += tables.distances[u, lane]
    else:
        left = ants.routes.shape[0] - step
        v = fallback(
            tables, geometry, regions, trails, rules, ants.unvisited, scratch.waiting, ant, u, left
        )
        ants.lengths[ant] += distance(geometry, u, v)
    ants.lanes[ant] = lane
    _visit(ants, step, ant, v)


@piece
def _close(tables: Tables, geometry: Geometry, ants: Ants, ant: int) -> None:
    """Return from the last city to the first."""
    u, v = ants.routes[ants.routes.shape[0] - 1, ant], ants.routes[0, ant]
    lane = lane_of(tables, u, v)
    ants.lanes[ant] = lane
    if lane != NOT_LISTED:
        ants.lengths[ant] += tables.distances[u, lane]
    else:
        ants.lengths[ant] += distance(geometry, u, v)


@piece
def _update_both(
    tables: Tables,
    trails: Pheromone,
    ants: Ants,
    rules: Rules,
    step: int,
    ant: int,
    thread: int,
    first: int,
    end: int,
) -> None:
    """Update locally the edge that ``ant`` took at ``step``, where a row in [first, end) has it."""
    u = ants.routes[step - 1, ant]
    v = ants.routes[step if step < ants.routes.shape[0] else 0, ant]
    lane: Whole = np.int64(ants.lanes[ant])
    for side in range(1 if rules.directed else 2):
        if side == 1:
            lane = (
                np.int64(tables.reverse[u, lane]) if lane != NOT_LISTED else lane_of(tables, v, u)
            )
            u, v = v, u
        if first <= u < end:
            hit = update(tables, trails, rules, u, v, lane, rules.keep, rules.drop)
            ants.hits[thread, 0] += hit
            ants.hits[thread, 1] += 1


@piece
def _finish(tables: Tables, trails: Pheromone, ants: Ants, rules: Rules, record: Record) -> None:
    """Keep the best tour, and strengthen its trails (Fig. 2, lines 16 to 20; eq. 4)."""
    numbers, tour = record.numbers, record.best_solution
    n = ants.routes.shape[0]
    best = shortest(ants.lengths)
    keep_numbers(record, ants.lengths, best)
    for position in range(n):
        record.last_solution[position] = ants.routes[position, best]
    keep_best(record)
    share = np.float64(max(rules.scale, 1)) / np.float64(max(numbers[BEST_COST], 1))
    added = np.float32(rules.alpha * share)
    for position in range(n):
        u = tour[position]
        v = tour[position + 1 if position + 1 < n else 0]
        for _ in range(1 if rules.directed else 2):
            lane = lane_of(tables, u, v)
            hit = update(tables, trails, rules, u, v, lane, rules.global_keep, added)
            numbers[GLOBAL_HITS] += hit
            numbers[GLOBAL_TOTAL] += 1
            u, v = v, u
