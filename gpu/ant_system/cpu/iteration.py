"""Whole iterations of the Ant System, compiled, for any number of threads.

In each stage a thread has rows of the matrices, or ants, of its own: nobody writes what another
writes, so nothing is atomic, and the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.construction import FINISH, LINK, RENEW, build_tours, finish
from gpu.construction.cpu.tables import (
    FAINTEST,
    LINE,
    AntTours,
    ChoiceRules,
    Matrices,
    Workplace,
)
from gpu.cpu import barrier
from gpu.cpu.compiled import entry, part, piece
from gpu.cpu.geometry import Geometry
from gpu.cpu.record import Record, shortest
from gpu.local_search.cpu.tables import Rule, Searches


class AsRules(NamedTuple):
    """The parameters in the form the loops use them.

    Attributes
    ----------
    choice : ChoiceRules
    keep : float32
        1 - ρ.
    most : int
        Whole units that the ant with the shortest tour deposits on an edge: as many as leave
        room for all ants in 32 bits.
    scale : float
        A unit is this over the length of the shortest tour, in units of the initial trail.
    """

    choice: ChoiceRules
    keep: np.float32
    most: int
    scale: float


@entry
def run(
    matrices: Matrices,
    geometry: Geometry,
    ants: AntTours,
    rules: AsRules,
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

    Of each stage only the thread's units from ``begin`` to before ``end`` are done.
    """
    n, blocks = ants.routes.shape[1], ants.ends.shape[0]
    first_row, end_row = n * thread // threads, n * (thread + 1) // threads
    first_block, end_block = blocks * thread // threads, blocks * (thread + 1) // threads
    met = 0
    for _ in range(count):
        met = build_tours(
            matrices, geometry, ants, rules.choice, moves, searches, record, gate, place,
            thread, threads, stages, begin, end, met,
        )  # fmt: skip
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
                finish(ants, searches, record, threads)
            met += threads
            barrier.meet(gate, met)


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
