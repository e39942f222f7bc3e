"""The CUDA colonies on the emulation, what they are held against, and the trails after a launch."""

from __future__ import annotations

from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.acs.cuda.colony import AcsColony, StepTogether, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters
from gpu.core.colony import Colony
from gpu.core.machine import devices
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cuda.machine import Launch
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


def emulated(
    instance: TspInstance,
    parameters: AcsParameters,
    trails: type[MatrixTrails] | type[SelectiveTrails],
    construction: type[WholeTours] | type[StepTogether],
    seed: int = 7,
    **machine: Any,
) -> closing[AcsColony]:
    """A CUDA colony on the emulation."""
    return closing(
        AcsColony(
            instance,
            parameters.resolved(instance.n),
            EmulatedMachine(**machine),
            seed,
            trails,
            construction,
        )
    )


def on_cpu(
    instance: TspInstance, parameters: AcsParameters, name: str, device: str, seed: int = 7
) -> closing[Colony]:
    """Its counterpart on the CPU."""
    place = devices.find(device)
    return closing(catalog.build(catalog.find(name, place), instance, parameters, place, seed))


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


def assert_same_iterations(ours: Colony, theirs: Colony, count: int) -> None:
    """After each of so many iterations, both colonies show the same."""
    for _ in range(count):
        ours.iterate(1)
        theirs.iterate(1)
        assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


def as_dict(snapshot: Snapshot) -> dict[tuple[int, ...], float]:
    """The strongest trails by edge."""
    edges = np.sort(snapshot.trails.edges, axis=1)
    return {
        tuple(map(int, edge)): float(strength)
        for edge, strength in zip(edges, snapshot.trails.strength, strict=True)
    }


START = 2.0  # the level of every trail before


class Trails(NamedTuple):
    """Matrices (n, n) of the trails found, and of those after every update of every tour."""

    found: NDArray[np.float32]
    expected: NDArray[np.float32]


def after_one_launch(colony: AcsColony, ants: int, period: int, launch: Launch) -> Trails:
    """Set all trails to one level, launch the construction, and count the updates it owed."""
    machine, arrays, memory = colony._machine, colony._arrays, colony._memory
    construction = colony._construction
    assert isinstance(memory, MatrixTrails)
    assert isinstance(construction, WholeTours)
    assert construction.warps == ants  # else a warp keeps one tour of several
    n = construction.n
    for name in ("listed", "outside"):
        machine.upload(arrays[name], np.full(arrays[name].shape, START, np.float32))
    machine.run([launch])
    count = np.zeros((n, n), np.int64)
    tours, holders = machine.download(arrays["tours"]), machine.download(arrays["holders"])
    for ant in range(ants):
        tour = tours[2 * ant + holders[ant]]
        due = np.arange(1, n + 1) % period == 0
        there, back = tour[due], np.roll(tour, -1)[due]
        np.add.at(count, (there, back), 1)
        if not memory.problem.directed:
            np.add.at(count, (back, there), 1)
    found = np.array([memory.row(machine, arrays, city) for city in range(n)])
    return Trails(found, levels(int(count.max()), memory)[count])


def levels(most: int, memory: MatrixTrails) -> NDArray[np.float32]:
    """What a trail is after 0, 1, ..., ``most`` updates."""
    change = memory.local_update
    keep, add = np.float32(change.keep), np.float32(change.add)
    trails = [np.float32(START)]
    for _ in range(most):
        trails.append(trails[-1] * keep + add)
    return np.array(trails, np.float32)
