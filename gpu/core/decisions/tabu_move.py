"""One move of a tabu search that repairs a coloring, with all that led to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_MOVES = 24  # of those that a search can choose from, so many are told at most


@dataclass(frozen=True, slots=True, eq=False)
class TabuMove:
    """One move of one search in the coming iteration, replayed from where the search stands.

    Vertices and colors are counted from 0. The moves that are told are the best ones, those after
    which the fewest edges are in conflict first, and the one that is made.
    """

    ant: int  # whose decision it is: searches are counted on after the ants
    search: int  # counted from 0
    iteration: int  # the coming iteration: as many are finished
    step: int  # which move of the search in this iteration, counted from 1
    colors: NDArray[np.int32]  # (n,): of all vertices before the move
    count: int  # how many colors the search tries to use
    conflicts: NDArray[np.int32]  # (c, 2): edges with one color at both ends before the move
    fewest: int  # fewest conflicts that the search had with so many colors until now
    considered: int  # how many moves there are in all
    vertices: NDArray[np.int32]  # (k,): the vertex of each move that is told,
    targets: NDArray[np.int32]  # (k,): the color that it gets,
    gains: NDArray[np.int64]  # (k,): by how much the number of conflicts changes,
    waits: NDArray[np.int64]  # (k,): and for how many moves it is still tabu; 0 for none
    at: int  # the place of the move that is made; -1 if all moves are tabu
    caveat: str = ""  # why the iteration may turn out otherwise, in one sentence
    generation: int = 0  # the run of the session; set by the run, stale ones are dropped

    @property
    def aspired(self) -> bool:
        """Whether the move is tabu, and made because it leads to the fewest conflicts of all."""
        return self.at >= 0 and bool(self.waits[self.at] > 0)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no answer to a question about a decision."""

    ant: int
    iteration: int
    step: int
    why: str  # a sentence
    caveat: str = ""
    generation: int = 0
