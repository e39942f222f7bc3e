"""Focused colonies on the CPU: tours, directed instances, and the crossing of tours."""

from __future__ import annotations

import itertools
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError, ParameterError
from gpu.core.machine.processors import SPARE
from gpu.core.snapshot import Wanted
from gpu.focused.cpu import state as states
from gpu.focused.cpu.colony import FocusedCpuColony
from gpu.focused.cpu.directed import doubled
from gpu.focused.cpu.merge import PartitionCrossover, crossed
from gpu.focused.parameters import MOST_DIRECTED, FocusedParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.run.session import new_session
from gpu.tour_changes.cpu.cells import cells_of
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
    assert cells_of(cities) > 1
    values = {"heat": 20, "kick": 300, "ants": 20 * cells_of(cities), "cooling": 1}
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
    assert cells_of(cities) > 1
    with closing(colony):
        colony.iterate(2)
        before = colony.snapshot(FULL)
        colony.iterate(1)
        length, shorter = lasts_of([before, colony.snapshot(FULL)])
        made = length - shorter
        log = colony._shared.log
        edges = [log.edges[cell] for cell in range(cells_of(cities))]
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


def directed(matrix: NDArray[np.integer]) -> TspInstance:
    return makers.explicit(matrix, directed=True)


def shortest(instance: TspInstance) -> int:
    """Length of the shortest tour, by trying all."""
    orders = itertools.permutations(range(1, instance.n))
    tours = np.array([(0, *order) for order in orders])
    return int(instance.distances(tours, np.roll(tours, -1, axis=1)).sum(axis=1).min())


def random_matrix(n: int, seed: int, kind: str) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    match kind:
        case "few lengths":
            return rng.integers(0, 3, (n, n))
        case "zeros":
            return np.where(rng.random((n, n)) < 0.7, 0, rng.integers(0, 1000, (n, n)))
        case "extremes":
            return rng.choice([0, 1, 2**31 - 1], (n, n))
        case "one way":
            return np.where(np.triu(np.ones((n, n)), 1) > 0, 1, rng.integers(10_000, 10**9, (n, n)))
        case "nothing":
            return np.zeros((n, n), np.int64)
    return rng.integers(0, 10**6, (n, n))


KINDS = ["few lengths", "zeros", "extremes", "one way", "nothing", "any"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_small_instances_are_solved(n: int, kind: str) -> None:
    for seed in range(3):
        instance = directed(random_matrix(n, seed, kind))
        assert run(colony_of(instance, seed), 60)[-1].best_cost == shortest(instance)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [9, 50, 300])
def test_directed_every_iteration_has_a_tour_of_the_length_it_says(n: int, kind: str) -> None:
    """Making a snapshot checks it. It is hot, so that much is changed and merged."""
    instance = directed(random_matrix(n, n, kind))
    snapshots = run(colony_of(instance, cooling=8, heat=3, kick=n), 30)
    check_lengths(snapshots, n)


