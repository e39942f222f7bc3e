"""Focused ACO on a GPU: in the emulation, and on a device if there is one."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cuda.machine import Machine
from gpu.faco.cpu.colony import FacoCpuColony
from gpu.faco.cuda import colony as faco
from gpu.faco.cuda.colony import FacoCudaColony
from gpu.faco.cuda.kernels import Count
from gpu.faco.parameters import FacoCudaParameters, FacoParameters
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.faco.literal import from_zero
from tests.gpu.tour_changes.cases import FULL, HOSTILE, check_lengths, check_same_runs, run

pytestmark = pytest.mark.timeout(300)


def on_gpu(
    instance: TspInstance, machine: Machine | None = None, seed: int = 7, **values: Any
) -> FacoCudaColony:
    values = {"ants": 5, **values}
    return FacoCudaColony(
        instance,
        FacoCudaParameters(**values).resolved(instance.n),
        machine or EmulatedMachine(),
        seed,
    )


def compare(instance: TspInstance, iterations: int = 3, seed: int = 7, **values: Any) -> None:
    """Check that the GPU finds what the CPU does, to the last bit."""
    values = {"ants": 5, **values}
    theirs = FacoCpuColony(instance, FacoParameters(**values).resolved(instance.n), seed, threads=1)
    ours = on_gpu(instance, seed=seed, **values)
    with closing(theirs), closing(ours):
        for _ in range(iterations):
            theirs.iterate(1)
            ours.iterate(1)
            same_state(theirs, ours)


def same_state(theirs: FacoCpuColony, ours: FacoCudaColony) -> None:
    assert ours._arrays["lengths"][:, 0].tolist() == theirs._ants.lengths.tolist()
    one, other = (colony.snapshot(FULL | Wanted.BUILT_SOLUTION) for colony in (theirs, ours))
    for name in ("built_solution", "iteration_solution", "best_solution"):
        expected, found = getattr(one, name).tolist(), getattr(other, name).tolist()
        assert from_zero(found) == from_zero(expected), name
    for name in ("iteration_mean", "best_iteration", "best_cost", "moves", "limits"):
        assert getattr(other, name) == getattr(one, name), name
    np.testing.assert_array_equal(ours._arrays["trails"], theirs._pheromone.trails)
    np.testing.assert_array_equal(ours.trails_from(1), theirs.trails_from(1))
    source, expected_source = ours.followed(), theirs.followed()
    assert from_zero(source.tour.tolist()) == from_zero(expected_source.tour.tolist())
    assert source.shares.tolist() == expected_source.shares.tolist()


@needs_emulation
@pytest.mark.parametrize("name", HOSTILE)
def test_the_tours_are_those_of_the_cpu(name: str) -> None:
    compare(HOSTILE[name])


@needs_emulation
@pytest.mark.parametrize("change", [
    {"ants": 1}, {"new_edges": 15, "neighbours": 64}, {"candidates": 2, "backup": 0},
    {"adaptation": "exp3"}, {"beta": 1.5, "rho": 0.99}, {"best_source": 0.5},
], ids=str)  # fmt: skip
def test_every_parameter(change: dict[str, Any]) -> None:
    compare(makers.uniform(90, seed=5), 4, 2**64 - 1, **change)


@needs_emulation
def test_the_tours_do_not_depend_on_the_order_of_threads() -> None:
    instance = makers.uniform(300, size=10_000)
    one, other = (run(on_gpu(instance, EmulatedMachine(seed=order)), 3) for order in (0, 3))
    check_same_runs(one, other)


@needs_emulation
def test_ants_without_room_for_more_moves_have_tours_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faco, "ROOM", 16)
    colony = on_gpu(makers.uniform(200), ants=12)
    check_lengths(run_and_count(colony), 12)


def run_and_count(colony: FacoCudaColony) -> list[Any]:
    """Snapshots of a few iterations; some ants ran out of room."""
    counts = colony._arrays["counts"]
    snapshots = run(colony, 3)
    assert 0 < counts[Count.CROWDED] <= 36
    return snapshots


@needs_emulation
def test_another_colony_goes_on_where_it_stopped() -> None:
    instance = makers.uniform(60)
    with closing(on_gpu(instance)) as first, closing(on_gpu(instance, ants=4)) as second:
        first.iterate(4)
        second.inherit(first.legacy())
        np.testing.assert_array_equal(second._arrays["trails"], first._arrays["trails"])
        best = first.snapshot(FULL)
        assert second.followed().tour.tolist() == best.best_solution.tolist()
        second.iterate(2)
        last = second.snapshot(FULL)
    assert last.iteration == 6
    assert last.cost <= best.cost
    assert last.solutions_built == 4 * 5 + 2 * 4


@needs_emulation
def test_what_a_snapshot_shows_of_the_trails() -> None:
    instance = makers.uniform(40)
    with closing(on_gpu(instance)) as colony:
        colony.iterate(8)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        trails = np.array([colony.trails_from(city) for city in range(instance.n)])
    order = snapshot.best_solution
    assert order is not None
    assert snapshot.pheromone is not None
    assert snapshot.branching is not None
    np.testing.assert_allclose(snapshot.pheromone, trails[np.ix_(order, order)], rtol=1e-6)
    assert snapshot.limits[0] == pytest.approx(trails.min())
    u, v = snapshot.trails.edges[0]
    assert trails[u, v] == trails.max() <= snapshot.limits[1]
    assert 1 <= snapshot.branching <= 16


def test_what_the_kernels_cannot_hold_is_refused() -> None:
    far = makers.points(np.array([[0, 0], [1e9, 0], [0, 1e9], [1e9, 1e9], [1e8, 1e8]]))
    with pytest.raises(ParameterError, match="takes distances of up to 1,073,741,823"):
        on_gpu(far)
    with pytest.raises(ParameterError, match="directed"):
        on_gpu(makers.directed(20))
    with pytest.raises(ParameterError, match=r"new_edges = 16 must be in \[1, 15\]"):
        on_gpu(makers.uniform(20), new_edges=16)


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["ties", "ceiling", "no geometry", "places shared"])
def test_a_device_gives_the_tours_of_the_cpu(name: str) -> None:
    instance, place = HOSTILE[name], devices.find("cuda")
    theirs = FacoCpuColony(instance, FacoParameters().resolved(instance.n), 7, threads=1)
    system = catalog.find("faco-gpu", place)
    ours = catalog.build(system, instance, system.parameters(), place, 7)
    with closing(theirs), closing(ours):
        for _ in range(20):
            theirs.iterate(1)
            ours.iterate(1)
            one, other = (colony.snapshot(FULL) for colony in (theirs, ours))
            assert other.iteration_mean == one.iteration_mean
            expected = from_zero(one.iteration_solution.tolist())
            assert from_zero(other.iteration_solution.tolist()) == expected
