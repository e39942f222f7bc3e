"""The nearest-neighbour tour and the greedy one, against their rules in plain Python."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.cpu.first_tours import (
    curve_tour,
    greedy_tour,
    nearest_neighbour_length,
    nearest_neighbour_tour,
)
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours, quadrant_neighbours
from tests.gpu.cpu import makers
from tests.gpu.cpu.test_geometry import instance_of

INSTANCES = {
    "uniform": makers.uniform(1000),
    "ties": makers.grid(12, 10),
    "places shared": makers.crowded(150),
    "one place": makers.points(np.full((300, 2), 7.0)),
    "a line": makers.points(np.column_stack((np.arange(700.0), np.zeros(700)))),
    "far away": makers.points(1e9 + np.random.default_rng(3).random((500, 2)) * 1e4),
    "directed": makers.directed(100),
    **{f"{n} cities": makers.uniform(n) for n in (3, 8, 9, 64, 65)},
    **{metric.value: instance_of(metric) for metric in Metric},
}


def plain(instance: TspInstance, start: int = 0) -> list[int]:
    tour, left = [start], np.delete(np.arange(instance.n), start)
    while left.size:
        nearest = instance.distances(np.array(tour[-1]), left).argmin()
        tour.append(int(left[nearest]))
        left = np.delete(left, nearest)
    return tour


@pytest.mark.parametrize("name", INSTANCES)
def test_the_tour_is_that_of_looking_at_everyone(name: str) -> None:
    instance = INSTANCES[name]
    tour = nearest_neighbour_tour(instance)
    assert tour.dtype == np.int32
    assert not tour.flags.writeable
    assert tour.tolist() == plain(instance)
    assert nearest_neighbour_tour(instance) is tour
    assert nearest_neighbour_length(instance) == instance.tour_length(tour)
    last = instance.n - 1
    assert nearest_neighbour_tour(instance, last).tolist() == plain(instance, last)


@pytest.mark.slow
def test_memory_grows_with_the_cities_alone() -> None:
    nearest_neighbour_tour(makers.uniform(10))  # imports and compiles, in memory of its own
    n = 200_000
    instance = makers.uniform(n, size=10**6)
    tracemalloc.start()
    tour = nearest_neighbour_tour(instance)
    assert tracemalloc.get_traced_memory()[1] < 500 * n + 2**20
    tracemalloc.stop()
    assert np.array_equal(np.sort(tour), np.arange(n))


LIMITED = {
    "3 cities": makers.uniform(3),
    "5 cities": makers.uniform(5),
    "uniform": makers.uniform(700),
    "ties": makers.grid(20, 15),
    "places shared": makers.crowded(500),
    "one place": makers.points(np.zeros((2000, 2))),
    "a line": makers.points(np.column_stack((np.arange(900.0), np.zeros(900)))),
    "clusters": makers.points(
        np.repeat(np.random.default_rng(1).integers(0, 10**6, (30, 2)), 40, axis=0)
        + np.random.default_rng(2).integers(0, 100, (1200, 2))
    ),
    "a matrix": makers.symmetric(80),
    "all equal": makers.explicit(np.ones((300, 300))),
    "a solid": makers.points(np.random.default_rng(5).random((300, 3)) * 1e3, Metric.EUC_3D),
    "motors": makers.points(np.random.default_rng(5).random((200, 3)) * 90, Metric.XRAY1),
    "sphere": makers.points(np.random.default_rng(5).random((300, 2)) * 80, Metric.GEO),
    "tiny": makers.points(np.random.default_rng(2).random((3000, 2)) * 1e-3),
}


def edges_of(tour: np.ndarray) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in zip(tour, np.roll(tour, 1), strict=True)}


def plain_greedy(instance: TspInstance) -> set[tuple[int, int]]:
    """Edges of the path that takes the shortest edges first, and of its two ends."""
    n = instance.n
    table = instance.all_distances()
    degree, fragment, kept = [0] * n, list(range(n)), set()
    pairs = sorted((int(table[a, b]), a, b) for a in range(n) for b in range(a + 1, n))
    for _, a, b in pairs:
        if degree[a] < 2 and degree[b] < 2 and fragment[a] != fragment[b]:
            kept.add((a, b))
            degree[a] += 1
            degree[b] += 1
            gone = fragment[b]
            fragment = [fragment[a] if one == gone else one for one in fragment]
    a, b = (city for city in range(n) if degree[city] == 1)
    return kept | {(a, b)}


@given(seed=st.integers(0, 10**6), n=st.integers(3, 40), side=st.sampled_from([2, 9, 10**4]))
def test_with_full_lists_it_is_the_plain_rule(seed: int, n: int, side: int) -> None:
    for instance in (makers.uniform(n, seed, side), makers.symmetric(n, seed)):
        tour = greedy_tour(instance, nearest_neighbours(instance, n - 1))
        assert edges_of(tour) == plain_greedy(instance)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("name", LIMITED)
def test_it_is_a_tour_from_any_lists(name: str, k: int) -> None:
    instance = LIMITED[name]
    for make in (nearest_neighbours, quadrant_neighbours):
        lists = make(instance, min(k, instance.n - 1))
        tour = greedy_tour(instance, lists)
        assert tour.dtype == np.int32
        assert np.array_equal(np.sort(tour), np.arange(instance.n))
        assert np.array_equal(greedy_tour(instance, lists), tour)


def test_shortest_edges_are_never_left_out() -> None:
    instance = makers.uniform(3000, size=10**6)
    lists = quadrant_neighbours(instance, 8)
    tour = greedy_tour(instance, lists)
    kept = edges_of(tour)
    nearest = lists[:, 0]
    mutual = np.flatnonzero(nearest[nearest] == np.arange(3000))
    assert all((min(a, b), max(a, b)) in kept for a, b in zip(mutual, nearest[mutual], strict=True))
    # Greedy tours of uniform cities are 14 to 20 % longer than the shortest.
    shortest = 0.7124 * np.sqrt(3000 * 1e12)
    assert instance.tour_length(tour) < 1.25 * shortest


@pytest.mark.parametrize("name", INSTANCES)
def test_the_tour_along_a_curve_visits_every_city(name: str) -> None:
    tour = curve_tour(INSTANCES[name])
    assert np.array_equal(np.sort(tour), np.arange(INSTANCES[name].n))
    assert not tour.flags.writeable


def test_hilbert_s_curve_goes_from_each_square_to_the_next() -> None:
    square = makers.grid(16, 16)
    assert square.tour_length(curve_tour(square)) < 1.1 * square.n * 10
