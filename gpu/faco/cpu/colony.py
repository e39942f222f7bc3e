"""Focused ACO on the CPU.

Trails are in units of the initial one, 1/(C_0·(1 - ρ)), which is τ_max for the first source of
length C_0. After all ants have their tours:

- The bandit learns from all of them; see :mod:`gpu.faco.cpu.bandit`.
- If one is shorter than the best tour so far, it becomes the best tour. With C its length,
  τ_max = C_0/C and τ_min = τ_max · min(1, (1 - p)/((cl - 1)·p)), with p = p_best^(1/cl), but at
  least 2^-60.
- One tour, of length L, becomes the next source, and deposits: the best of the iteration (ties to
  the lowest ant), or with probability q the best so far.
- τ = min(max(τ·ρ, τ_min), τ_max) for all candidates' edges, then τ = min(τ + (1 - ρ)·C_0/L, τ_max)
  for those of that tour.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.random import Purpose
from gpu.core.snapshot import MOST_WALKED, MOST_WALKERS, MovesMade, Wanted
from gpu.core.trails import (
    LEAST_TRAIL,
)
from gpu.cpu import main_memory as memory
from gpu.cpu import record as records
from gpu.cpu.colony import CpuHeir, ListedColony, ListedTrails
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import geometry_of, is_flat
from gpu.cpu.philox import key_of, share, words_of
from gpu.cpu.record import (
    BEST_COST,
    BEST_ITERATION,
    ITERATION,
    LAST_BEST,
    LAST_TOTAL,
    TWO_OPT,
    enter,
    record_of,
)
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.faco.cpu import bandit as bandits
from gpu.faco.cpu import state as states
from gpu.faco.cpu.ants import beside, improve, lay_out, walk
from gpu.faco.cpu.bandit import draw_arm, learn
from gpu.faco.cpu.state import (
    LEAST_LIMIT,
    MOST_LIMIT,
    FacoAnts,
    FacoCpuRules,
    FacoLists,
    FacoPheromone,
    FacoSource,
    FacoState,
    FacoWorkspace,
    follow,
    restore,
)
from gpu.faco.parameters import FacoParameters, spread_of
from gpu.faco.start import Followed, improved_start, near_cities
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST
from gpu.problems.tsp.walks import walks_of
from gpu.tour_changes.parameters import require_symmetric

BUILD, CHOOSE, RENEW = range(3)
"""The stages of an iteration: ants build tours and improve them; the next source is chosen; trails
are renewed."""

SOURCE = np.uint32(Purpose.SOURCE)


@loop_over((BUILD,), (CHOOSE, RENEW))
def run(
    state: FacoState,
    workspace: FacoWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage. A unit of BUILD is an ant, one of RENEW a city."""
    if stage == BUILD:
        if task.begin == 0:
            follow(state.source, workspace)
        for ant in units_of(state.ants.lengths.size, task):
            _build(state, workspace, ant)
            restore(state.source, workspace)
    elif stage == CHOOSE:
        if task.thread == 0:
            _choose_source(state, workspace)
    else:
        for city in units_of(state.source.tour.size, task):
            _renew_row(state.lists, state.rules, state.source, state.pheromone, city)


@compiled
def _build(state: FacoState, work: FacoWorkspace, ant: int) -> None:
    """Build an ant's tour in the workspace, and improve it."""
    state.ants.arms[ant] = draw_arm(
        state.bandit, state.rules.key, np.uint32(state.record.numbers[ITERATION]), ant
    )
    walk(state, work, ant)
    longer = lay_out(state, work)
    gained, moves = improve(state.lists, work)
    state.ants.lengths[ant] = state.source.length[0] + longer - gained
    state.ants.moves[ant] = moves
    if ant < state.ants.tours.shape[0]:
        at = np.int64(work.place[work.walk[0]])
        for step in range(work.tour.size):
            state.ants.tours[ant, step] = work.tour[at]
            at = at + 1 if at + 1 < work.tour.size else np.int64(0)


