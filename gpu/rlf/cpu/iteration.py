"""The stages of an iteration of ACO-RLF, compiled, for any number of threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import compiled, inlined, pasted
from gpu.cpu.record import keep
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.rlf.cpu.construction import construct, weigh_row
from gpu.rlf.cpu.state import (
    BASE_SHARE,
    LEVEL_SHARE,
    UNIT_SHARE,
    Colorings,
    Pairs,
    RlfRules,
    RlfState,
    RlfWorkspace,
)

WEIGH, CONSTRUCT, RANK, SEARCH, TAKE, SHARE_OUT, RENEW, FINISH = range(8)
"""The stages: weights of pairs; the ants' colorings; three of tabu searches, if there are any; what
each ant deposits; the trails; the record."""


@pasted
def do_coloring_stage(
    state: RlfState, workspace: RlfWorkspace, task: StageTask, stage: int
) -> None:
    """Do a thread's share of a stage, but for those of tabu searches.

    In each stage a thread has rows of the matrices, or ants, of its own. No thread writes what
    another one reads or writes, so nothing is atomic, and the result does not depend on the number
    of threads.
    """
    pairs, ants, rules = state.pairs, state.ants, state.rules
    if stage == WEIGH:
        for u in units_of(ants.orders.shape[1], task):
            weigh_row(pairs, rules, u)
    elif stage == CONSTRUCT:
        construct(state, workspace, task)
    elif stage == RENEW:
        for u in units_of(ants.orders.shape[1], task):
            _renew_row(pairs, ants, rules, workspace.deposits, u)
    elif task.thread == 0:
        if stage == SHARE_OUT:
            _share_out(ants, rules)
        else:
            keep(state.record, ants.costs, ants.colors)


@inlined
def _share_out(ants: Colorings, rules: RlfRules) -> None:
    """Compute what each ant deposits on a pair, and what all trails get (eq. 4)."""
    fewest = ants.costs[ants.costs.argmin()]
    base = np.float64(0)
    for ant in range(ants.costs.size):
        base += 1.0 / np.float64(ants.costs[ant])
        share = np.float64(fewest) / np.float64(ants.costs[ant])
        ants.quanta[ant] = np.uint32(np.float64(rules.most) * share)
    ants.shares[BASE_SHARE] = np.float32(base)
    ants.shares[UNIT_SHARE] = np.float32(rules.reward / np.float64(fewest * rules.most))
    left = np.float32(ants.shares[LEVEL_SHARE] * rules.keep)
    ants.shares[LEVEL_SHARE] = left + ants.shares[BASE_SHARE]


@compiled
def _renew_row(
    pairs: Pairs, ants: Colorings, rules: RlfRules, deposits: NDArray[np.uint32], u: int
) -> None:
    """Evaporate the trails of ``u``, and add what all ants deposit (eqs. 3 and 4)."""
    trails = pairs.trails
    deposits[:] = 0
    for ant in range(ants.costs.size):
        color, here, quanta = ants.colors[ant, u], ants.places[ant, u], ants.quanta[ant]
        first, end = ants.ends[ant, color], ants.ends[ant, color + 1]
        if rules.chained:
            first = here - 1 if here > first else here
            end = min(here + 2, end)
        for place in range(first, end):
            deposits[ants.orders[ant, place]] += quanta
    base, unit = ants.shares[BASE_SHARE], ants.shares[UNIT_SHARE]
    for v in range(deposits.size):
        left = np.float32(np.float32(trails[u, v] * rules.keep) + base)
        renewed = np.float32(left + np.float32(np.float32(deposits[v]) * unit))
        trails[u, v] = renewed if trails[u, v] > 0 else np.float32(0)


@loop_over
def run(
    state: RlfState,
    workspace: RlfWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage."""
    do_coloring_stage(state, workspace, task, stage)
