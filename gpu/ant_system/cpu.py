"""The Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction import cpu as construction
from gpu.construction.cpu import (
    ANTS_A_LINE,
    LINK,
    RENEW,
    AntTours,
    ConstructionState,
    Matrices,
    MatrixColony,
)
from gpu.construction.parameters import CpuParameters
from gpu.core.trails import LEAST_TRAIL
from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, shared
from gpu.local_search.cpu import TourWorkspace


class AsRules(NamedTuple):
    """The parameters of the update, in the form in which compiled code uses them."""

    keep: np.float32  # 1 - ρ
    # Whole units that the ant with the shortest tour deposits on an edge: so many that the sum of
    # all ants' deposits has 32 bits.
    most: int
    scale: float  # a unit is this, in initial trails, divided by the length of the shortest tour


class AsState(NamedTuple):
    """What the Ant System works on."""

    construction: ConstructionState
    rules: AsRules


@loop_over(*construction.SECTIONS)
def run(
    state: AsState,
    workspace: TourWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage; the units of LINK are blocks of ants."""
    matrices, ants, rules = state.construction.matrices, state.construction.ants, state.rules
    if stage == LINK:
        best = _best_of(ants)
        for block in units_of(ants.ends.shape[0], task):
            _link(ants, rules, best, block)
    elif stage == RENEW:
        unit = np.float32(rules.scale / _best_of(ants))
        for u in units_of(ants.routes.shape[1], task):
            _renew_row(matrices, ants, rules, workspace.ants.deposits, unit, u)
    else:
        construction.do_stage(state.construction, workspace, task, stage)


@inlined
def _best_of(ants: AntTours) -> np.float64:
    """Return the length of the shortest tour, at least 1."""
    return np.float64(max(ants.lengths[ants.lengths.argmin()], 1))


@inlined
def _link(ants: AntTours, rules: AsRules, best: np.float64, block: int) -> None:
    """Write what each ant of the block deposits, and where in each city's row (eq. 4).

    Then all deposits on a row stand together, and one thread adds them up without a lock. The rows
    of one block stay in the second-level cache while its ants' tours are read.
    """
    m, n = ants.routes.shape
    both = ants.ends.shape[2] == 2
    for lane in range(min(ANTS_A_LINE, m - ANTS_A_LINE * block)):
        ant = ANTS_A_LINE * block + lane
        share = best / np.float64(max(ants.lengths[ant], 1))
        ants.quanta[ant] = np.uint32(np.float64(rules.most) * share)
        u = ants.routes[ant, n - 1]
        for position in range(n):
            v = ants.routes[ant, position]
            ants.ends[block, u, 0, lane] = v
            if both:
                ants.ends[block, v, 1, lane] = u
            u = v


@compiled
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
    deposits[:] = 0
    for block in range(ends.shape[0]):
        for side in range(ends.shape[2]):
            for lane in range(ANTS_A_LINE):
                deposits[ends[block, u, side, lane]] += ants.quanta[ANTS_A_LINE * block + lane]
    for v in range(deposits.size):
        left = max(np.float32(trails[u, v] * rules.keep), LEAST_TRAIL)
        trails[u, v] = left + np.float32(np.float32(deposits[v]) * unit)


class AsCpuColony(MatrixColony):
    """The Ant System on the CPU: all ants deposit; see :class:`MatrixColony`."""

    NUMBERS = frozenset({"alpha", "rho"})

    _run = run

    def _update_rules(self, parameters: CpuParameters) -> AsRules:
        assert parameters.ants is not None
        most = (2**32 - 1) // parameters.ants
        scale = self._nearest / (parameters.ants * most)
        return AsRules(np.float32(1.0 - parameters.rho), most, scale)

    def _update(
        self, construction: ConstructionState, rules: AsRules
    ) -> tuple[AsState, Sequence[Stage]]:
        n = construction.ants.routes.shape[1]
        return AsState(construction, rules), (
            Stage(LINK, "update", shared(len(construction.ants.ends))),
            Stage(RENEW, "update", shared(n)),
        )