def test_an_assignment_that_is_a_tour_is_the_first_tour() -> None:
    matrix = np.full((50, 50), 7)
    order = np.random.default_rng(1).permutation(50)
    matrix[order, np.roll(order, -1)] = 2
    lists, tour = doubled(directed(matrix), 8)
    assert directed(matrix).tour_length(tour[::2] // 2) == 100
    assert not lists.lengths[:, 0].any()


@pytest.mark.parametrize("n", [6, 40])
def test_forbidden_edges_are_left_if_there_is_a_way_without_them(n: int) -> None:
    """All but two edges of each city are as long as a distance can be."""
    rng = np.random.default_rng(n)
    matrix = np.full((n, n), 2**31 - 1)
    for _ in range(2):
        order = rng.permutation(n)
        matrix[order, np.roll(order, -1)] = rng.integers(0, 10, n)
    *_, last = run(colony_of(directed(matrix), 1), 60)
    assert last.best_cost < 10 * n


def test_directed_the_tours_do_not_depend_on_the_number_of_threads() -> None:
    """It is hot, and there are cells of an odd number of cities."""
    instance = makers.directed(2001)
    assert cells_of(2 * instance.n) > 2
    one, several = (run(colony_of(instance, threads=threads, heat=9), 6) for threads in (1, 3))
    check_same_runs(one, several)


def test_trails_are_those_of_the_cities_in_their_direction() -> None:
    instance = makers.directed(40)
    colony = colony_of(instance, rho=0.2, cooling=5)
    with closing(colony):
        colony.iterate(40)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        rows = np.array([colony.trails_from(city) for city in range(instance.n)])
    tour = snapshot.best_solution
    assert tour is not None
    assert snapshot.pheromone.shape == rows.shape == (40, 40)
    np.testing.assert_array_equal(snapshot.pheromone, rows[np.ix_(tour, tour)])
    following = np.roll(tour, -1)
    assert np.median(rows[tour, following]) > 50
    assert np.median(rows[following, tour]) == 1
    start, end = snapshot.trails.edges[0]
    assert rows[start, end] == rows.max()


def test_too_many_cities_are_refused_with_a_colony_that_can() -> None:
    large = makers.points(np.zeros((MOST_DIRECTED + 1, 2)), directed=True)
    with pytest.raises(ParameterError, match=r"up to 20,000 cities, and points has 20,001: choose"):
        colony_of(large)


def test_the_memory_of_a_table_of_distances_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cpu.main_memory.free_memory", lambda: SPARE + (1 << 28))
    cities = makers.points(np.zeros((10_000, 2)), directed=True)
    with pytest.raises(DeviceMemoryError, match=r"0\.4 GiB of it for the table of distances"):
        colony_of(cities)


def test_the_lists_of_symmetric_instances_are_refused() -> None:
    with pytest.raises(ParameterError, match="nearness = alpha is for symmetric instances"):
        new_session(
            makers.directed(20), colony="focused", device="cpu", parameters={"nearness": "alpha"}
        )
    FocusedParameters(nearness="alpha").check(makers.uniform(20))


def bridged(tour: np.ndarray, at: int, length: int) -> np.ndarray:
    """Three neighbouring stretches change places."""
    cuts = [at + i * length for i in range(4)]
    return np.concatenate(
        (
            tour[: cuts[0]],
            tour[cuts[2] : cuts[3]],
            tour[cuts[1] : cuts[2]],
            tour[cuts[0] : cuts[1]],
            tour[cuts[3] :],
        )
    ).astype(np.int32)


def turned(tour: np.ndarray, first: int, last: int) -> np.ndarray:
    other = tour.copy()
    other[first:last] = other[first:last][::-1]
    return other


def test_a_part_that_leaves_two_tours_is_taken_with_another_one() -> None:
    """A double bridge is two exchanges of two edges: each alone makes two tours of one."""
    ring = makers.ring(80)
    x, y = ring.coordinates.T
    best = np.argsort(np.arctan2(y, x)).astype(np.int32)
    assert ring.tour_length(best) == ring.optimum
    a, b = bridged(best, 5, 3), turned(best, 40, 70)
    assert ring.tour_length(a) < ring.tour_length(b)
    tour, length = PartitionCrossover(ring).best_of([a, b])
    assert length == ring.optimum == ring.tour_length(tour)


@pytest.mark.parametrize("seed", range(20))
def test_the_result_is_a_tour_no_longer_than_any(seed: int) -> None:
    rng, instance = np.random.default_rng(seed), makers.uniform(60)
    tours = [rng.permutation(60).astype(np.int32)]
    for _ in range(4):
        first, last = np.sort(rng.integers(0, 60, 2))
        tours.append(bridged(turned(tours[-1], first, last), int(rng.integers(1, 20)), 5))
    tour, length = PartitionCrossover(instance).best_of(tours)
    assert sorted(tour) == list(range(60))
    assert length == instance.tour_length(tour) <= min(map(instance.tour_length, tours))


def test_tours_stay_different_and_the_first_is_the_best() -> None:
    rng, instance = np.random.default_rng(1), makers.uniform(50)
    before = np.array([rng.permutation(50) for _ in range(4)], np.int32)
    after = np.array([turned(tour, 3, 20) for tour in before], np.int32)
    made, lengths = crossed(PartitionCrossover(instance), before, after, 1)
    assert lengths == [instance.tour_length(tour) for tour in made]
    assert lengths[0] == min(lengths)
    assert lengths[0] <= min(instance.tour_length(tour) for tour in (*before, *after))
    assert len({tuple(tour) for tour in made}) > 1
