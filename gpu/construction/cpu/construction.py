"""How ants of the Ant System and its descendants build tours, compiled: weights, then steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.own_draws import (
    independent_of_all,
    independent_of_listed,
    reservoir_of_all,
    reservoir_of_listed,
)
from gpu.construction.cpu.tables import AntTours, ChoiceRules, Matrices, Workplace
from gpu.core.random import Purpose
from gpu.cpu import barrier
from gpu.cpu.compiled import part, piece
from gpu.cpu.geometry import Geometry, distance
from gpu.cpu.philox import philox, start_city
from gpu.cpu.record import ITERATION, Record, keep_best, keep_numbers, shortest
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
from gpu.local_search.cpu.tables import Rule, Searches
from gpu.problems.tsp.candidates import HEAVIEST, LIGHTEST

START, ROULETTE_WORD = np.uint32(Purpose.START), np.uint32(Purpose.ROULETTE)
INDEPENDENT, RESERVOIR = np.uint32(Purpose.INDEPENDENT), np.uint32(Purpose.RESERVOIR)

UPPER_BITS, BELOW_HALF = np.int32(-(2**16)), np.int32(2**15 - 1)
"""The bits of a float32 that half precision keeps; almost half of the rest."""

VISITED, UNVISITED = np.int32(0), np.int32(-1)

WEIGH, CONSTRUCT, IMPROVE, LINK, RENEW, FINISH = 1, 2, 4, 8, 16, 32
"""The stages of an iteration: weights of rows; steps of ants; their tours by local search; cities
that tours link; trails of rows; the record."""


@piece
def build_tours(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    rules: ChoiceRules,
    moves: Rule,
    searches: Searches,
    record: Record,
    gate: NDArray[np.int64],
    place: Workplace,
    thread: int,
    threads: int,
    stages: int,
    begin: int,
    end: int,
    met: int,
) -> int:
    """Do a thread's part of those of these stages that are asked for.

    Return how many arrivals at the barrier were expected so far, ``met`` of them before.
    """
    m, n = ants.routes.shape
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    if stages & WEIGH:
        for u in range(first_row + begin, min(first_row + end, end_row)):
            weigh_row(matrices, rules, u)
        met += threads
        barrier.meet(gate, met)
    if stages & CONSTRUCT:
        construct(
            matrices, geometry, ants, rules, np.uint32(record.numbers[ITERATION]), place,
            first_ant, begin, min(end, n * (end_ant - first_ant)),
        )  # fmt: skip
        met += threads
        barrier.meet(gate, met)
    if stages & IMPROVE:
        improve_tours(
            moves, geometry, searches, record, thread, ants.routes, ants.lengths,
            first_ant + begin, min(first_ant + end, end_ant), begin > 0,
        )  # fmt: skip
        met += threads
        barrier.meet(gate, met)
    return met


@piece
def finish(ants: AntTours, searches: Searches, record: Record, threads: int) -> None:
    """Keep the best tour, and what its local search did."""
    keep_improvements(searches, record, threads)
    best = shortest(ants.lengths)
    keep_numbers(record, ants.lengths, best)
    for position in range(record.last_solution.size):
        record.last_solution[position] = ants.routes[best, position]
    keep_best(record)


@piece
def rounded_to_half(weight: np.float32) -> np.float32:
    """Round to 8 significant bits, to the nearest, on a tie to the even one."""
    bits = np.float32(weight).view(np.int32)
    odd = np.int32(np.int32(bits >> np.int32(16)) & np.int32(1))
    return np.int32(np.int32(bits + BELOW_HALF + odd) & UPPER_BITS).view(np.float32)


@part
def weigh_row(matrices: Matrices, rules: ChoiceRules, u: int) -> None:
    """Compute the weights of the edges from ``u``: ``choice_info``, the numerator of eq. 1.

    A whole α is a repeated product, in the same order on every device. Each factor passes over
    the whole row, which the first-level cache holds.
    """
    trails, weights = matrices.trails, matrices.weights
    n = trails.shape[0]
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


@part
def construct(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    rules: ChoiceRules,
    iteration: np.uint32,
    place: Workplace,
    first: int,
    begin: int,
    end: int,
) -> None:
    """Make steps ``begin`` to before ``end`` of all those that the ants from ``first`` on make.

    One ant builds its whole tour before the next begins.
    """
    n = ants.routes.shape[1]
    ant, step = first + begin // n, begin % n
    for _ in range(begin, end):
        if step == 0:
            city = start_city(n, ant, iteration, START, rules.key0, rules.key1)
            _start(ants, rules, place, ant, city)
        else:
            if step == 1 or step % 4 == 0:
                block = np.uint32(step // 4)
                words = philox(
                    block, np.uint32(ant), iteration, ROULETTE_WORD, rules.key0, rules.key1
                )
                for word in range(4):
                    place.words[word] = words[word]
            city = _choose(matrices, ants, rules, place, iteration, ant, step)
        place.unvisited[city] = VISITED
        step += 1
        if step == n:
            ants.lengths[ant] = _length(geometry, ants.routes, ant)
            step = 0
            ant += 1


@piece
def _start(ants: AntTours, rules: ChoiceRules, place: Workplace, ant: int, city: np.uint32) -> None:
    n = ants.routes.shape[1]
    for other in range(n):
        place.unvisited[other] = UNVISITED
    if rules.lists:
        for other in range(n):
            ants.routes[ant, other] = other
        ants.routes[ant, city] = 0
    ants.routes[ant, 0] = city


@piece
def _choose(
    matrices: Matrices,
    ants: AntTours,
    rules: ChoiceRules,
    place: Workplace,
    iteration: np.uint32,
    ant: int,
    step: int,
) -> np.uint32:
    """Choose the city of ``ant`` at position ``step``, and write it to its route (eq. 1)."""
    routes, neighbours = ants.routes, matrices.neighbours
    u = routes[ant, step - 1]
    word = place.words[step & 3]
    largest = np.int32(0)
    if neighbours.shape[1] > 0:
        largest = weigh_listed(matrices.listed, neighbours, place.unvisited, u, place.lanes)
    if largest != 0:
        if rules.own == INDEPENDENT:
            city = independent_of_listed(
                place.lanes, neighbours, u, ant, iteration, step, rules.key0, rules.key1
            )
        elif rules.own == RESERVOIR:
            city = reservoir_of_listed(
                place.lanes, neighbours, u, ant, iteration, step, rules.key0, rules.key1
            )
        else:
            scale = scale_of(largest)
            stop = spin(word, add_up(place.lanes, scale, place.sums))
            city = neighbours[u, slot_at(place.lanes, scale, place.sums, stop)]
        routes[ant, step] = city
        return city
    largest = weigh_all(matrices.weights, place.unvisited, u, place.keys)
    if neighbours.shape[1] > 0:  # no candidate is left: the heaviest of all
        city = np.uint32(first_of(place.keys, largest))
    elif rules.own == INDEPENDENT:
        largest = independent_of_all(place.keys, ant, iteration, step, rules.key0, rules.key1)
        city = np.uint32(first_of(place.keys, largest))
    elif rules.own == RESERVOIR:
        largest = reservoir_of_all(place.keys, ant, iteration, step, rules.key0, rules.key1)
        city = np.uint32(first_of(place.keys, largest))
    else:
        scale = scale_of(largest)
        stop = spin(word, add_up(place.keys, scale, place.sums))
        if rules.lists:
            position = place_at(place.keys, scale, routes, ant, step, stop)
            city = routes[ant, position]
            routes[ant, position] = routes[ant, step]
        else:
            city = np.uint32(slot_at(place.keys, scale, place.sums, stop))
    routes[ant, step] = city
    return city


@piece
def _length(geometry: Geometry, routes: NDArray[np.uint32], ant: int) -> np.int64:
    n = routes.shape[1]
    length = distance(geometry, routes[ant, n - 1], routes[ant, 0])
    for position in range(n - 1):
        length += distance(geometry, routes[ant, position], routes[ant, position + 1])
    return length