@compiled
def _choose_source(state: FacoState, work: FacoWorkspace) -> None:
    """Count the iteration, note its best tour and the best so far, and choose the next source."""
    record, source, rules = state.record, state.source, state.rules
    numbers, lengths = record.numbers, state.ants.lengths
    ant = lengths.argmin()
    walk(state, work, int(ant))  # once more, because the tour was not kept
    lay_out(state, work)
    for at in range(source.tour.size):
        state.ants.best_built[at] = work.tour[at]
    improve(state.lists, work)
    learn(state.bandit, state.ants, rules, source.length[0])
    draw = share(words_of(rules.key, SOURCE, np.uint32(numbers[ITERATION]), 0, 0)[0])
    numbers[ITERATION] += 1
    numbers[LAST_BEST], numbers[LAST_TOTAL] = lengths[ant], lengths.sum()
    enter(record)
    numbers[TWO_OPT] = state.ants.moves.sum()
    improved = lengths[ant] < numbers[BEST_COST]
    if improved:
        numbers[BEST_COST], numbers[BEST_ITERATION] = lengths[ant], numbers[ITERATION]
        set_limits(rules, state.pheromone.limits, lengths[ant])
    best = draw < rules.best_source
    source.length[0] = numbers[BEST_COST] if best else numbers[LAST_BEST]
    amount = rules.gain / np.float64(max(source.length[0], np.int64(1)))
    state.pheromone.amount[0] = np.float32(amount)
    for at in range(source.tour.size):
        state.ants.left[at] = source.tour[at]
        record.last_solution[at] = work.tour[at]
        if improved:
            record.best_solution[at] = work.tour[at]
        city = np.int64(record.best_solution[at]) if best else np.int64(work.tour[at])
        source.tour[at], source.place[city] = city, at


@inlined
def set_limits(rules: FacoCpuRules, limits: NDArray[np.float32], length: np.int64) -> None:
    """Set τ_min and τ_max for a shortest tour of this length."""
    most = rules.start / np.float64(max(length, np.int64(1)))
    limits[MOST_LIMIT] = np.float32(most)
    limits[LEAST_LIMIT] = max(np.float32(most * rules.spread), LEAST_TRAIL)


@compiled
def _renew_row(
    lists: FacoLists, rules: FacoCpuRules, source: FacoSource, pheromone: FacoPheromone, city: Whole
) -> None:
    """Let the trails from ``city`` evaporate, and deposit on those of the source."""
    least, most = pheromone.limits[LEAST_LIMIT], pheromone.limits[MOST_LIMIT]
    before, after = beside(source.tour, source.place, city)
    for lane in range(pheromone.trails.shape[1]):
        trail = np.float32(pheromone.trails[city, lane] * rules.keep)
        trail = min(max(trail, least), most)
        if lists.candidates[city, lane] in (before, after):
            trail = min(np.float32(trail + pheromone.amount[0]), most)
        pheromone.trails[city, lane] = trail
        weight = np.float32(trail * lists.heuristic[city, lane])
        pheromone.weights[city, lane] = min(max(weight, LIGHTEST), HEAVIEST)


