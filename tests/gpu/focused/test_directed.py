"""Focused colonies on directed instances: their cities are doubled, and nobody sees it."""

from __future__ import annotations

import itertools
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.snapshot import Wanted
from gpu.focused.cpu import state as states
from gpu.focused.cpu.directed import prepared
from gpu.focused.parameters import MOST_DIRECTED, FocusedParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.run.session import new_session
from tests.gpu.cpu import makers
from tests.gpu.focused.test_cpu import colony_of
from tests.gpu.tour_changes.cases import check_lengths, check_same_runs, run


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
def test_every_iteration_has_a_tour_of_the_length_it_says(n: int, kind: str) -> None:
    """Making a snapshot checks it. It is hot, so that much is changed and merged."""
    instance = directed(random_matrix(n, n, kind))
    snapshots = run(colony_of(instance, cooling=8, heat=3, kick=n), 30)
    check_lengths(snapshots, n)


@given(st.integers(3, 30), st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
@settings(max_examples=60, deadline=None)
def test_reduced_distances_shorten_all_tours_alike(n: int, seed: int, kind: str) -> None:
    instance = directed(random_matrix(n, seed, kind))
    reduced, tour = prepared(instance)
    assert reduced.min() >= 0
    rng = np.random.default_rng(seed)
    less = set()
    for some in (tour, rng.permutation(n).astype(np.int32), rng.permutation(n).astype(np.int32)):
        after = int(reduced[some, np.roll(some, -1)].sum(dtype=np.int64))
        less.add(instance.tour_length(some) - after)
    assert len(less) == 1
    np.testing.assert_array_equal(np.sort(tour), np.arange(n))


def test_an_assignment_that_is_a_tour_is_the_first_tour() -> None:
    matrix = np.full((50, 50), 7)
    order = np.random.default_rng(1).permutation(50)
    matrix[order, np.roll(order, -1)] = 2
    reduced, tour = prepared(directed(matrix))
    assert directed(matrix).tour_length(tour) == 100
    assert not reduced[tour, np.roll(tour, -1)].any()


def test_the_tours_do_not_depend_on_the_number_of_threads() -> None:
    """It is hot, and there are cells of an odd number of cities."""
    instance = makers.directed(2001)
    assert states.cells_of(2 * instance.n) > 2
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
    n = MOST_DIRECTED + 1
    large = directed(np.broadcast_to(np.int32(1), (n, n)))
    with pytest.raises(ParameterError, match=r"up to 4,096 cities, and explicit has 4,097: choose"):
        colony_of(large)


def test_the_lists_of_symmetric_instances_are_refused() -> None:
    with pytest.raises(ParameterError, match="nearness = alpha is for symmetric instances"):
        new_session(
            makers.directed(20), colony="focused", device="cpu", parameters={"nearness": "alpha"}
        )
    FocusedParameters(nearness="alpha").check(makers.uniform(20))
