"""The Ant Colony System's pseudo-random proportional rule (Skinderowicz 2016, eqs. 1 and 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu.single_choice import choose_once, heaviest_of
from gpu.acs.cpu.state import CandidateLists, new_workspace, pheromone_of, rules_of
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.arrays import frozen
from gpu.core.decision import Choice, Outcome
from gpu.core.random import key_of
from gpu.core.rule import TrailSource
from gpu.core.walk import Walk
from gpu.cpu.candidate_lists import widened
from gpu.cpu.compilation import Whole
from gpu.decisions.rule import ForgetfulSource, Surroundings
from gpu.problems.tsp.candidates import NOT_LISTED
from gpu.problems.tsp.instance import TspInstance


class AcsRule:
    """With probability q₀ the heaviest unvisited candidate, else a spin of their wheel.

    Choices are made by the compiled code of the CPU colonies.

    Parameters
    ----------
    instance : TspInstance
    parameters : AcsParameters
        :class:`SpmParameters` are those of the selective memory.
    seed : int
        In [0, 2**64).
    """

    def __init__(self, instance: TspInstance, parameters: AcsParameters, seed: int) -> None:
        parameters = parameters.resolved(instance.n)
        assert parameters.q0 is not None
        cl = parameters.candidates
        self._seen = Surroundings(instance, parameters.beta, cl, seed)
        self._q0 = parameters.q0
        self._rules = rules_of(
            parameters,
            key_of(seed),
            scale=0,
            immediate=True,
            directed=instance.directed,
            builders=1,
        )
        self._neighbours = widened(self._seen.lists, cl)
        self._workspace = new_workspace()
        # A memory that both ends of an edge share is what arriving in a city can change.
        selective = isinstance(parameters, SpmParameters) and not instance.directed
        self._period = parameters.update_period if selective else 0
        self.caveat = (
            ""
            if parameters.ants == 1
            else "The other ants' local updates may change it on the way; with one ant it is exact."
        )

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration."""
        return self._seen.start(ant, iteration)

    def choose(self, walk: Walk, trails: TrailSource) -> Choice:
        """Choose among the unvisited candidates, or all unvisited cities if none is left."""
        seen, city = self._seen, walk.city
        tau, eta = self._trails(walk, trails), seen.heuristics(city)
        near = seen.lists[city]
        lane, draw, drawn = self._choose_once(walk, tau[near], eta[near])
        q = spin = None
        if lane == NOT_LISTED:
            outcome, cities = Outcome.FALLBACK, np.flatnonzero(walk.unvisited).astype(np.int32)
            weights = np.empty(len(cities), np.float32)
            chosen = heaviest_of(cities.astype(np.uint32), tau[cities], eta[cities], weights)
        else:
            free = walk.unvisited[near]
            cities, weights = near[free], self._workspace.weights[: len(near)][free]
            chosen, q = near[lane], float(draw)
            outcome = Outcome.GREEDY
            if q >= self._q0:
                outcome, spin = Outcome.ROULETTE, float(drawn)
        return Choice(
            outcome=outcome,
            chosen=int(chosen),
            cities=frozen(cities),
            trails=frozen(tau[cities]),
            heuristics=frozen(eta[cities]),
            weights=frozen(weights),
            shares=frozen(weights.astype(np.float64)),
            listed=len(near),
            q=q,
            q0=None if q is None else self._q0,
            spin=spin,
        )

    def _choose_once(
        self, walk: Walk, trails: NDArray[np.float32], heuristics: NDArray[np.float32]
    ) -> tuple[Whole, np.float32, np.float32]:
        """Let compiled code choose among the candidates, with these trails and weights of lengths.

        Return what :func:`gpu.acs.cpu.single_choice.choose_once` does.
        """
        row = self._neighbours[walk.city : walk.city + 1]
        listed, etas = np.zeros(row.shape, np.float32), np.zeros(row.shape, np.float32)
        listed[0, : len(trails)], etas[0, : len(trails)] = trails, heuristics
        lists = CandidateLists(
            neighbours=row,
            distances=np.zeros(row.shape, np.int32),
            weights=etas,
            reverse=np.zeros(row.shape, np.uint8),
            backup=np.zeros((1, 0), np.uint32),
        )
        bits = np.zeros((1, -(-len(walk.unvisited) // 32) * 4), np.uint8)
        packed = np.packbits(walk.unvisited, bitorder="little")
        bits[0, : len(packed)] = packed
        return choose_once(
            lists,
            pheromone_of(1, len(trails), 1)._replace(listed=listed),
            bits.view("<u4").astype(np.uint32),
            self._rules,
            self._workspace,
            np.uint32(walk.iteration),
            walk.ant,
            walk.step,
        )

    def _trails(self, walk: Walk, trails: TrailSource) -> NDArray[np.float32]:
        """Return the trails from the ant's city, after its own local update of the way there.

        In a matrix only a trail between visited cities has changed. A selective memory now
        remembers the edge, and may have forgotten its oldest trail for it (Fig. 5).
        """
        city, came_from = walk.city, walk.previous
        tau = trails.trails_from(city)
        updated = self._period and came_from is not None and (walk.step - 1) % self._period == 0
        if updated and isinstance(trails, ForgetfulSource):
            remembered = trails.remembered(city)
            if came_from not in remembered and remembered[0] >= 0:
                tau[remembered[0]] = 1
        return tau
