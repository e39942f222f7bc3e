"""One ant's choice of the next vertex of a color class, with all that led to it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Draw(enum.Enum):
    """How an ant draws the next vertex of a class (Murooka et al. 2017, Algorithm 3)."""

    FIRST = "first"  # the first of a class: any uncolored vertex with the same probability
    EVEN = "even"  # no candidate has an excluded neighbour: all with the same probability
    WHEEL = "wheel"  # a wheel on which each candidate's part is as large as its weight
    TRIAL = "trial"  # a stochastic trial: drawn by the trail, accepted by the excluded neighbours


@dataclass(frozen=True, slots=True, eq=False)
class ColoringDecision:
    """One step of one ant in the coming iteration, replayed from the trails as they stand.

    Vertices, ants and colors are counted from 0. The candidates are the uncolored vertices without
    a neighbour in the class (W in the paper); those with one are excluded from it (N).
    """

    ant: int
    iteration: int  # the coming iteration: as many are finished
    order: NDArray[np.int32]  # (t,): the vertices colored so far, in order
    colors: NDArray[np.int32]  # (n,): of all vertices so far; -1 without one
    color: int  # of the class that the ant builds
    draw: Draw  # how the choice came about
    chosen: int  # the vertex
    candidates: NDArray[np.int32]  # (k,): ascending; k >= 1
    excluded: NDArray[np.int32]  # (e,): uncolored neighbours of the class
    counts: NDArray[np.int32]  # (k,): d_N, how many neighbours of each candidate are excluded
    trails: NDArray[np.float32]  # (k,): τ to the vertex colored last, in units of the initial trail
    powers: tuple[float, float]  # α, of the counts, and β, of the trails
    weights: NDArray[np.float64]  # (k,): d_N^α·τ^β; all 1 if the trails play no part
    chances: NDArray[np.float64]  # (k,): the probability of each, in sum 1
    spin: float | None = None  # where on the wheel, in [0, 1), the ball fell; None after a trial
    trials: int = 0  # stochastic trials that were made, the accepted one included
    caveat: str = ""  # why the iteration may turn out otherwise, in one sentence
    generation: int = 0  # the run of the session; set by the run, stale ones are dropped

    @property
    def step(self) -> int:
        """Which vertex of the coloring is chosen, counted from 1."""
        return len(self.order) + 1

    @property
    def members(self) -> NDArray[np.int32]:
        """The vertices of the class so far, in the order of the visits."""
        members: NDArray[np.int32] = self.order[self.colors[self.order] == self.color]
        return members

    @property
    def here(self) -> int | None:
        """The vertex colored last, where the ant stands; None at the beginning of a class."""
        return None if self.draw is Draw.FIRST else int(self.order[-1])

    @property
    def at(self) -> int:
        """The place of the chosen vertex among the candidates."""
        return int(np.searchsorted(self.candidates, self.chosen))
