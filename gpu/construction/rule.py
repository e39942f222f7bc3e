"""The Ant System's random proportional rule (Cecilia 2013, eq. 1), drawn in four ways."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.arrays import frozen
from gpu.core.decision import Choice, Outcome
from gpu.core.random import Purpose, minus_log2, odd_share, own_words
from gpu.core.rule import TrailSource
from gpu.core.walk import Walk
from gpu.decisions.rule import Surroundings, heaviest
from gpu.problems.tsp.candidates import HEAVIEST, LIGHTEST
from gpu.problems.tsp.instance import TspInstance

WHEEL_BITS = 23
"""A wheel's largest part is less than, or rounds to, two to this power."""


class AsRule:
    """Each unvisited city with a probability in proportion to τ^α·η^β.

    The wheel's parts are whole numbers, so their sum does not depend on its order.

    Parameters
    ----------
    instance : TspInstance
    parameters : AsParameters
    seed : int
        In [0, 2**64).
    selection : str, optional
        "roulette" goes through the cities in the order of their numbers, "stc-roulette" in that
        of the ant's tour list, "i-roulette" and "wrs" give each a random number of its own; by
        default what the parameters say.
    """

    def __init__(
        self, instance: TspInstance, parameters: AsParameters, seed: int, selection: str = ""
    ) -> None:
        listed = min(parameters.listed, instance.n - 1)
        if isinstance(parameters, CpuParameters):
            selection = selection or parameters.selection
        self._seen = Surroundings(instance, parameters.beta, listed, seed)
        self._alpha = parameters.alpha
        self._halves = parameters.half_weights
        self._selection = selection or "roulette"
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
        with np.errstate(over="ignore", invalid="ignore"):  # of the ant's own city there is none
            weighed = np.clip(power(tau, self._alpha) * eta, LIGHTEST, HEAVIEST)
        if self._halves:
            weighed = rounded_to_half(weighed)
        near = seen.lists[city]
        in_order = np.flatnonzero(walk.unvisited).astype(np.int32)
        cities = near[walk.unvisited[near]] if len(near) else in_order
        if len(near) == 0 and self._selection == "stc-roulette":
            cities = walk.rest.copy()
        spin = draws = None
        if len(cities) == 0:
            cities = in_order
            shares = quanta(weighed[cities])
            outcome, chosen = Outcome.FALLBACK, heaviest(cities, weighed[cities])
        elif self._selection == "i-roulette":
            draws = self._own_numbers(walk, Purpose.INDEPENDENT)[cities]
            shares = quanta(weighed[cities])
            outcome, chosen = Outcome.I_ROULETTE, heaviest(cities, draws * weighed[cities])
        elif self._selection == "wrs":
            draws = self._own_numbers(walk, Purpose.RESERVOIR)[cities]
            shares = quanta(weighed[cities])
            keys = minus_log2(draws) * (np.float32(1) / weighed[cities])
            outcome, chosen = Outcome.RESERVOIR, heaviest(cities, -keys)
        else:
            shares = quanta(weighed[cities])
            word = seen.word(walk, Purpose.ROULETTE)
            outcome, chosen = Outcome.ROULETTE, int(cities[spun(shares, word)])
            spin = word / 2**32
        return Choice(
            outcome=outcome,
            chosen=chosen,
            cities=frozen(cities),
            trails=frozen(tau[cities]),
            heuristics=frozen(eta[cities]),
            weights=frozen(weighed[cities]),
            shares=frozen(shares.astype(np.float64)),
            listed=len(near),
            spin=spin,
            draws=None if draws is None else frozen(draws),
        )

    def _own_numbers(self, walk: Walk, purpose: int) -> NDArray[np.float32]:
        """A random number in (0, 1) for each city, float32 of shape (n,)."""
        key = self._seen.words(walk, walk.step, purpose)
        return odd_share(own_words(key, self._seen.everyone))


def roulette(instance: TspInstance, parameters: AsParameters, seed: int) -> AsRule:
    """Make the rule of colonies whose wheel is in the order of the cities' numbers."""
    return AsRule(instance, parameters, seed, "roulette")


def stc_roulette(instance: TspInstance, parameters: AsParameters, seed: int) -> AsRule:
    """Make the rule of colonies whose wheel is in the order of the ant's tour list."""
    return AsRule(instance, parameters, seed, "stc-roulette")


def reservoir(instance: TspInstance, parameters: AsParameters, seed: int) -> AsRule:
    """Make the rule of colonies with weighted reservoir sampling."""
    return AsRule(instance, parameters, seed, "wrs")


def i_roulette(instance: TspInstance, parameters: AsParameters, seed: int) -> AsRule:
    """Make the rule of colonies with independent roulette."""
    return AsRule(instance, parameters, seed, "i-roulette")


def power(trails: NDArray[np.float32], alpha: float) -> NDArray[np.float32]:
    """τ^α in float32; a whole α is a repeated product, in the same order on every device."""
    if not float(alpha).is_integer():
        return np.power(trails.astype(np.float64), alpha).astype(np.float32)
    result = np.ones_like(trails)
    for _ in range(int(alpha)):
        result = result * trails
    return result


def rounded_to_half(weighed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round to 8 significant bits, to the nearest, on a tie to the even one."""
    bits = weighed.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    upper: NDArray[np.uint32] = (bits + np.uint32(2**15 - 1) + odd) & np.uint32(0xFFFF0000)
    return upper.view(np.float32)


def quanta(weighed: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the parts of a wheel as whole numbers, the largest in [2^22, 2^23].

    Parameters
    ----------
    weighed : ndarray of float32, shape (k,)
        Weights in [2^-100, 2^100].
    """
    _, exponent = math.frexp(float(weighed.max()))
    parts: NDArray[np.int64] = np.rint(weighed * np.float32(2.0 ** (WHEEL_BITS - exponent))).astype(
        np.int64
    )
    return parts


def spun(parts: NDArray[np.int64], word: int) -> int:
    """Return the index at which a wheel of whole ``parts`` stops; ``word`` is in [0, 2^32)."""
    ends = np.cumsum(parts)
    target = (word * int(ends[-1])) >> 32
    return int(np.searchsorted(ends, target, side="right"))
