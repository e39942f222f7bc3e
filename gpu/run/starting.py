"""The solution with which every run begins, before its colony has built one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpu.core.colony import never
from gpu.core.instance import Instance, Solution
from gpu.core.problem import Problem
from gpu.problems.coloring.dsatur import dsatur_coloring, is_small
from gpu.problems.coloring.instance import GraphInstance


def _nearest_neighbour(instance: Any) -> Solution:
    from gpu.cpu.first_tours import nearest_neighbour_tour  # slow to import

    return nearest_neighbour_tour(instance)


def _coloring(graph: GraphInstance) -> Solution:
    if is_small(graph):
        return dsatur_coloring(graph)
    from gpu.cpu.first_colorings import largest_first_coloring  # slow to import

    return largest_first_coloring(graph)


_MAKERS: Mapping[Problem, Callable[[Any], Solution]] = {
    Problem.TSP: _nearest_neighbour,
    Problem.COLORING: _coloring,
}

_OUT_OF_STUDIES = frozenset({Problem.COLORING})


def start_of(instance: Instance) -> Solution | None:
    """Return the solution with which runs begin, read-only; None for a problem without one.

    It is made at once: of a large graph in some tenths of a second.
    """
    make = _MAKERS.get(instance.problem)
    return make(instance) if make else None


def better_starts_of(
    instance: Instance, first: Solution, over: Callable[[], bool] = never
) -> Iterator[Solution]:
    """Yield solutions better than ``first``, of :func:`start_of`, and each than the one before.

    That takes some seconds. They end when it is ``over()``.
    """
    if not isinstance(instance, GraphInstance) or is_small(instance):
        return
    from gpu.cpu.first_colorings import saturation_coloring, smallest_last_coloring

    fewest = first.max()
    for make in (smallest_last_coloring, saturation_coloring):
        found = None if over() else make(instance, over)
        if found is not None and found.max() < fewest:
            fewest = found.max()
            yield found


def begins_in_studies(instance: Instance) -> bool:
    """Whether the runs of a study begin with the solution of :func:`start_of`.

    Runs on graphs do not: a study compares what ants build, and few ants build a better coloring.
    """
    return instance.problem not in _OUT_OF_STUDIES
