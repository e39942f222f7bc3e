"""Whole iterations of ACO-RLF, compiled, for any number of threads.

In each stage a thread has rows of the matrices, or ants, of its own: nobody writes what another
writes, so nothing is atomic, and the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu import barrier
from gpu.cpu.compiled import entry, part, piece
from gpu.cpu.record import ITERATION, Record, keep_best, keep_numbers, shortest
from gpu.rlf.cpu.construction import construct, weigh_row
from gpu.rlf.cpu.tables import BASE, LEVEL, UNIT, Colorings, Pairs, RlfRules, Workplace

WEIGH, CONSTRUCT, SHARE, RENEW, FINISH = 1, 2, 4, 8, 16
"""Stages: weights of rows; visits of ants; what each ant deposits; trails of rows; the record."""


@entry
def run(
    pairs: Pairs,
    ants: Colorings,
    rules: RlfRules,
    record: Record,
    gate: NDArray[np.int64],
    place: Workplace,
    thread: int,
    threads: int,
    count: int,
    stages: int,
    begin: int,
    end: int,
    met: int,
) -> None:
    """Run these stages of ``count`` iterations as thread ``thread`` of ``threads``.

    Of each stage only the thread's units from ``begin`` to before ``end`` are done. ``met`` counts
    arrivals at the barrier before; there are as many as threads at the end of each stage.
    """
    m, n = ants.orders.shape
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    first_ant, end_ant = m * thread // threads, m * (thread + 1) // threads
    for _ in range(count):
        if stages & WEIGH:
            for u in range(first_row + begin, min(first_row + end, end_row)):
                weigh_row(pairs, rules, u)
            met += threads
            barrier.meet(gate, met)
        if stages & CONSTRUCT:
            construct(
                pairs, ants, rules, np.uint32(record.numbers[ITERATION]), place,
                first_ant, begin, min(end, n * (end_ant - first_ant)),
            )  # fmt: skip
            met += threads
            barrier.meet(gate, met)
        if stages & SHARE:
            if thread == 0:
                _share_out(ants, rules)
            met += threads
            barrier.meet(gate, met)
        if stages & RENEW:
            for u in range(first_row + begin, min(first_row + end, end_row)):
                _renew_row(pairs, ants, rules, place.deposits, u)
            met += threads
            barrier.meet(gate, met)
        if stages & FINISH:
            if thread == 0:
                _finish(ants, record)
            met += threads
            barrier.meet(gate, met)


@piece
def _share_out(ants: Colorings, rules: RlfRules) -> None:
    """Compute what each ant deposits on a pair, and what all trails get (eq. 4)."""
    fewest = ants.costs[shortest(ants.costs)]
    base = np.float64(0)
    for ant in range(ants.costs.size):
        base += 1.0 / np.float64(ants.costs[ant])
        share = np.float64(fewest) / np.float64(ants.costs[ant])
        ants.quanta[ant] = np.uint32(np.float64(rules.most) * share)
    ants.shares[BASE] = np.float32(base)
    ants.shares[UNIT] = np.float32(rules.reward / np.float64(fewest * rules.most))
    left = np.float32(ants.shares[LEVEL] * rules.keep)
    ants.shares[LEVEL] = left + ants.shares[BASE]


@part
def _renew_row(
    pairs: Pairs, ants: Colorings, rules: RlfRules, deposits: NDArray[np.uint32], u: int
) -> None:
    """Evaporate the trails of ``u``, and add what all ants deposit (eqs. 3 and 4)."""
    trails = pairs.trails
    for v in range(deposits.size):
        deposits[v] = 0
    for ant in range(ants.costs.size):
        color, here, quanta = ants.colors[ant, u], ants.places[ant, u], ants.quanta[ant]
        first, end = ants.ends[ant, color], ants.ends[ant, color + 1]
        if rules.chained:
            first = here - 1 if here > first else here
            end = min(here + 2, end)
        for place in range(first, end):
            deposits[ants.orders[ant, place]] += quanta
    base, unit = ants.shares[BASE], ants.shares[UNIT]
    for v in range(deposits.size):
        left = np.float32(np.float32(trails[u, v] * rules.keep) + base)
        renewed = np.float32(left + np.float32(np.float32(deposits[v]) * unit))
        trails[u, v] = renewed if trails[u, v] > 0 else np.float32(0)


@piece
def _finish(ants: Colorings, record: Record) -> None:
    """Keep the best coloring."""
    best = shortest(ants.costs)
    keep_numbers(record, ants.costs, best)
    for vertex in range(record.last_solution.size):
        record.last_solution[vertex] = ants.colors[best, vertex]
    keep_best(record)
