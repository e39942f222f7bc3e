"""One ant's choice of its next city, with all that led to it: what the decision view draws."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Outcome(enum.Enum):
    """How a choice came about."""

    GREEDY = "greedy"
    """q < q₀: the heaviest of the unvisited candidates."""

    ROULETTE = "roulette"
    """A spin of the wheel on which each city's part is as large as its weight."""

    I_ROULETTE = "i-roulette"
    """The largest product of a weight and a random number of the city's own."""

    RESERVOIR = "reservoir"
    """The smallest -log(r)/w, each city with a random number r of its own."""

    FALLBACK = "fallback"
    """No candidate was left unvisited: the heaviest of all unvisited cities."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Between which cities an ant chose, and how; the arrays run in the order of the wheel.

    Attributes
    ----------
    outcome : Outcome
        How it came about.
    chosen : int
        The city, 0-based.
    cities : ndarray of int32, shape (k,)
        The unvisited cities that were considered, k >= 1.
    trails : ndarray of float32, shape (k,)
        τ of the edges that lead there, in units of the initial trail.
    heuristics : ndarray of float32, shape (k,)
        η^β, in units of the nearest neighbour's.
    weights : ndarray of float32, shape (k,)
        What the rule makes of both: τ·η^β, or τ^α·η^β.
    shares : ndarray of float64, shape (k,)
        The wheel's parts as the rule forms them, in any unit.
    listed : int
        Length of the candidate list, visited cities included; 0 if there is none.
    q, q0 : float or None
        The draw that decides between greed and the wheel, and its threshold.
    spin : float or None
        Where on the wheel, in [0, 1), the ball fell.
    draws : ndarray of float32, shape (k,), or None
        The random numbers of an I-Roulette or a reservoir, in (0, 1).
    """

    outcome: Outcome
    chosen: int
    cities: NDArray[np.int32]
    trails: NDArray[np.float32]
    heuristics: NDArray[np.float32]
    weights: NDArray[np.float32]
    shares: NDArray[np.float64]
    listed: int = 0
    q: float | None = None
    q0: float | None = None
    spin: float | None = None
    draws: NDArray[np.float32] | None = None

    @property
    def keys(self) -> NDArray[np.float64] | None:
        """What the cities' own numbers make of the weights: the largest wins; None without."""
        if self.draws is None:
            return None
        if self.outcome is Outcome.RESERVOIR:
            return -self.weights / np.log2(self.draws.astype(np.float64))
        return self.weights.astype(np.float64) * self.draws


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """One step of one ant in the coming iteration, replayed from the trails as they stand.

    Attributes
    ----------
    ant : int
        Counted from 0.
    iteration : int
        The coming iteration, counted from 0: as many are finished.
    tour : ndarray of int32, shape (t,)
        The cities visited so far, in order (the tabu); the ant stands in the last.
    choice : Choice
        What follows.
    probabilities : ndarray of float64, shape (k,)
        The chance of each of the choice's cities when it is drawn; the sum is 1. Where the ant
        takes the heaviest instead, what a spin of the wheel would have given.
    caveat : str
        Why the iteration may turn out otherwise, in one sentence; empty if it cannot.
    generation : int
        Which run of the session this belongs to; set by the run, stale ones are dropped.
    """

    ant: int
    iteration: int
    tour: NDArray[np.int32]
    choice: Choice
    probabilities: NDArray[np.float64]
    caveat: str = ""
    generation: int = 0

    @property
    def step(self) -> int:
        """t: the choice is of the city at position t of the tour, the start being position 0."""
        return len(self.tour)

    @property
    def city(self) -> int:
        """Where the ant stands."""
        return int(self.tour[-1])
