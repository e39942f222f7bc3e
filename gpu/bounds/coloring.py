"""How many colors every coloring of a graph needs: by a clique, or by an odd cycle."""

from __future__ import annotations

import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from gpu.bounds.cliques import CliqueSearch
from gpu.bounds.cycles import odd_cycle
from gpu.core.bounds import LowerBound
from gpu.core.colony import never
from gpu.problems.coloring.instance import GraphInstance

BOUND_WORK = 60_000_000
"""Neighbours looked at for a clique, at most: some 0.08 s on one core. A run waits for them."""

_AT_ONCE = 2_000_000  # of them, between two looks at whether to stop

_one_at_a_time = threading.Lock()
_made: WeakKeyDictionary[GraphInstance, LowerBound] = WeakKeyDictionary()


def coloring_bound(graph: GraphInstance, stop: Callable[[], bool] = never) -> LowerBound | None:
    """Return how many colors the graph needs at least; None if ``stop`` said so before.

    The bound of an instance is made once, and is the same on every machine. Its witness is checked.
    """
    with _one_at_a_time:  # a run's thread for the bound, and its colony, which waits for it
        return _bound_of(graph, stop)


def _bound_of(graph: GraphInstance, stop: Callable[[], bool]) -> LowerBound | None:
    if graph not in _made:
        search = CliqueSearch(graph)
        while search.work < BOUND_WORK and not search.ended:
            if stop():
                return None
            search.improve(_AT_ONCE)
        witness = search.clique
        if len(witness) == 2 and (cycle := odd_cycle(graph)) is not None:
            witness = cycle
        _made[graph] = graph.bound_by(witness)
    return _made[graph]
