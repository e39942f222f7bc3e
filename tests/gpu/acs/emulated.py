"""The CUDA colonies on the emulation, and the CPU colonies that they are held against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import AcsColony, StepTogether, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters
from gpu.core.colony import Colony
from gpu.core.machine import devices
from gpu.core.snapshot import Snapshot
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import assert_same_history
from tests.gpu.cuda.emulated import EmulatedMachine

TRAILS_IN_GLOBAL_MEMORY = {"shared_limit": 1 << 10}
"""A machine that has no room for replicas of the trails."""

COORDINATE_METRICS = (Metric.EUC_2D, Metric.CEIL_2D, Metric.ATT, Metric.MAN_2D, Metric.MAX_2D)


def scattered(n: int, metric: Metric = Metric.EUC_2D, extent: int = 300) -> TspInstance:
    """Random cities, many at one place or as far from one another as another pair."""
    places = np.random.default_rng(n).integers(0, extent, (n, 2)).astype(np.float64)
    return TspInstance(f"scattered{n}", "", metric, places, None, places)


def explicit(n: int, directed: bool) -> TspInstance:
    """Random distances, with ties."""
    rng = np.random.default_rng(n)
    matrix = rng.integers(1, 50, (n, n)).astype(np.int32)
    if not directed:
        matrix = np.minimum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    display = rng.random((n, 2))
    return TspInstance(
        "explicit",
        "",
        Metric.EXPLICIT,
        None,
        matrix,
        display,
        computed_layout=True,
        directed=directed,
    )


@contextmanager
def emulated(
    instance: TspInstance,
    parameters: AcsParameters,
    trails: type[MatrixTrails] | type[SelectiveTrails],
    construction: type[WholeTours] | type[StepTogether],
    seed: int = 7,
    **machine: Any,
) -> Iterator[AcsColony]:
    """A CUDA colony on the emulation."""
    colony = AcsColony(
        instance,
        parameters.resolved(instance.n),
        EmulatedMachine(**machine),
        seed,
        trails,
        construction,
    )
    try:
        yield colony
    finally:
        colony.close()


@contextmanager
def on_cpu(
    instance: TspInstance, parameters: AcsParameters, name: str, device: str, seed: int = 7
) -> Iterator[Colony]:
    """Its counterpart on the CPU."""
    place = devices.find(device)
    colony = catalog.build(catalog.find(name, place), instance, parameters, place, seed)
    try:
        yield colony
    finally:
        colony.close()


def assert_same(ours: Snapshot, theirs: Snapshot) -> None:
    """Everything that a colony shows is the same, to the last bit."""
    for part in ("iteration", "best_cost", "best_iteration", "iteration_best", "iteration_mean"):
        assert getattr(ours, part) == getattr(theirs, part), part
    assert_same_history(ours, theirs)
    for part in ("best_solution", "iteration_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), part)
    assert ours.branching == pytest.approx(theirs.branching)
    assert ours.updates == theirs.updates
    assert ours.trails is not None
    assert theirs.trails is not None
    assert as_dict(ours) == as_dict(theirs)


def as_dict(snapshot: Snapshot) -> dict[tuple[int, ...], float]:
    """The strongest trails by edge."""
    edges = np.sort(snapshot.trails.edges, axis=1)
    return {
        tuple(map(int, edge)): float(strength)
        for edge, strength in zip(edges, snapshot.trails.strength, strict=True)
    }
