"""How the ants of a colony choose, as the decision view asks for it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.decision import Choice
from gpu.core.walk import Walk


class TrailSource(Protocol):
    """Who knows the trails: a colony."""

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails that lead from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""


class Rule(Protocol):
    """How the ants of one colony choose; made from (instance, parameters, seed)."""

    caveat: str  # why the iteration may turn out otherwise than the replay; empty if it cannot

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration, both counted from 0."""

    def choose(self, walk: Walk, trails: TrailSource) -> Choice:
        """Return what the ant does after ``walk``, which leaves a city unvisited."""
