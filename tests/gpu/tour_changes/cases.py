"""Instances that are hard on focused colonies, and what the tests of these colonies share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np

from gpu.core.colony import Colony
from gpu.core.snapshot import Snapshot, Wanted
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import assert_same_history
from tests.gpu.cpu import makers

FULL = Wanted.SOLUTION | Wanted.ITERATION_SOLUTION

HOSTILE: dict[str, TspInstance] = {
    "3 cities": makers.uniform(3),
    "4 cities": makers.uniform(4),
    "5 cities": makers.uniform(5),
    "6 cities": makers.uniform(6),
    "9 cities": makers.uniform(9),
    "33 cities": makers.uniform(33),  # one window of an ant on a GPU
    "ties": makers.grid(12, 10),
    "places shared": makers.crowded(80),
    "one place": makers.points(np.zeros((40, 2))),
    "collinear": makers.points(np.column_stack((np.arange(150) % 70, np.zeros(150)))),
    "a cluster far away": makers.far_cluster(120),
    "no geometry": makers.symmetric(60),
    "on the globe": makers.points(
        np.random.default_rng(3).integers(-80, 80, (60, 2)), metric=Metric.GEO
    ),
    "ceiling": makers.points(
        np.random.default_rng(4).integers(0, 99, (200, 2)), metric=Metric.CEIL_2D
    ),
}


def run(colony: Colony, iterations: int, enough: int = 0) -> list[Snapshot]:
    """Snapshots of all iterations until a tour is as short as ``enough``, each of them checked."""
    with closing(colony):
        snapshots = []
        for _ in range(iterations):
            colony.iterate(1)
            snapshots.append(colony.snapshot(FULL))
            if snapshots[-1].cost <= enough:
                break
    return snapshots


def lasts_of(snapshots: Sequence[Snapshot]) -> list[int]:
    """Return the length of the best tour of the last iteration of each."""
    found = [one.iteration_best for one in snapshots if one.iteration_best is not None]
    assert len(found) == len(snapshots)
    return found


def check_lengths(snapshots: Sequence[Snapshot], ants: int) -> None:
    """Check that the best tour never gets longer, and that all ants' tours are counted."""
    best = [snapshot.cost for snapshot in snapshots]
    assert best == sorted(best, reverse=True)
    assert best[-1] <= min(lasts_of(snapshots))
    assert snapshots[-1].solutions_built == len(snapshots) * ants
    if (merges := snapshots[-1].merges) is not None:
        assert 0 <= merges.merged <= merges.won <= merges.ants <= len(snapshots) * ants


def same_tours(one: Snapshot, other: Snapshot) -> bool:
    """Whether the last iterations of two colonies have the same tour; both have one."""
    assert one.iteration_solution is not None
    assert other.iteration_solution is not None
    return np.array_equal(one.iteration_solution, other.iteration_solution)


def check_same_runs(one: Sequence[Snapshot], other: Sequence[Snapshot]) -> None:
    """Check that two colonies have the same tours after all iterations."""
    for first, second in zip(one, other, strict=True):
        assert first.iteration_best == second.iteration_best
        assert_same_history(first, second)
        assert same_tours(first, second)
