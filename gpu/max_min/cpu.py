"""The MAX-MIN Ant System on the CPU, on one core or all: the same tours either way.

Trails are in units of the initial one, 1/(ρ·L_nn), which is τ_max for the nearest-neighbour tour.
Scalars are computed in float64 and rounded once, trails are float32 without fused multiply-add, and
lengths count as 1 at least, so that every device gets the same trails. After all tours are built:

- If one is shorter than the best tour so far, it becomes the best tour. With C its length,
  τ_max = L_nn/C and τ_min = τ_max · min(1, (1 - r)/((n/2 - 1)·r)), with r = p_best^(1/n), but at
  least 2^-60.
- If one is shorter than the restart-best tour, the best one since trails last began, or if there
  is none yet, it becomes the restart-best tour.
- Without a better tour of all trails may be restarted: if ``restart`` iterations have passed since
  the last improvement or restart, and the branching factor is at most 2.05, all trails become
  τ_max, and the iteration ends.
- Without a restart one tour of length L deposits: the best of the iteration (ties to the lowest
  ant) or the best so far. By the schedule it is the best so far in every f-th iteration since the
  last restart: f = 25, from the 25th on 5, from the 75th 3, from the 125th 2, from the 250th 1.
- ``published`` has the rules of the program of the 2020 paper. A tour deposits by two draws: the
  best of the iteration if the first is below 0.1, else the best so far if the second is, else the
  restart-best. Trails are restarted, settled or not, if ``restart`` iterations have passed since
  the restart-best tour was found, in the first iteration, the eleventh and so on; but only if there
  are as many iterations from this one to the end of those ``planned`` as before it since the one
  that restarted them.
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
from gpu.core.legacy import KeptTrails, Legacy, RestartBest
from gpu.core.random import Purpose
from gpu.core.snapshot import Wanted
from gpu.core.trails import LAMBDA, LEAST_TRAIL
from gpu.cpu.compilation import compiled, inlined
from gpu.cpu.philox import Key, share, words_of
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.local_search.cpu import TourWorkspace
from gpu.max_min.parameters import (
    DEPOSITS,
    GLOBAL_BEST,
    LOOK_PERIOD,
    OTHER_CHANCE,
    PUBLISHED,
    SCHEDULE,
    SETTLED,
    MmasCpuParameters,
    spread_of,
)

LEAST_LIMIT, MOST_LIMIT = range(2)  # places of τ_min and τ_max in the limits

BEGUN, RESTARTING, RESTART_BEST_COST, RESTART_BEST_ITERATION = range(4)
"""The iteration after which trails were last restarted; whether they are in this one; the length of
the restart-best tour, and the iteration that found it. If BEGUN is not before that, there is none.
"""

OWN_TOUR, BEST_TOUR, RESTART_BEST_TOUR = range(3)  # which tour deposits

DEPOSIT = np.uint32(Purpose.DEPOSIT)


class MmasCpuRules(NamedTuple):
    """The parameters of the update, in the form in which compiled code uses them."""

    keep: np.float32  # 1 - ρ
    gain: float  # ρ·L_nn: a trail of a tour of length L gains gain/L when the tour deposits
    nearest: float  # L_nn, at least 1
    spread: float  # τ_min/τ_max, at most 1
    deposit: int  # which tour deposits; one of the constants of gpu.max_min.parameters
    patience: int  # iterations without improvement before trails may be restarted; 0 for never
    planned: int  # iterations of the run; 0 if that does not matter


class TrailUpdate(NamedTuple):
    """How the trails are renewed in this iteration."""

    limits: NDArray[np.float32]  # (2,): τ_min and τ_max, in units of the initial trail
    amount: NDArray[np.float32]  # (1,): what each trail of the tour that deposits gains
    numbers: NDArray[np.int64]  # (4,): see the constants above
    restart_best: NDArray[np.uint32]  # (n,): the best tour since trails were last restarted
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


@loop_over(*construction.SECTIONS)
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
    ants, numbers = colony.ants, colony.record.numbers
    iteration = numbers[ITERATION] + 1
    ant = ants.lengths.argmin()
    length = np.int64(ants.lengths[ant])
    improved = numbers[BEST_ITERATION] == 0 or length < numbers[BEST_COST]
    n, sides = update.ends.shape
    update.numbers[RESTARTING] = 0
    if (
        update.numbers[RESTART_BEST_ITERATION] <= update.numbers[BEGUN]
        or length < update.numbers[RESTART_BEST_COST]
    ):
        update.numbers[RESTART_BEST_COST] = length
        update.numbers[RESTART_BEST_ITERATION] = iteration
        for position in range(n):
            update.restart_best[position] = ants.routes[ant, position]
    if improved:
        set_limits(rules, update, length)
    elif rules.patience > 0 and _begins_anew(colony, near, rules, update, iteration):
        update.numbers[RESTARTING] = 1
        update.numbers[BEGUN] = iteration
        return
    deposits = _depositor(colony.rules.key, rules.deposit, iteration, update.numbers[BEGUN])
    if deposits == BEST_TOUR and improved:
        deposits = OWN_TOUR  # of which the record does not know yet
    if deposits == BEST_TOUR:
        length = np.int64(numbers[BEST_COST])
    elif deposits == RESTART_BEST_TOUR:
        length = np.int64(update.numbers[RESTART_BEST_COST])
    update.amount[0] = np.float32(rules.gain / np.float64(max(length, np.int64(1))))
    u = _city_on(deposits, colony, update, ant, n - 1)
    for position in range(n):
        v = _city_on(deposits, colony, update, ant, position)
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
def _begins_anew(
    colony: ConstructionState,
    near: NDArray[np.int32],
    rules: MmasCpuRules,
    update: TrailUpdate,
    iteration: np.int64,
) -> bool:
    """Whether all trails become τ_max in this iteration, which did not improve the best tour."""
    begun, before = update.numbers[BEGUN], iteration - 1
    if rules.deposit != PUBLISHED:
        last = max(begun, colony.record.numbers[BEST_ITERATION])
        waited = bool(iteration - last >= rules.patience)
        return waited and settled(colony.matrices.trails, near)
    enough = before - max(begun - 1, 0) <= rules.planned - before
    return bool(
        before % LOOK_PERIOD == 0
        and iteration - update.numbers[RESTART_BEST_ITERATION] >= rules.patience
        and (rules.planned == 0 or enough)
    )


@inlined
def _depositor(key: Key, deposit: int, iteration: np.int64, begun: np.int64) -> int:
    """Return which tour deposits, trails being as old as the iteration after ``begun``."""
    if deposit == PUBLISHED:
        words = words_of(key, DEPOSIT, iteration - 1, 0, 0)
        if share(words[0]) < np.float32(OTHER_CHANCE):
            return OWN_TOUR
        return BEST_TOUR if share(words[1]) < np.float32(OTHER_CHANCE) else RESTART_BEST_TOUR
    return BEST_TOUR if _is_turn_of_best(deposit, iteration - begun) else OWN_TOUR


@inlined
def _city_on(
    tour: int, colony: ConstructionState, update: TrailUpdate, ant: np.intp, position: int
) -> np.uint32:
    """Return a city of one of the tours that may deposit; the iteration's best is of ``ant``."""
    if tour == OWN_TOUR:
        return np.uint32(colony.ants.routes[ant, position])
    if tour == BEST_TOUR:
        return np.uint32(colony.record.best_solution[position])
    return np.uint32(update.restart_best[position])


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

    NUMBERS = frozenset({"alpha", "rho", "p_best", "deposit", "restart", "planned"})

    _run = run

    ALL_DEPOSIT = False

    def _update_rules(self, parameters: MmasCpuParameters) -> MmasCpuRules:
        return MmasCpuRules(
            keep=np.float32(1.0 - parameters.rho),
            gain=parameters.rho * self._nearest,
            nearest=float(self._nearest),
            spread=spread_of(self._instance.n, parameters.p_best),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
            planned=parameters.planned,
        )

    def _update(
        self, construction: ConstructionState, rules: MmasCpuRules
    ) -> tuple[MmasCpuState, Sequence[Stage]]:
        n, sides = len(self._neighbours), construction.ants.ends.shape[2]
        self._trail_update = allocated(
            TrailUpdate, n, limits=2, amount=1, numbers=4, ends=(n, sides)
        )
        self._trail_update.limits[:] = max(np.float32(rules.spread), LEAST_TRAIL), 1
        state = MmasCpuState(construction, self._neighbours, rules, self._trail_update)
        return state, (Stage(LINK, "update", each(1)), Stage(RENEW, "update", shared(n)))

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        numbers = self._trail_update.numbers.tolist()
        cost, found = numbers[RESTART_BEST_COST], numbers[RESTART_BEST_ITERATION]
        tour = self._instance.checked(self._trail_update.restart_best, cost)
        best = RestartBest(tour, cost, found)
        return replace(super().legacy(), restarted=numbers[BEGUN], restart_best=best)

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        super()._take_trails(trails, legacy)
        best, numbers = legacy.best_since_restart, self._trail_update.numbers
        numbers[BEGUN] = legacy.restarted
        numbers[RESTART_BEST_COST], numbers[RESTART_BEST_ITERATION] = best.cost, best.iteration
        self._trail_update.restart_best[:] = best.solution
        self._adjusted()

    def _adjusted(self) -> None:
        rules = self._shared.rules
        most = rules.nearest / max(int(self._record.numbers[BEST_COST]), 1)
        least = max(np.float32(most * rules.spread), LEAST_TRAIL)
        self._trail_update.limits[:] = least, np.float32(most)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        return {**super()._more(wanted), "limits": tuple(self._trail_update.limits.tolist())}
