"""How the ants of a colony choose, as the decision view asks for it, and their walks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.coloring_decision import ColoringDecision
from gpu.core.decisions.decision import Choice, Decision
from gpu.core.decisions.tabu_move import TabuMove, Unanswered
from gpu.core.decisions.tour_change import TourChange

AnyDecision = Decision | ColoringDecision | TabuMove | TourChange | Unanswered


class Walk:
    """One ant's tour list (2017, Definitions 1 to 3).

    The list has all cities: first the visited ones (the tabu), in order, then the others. A city
    that is chosen changes places with the first of the others. Ants and iterations count from 0.
    """

    def __init__(self, n: int, ant: int, iteration: int, start: int) -> None:
        self.ant, self.iteration = ant, iteration
        self._list = np.arange(n, dtype=np.int32)
        self._taken: list[int] = []  # the place where each city was in the list
        self.unvisited = np.ones(n, dtype=np.bool_)
        self.go_to(start)

    @property
    def step(self) -> int:
        """Number of cities visited: the next one has this position of the tour."""
        return len(self._taken)

    @property
    def city(self) -> int:
        """The city where the ant is."""
        return int(self._list[self.step - 1])

    @property
    def previous(self) -> int | None:
        """The city before that; None at the start."""
        return int(self._list[self.step - 2]) if self.step > 1 else None

    @property
    def tour(self) -> NDArray[np.int32]:
        """A read-only copy of the cities visited, in order; int32, shape (step,)."""
        return frozen(self._list[: self.step].copy())

    @property
    def rest(self) -> NDArray[np.int32]:
        """The unvisited cities in the order of the list; int32, shape (n - step,)."""
        return self._list[self.step :]

    def go_to(self, city: int) -> None:
        """Visit ``city``, which is unvisited."""
        step = self.step
        place = step + int(np.flatnonzero(self._list[step:] == city)[0])
        self._list[[step, place]] = self._list[[place, step]]
        self._taken.append(place)
        self.unvisited[city] = False

    def go_back(self) -> None:
        """Take the last step back."""
        self.unvisited[self.city] = True
        place = self._taken.pop()
        self._list[[self.step, place]] = self._list[[place, self.step]]


class TrailSource(Protocol):
    """Who knows the trails: a colony."""

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails that lead from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""


class Replay(Protocol):
    """An ant of the coming iteration, followed step by step; used from one thread at a time."""

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> AnyDecision | None:
        """Return how ``ant`` (from 0) makes its choice number ``step``, counted from 1.

        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept. ValueError if there is no such step.
        """


class Rule(Protocol):
    """How the ants of one colony choose; made from (instance, parameters, seed)."""

    caveat: str  # why the iteration may turn out otherwise than the replay; empty if it cannot

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> Replay:
        """Start to replay the coming ``iteration``, counted from 0, from the present ``trails``.

        Each answer has the rule's own caveat and then this one.
        """


class WalkRule(Protocol):
    """How ants choose city by city."""

    caveat: str  # see :class:`Rule`

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration, both counted from 0."""

    def choose(self, walk: Walk, trails: TrailSource) -> Choice:
        """Return what the ant does after ``walk``, which leaves a city unvisited."""
