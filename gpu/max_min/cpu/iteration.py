"""Whole iterations of the MAX-MIN Ant System, compiled: the Ant System with another update.

Trails are in units of the initial one, 1/(ρ·L_nn), which is τ_max for the nearest-neighbour tour.
Scalars are computed in float64 and rounded once, trails are float32 without fused multiply-add, and
lengths count as 1 at least, so that every device gets the same trails. After all tours are built:

- Is one shorter than the shortest so far, C, it takes its place, and τ_max = L_nn/C and
  τ_min = τ_max · min(1, (1 - r)/((n/2 - 1)·r)), but 2^-60 at least, with r = p_best^(1/n).
- Else, after as many iterations in vain as ``restart`` says, counted from the last shortest tour or
  beginning anew, and with a branching factor of 2.05 at most: all trails become τ_max. That is all.
- Else, or then, one tour of length L deposits: the shortest of the iteration (ties to the lowest
  ant) or so far. By the schedule it is the latter in every f-th iteration since trails began, with
  f = 25, from the 25th on 5, from the 75th 3, from the 125th 2, and from the 250th 1.
- τ = min(max(τ·(1 - ρ), τ_min), τ_max) for all trails, then τ = min(τ + ρ·L_nn/L, τ_max) for that
  tour's, in both directions if the instance is symmetric.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.construction import FINISH, LINK, RENEW, build_tours, finish
from gpu.construction.cpu.tables import FAINTEST, AntTours, Matrices, Workplace
from gpu.core.trails import LAMBDA
from gpu.cpu import barrier
from gpu.cpu.compiled import entry, part, piece
from gpu.cpu.geometry import Geometry
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION, Record, shortest
from gpu.local_search.cpu.tables import Rule, Searches
from gpu.max_min.cpu.tables import BEGUN, LEAST, MOST, RESTARTING, MmasRules, MmasState
from gpu.max_min.limits import GLOBAL_BEST, SCHEDULE

SETTLED = 205
"""A hundred times the branching factor up to which trails have settled: 2, and one city in
twenty that has another edge."""


@entry
def run(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    near: NDArray[np.int32],
    rules: MmasRules,
    state: MmasState,
    moves: Rule,
    searches: Searches,
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

    As ``run`` of the Ant System; ``near`` has the cities whose trails are looked at
    to tell whether they have settled.
    """
    n = ants.routes.shape[1]
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    met = 0
    for _ in range(count):
        met = build_tours(
            matrices, geometry, ants, rules.choice, moves, searches, record, gate, place,
            thread, threads, stages, begin, end, met,
        )  # fmt: skip
        if stages & LINK:
            if thread == 0:
                _decide(matrices, ants, near, rules, state, record)
            met += threads
            barrier.meet(gate, met)
        if stages & RENEW:
            for u in range(first_row + begin, min(first_row + end, end_row)):
                _renew_row(matrices, rules, state, u)
            met += threads
            barrier.meet(gate, met)
        if stages & FINISH:
            if thread == 0:
                finish(ants, searches, record, threads)
            met += threads
            barrier.meet(gate, met)


@part
def _decide(
    matrices: Matrices,
    ants: AntTours,
    near: NDArray[np.int32],
    rules: MmasRules,
    state: MmasState,
    record: Record,
) -> None:
    """Set the limits, decide which tour deposits or that trails begin anew, and link its cities.

    The record is still that of the iteration before.
    """
    numbers = record.numbers
    iteration = numbers[ITERATION] + 1
    ant = shortest(ants.lengths)
    length = np.int64(ants.lengths[ant])
    improved = numbers[BEST_ITERATION] == 0 or length < numbers[BEST_COST]
    state.numbers[RESTARTING] = 0
    if improved:
        set_limits(rules, state, length)
    elif rules.patience > 0:
        last = max(state.numbers[BEGUN], numbers[BEST_ITERATION])
        if iteration - last >= rules.patience and settled(matrices.trails, near):
            state.numbers[RESTARTING] = 1
            state.numbers[BEGUN] = iteration
            return
    own = improved or not _is_turn_of_best(rules.deposit, iteration - state.numbers[BEGUN])
    if not own:
        length = np.int64(numbers[BEST_COST])
    state.amount[0] = np.float32(rules.gain / np.float64(max(length, np.int64(1))))
    n, sides = state.ends.shape
    u = ants.routes[ant, n - 1] if own else record.best_solution[n - 1]
    for position in range(n):
        v = ants.routes[ant, position] if own else record.best_solution[position]
        state.ends[u, 0] = v
        if sides == 2:
            state.ends[v, 1] = u
        u = v


@piece
def set_limits(rules: MmasRules, state: MmasState, length: np.int64) -> None:
    """Set τ_min and τ_max for a shortest tour of this length (2000, eqs. 7 and 11)."""
    most = rules.nearest / np.float64(max(length, np.int64(1)))
    state.limits[MOST] = np.float32(most)
    state.limits[LEAST] = max(np.float32(most * rules.spread), FAINTEST)


@piece
def _is_turn_of_best(deposit: int, since: np.int64) -> bool:
    """Whether the best tour so far deposits, ``since`` iterations after trails began."""
    if deposit != SCHEDULE:
        return deposit == GLOBAL_BEST
    period = 25
    if since >= 250:
        period = 1
    elif since >= 125:
        period = 2
    elif since >= 75:
        period = 3
    elif since >= 25:
        period = 5
    return bool(since % period == 0)


@piece
def settled(trails: NDArray[np.float32], near: NDArray[np.int32]) -> bool:
    """Whether the branching factor, as ``gpu.core.trails`` defines it, says that trails have."""
    n, listed = near.shape
    above = 0
    for u in range(n):
        least = most = trails[u, near[u, 0]]
        for lane in range(listed):
            least, most = min(least, trails[u, near[u, lane]]), max(most, trails[u, near[u, lane]])
        bound = np.float32(least + np.float32(np.float32(LAMBDA) * np.float32(most - least)))
        for lane in range(listed):
            above += 1 if trails[u, near[u, lane]] >= bound else 0
    return bool(100 * above <= SETTLED * n)


@part
def _renew_row(matrices: Matrices, rules: MmasRules, state: MmasState, u: int) -> None:
    """Evaporate the trails from ``u`` and deposit on those of one tour, or begin anew."""
    trails = matrices.trails
    least, most = state.limits[LEAST], state.limits[MOST]
    n = trails.shape[1]
    if state.numbers[RESTARTING] != 0:
        for v in range(n):
            trails[u, v] = most
        return
    for v in range(n):
        trails[u, v] = min(max(np.float32(trails[u, v] * rules.keep), least), most)
    for side in range(state.ends.shape[1]):
        v = state.ends[u, side]
        trails[u, v] = min(np.float32(trails[u, v] + state.amount[0]), most)
