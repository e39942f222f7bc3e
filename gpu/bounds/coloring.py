"""How many colors every coloring of a graph needs: by a clique, or by an odd cycle."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.bounds.cliques import CliqueSearch
from gpu.bounds.cycles import odd_cycle
from gpu.core.bounds import LowerBound
from gpu.core.colony import never
from gpu.core.errors import SolutionError
from gpu.core.words import counted
from gpu.problems.coloring.instance import GraphInstance

BOUND_WORK = 150_000_000
"""Neighbours that are looked at for a clique, at most: some 0.2 s on one core."""

_AT_ONCE = 2_000_000  # of them, between two looks at whether to stop

_made: WeakKeyDictionary[GraphInstance, LowerBound] = WeakKeyDictionary()


def coloring_bound(graph: GraphInstance, stop: Callable[[], bool] = never) -> LowerBound | None:
    """Return how many colors the graph needs at least; None if ``stop`` said so before.

    The bound of an instance is made once, and is the same on every machine. Its witness is checked.
    """
    if graph not in _made:
        search = CliqueSearch(graph)
        while search.work < BOUND_WORK and not search.ended:
            if stop():
                return None
            search.improve(_AT_ONCE)
        _made[graph] = _bound_by(graph, search.clique)
    return _made[graph]


def _bound_by(graph: GraphInstance, clique: NDArray[np.int32]) -> LowerBound:
    check_clique(graph, clique)
    size = len(clique)
    if size == 2 and (cycle := odd_cycle(graph)) is not None:
        check_odd_cycle(graph, cycle)
        return LowerBound(3, f"an odd cycle of {len(cycle)} vertices", cycle)
    if size == 2:
        return LowerBound(2, "an edge", clique)
    return LowerBound(size, f"a clique of {counted(size, 'vertex')}", clique)


def check_clique(graph: GraphInstance, vertices: NDArray[np.integer]) -> None:
    """Raise SolutionError unless any two of these different vertices are adjacent."""
    for vertex in vertices:
        near = graph.neighbours(int(vertex))
        if np.isin(vertices, near, assume_unique=True).sum() != len(vertices) - 1:
            raise SolutionError(f"vertex {vertex + 1} of a clique of {graph.name} is not adjacent")


def check_odd_cycle(graph: GraphInstance, vertices: NDArray[np.integer]) -> None:
    """Raise SolutionError unless these vertices are an odd cycle."""
    follows = np.roll(vertices, -1)
    pairs = zip(vertices.tolist(), follows.tolist(), strict=True)
    if len(vertices) % 2 == 0 or not all(v in graph.neighbours(u) for u, v in pairs):
        raise SolutionError(f"what is called an odd cycle of {graph.name} is none")
