"""The Ant Colony System's pseudo-random proportional rule (Skinderowicz 2016, eqs. 1 and 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.arrays import frozen
from gpu.core.decision import Choice, Outcome
from gpu.core.random import DRAW_BITS, Purpose, greedy_threshold, roulette_share
from gpu.core.rule import TrailSource
from gpu.core.walk import Walk
from gpu.decisions.rule import ForgetfulSource, Surroundings, heaviest
from gpu.problems.tsp.instance import TspInstance

LANES = 32
"""Lanes of a warp, over which the wheel's prefix sums are formed."""

SPARE_BITS = 32 - DRAW_BITS


class AcsRule:
    """With probability q₀ the heaviest unvisited candidate, else a spin of their wheel.

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
        self._seen = Surroundings(instance, parameters.beta, parameters.candidates, seed)
        self._q0 = parameters.q0
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
        weighed = tau * eta
        near = seen.lists[city]
        cities = near[walk.unvisited[near]]
        listed = len(near)
        q = spin = None
        if len(cities) == 0:
            cities = np.flatnonzero(walk.unvisited).astype(np.int32)
            outcome, chosen = Outcome.FALLBACK, heaviest(cities, weighed[cities])
        else:
            draw = seen.word(walk, Purpose.EXPLOIT) >> SPARE_BITS
            q = draw / (1 << DRAW_BITS)
            if draw < greedy_threshold(self._q0):
                outcome, chosen = Outcome.GREEDY, heaviest(cities, weighed[cities])
            else:
                word = seen.word(walk, Purpose.ROULETTE) >> SPARE_BITS
                share = roulette_share(np.array(word, np.uint32))
                lane = spun(np.where(walk.unvisited[near], weighed[near], np.float32(0)), share)
                outcome, chosen, spin = Outcome.ROULETTE, int(near[lane]), float(share)
        return Choice(
            outcome=outcome,
            chosen=chosen,
            cities=frozen(cities),
            trails=frozen(tau[cities]),
            heuristics=frozen(eta[cities]),
            weights=frozen(weighed[cities]),
            shares=frozen(weighed[cities].astype(np.float64)),
            listed=listed,
            q=q,
            q0=None if q is None else self._q0,
            spin=spin,
        )

    def _trails(self, walk: Walk, trails: TrailSource) -> NDArray[np.float32]:
        """The trails from where the ant stands, after its own local update of the way there.

        A matrix has changed only between visited cities. A selective memory that had not
        remembered the edge now does, in the place of the oldest trail (Fig. 5).
        """
        city, came_from = walk.city, walk.previous
        tau = trails.trails_from(city)
        updated = self._period and came_from is not None and (walk.step - 1) % self._period == 0
        if updated and isinstance(trails, ForgetfulSource):
            remembered = trails.remembered(city)
            if came_from not in remembered and remembered[0] >= 0:
                tau[remembered[0]] = 1
        return tau


def spun(weighed: NDArray[np.float32], share: NDArray[np.float32]) -> int:
    """Return the lane at which a wheel stops, as a warp finds it (eq. 2).

    Parameters
    ----------
    weighed : ndarray of float32, shape (cl,), cl <= 32
        Weights by lane; 0 for a visited city. One at least is larger.
    share : ndarray of float32, shape ()
        The draw, in [0, 1).
    """
    sums = np.zeros(LANES, np.float32)
    sums[: len(weighed)] = weighed
    shift = 1
    while shift < LANES:
        sums[shift:] = sums[shift:] + sums[:-shift].copy()
        shift *= 2
    possible = np.flatnonzero(weighed > 0)
    above = possible[sums[possible] > share * sums[-1]]
    return int(above[0] if len(above) else possible[-1])
