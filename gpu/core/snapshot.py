"""What a colony shows of itself: frozen values and read-only host arrays, nothing live."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.bounds import LowerBound
from gpu.core.history import History, Progress
from gpu.core.instance import Solution

PICTURE_SIZE = 512  # largest width and height of a pheromone picture, in pixels
STRONGEST_TRAILS = 20_000  # most trails that a snapshot carries for the map
MOST_WALKERS = 256  # most ants whose tours a snapshot carries for the map
MOST_COLORERS = 30  # most ants whose colorings it carries: more graphs are not seen side by side
MOST_WALKED = 2_000  # most cities or vertices of instances whose ants are shown at work


class Wanted(enum.Flag):
    """What the asker of a snapshot looks at; nothing else is computed or copied."""

    NUMBERS = 0
    SOLUTION = enum.auto()
    ITERATION_SOLUTION = enum.auto()
    PHEROMONE = enum.auto()
    TRAILS = enum.auto()
    BRANCHING = enum.auto()
    BUILT_SOLUTION = enum.auto()
    STRIP = enum.auto()
    BAND = enum.auto()
    WALKS = enum.auto()
    EVERYTHING = (
        SOLUTION
        | ITERATION_SOLUTION
        | PHEROMONE
        | TRAILS
        | BRANCHING
        | BUILT_SOLUTION
        | STRIP
        | BAND
        | WALKS
    )


@dataclass(frozen=True, slots=True)
class Trails:
    """The strongest trails, for the map."""

    edges: NDArray[np.int32]  # (k, 2): city pairs, 0-based; for a directed instance from, to
    strength: NDArray[np.float32]  # (k,): τ/τmax of each edge, in (0, 1], descending


@dataclass(frozen=True, slots=True, eq=False)
class TrailTable:
    """A row a city, in the order of the best tour. All arrays are read-only."""

    cities: NDArray[np.int32]  # (n,): the city of each row
    others: NDArray[np.int32]  # (n, w): the city at the end of each trail
    values: NDArray[np.float32]  # (n, w): in units of the initial trail; 0 where there is none


@dataclass(frozen=True, slots=True, eq=False)
class Walks:
    """What an iteration's ants built, place by place, as they built it; read-only arrays."""

    # (k, n): the cities or vertices in the order of the visits; k <= MOST_WALKERS
    orders: NDArray[np.int32]
    costs: NDArray[np.int64]  # (k,): of the tours or colorings
    ants: int  # all whose visits the colony has kept; the first k of them are here
    colors: NDArray[np.int32] | None = None  # (k, n): of each vertex in the end; None for tours
    # (k, n): whether the edge to the next city is none of the tour that the ants have changed;
    # None for ants that build a tour of their own
    changed: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Updates:
    """Hits and all updates of a selective pheromone memory since the run began (2016, Fig. 6)."""

    local_hits: int
    local_total: int
    global_hits: int
    global_total: int

    @property
    def local_ratio(self) -> float:
        """Share of the local updates that found their trail, or NaN before the first."""
        return self.local_hits / self.local_total if self.local_total else float("nan")

    @property
    def global_ratio(self) -> float:
        """Share of the global updates that found their trail, or NaN before the first."""
        return self.global_hits / self.global_total if self.global_total else float("nan")


@dataclass(frozen=True, slots=True)
class Merges:
    """What became of the ants' changes of a common tour since the run began."""

    ants: int  # that tried to change it
    won: int  # of them, whose change was kept where the ant was at work
    merged: int  # of those, whose change became part of the common tour


@dataclass(frozen=True, slots=True)
class MovesMade:
    """Moves that the local search made in the last iteration, on the tours of all ants."""

    two_opt: int
    or_opt: int


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What a colony shows of itself after an iteration."""

    iteration: int  # iterations finished; 0 before the first
    solutions_built: int  # tours (colorings) built so far by all ants
    # exact length of the best tour so far, or number of colors of the coloring; None before one
    best_cost: int | None
    best_iteration: int  # the iteration, from 1, that found it; 0 for what a run began with
    # cost of the best solution of the last iteration; None before the first
    iteration_best: int | None
    iteration_mean: float  # mean cost of its solutions; NaN before the first
    # the cities of a tour in order, or the color of each vertex, 0-based; checked
    best_solution: Solution | None = None
    # the best solution of the last iteration
    iteration_solution: Solution | None = None
    # the same as its ant built it, before local search
    built_solution: Solution | None = None
    # what its ants built, before local search, of which only the best ant's is kept, or what those
    # of Focused ACO made of a tour; None while the next iteration is under way, and of other ants
    # that change solutions
    walks: Walks | None = None
    moves: MovesMade | None = None  # for colonies with a local search
    # (p, p), p <= PICTURE_SIZE: trails in units of the initial trail, in the order of the ants'
    # best tour or of the classes of their best coloring, each pixel the largest trail in its
    # square. A selective memory shows what it holds, and the initial trail elsewhere.
    pheromone: NDArray[np.float32] | None = None
    trails: Trails | None = None  # the strongest trails
    # what is to be said of the trails, in a sentence without its full stop: why there are none, or
    # that ants do not read them
    trails_note: str = ""
    strip: TrailTable | None = None  # trails to the candidates of each city of the best tour
    band: TrailTable | None = None  # trails to the cities around each one on the best tour
    updates: Updates | None = None  # for colonies with a selective memory
    merges: Merges | None = None  # for colonies that merge the changes of several ants
    branching: float | None = None  # mean λ-branching factor with λ = 0.05
    # τ_min and τ_max in units of the initial trail, for colonies that bound their trails
    limits: tuple[float, float] | None = None
    # milliseconds of the last measured iteration by phase: ``construction``, ``update``, ...
    phases: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    solutions_each: int = 0  # solutions that the next iteration will build; 0 if it is not known
    history: History = field(default_factory=History)  # the costs of its last iterations
    # what found the best solution, where a colony searches in several ways: ends "found by ..."
    found_by: str = ""
    kernel: int = 0  # cities (vertices) that its ants work on, where these are not all

    @property
    def cost(self) -> int:
        """``best_cost`` of a state that has a solution; ValueError if it has none."""
        if self.best_cost is None:
            raise ValueError("there is no solution yet")
        return self.best_cost


@dataclass(frozen=True, slots=True, eq=False)
class RunState(Snapshot):
    """The state of a run: what its colony shows, checked, and what the run adds.

    Best cost and solution are those of the run, which may have begun with a better solution than
    its colony has found. There is no ``history``: ``progress`` takes its place.
    """

    # (n,): the ants' best, which may be worse than what the run began with; None if it is not known
    ants_best: Solution | None = None
    # cost of the ants' best; None before there is one
    ants_cost: int | None = None
    # the iteration in which the colony last found a better solution, for stop criteria
    improved_iteration: int = 0
    edits: int = 0  # changes of the instance so far
    # what happened since the state before
    progress: Progress = field(default_factory=Progress)
    elapsed: float = 0.0  # seconds spent solving, pauses excluded
    generation: int = 0  # the run of the session; stale ones are dropped
    bound: LowerBound | None = None  # what no solution is better than; None if it is not known

    @property
    def proved(self) -> bool:
        """Whether the best solution is proved to be optimal: it costs what the lower bound says."""
        return self.bound is not None and self.bound.proves(self.best_cost)

    @classmethod
    def of(cls, shown: Snapshot, **added: Any) -> Self:
        """Return what a colony has ``shown``, with what the run has ``added`` or put in place."""
        values = {one.name: getattr(shown, one.name) for one in fields(Snapshot)}
        return cls(**{**values, **added})
