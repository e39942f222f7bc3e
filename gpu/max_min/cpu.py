"""The MAX-MIN Ant System on the CPU, on one core or all: the same tours either way.

Trails are in units of the initial one, 1/(ρ·L_nn), which is τ_max for the nearest-neighbour tour.
Scalars are computed in float64 and rounded once, trails are float32 without fused multiply-add, and
lengths count as 1 at least, so that every device gets the same trails. After all tours are built:

- If one is shorter than the best tour so far, it becomes the best tour. With C its length,
  τ_max = L_nn/C and τ_min = τ_max · min(1, (1 - r)/((n/2 - 1)·r)), with r = p_best^(1/n), but at
  least 2^-60.
- Otherwise trails may be restarted: if ``restart`` iterations have passed since the last
  improvement or restart, and the branching factor is at most 2.05, all trails become τ_max, and
  the iteration ends.
- Without a restart one tour of length L deposits: the best of the iteration (ties to the lowest
  ant) or the best so far. By the schedule it is the best so far in every f-th iteration since the
  last restart: f = 25, from the 25th on 5, from the 75th 3, from the 125th 2, from the 250th 1.
- τ = min(max(τ·(1 - ρ), τ_min), τ_max) for all trails, then τ = min(τ + ρ·L_nn/L, τ_max) for that
  tour's, in both directions if the instance is symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction import cpu as construction
from gpu.construction.cpu import LINK, RENEW, ConstructionState, MatrixColony
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Wanted
from gpu.core.trails import LAMBDA, LEAST_TRAIL
from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.local_search.cpu import TourWorkspace
from gpu.max_min.parameters import (
    DEPOSITS,
    GLOBAL_BEST,
    SCHEDULE,
    SETTLED,
    MmasCpuParameters,
    spread_of,
)

LEAST_LIMIT, MOST_LIMIT = range(2)  # places of τ_min and τ_max in the limits

BEGUN, RESTARTING = range(2)
"""The iteration after which trails were last restarted; whether they are in this one."""


class MmasCpuRules(NamedTuple):
    """The parameters of the update, in the form in which compiled code uses them."""

    keep: np.float32  # 1 - ρ
    gain: float  # ρ·L_nn: a trail of a tour of length L gains gain/L when the tour deposits
    nearest: float  # L_nn, at least 1
    spread: float  # τ_min/τ_max, at most 1
    deposit: int  # which tour deposits; one of the constants of gpu.max_min.parameters
    patience: int  # iterations without improvement before trails may be restarted; 0 for never


class TrailUpdate(NamedTuple):
    """How the trails are renewed in this iteration."""

    limits: NDArray[np.float32]  # (2,): τ_min and τ_max, in units of the initial trail
    amount: NDArray[np.float32]  # (1,): what each trail of the tour that deposits gains
    numbers: NDArray[np.int64]  # (2,): see the constants above
    # (n, sides): the city that follows each city on that tour and, in a symmetric instance, the
    # one before
    ends: NDArray[np.uint32]


class MmasCpuState(NamedTuple):
    """What the MAX-MIN Ant System works on."""

    construction: ConstructionState
    # (n, k): the cities whose trails are looked at to tell whether they have settled
    near: NDArray[np.int32]
    rules: MmasCpuRules
    update: TrailUpdate


@loop_over
def run(
    state: MmasCpuState,
    workspace: TourWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage."""
    if stage == LINK:
        if task.thread == 0:
            _decide(state.construction, state.near, state.rules, state.update)
    elif stage == RENEW:
        for u in units_of(state.near.shape[0], task):
            _renew_row(state.construction.matrices.trails, state.rules, state.update, u)
    else:
        construction.do_stage(state.construction, workspace, task, stage)