class FacoCpuColony(ListedColony, CpuHeir):
    """Focused ACO on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"rho", "p_best", "best_source"})

    _run = run
    _instance: TspInstance

    def __init__(
        self, instance: TspInstance, parameters: FacoParameters, seed: int, *, threads: int
    ) -> None:
        require_symmetric(instance)
        key, n = key_of(seed), instance.n
        p = parameters
        assert p.ants is not None
        threads = min(threads, p.ants)
        what = f"this colony on {instance.name} ({n} cities)"
        memory.require(what, states.bytes_needed(n, p.candidates, p.backup, p.neighbours, threads))
        self._instance, geometry = instance, geometry_of(instance, p.beta)
        near = near_cities(instance, p)
        self._lists = FacoLists(geometry, is_flat(geometry), *near)
        tour = improved_start(instance, geometry, p.neighbours)
        length = instance.tour_length(tour)
        place = np.empty(n, np.int32)
        place[tour] = np.arange(n)
        self._parameters, self._key, self._start = p, key, float(max(length, 1))
        (rules,) = self._rules_for(p)
        self._pheromone = FacoPheromone(
            trails=np.ones((n, p.candidates), np.float32),
            weights=np.clip(near.heuristic, LIGHTEST, HEAVIEST),
            limits=np.array((max(np.float32(rules.spread), LEAST_TRAIL), 1), np.float32),
            amount=np.zeros(1, np.float32),
        )
        record = record_of(n)
        record.numbers[records.BEST_COST] = length
        record.best_solution[:] = tour
        source = FacoSource(tour, place, np.array([length], np.int64))
        seen = min(p.ants, MOST_WALKERS) if n <= MOST_WALKED else 0
        self._ants = allocated(FacoAnts, p.ants, best_built=n, left=n, tours=(seen, n))
        self._bandit = bandits.new_bandit(p.new_edges - p.fewest_edges + 1)
        state = FacoState(
            self._lists, rules, source, self._pheromone, self._bandit, self._ants, record
        )
        stages = (
            Stage(BUILD, "construction", shared(p.ants)),
            Stage(CHOOSE, "update", each(1)),
            Stage(RENEW, "update", shared(n)),
        )
        workspaces = [states.new_workspace(n, p.candidates) for _ in range(threads)]
        super().__init__(p.ants, record, stages, state, workspaces)

    def _rules_for(self, p: FacoParameters) -> Iterable[FacoCpuRules]:
        rules = FacoCpuRules(
            key=self._key,
            fewest_edges=p.fewest_edges,
            reward=self._instance.n * bandits.REWARD_SCALE,
            keep=np.float32(p.rho),
            start=self._start,
            gain=(1.0 - p.rho) * self._start,
            spread=spread_of(p.candidates, p.p_best),
            best_source=np.float32(p.best_source),
        )
        return (rules,)

    def _adjusted(self) -> None:
        rules, best = self._shared.rules, int(self._record.numbers[records.BEST_COST])
        most = rules.start / max(best, 1)
        least = max(np.float32(most * rules.spread), LEAST_TRAIL)
        self._pheromone.limits[:] = least, np.float32(most)

    def _listed_trails(self) -> ListedTrails:
        least = self._pheromone.limits[LEAST_LIMIT]
        return ListedTrails(self._lists.candidates, self._pheromone.trails, other=least)

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._listed_trails().known())

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        """Go on with ``trails``; ants leave the best tour first, and the bandit learns anew."""
        pheromone, source, best = self._pheromone, self._shared.source, legacy.state.cost
        self._adjusted()
        cities = np.arange(self._instance.n)
        pheromone.trails[:] = trails.at(cities[:, None], self._lists.candidates)
        weighed = pheromone.trails * self._lists.heuristic
        pheromone.weights[:] = np.clip(weighed, LIGHTEST, HEAVIEST)
        source.tour[:] = self._record.best_solution
        source.place[source.tour] = cities
        source.length[0] = best

    def followed(self) -> Followed:
        """The tour that ants leave and follow, and how likely each number of new edges is."""
        return Followed(self._shared.source.tour.copy(), self._bandit.shares.copy())

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        limits = self._pheromone.limits
        more["limits"] = float(limits[LEAST_LIMIT]), float(limits[MOST_LIMIT])
        more["moves"] = MovesMade(int(self._record.numbers[records.TWO_OPT]), 0)
        if self._record.numbers[records.ITERATION] and Wanted.BUILT_SOLUTION in wanted:
            built = self._ants.best_built
            more["built_solution"] = self._instance.checked(built)
        walked = self._record.numbers[records.ITERATION] > self._inherited and not self.midway
        if Wanted.WALKS in wanted and walked:
            ants = self._ants
            more["walks"] = walks_of(self._instance, ants.tours, ants.lengths.size, ants.left)
        return more
