"""The Ant System's random proportional rule (Cecilia 2013, eq. 1), drawn in four ways."""

from __future__ import annotations

import numpy as np

from gpu.construction.cpu.single_choice import choose_once
from gpu.construction.cpu.state import Matrices, choice_rules_of, width_of_row, workspace_of
from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.arrays import frozen
from gpu.core.decision import Choice, Outcome
from gpu.core.random import key_of
from gpu.core.rule import TrailSource
from gpu.core.walk import Walk
from gpu.cpu.candidate_lists import widened
from gpu.decisions.rule import Surroundings
from gpu.problems.tsp.instance import TspInstance

OUTCOMES = {"i-roulette": Outcome.I_ROULETTE, "wrs": Outcome.RESERVOIR}
"""Outcomes of selections other than a wheel."""


class AsRule:
    """Each unvisited city with a probability in proportion to τ^α·η^β.

    Choices are made by the compiled code of the CPU colonies.

    Parameters
    ----------
    instance : TspInstance
    parameters : AsParameters
    seed : int
        In [0, 2**64).
    selection : str, optional
        One of :data:`gpu.construction.parameters.SELECTIONS`; by default what the parameters say.
    """

    def __init__(
        self, instance: TspInstance, parameters: AsParameters, seed: int, selection: str = ""
    ) -> None:
        cl = min(parameters.listed, instance.n - 1)
        if isinstance(parameters, CpuParameters):
            selection = selection or parameters.selection
        self._selection = selection or "roulette"
        self._seen = Surroundings(instance, parameters.beta, cl, seed)
        self._neighbours = widened(self._seen.lists, cl)
        self._workspace = workspace_of(instance.n, cl)
        self._rules = choice_rules_of(
            key_of(seed),
            self._selection,
            cl > 0,
            parameters.alpha,
            halves=parameters.half_weights,
        )
        self.caveat = ""
        if parameters.other_powers:
            self.caveat = (
                "The GPU raises trails to the power α with other last digits, so a close draw in "
                "the iteration itself may fall otherwise."
            )

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration."""
        return self._seen.start(ant, iteration)

    def choose(self, walk: Walk, trails: TrailSource) -> Choice:
        """Draw one of the unvisited cities, or of the unvisited candidates where there are any."""
        seen, city = self._seen, walk.city
        tau, eta = trails.trails_from(city), seen.heuristics(city)
        near = seen.lists[city]
        cities = near[walk.unvisited[near]]
        outcome = OUTCOMES.get(self._selection, Outcome.ROULETTE)
        if len(cities) == 0:
            if len(near):
                outcome = Outcome.FALLBACK
            cities = (
                walk.rest.copy()
                if self._rules.lists
                else np.flatnonzero(walk.unvisited).astype(np.int32)
            )
        n, workspace = len(tau), self._workspace
        workspace.unvisited[:n] = -walk.unvisited.astype(np.int32)
        matrices = Matrices(
            trails=tau[None],
            heuristic=eta[None],
            weights=np.zeros((1, width_of_row(n)), np.float32),
            neighbours=self._neighbours[city : city + 1],
            listed=np.zeros((1, self._neighbours.shape[1]), np.float32),
        )
        parts, draws = np.zeros(len(cities), np.uint32), np.zeros(len(cities), np.float32)
        chosen = choose_once(
            matrices,
            np.concatenate([walk.tour, walk.rest]).astype(np.uint32),
            self._rules,
            workspace,
            np.uint32(walk.iteration),
            walk.ant,
            walk.step,
            cities.astype(np.uint32),
            parts,
            draws,
        )
        spun = outcome is Outcome.ROULETTE
        drawn = outcome in (Outcome.I_ROULETTE, Outcome.RESERVOIR)
        return Choice(
            outcome=outcome,
            chosen=int(chosen),
            cities=frozen(cities),
            trails=frozen(tau[cities]),
            heuristics=frozen(eta[cities]),
            weights=frozen(matrices.weights[0, cities]),
            shares=frozen(parts.astype(np.float64)),
            listed=len(near),
            spin=int(workspace.words[walk.step & 3]) / 2**32 if spun else None,
            draws=frozen(draws) if drawn else None,
        )
