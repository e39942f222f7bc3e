"""The solution with which every run begins, before its colony has built one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpu.core.colony import never
from gpu.core.instance import Instance, Solution
from gpu.core.problem import Problem
from gpu.problems.coloring.dsatur import dsatur_coloring, is_small
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.instance import TspInstance

Over = Callable[[], bool]

MOST_BY_NEAREST = 50_000
"""Cities up to which a run begins with the nearest-neighbour tour. Of a million it takes seconds,
and the colony's first tour is better; so a run begins with a tour along a space-filling curve."""


def _nearest_neighbour(instance: TspInstance, over: Over) -> Iterator[Solution]:
    if instance.first_tour is not None:
        yield instance.first_tour
        return
    from gpu.cpu.first_tours import curve_tour, nearest_neighbour_tour  # slow to import

    many = instance.n > MOST_BY_NEAREST
    yield curve_tour(instance) if many else nearest_neighbour_tour(instance)


def _greedy(graph: GraphInstance, over: Over) -> Iterator[Solution]:
    if is_small(graph):
        return iter((dsatur_coloring(graph),))
    from gpu.cpu.first_colorings import greedy_colorings  # slow to import

    return greedy_colorings(graph, over)


_MAKERS: Mapping[Problem, Callable[[Any, Over], Iterator[Solution]]] = {
    Problem.TSP: _nearest_neighbour,
    Problem.COLORING: _greedy,
}


def starts_of(instance: Instance, over: Over = never) -> Iterator[Solution]:
    """Yield the solutions with which runs begin, read-only, each better than the one before.

    The first one is made at once: of a large graph in some tenths of a second, where others take
    some seconds. They end when it is ``over()``. There are none for a problem without a maker.
    """
    make = _MAKERS.get(instance.problem)
    return make(instance, over) if make else iter(())


def use_once(instance: Instance) -> None:
    """Make all that runs begin with, also on larger instances: then they need not wait for it."""
    for _ in starts_of(instance):
        pass
    if isinstance(instance, GraphInstance):
        from gpu.cpu.first_colorings import compile_colorings

        compile_colorings(instance)
