"""Whole iterations of the Ant System, compiled, for any number of threads.

In each stage a thread has rows of the matrices, or ants, of its own: nobody writes what another
writes, so nothing is atomic, and the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.baseline import barrier
from gpu.baseline.as_tables import (
    I_ROULETTE,
    LINE,
    STC_ROULETTE,
    AntTours,
    AsRules,
    Matrices,
    Workplace,
)
from gpu.baseline.compiled import entry, part, piece
from gpu.baseline.geometry import Geometry, distance
from gpu.baseline.philox import philox, start_city
from gpu.baseline.record import ITERATION, Record, keep_best, keep_numbers, shortest
from gpu.baseline.wheel import (
    add_up,
    draw_all,
    draw_listed,
    first_of,
    place_at,
    scale_of,
    slot_at,
    spin,
    weigh_all,
    weigh_listed,
)
from gpu.random import Purpose

WEIGH, CONSTRUCT, LINK, RENEW, FINISH = 1, 2, 4, 8, 16
"""Stages: weights of rows; steps of ants; ends of blocks of ants; trails of rows; the record."""

START, ROULETTE_WORD = np.uint32(Purpose.START), np.uint32(Purpose.ROULETTE)

LIGHTEST, HEAVIEST = np.float32(2.0**-100), np.float32(2.0**100)
"""Weights stay between these, so that a wheel's scale is an ordinary number."""

FAINTEST = np.float32(2.0**-60)
"""A trail evaporates no further (the papers know no floor): weights would begin to underflow."""

VISITED, UNVISITED = np.int32(0), np.int32(-1)


@entry
def run(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    rules: AsRules,
    record: Record,
    gate: NDArray[np.int64],
    place: Workplace,
    thread: int,
    threads: int,
    count: int,
    stages: int,
    begin: int,
    end: int,
) -> None:
    """Run these stages of ``count`` iterations as thread ``thread`` of ``threads``.

    Of each stage only the thread's units from ``begin`` to before ``end`` are done.
    """
    m, n = ants.routes.shape
    blocks = ants.ends.shape[0]
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    first_block, end_block = blocks * thread // threads, blocks * (thread + 1) // threads
    met = 0
    for _ in range(count):
        if stages & WEIGH:
            for u in range(first_row + begin, min(first_row + end, end_row)):
                _weigh_row(matrices, rules, u)
            met += threads
            barrier.meet(gate, met)
        if stages & CONSTRUCT:
            _construct(
                matrices, geometry, ants, rules, np.uint32(record.numbers[ITERATION]), place,
                first_ant, begin, min(end, n * (end_ant - first_ant)),
            )  # fmt: skip
            met += threads
            barrier.meet(gate, met)
        if stages & LINK:
            _link(ants, rules, first_block + begin, min(first_block + end, end_block))
            met += threads
            barrier.meet(gate, met)
        if stages & RENEW:
            best = np.float64(max(ants.lengths[shortest(ants.lengths)], 1))
            unit = np.float32(rules.scale / best)
            for u in range(first_row + begin, min(first_row + end, end_row)):
                _renew_row(matrices, ants, rules, place.deposits, unit, u)
            met += threads
            barrier.meet(gate, met)
        if stages & FINISH:
            if thread == 0:
                _finish(ants, record)
            met += threads
            barrier.meet(gate, met)


@part
def _weigh_row(matrices: Matrices, rules: AsRules, u: int) -> None:
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
    for lane in range(matrices.neighbours.shape[1]):
        matrices.listed[u, lane] = weights[u, matrices.neighbours[u, lane]]


@part
def _construct(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    rules: AsRules,
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
def _start(ants: AntTours, rules: AsRules, place: Workplace, ant: int, city: np.uint32) -> None:
    n = ants.routes.shape[1]
    for other in range(n):
        place.unvisited[other] = UNVISITED
    if rules.selection == STC_ROULETTE:
        for other in range(n):
            ants.routes[ant, other] = other
        ants.routes[ant, city] = 0
    ants.routes[ant, 0] = city


@piece
def _choose(
    matrices: Matrices,
    ants: AntTours,
    rules: AsRules,
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
        if rules.selection == I_ROULETTE:
            city = draw_listed(
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
    elif rules.selection == I_ROULETTE:
        largest = draw_all(place.keys, ant, iteration, step, rules.key0, rules.key1)
        city = np.uint32(first_of(place.keys, largest))
    else:
        scale = scale_of(largest)
        stop = spin(word, add_up(place.keys, scale, place.sums))
        if rules.selection == STC_ROULETTE:
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


@piece
def _link(ants: AntTours, rules: AsRules, first: int, end: int) -> None:
    """Write what each ant of these blocks deposits, and where from every city (eq. 4).

    A row's deposits then stand together, and are added up without a lock. One block's rows stay
    in the second-level cache while its ants' tours are followed.
    """
    m, n = ants.routes.shape
    best = np.float64(max(ants.lengths[shortest(ants.lengths)], 1))
    both = ants.ends.shape[2] == 2
    for block in range(first, end):
        for place in range(min(LINE, m - LINE * block)):
            ant = LINE * block + place
            share = best / np.float64(max(ants.lengths[ant], 1))
            ants.quanta[ant] = np.uint32(np.float64(rules.most) * share)
            u = ants.routes[ant, n - 1]
            for position in range(n):
                v = ants.routes[ant, position]
                ants.ends[block, u, 0, place] = v
                if both:
                    ants.ends[block, v, 1, place] = u
                u = v


@part
def _renew_row(
    matrices: Matrices,
    ants: AntTours,
    rules: AsRules,
    deposits: NDArray[np.uint32],
    unit: np.float32,
    u: int,
) -> None:
    """Evaporate the trails from ``u``, and add what all ants deposit (eqs. 2 and 3)."""
    trails, ends = matrices.trails, ants.ends
    for v in range(deposits.size):
        deposits[v] = 0
    for block in range(ends.shape[0]):
        for side in range(ends.shape[2]):
            for place in range(LINE):
                deposits[ends[block, u, side, place]] += ants.quanta[LINE * block + place]
    for v in range(deposits.size):
        left = max(np.float32(trails[u, v] * rules.keep), FAINTEST)
        trails[u, v] = left + np.float32(np.float32(deposits[v]) * unit)


@piece
def _finish(ants: AntTours, record: Record) -> None:
    """Keep the best tour."""
    best = shortest(ants.lengths)
    keep_numbers(record, ants.lengths, best)
    for position in range(record.last_tour.size):
        record.last_tour[position] = ants.routes[best, position]
    keep_best(record)
