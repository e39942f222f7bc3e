"""One ant's choice of its next city, with all that led to it: what the decision view draws."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Outcome(enum.Enum):
    """How a choice came about."""

    # q < q₀: the heaviest of the unvisited candidates, and perhaps of remembered cities
    GREEDY = "greedy"
    ROULETTE = "roulette"  # a spin of the wheel on which each city's part is as large as its weight
    I_ROULETTE = "i-roulette"  # the largest product of a weight and a city's own random number
    RESERVOIR = "reservoir"  # the smallest -log(r)/w, each city with a random number r of its own
    FALLBACK = "fallback"  # no candidate was left unvisited: the heaviest of all unvisited cities
    NEAREST = "nearest"  # no candidate was left unvisited: the nearest of all unvisited cities
    # the ant has made its new edges: the next unvisited city of the tour that ants leave and follow
    FOLLOW = "follow"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Between which cities an ant chose, and how; the arrays run in the order of the wheel."""

    outcome: Outcome  # how it came about
    chosen: int  # the city, 0-based
    cities: NDArray[np.int32]  # (k,): the unvisited cities that were considered, k >= 1
    trails: NDArray[np.float32]  # (k,): τ of the edges to them, in units of the initial trail
    heuristics: NDArray[np.float32]  # (k,): η^β, in units of the nearest neighbour's
    weights: NDArray[np.float32]  # (k,): what the rule makes of both: τ·η^β, or τ^α·η^β
    # (k,): the wheel's parts as the rule forms them, in any unit; 0 for a city that only a greedy
    # choice looks at
    shares: NDArray[np.float64]
    listed: int = 0  # length of the candidate list, visited cities included; 0 if there is none
    q: float | None = None  # the draw that decides between greed and the wheel,
    q0: float | None = None  # and its threshold
    spin: float | None = None  # where on the wheel, in [0, 1), the ball fell
    draws: NDArray[np.float32] | None = None  # (k,): random numbers of the cities', in (0, 1)
    # of an ant that leaves a common tour: new edges made before, and those after which it follows
    new_edges: tuple[int, int] | None = None

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
    """One step of one ant in the coming iteration, replayed from the trails as they stand."""

    ant: int  # counted from 0
    iteration: int  # the coming iteration, counted from 0: as many are finished
    # (t,): the cities visited so far, in order (the tabu); the ant stands in the last
    tour: NDArray[np.int32]
    choice: Choice  # what follows
    # (k,): the chance of each of the choice's cities when it is drawn, in sum 1; if the ant takes
    # the heaviest instead, what a spin of the wheel would have given
    probabilities: NDArray[np.float64]
    caveat: str = ""  # why the iteration may turn out otherwise, in one sentence
    generation: int = 0  # the run of the session; set by the run, stale ones are dropped

    @property
    def step(self) -> int:
        """t: the choice is of the city at position t of the tour, the start being position 0."""
        return len(self.tour)

    @property
    def city(self) -> int:
        """Where the ant stands."""
        return int(self.tour[-1])