@inlined
def _decide(
    colony: ConstructionState, near: NDArray[np.int32], rules: MmasCpuRules, update: TrailUpdate
) -> None:
    """Set the limits, decide whether trails are restarted or which tour deposits, and link it.

    The record is still that of the iteration before.
    """
    ants, record, numbers = colony.ants, colony.record, colony.record.numbers
    iteration = numbers[ITERATION] + 1
    ant = ants.lengths.argmin()
    length = np.int64(ants.lengths[ant])
    improved = numbers[BEST_ITERATION] == 0 or length < numbers[BEST_COST]
    update.numbers[RESTARTING] = 0
    if improved:
        set_limits(rules, update, length)
    elif rules.patience > 0:
        last = max(update.numbers[BEGUN], numbers[BEST_ITERATION])
        if iteration - last >= rules.patience and settled(colony.matrices.trails, near):
            update.numbers[RESTARTING] = 1
            update.numbers[BEGUN] = iteration
            return
    own = improved or not _is_turn_of_best(rules.deposit, iteration - update.numbers[BEGUN])
    if not own:
        length = np.int64(numbers[BEST_COST])
    update.amount[0] = np.float32(rules.gain / np.float64(max(length, np.int64(1))))
    n, sides = update.ends.shape
    u = ants.routes[ant, n - 1] if own else record.best_solution[n - 1]
    for position in range(n):
        v = ants.routes[ant, position] if own else record.best_solution[position]
        update.ends[u, 0] = v
        if sides == 2:
            update.ends[v, 1] = u
        u = v


@inlined
def set_limits(rules: MmasCpuRules, update: TrailUpdate, length: np.int64) -> None:
    """Set τ_min and τ_max for a shortest tour of this length (2000, eqs. 7 and 11)."""
    most = rules.nearest / np.float64(max(length, np.int64(1)))
    update.limits[MOST_LIMIT] = np.float32(most)
    update.limits[LEAST_LIMIT] = max(np.float32(most * rules.spread), LEAST_TRAIL)


@inlined
def _is_turn_of_best(deposit: int, since: np.int64) -> bool:
    """Whether the best tour so far deposits, ``since`` iterations after the last restart."""
    if deposit != SCHEDULE:
        return deposit == GLOBAL_BEST
    period = 25
    for begin, shorter in ((25, 5), (75, 3), (125, 2), (250, 1)):
        if since >= begin:
            period = shorter
    return bool(since % period == 0)


@inlined
def settled(trails: NDArray[np.float32], near: NDArray[np.int32]) -> bool:
    """Whether trails have settled, by the branching factor of ``gpu.core.trails``."""
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


@compiled
def _renew_row(
    trails: NDArray[np.float32], rules: MmasCpuRules, update: TrailUpdate, u: int
) -> None:
    """Evaporate the trails from ``u`` and deposit on those of one tour, or restart them."""
    least, most = update.limits[LEAST_LIMIT], update.limits[MOST_LIMIT]
    n = trails.shape[1]
    if update.numbers[RESTARTING] != 0:
        trails[u] = most
        return
    for v in range(n):
        trails[u, v] = min(max(np.float32(trails[u, v] * rules.keep), least), most)
    for side in range(update.ends.shape[1]):
        v = update.ends[u, side]
        trails[u, v] = min(np.float32(trails[u, v] + update.amount[0]), most)


class MmasCpuColony(MatrixColony):
    """The MAX-MIN Ant System on the CPU: one tour deposits; see :class:`MatrixColony`."""

    NUMBERS = frozenset({"alpha", "rho", "p_best", "deposit", "restart"})

    _run = staticmethod(run)

    ALL_DEPOSIT = False

    def _update_rules(self, parameters: MmasCpuParameters) -> MmasCpuRules:
        return MmasCpuRules(
            keep=np.float32(1.0 - parameters.rho),
            gain=parameters.rho * self._nearest,
            nearest=float(self._nearest),
            spread=spread_of(self._instance.n, parameters.p_best),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
        )

    def _update(
        self, construction: ConstructionState, rules: MmasCpuRules
    ) -> tuple[MmasCpuState, Sequence[Stage]]:
        n, sides = len(self._neighbours), construction.ants.ends.shape[2]
        self._trail_update = allocated(TrailUpdate, 2, amount=1, ends=(n, sides))
        self._trail_update.limits[:] = max(np.float32(rules.spread), LEAST_TRAIL), 1
        state = MmasCpuState(construction, self._neighbours, rules, self._trail_update)
        return state, (Stage(LINK, "update", each(1)), Stage(RENEW, "update", shared(n)))

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return replace(super().legacy(), restarted=int(self._trail_update.numbers[BEGUN]))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        super()._take_trails(trails, legacy)
        self._trail_update.numbers[BEGUN] = legacy.restarted
        self._adjusted()

    def _adjusted(self) -> None:
        rules = self._shared.rules
        most = rules.nearest / max(int(self._record.numbers[BEST_COST]), 1)
        least = max(np.float32(most * rules.spread), LEAST_TRAIL)
        self._trail_update.limits[:] = least, np.float32(most)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        return {**super()._more(wanted), "limits": tuple(self._trail_update.limits.tolist())}
