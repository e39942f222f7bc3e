"""The focused colony on the CPU: every iteration has a tour, whatever the instance."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from gpu.core.snapshot import Wanted
from gpu.focused.cpu import state as states
from gpu.focused.cpu.colony import FocusedCpuColony
from gpu.focused.parameters import FocusedParameters
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.tour_changes.cases import (
    FULL,
    HOSTILE,
    check_lengths,
    check_same_runs,
    lasts_of,
    run,
)


def colony_of(
    instance: TspInstance, seed: int = 1, threads: int = 1, **values: object
) -> FocusedCpuColony:
    parameters = FocusedParameters(**values)  # type: ignore[arg-type]
    return FocusedCpuColony(instance, parameters.resolved(instance.n), seed, threads=threads)


@pytest.mark.parametrize("name", HOSTILE)
def test_every_iteration_has_a_tour_of_the_length_it_says(name: str) -> None:
    instance = HOSTILE[name]
    snapshots = run(colony_of(instance, cooling=8, heat=3), 40)
    check_lengths(snapshots, instance.n)


@pytest.mark.parametrize("cities", [1000, 5000])
def test_cells_that_disturb_each_other_still_make_a_tour(cities: int) -> None:
    """A high temperature and long stretches: most ants change much, and cells overlap."""
    instance = makers.uniform(cities, size=100_000)
    assert states.cells_of(cities) > 1
    values = {"heat": 20, "kick": 300, "ants": 20 * states.cells_of(cities), "cooling": 1}
    for snapshot in run(colony_of(instance, **values), 60):
        assert snapshot.iteration_solution is not None


@pytest.fixture(scope="module")
def large() -> TspInstance:
    """Several cells."""
    return makers.uniform(10_000, size=1_000_000)


def test_cells_make_one_tour(large: TspInstance) -> None:
    assert states.patch_size(large.n) < large.n
    snapshots = run(colony_of(large), 6)
    lengths = [snapshot.cost for snapshot in snapshots]
    assert lengths[-1] < 0.99 * lengths[0]


@pytest.mark.parametrize("kind", ["two cells", "several"])
def test_the_tours_do_not_depend_on_the_number_of_threads(kind: str, large: TspInstance) -> None:
    instance = makers.uniform(1500, size=100_000) if kind == "two cells" else large
    one = run(colony_of(instance, threads=1, ants=2000), 3)
    several = run(colony_of(instance, threads=3, ants=2000), 3)
    check_same_runs(one, several)


def test_at_the_end_of_a_cycle_nothing_longer_is_kept() -> None:
    snapshots = run(colony_of(makers.uniform(500), cooling=10, heat=3), 21)
    lengths = lasts_of(snapshots[1:])
    for cycle in (lengths[:10], lengths[10:]):
        assert cycle[-1] == min(cycle)
        assert max(cycle) > cycle[-1]
    assert lengths[-1] == snapshots[-1].best_cost  # crossed with what the first one led to


def test_trails_are_strong_where_tours_agree() -> None:
    instance = makers.uniform(300)
    colony = colony_of(instance, rho=0.2)
    with closing(colony):
        colony.iterate(40)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        city, following = snapshot.best_solution[:2]
        trails = colony.trails_from(int(city))
        assert snapshot.trails is not None
        assert snapshot.branching is not None
        assert 1 <= snapshot.branching <= 7
        assert snapshot.limits[1] == 100
        assert trails.min() == 1
        assert 10 < trails.max() <= 100
        assert snapshot.pheromone.max() > 10
        assert trails[following] > np.median(trails)


@pytest.mark.parametrize("cities", [1500, 10_000])
def test_most_of_what_the_ants_of_all_cells_find_is_made(cities: int) -> None:
    instance = makers.uniform(cities, size=1_000_000)
    colony = colony_of(instance, heat=0)
    assert states.cells_of(cities) > 1
    with closing(colony):
        colony.iterate(2)
        before = colony.snapshot(FULL)
        colony.iterate(1)
        length, shorter = lasts_of([before, colony.snapshot(FULL)])
        made = length - shorter
        log = colony._shared.log
        edges = [log.edges[cell] for cell in range(states.cells_of(cities))]
        old, new = (
            np.concatenate([side[cell, :count] for cell, count in enumerate(edges)])
            for side in (log.old, log.new)
        )
    lengths = instance.distances(old[:, 0], old[:, 1]), instance.distances(new[:, 0], new[:, 1])
    found = lengths[0].sum() - lengths[1].sum()
    assert found > 0
    assert 0.8 * found < made < 1.2 * found


def test_a_long_edge_between_parts_far_apart_goes_at_once() -> None:
    """The tour goes through a grid row by row, and back by an edge as long as the grid.

    No exchange of a few edges gets rid of that edge.
    """
    x, y = np.arange(300) % 10, np.arange(300) // 10
    moved = np.random.default_rng(1).integers(-2, 3, (300, 2))
    instance = makers.points(10 * np.column_stack((x, y)) + moved)
    rows = np.arange(300, dtype=np.int32).reshape(30, 10)
    rows[1::2] = rows[1::2, ::-1]
    colony = FocusedCpuColony(
        instance, FocusedParameters().resolved(instance.n), 1, threads=1, start=rows.ravel()
    )
    first, *_, last = run(colony, 11)
    assert first.cost < 1.03 * last.cost
