"""The solution with which every run begins, before its colony has built one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpu.core.instance import Instance, Solution
from gpu.core.problem import Problem
from gpu.problems.coloring.dsatur import dsatur_coloring


def _nearest_neighbour(instance: Any) -> Solution:
    from gpu.cpu.first_tours import nearest_neighbour_tour  # slow to import

    return nearest_neighbour_tour(instance)


_MAKERS: Mapping[Problem, Callable[[Any], Solution]] = {
    Problem.TSP: _nearest_neighbour,
    Problem.COLORING: dsatur_coloring,
}

_OUT_OF_STUDIES = frozenset({Problem.COLORING})


def start_of(instance: Instance) -> Solution | None:
    """Return the solution with which runs begin, read-only; None for a problem without one."""
    make = _MAKERS.get(instance.problem)
    return make(instance) if make else None


def begins_in_studies(instance: Instance) -> bool:
    """Whether the runs of a study begin with the solution of :func:`start_of`.

    Runs on graphs do not: a study compares what ants build, and few ants build a better coloring.
    """
    return instance.problem not in _OUT_OF_STUDIES
