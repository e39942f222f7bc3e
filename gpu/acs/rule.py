"""The Ant Colony System's pseudo-random proportional rule (Skinderowicz 2016, eqs. 1 and 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu.choice import choose_once
from gpu.acs.cpu.state import AcsLists, new_workspace, pheromone_of, rules_of
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.arrays import frozen
from gpu.core.decisions import TrailCopy, TrailSource
from gpu.cpu.compilation import Whole
from gpu.cpu.structures import allocated
from gpu.decisions import CityChoice, CityDraw, ForgetfulSource, TourRule, Walk
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import NOT_LISTED


class AcsRule(TourRule):
    """With probability q₀ the heaviest unvisited candidate, else a spin of their wheel.

    Choices between candidates are made by the compiled code of the CPU colonies. A greedy choice
    may look at remembered cities off the list, too: see :class:`SpmParameters`.
    """

    def __init__(self, instance: TspInstance, parameters: AcsParameters, seed: int) -> None:
        assert parameters.q0 is not None
        super().__init__(instance, parameters.beta, parameters.candidates, seed)
        self._q0, self._rules = parameters.q0, rules_of(parameters, seed)
        self._workspace = new_workspace()
        # A memory that both ends of an edge share is what arriving in a city can change.
        selective = isinstance(parameters, SpmParameters) and not instance.directed
        self._period = parameters.update_period if selective else 0
        if parameters.ants != 1:
            self.caveat = (
                "The other ants' local updates may change it on the way; with one ant it is exact."
            )

    def copied(self, trails: TrailSource) -> TrailCopy:
        """Copy trails and selective memory; see :class:`gpu.core.decisions.BackwardRule`."""
        n = self.instance.n
        if not (self._rules.selective and isinstance(trails, ForgetfulSource)):
            return TrailCopy(trails, n)
        return TrailCopy(trails, n, [trails.remembered(city).copy() for city in range(n)])

    def choose(self, walk: Walk, trails: TrailSource) -> CityChoice:
        """Choose among the unvisited candidates, or all unvisited cities if none is left."""
        city = walk.city
        tau, remembered = self._trails(walk, trails)
        eta, near = self._heuristics(city), self._lists[city]
        lane, draw, spin = self._choose_once(walk, tau[near], eta[near])
        outside = remembered[:0]
        drawn: dict[str, Any] = {"listed": len(near)}
        if lane == NOT_LISTED:
            outcome, cities = CityDraw.FALLBACK, np.flatnonzero(walk.unvisited).astype(np.int32)
            weights = tau[cities] * eta[cities]
            chosen = cities[weights.argmax()]  # of equals the lowest
        else:
            outcome, free, chosen = CityDraw.GREEDY, walk.unvisited[near], near[lane]
            cities, weights = near[free], self._workspace.weights[: len(near)][free]
            drawn.update(q=float(draw), q0=self._q0)
            if drawn["q"] >= self._q0:
                outcome, drawn["spin"] = CityDraw.ROULETTE, float(spin)
            elif self._rules.remembered:
                outside = np.setdiff1d(remembered[walk.unvisited[remembered]], near)
                cities = np.concatenate((cities, outside))
                weights = np.concatenate((weights, tau[outside] * eta[outside]))
                heaviest = cities[weights == weights.max()]
                known = remembered[np.isin(remembered, heaviest)]  # the oldest first
                chosen = known[-1] if known.size else heaviest.min()
        shares = weights.astype(float)
        shares[len(cities) - outside.size :] = 0  # the wheel has the candidates alone
        seen: Any = map(frozen, (cities, tau[cities], eta[cities], weights, shares))
        return CityChoice(outcome, int(chosen), *seen, **drawn)

    def _choose_once(
        self, walk: Walk, trails: NDArray[np.float32], heuristics: NDArray[np.float32]
    ) -> tuple[Whole, np.float32, np.float32]:
        """Let compiled code choose among the candidates: ``choose_once``, with these trails."""
        row = self._neighbours[walk.city : walk.city + 1]
        lists = allocated(AcsLists, row.shape, neighbours=row, backup=(1, 0))
        pheromone = pheromone_of(1, len(trails), 1)
        lists.weights[0, : len(trails)] = heuristics
        pheromone.listed[0, : len(trails)] = trails
        bits = np.zeros((1, -(-len(walk.unvisited) // 32) * 4), np.uint8)
        packed = np.packbits(walk.unvisited, bitorder="little")
        bits[0, : len(packed)] = packed
        unvisited, workspace = bits.view("<u4").astype(np.uint32), self._workspace
        when = np.uint32(walk.iteration), walk.ant, walk.step
        return choose_once(lists, pheromone, unvisited, self._rules, workspace, *when)

    def _trails(
        self, walk: Walk, trails: TrailSource
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the trails from the ant's city, after its own local update of the way there.

        And the cities that a selective memory then remembers there. The one where the ant comes
        from may be missing: it is visited, and cannot be chosen. In a matrix only a trail between
        visited cities has changed. A selective memory now remembers the edge, and may have
        forgotten its oldest trail for it (Fig. 5).
        """
        city, came_from = walk.city, walk.previous
        tau = trails.trails_from(city)
        if not (self._rules.selective and isinstance(trails, ForgetfulSource)):
            return tau, np.empty(0, np.int32)
        remembered = trails.remembered(city)
        updated = self._period and came_from is not None and (walk.step - 1) % self._period == 0
        if updated and came_from not in remembered:
            if remembered[0] >= 0:
                tau[remembered[0]] = 1
            remembered = remembered[1:]
        return tau, remembered[remembered >= 0]
