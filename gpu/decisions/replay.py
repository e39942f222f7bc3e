"""An ant of the coming iteration, followed step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.decision import Choice, Decision, Outcome
from gpu.core.decisions.rule import TrailSource, Walk, WalkRule


class WalkReplay:
    """Predicts the choices of ants from trails that do not change meanwhile.

    A random number depends only on what it is drawn for, so the choices of the coming iteration
    follow from the present trails. For the same ant it goes forward or back from the step of the
    last answer. The coming ``iteration`` is counted from 0. Each answer has the rule's own caveat
    and then this one.
    """

    def __init__(
        self, rule: WalkRule, n: int, trails: TrailSource, iteration: int, caveat: str = ""
    ) -> None:
        self._rule, self._n = rule, n
        self._caveat = " ".join(filter(None, (rule.caveat, caveat)))
        self._trails, self._iteration = trails, iteration
        self._walk: Walk | None = None

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Decision | None:
        """Return how ``ant`` (from 0) chooses the city at position ``step`` of its tour, in [1, n).

        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept.

        Raises
        ------
        ValueError
            If there is no such step.
        """
        if not 1 <= step < self._n:
            raise ValueError(f"step = {step} must be in [1, {self._n})")
        walk = self._walk
        if walk is None or walk.ant != ant:
            start = self._rule.start(ant, self._iteration)
            walk = self._walk = Walk(self._n, ant, self._iteration, start)
        while walk.step > step:
            walk.go_back()
        while walk.step < step:
            if cancelled():
                return None
            walk.go_to(self._rule.choose(walk, self._trails).chosen)
        choice = self._rule.choose(walk, self._trails)
        chances = frozen(probabilities(choice))
        return Decision(ant, self._iteration, walk.tour, choice, chances, self._caveat)


def probabilities(choice: Choice) -> NDArray[np.float64]:
    """Return the chance of each city of ``choice``, in sum 1; see :class:`Decision`."""
    if choice.outcome is Outcome.I_ROULETTE:
        return winning_chances(choice.weights)
    chances: NDArray[np.float64] = choice.shares / choice.shares.sum()
    return chances


def winning_chances(weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the chance of each city to have the largest r·w, each r uniform in (0, 1), w > 0.

    Where c of the weights are at least x, the density of a given one of these c winning with the
    product x is x^(c-1) / Π w over the c. Its integral between two neighbouring weights a < b is
    (Π b/w - Π a/w) / c, so with the weights in order the chances are a running sum.
    """
    order = np.argsort(weights, kind="stable")
    logs = np.log(weights[order].astype(np.float64))
    above = np.arange(len(logs), 0, -1)
    products = np.cumsum(logs[::-1])[::-1]
    upper = np.exp(above * logs - products)
    lower = np.concatenate([[0.0], upper[:-1]])
    result = np.empty(len(logs))
    result[order] = np.cumsum((upper - lower) / above)
    return result
