"""What the replays of focused and crossing ants have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.tabu_move import Unanswered
from gpu.core.decisions.tour_change import Edges
from gpu.problems.tsp.instance import TspInstance

Pairs = NDArray[np.int32]  # (k, 2): the cities of edges


class NotBegun:
    """Says why an iteration has no ants to look at."""

    def __init__(self, iteration: int, why: str) -> None:
        self._iteration, self._why = iteration, why

    def decision(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> Unanswered:
        """Return why there is no answer; see :class:`gpu.core.decisions.rule.Replay`."""
        return Unanswered(ant, self._iteration, step, self._why)


def edges_of(
    instance: TspInstance,
    neighbours: NDArray[np.int32],
    values: NDArray[np.float32],
    pairs: Pairs,
    halves: int = 1,
) -> Edges:
    """Return edges with their lengths and trails: ``values`` of candidates, 1 of all others.

    ``neighbours`` are the candidate lists, int32 (n, k), and ``values`` their trails, float32
    (n, k); ``pairs`` are int32 (e, 2). Where a city has two ``halves``, they lead from one that is
    left to one that is entered.
    """
    if halves == 2:
        pairs = np.where(pairs[:, :1] & 1, pairs, pairs[:, ::-1])
    trails = np.ones(len(pairs), np.float32)
    for one, other in ((0, 1), (1, 0)):
        rows, lanes = np.nonzero(neighbours[pairs[:, one]] == pairs[:, other, None])
        trails[rows] = values[pairs[rows, one], lanes]
    cities = np.ascontiguousarray(pairs // halves)
    lengths = instance.distances(cities[:, 0], cities[:, 1])
    return Edges(frozen(cities), frozen(lengths), frozen(trails))
