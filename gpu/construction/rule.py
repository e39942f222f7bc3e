"""The Ant System's random proportional rule (Cecilia 2013, eq. 1), drawn in four ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.construction.cpu import (
    NUMBERED,
    UNVISITED_LIST,
    choice_rules_of,
    choose_once,
    rows_of,
    workspace_of,
)
from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.arrays import frozen
from gpu.core.decisions import TrailSource
from gpu.decisions import CityChoice, CityDraw, CompressedWalk, TourRule, Walk
from gpu.problems.tsp.instance import TspInstance

OUTCOMES = {"i-roulette": CityDraw.I_ROULETTE, "wrs": CityDraw.RESERVOIR}  # without a wheel


class AsRule(TourRule):
    """Each unvisited city with a probability in proportion to τ^α·η^β.

    Choices are made by the compiled code of the CPU colonies. The ``selection`` is one of
    :data:`gpu.construction.parameters.TOUR_SELECTIONS`, by default what the parameters say.
    """

    def __init__(
        self, instance: TspInstance, parameters: AsParameters, seed: int, selection: str = ""
    ) -> None:
        cl = min(parameters.listed, instance.n - 1)
        super().__init__(instance, parameters.beta, cl, seed)
        if isinstance(parameters, CpuParameters):
            selection = selection or parameters.selection
        self._outcome = OUTCOMES.get(selection, CityDraw.ROULETTE)
        self._workspace = workspace_of(instance.n, cl)
        self._rules = choice_rules_of(seed, parameters, selection, listed=cl > 0)
        if parameters.other_powers:
            self.caveat = (
                "The GPU raises trails to the power α with other last digits, so a close draw in "
                "the iteration itself may fall otherwise."
            )

    def walk(self, ant: int, iteration: int) -> Walk:
        """Return the walk of ``ant`` in the iteration, at its start."""
        kind = CompressedWalk if self._rules.order == UNVISITED_LIST else Walk
        return kind(self.instance.n, ant, iteration, self.start(ant, iteration))

    def choose(self, walk: Walk, trails: TrailSource) -> CityChoice:
        """Draw one of the unvisited cities, or of the unvisited candidates where there are any."""
        city, outcome = walk.city, self._outcome
        tau, eta, near = trails.trails_from(city), self._heuristics(city), self._lists[city]
        cities = near[walk.unvisited[near]]
        if len(cities) == 0:
            if len(near):
                outcome = CityDraw.FALLBACK
            everyone = np.flatnonzero(walk.unvisited).astype(np.int32)
            cities = everyone if self._rules.order == NUMBERED else walk.rest.copy()
        n, workspace = len(tau), self._workspace
        workspace.rest[: len(walk.rest)] = walk.rest
        workspace.unvisited[:n] = -walk.unvisited.astype(np.int32)
        matrices = rows_of(tau[None], eta[None], self._neighbours[city : city + 1])
        parts, draws = np.zeros(len(cities), np.uint32), np.zeros(len(cities), np.float32)
        route = np.concatenate([walk.tour, walk.rest]).astype(np.uint32)
        when, among = (np.uint32(walk.iteration), walk.ant, walk.step), cities.astype(np.uint32)
        chosen = choose_once(matrices, route, self._rules, workspace, *when, among, parts, draws)
        drawn: dict[str, Any] = {"listed": len(near)}
        if outcome is CityDraw.ROULETTE:
            drawn["spin"] = int(workspace.words[walk.step & 3]) / 2**32
        elif outcome is not CityDraw.FALLBACK:
            drawn["draws"] = frozen(draws)
        weights, shares = matrices.weights[0, cities], parts.astype(float)
        seen: Any = map(frozen, (cities, tau[cities], eta[cities], weights, shares))
        return CityChoice(outcome, int(chosen), *seen, **drawn)
