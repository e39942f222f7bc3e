"""What all rules have in common, and what they read of a colony."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.decisions.decision import Choice
from gpu.core.decisions.rule import TrailSource, Walk
from gpu.core.random import start_cities
from gpu.cpu.structures import widened
from gpu.decisions.replay import WalkReplay
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours, weights

_FAR = np.iinfo(np.int64).max


@runtime_checkable
class ForgetfulSource(TrailSource, Protocol):
    """A colony with a selective pheromone memory (2016, Fig. 5)."""

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The cities whose trails ``city`` remembers, int32 of shape (s,), the oldest first.

        An empty record is -1.
        """


class InitialTrails:
    """The trails of a colony before its first iteration: all at the initial level."""

    def __init__(self, n: int) -> None:
        self._n = n

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return 1 for each city."""
        return np.ones(self._n, np.float32)

    def remembered(self, city: int) -> NDArray[np.int32]:
        """Return one empty record."""
        return np.full(1, -1, np.int32)


class TourRule(ABC):
    """What all rules for tours share: where ants begin, and what they see from a city.

    The seed is in [0, 2**64); without candidate lists, ``candidates`` is 0.
    """

    def __init__(self, instance: TspInstance, beta: float, candidates: int, seed: int) -> None:
        self._instance, self._beta, self._seed = instance, beta, seed
        n = instance.n
        self._everyone = np.arange(n, dtype=np.int32)
        self._lists = (
            nearest_neighbours(instance, candidates) if candidates else np.empty((n, 0), np.int32)
        )
        self._neighbours = widened(self._lists, candidates)
        self.caveat = ""

    @abstractmethod
    def choose(self, walk: Walk, trails: TrailSource) -> Choice:
        """Return what the ant does after ``walk``, which leaves a city unvisited."""

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> WalkReplay:
        """Start to replay an iteration; see :class:`gpu.core.decisions.rule.Rule`."""
        return WalkReplay(self, self._instance.n, trails, iteration, caveat)

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration."""
        return int(start_cities(self._seed, iteration, ant, self._instance.n))

    def _heuristics(self, city: int) -> NDArray[np.float32]:
        """η^β of the edges from ``city`` to all cities, float32 of shape (n,); 0 to itself."""
        away = self._instance.distances(np.array(city), self._everyone)
        away[city] = _FAR
        result = weights(away, away.min(keepdims=True), self._beta)
        result[city] = 0
        return result
