"""Focused ACO on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Improvements, Trails, Wanted
from gpu.core.trail_table import Single, lists_read
from gpu.core.trails import (
    LEAST_TRAIL,
    KnownTrails,
    branching_factor,
    owners,
    pheromone_picture,
    strongest_trails,
)
from gpu.cpu import main_memory as memory
from gpu.cpu import record as records
from gpu.cpu.colony import Painter
from gpu.cpu.geometry import geometry_of, is_flat
from gpu.cpu.heir import CpuHeir
from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.faco.cpu import bandit as bandits
from gpu.faco.cpu import state as states
from gpu.faco.cpu.iteration import BUILD, CHOOSE, RENEW, run
from gpu.faco.cpu.start import improved_start
from gpu.faco.cpu.state import LEAST, MOST, Ants, FacoLists, FacoSource, FacoState, Pheromone, Rules
from gpu.faco.followed import Followed
from gpu.faco.lists import near_cities
from gpu.faco.parameters import FacoParameters, spread_of
from gpu.problems.tsp.checks import checked_permutation, checked_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST
from gpu.tour_changes.suitable import require_symmetric


class FacoCpuColony(CpuHeir):
    """Focused ACO on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    _run = staticmethod(run)
    _checked = staticmethod(checked_tour)
    _instance: TspInstance

    def __init__(
        self, instance: TspInstance, parameters: FacoParameters, seed: int, *, threads: int
    ) -> None:
        require_symmetric(instance)
        key, n = key_of(seed), instance.n
        p = parameters.resolved(n)
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
        rules = Rules(
            key=key,
            fewest_edges=p.fewest_edges,
            reward=n * bandits.SCALE,
            keep=np.float32(p.rho),
            start=float(max(length, 1)),
            gain=(1.0 - p.rho) * max(length, 1),
            spread=spread_of(p.candidates, p.p_best),
            best_source=np.float32(p.best_source),
        )
        self._pheromone = Pheromone(
            trails=np.ones((n, p.candidates), np.float32),
            weights=np.clip(near.heuristic, LIGHTEST, HEAVIEST),
            limits=np.array((max(np.float32(rules.spread), LEAST_TRAIL), 1), np.float32),
            amount=np.zeros(1, np.float32),
        )
        record = record_of(n)
        record.numbers[records.BEST_COST] = length
        record.best_solution[:] = tour
        source = FacoSource(tour, place, np.array([length], np.int64))
        self._ants = allocated(Ants, p.ants, best_built=n)
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

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        row = np.full(self._instance.n, self._pheromone.limits[LEAST])
        row[self._lists.candidates[city]] = self._pheromone.trails[city]
        return row

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._known_trails(1))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        """Go on with ``trails``; ants leave the best tour first, and the bandit learns anew."""
        pheromone, source, best = self._pheromone, self._shared.source, legacy.state.cost
        rules = self._shared.rules
        most = rules.start / max(best, 1)
        pheromone.limits[:] = max(np.float32(most * rules.spread), LEAST_TRAIL), np.float32(most)
        cities = np.arange(self._instance.n)
        pheromone.trails[:] = trails.at(cities[:, None], self._lists.candidates)
        weighed = pheromone.trails * self._lists.heuristic
        pheromone.weights[:] = np.clip(weighed, LIGHTEST, HEAVIEST)
        source.tour[:] = self._record.best_solution
        source.place[source.tour] = cities
        source.length[0] = best

    def _known_trails(self, unit: np.float32 | int) -> KnownTrails:
        """Collect the candidates' trails, in units of ``unit``."""
        n, cl = self._pheromone.trails.shape
        rows = owners(n, cl)
        values = (self._pheromone.trails / unit).ravel()
        return KnownTrails(rows, self._lists.candidates.ravel(), values)

    def followed(self) -> Followed:
        """The tour that ants leave and follow, and how likely each number of new edges is."""
        return Followed(self._shared.source.tour.copy(), self._bandit.shares.copy())

    def _single_trails(self) -> Single:
        lists, least = self._lists.candidates, float(self._pheromone.limits[LEAST])
        return lists, lists_read(lists, self._pheromone.trails, least)

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        least, n = self._pheromone.limits[LEAST], self._instance.n
        known = self._known_trails(least)  # in units of the trail of all other edges

        def paint(order: NDArray[np.integer]) -> NDArray[np.float32]:
            return frozen(pheromone_picture(known, order) * least)

        return paint, lambda: strongest_trails(known, n, False)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        limits = self._pheromone.limits
        more["limits"] = float(limits[LEAST]), float(limits[MOST])
        more["improvements"] = Improvements(int(self._record.numbers[records.TWO_OPT]), 0)
        if Wanted.BRANCHING in wanted:
            more["branching"] = branching_factor(self._pheromone.trails)
        if self._record.numbers[records.ITERATION] and Wanted.BUILT_SOLUTION in wanted:
            built = self._ants.best_built
            more["built_solution"] = checked_permutation(self._instance, built)
        return more
