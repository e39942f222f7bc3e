"""Lists by α-nearness: that they are lists, that the bound is one, and that tours are on them."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from gpu.cpu.alpha import alpha_neighbours
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours
from gpu.problems.tsp.tours import load_tour
from gpu.problems.tsp.tsplib import load
from tests.gpu.cpu import makers
from tests.gpu.cpu.test_greedy import LIMITED


def optimum(instance: TspInstance) -> int:
    orders = np.array(list(itertools.permutations(range(1, instance.n))), np.int64)
    tours = np.column_stack((np.zeros(len(orders), np.int64), orders))
    return int(instance.distances(tours, np.roll(tours, -1, axis=1)).sum(axis=1).min())


@pytest.mark.parametrize("k", [1, 5, 12])
@pytest.mark.parametrize("name", LIMITED)
def test_the_lists_hold_other_cities_once(name: str, k: int) -> None:
    instance = LIMITED[name]
    made = alpha_neighbours(instance, k, steps=20)
    lists, n = made.neighbours, instance.n
    assert lists.shape == (n, min(k, n - 1))
    assert lists.dtype == np.int32
    assert lists.min() >= 0
    assert lists.max() < n
    assert not np.any(lists == np.arange(n)[:, None])
    assert np.all(np.diff(np.sort(lists, axis=1), axis=1) > 0)
    assert made.penalties.shape == (n,)
    assert np.all(np.isfinite(made.penalties))
    again = alpha_neighbours(instance, k, steps=20)
    assert np.array_equal(again.neighbours, lists)
    assert np.array_equal(again.penalties, made.penalties)
    assert again.bound == made.bound


@pytest.mark.parametrize("seed", range(6))
def test_no_tour_is_shorter_than_the_bound(seed: int) -> None:
    for instance in (makers.uniform(8, seed), makers.symmetric(8, seed), makers.crowded(8, seed)):
        best = optimum(instance)
        bound = alpha_neighbours(instance, 7).bound
        assert 0.8 * best <= bound <= best


def test_a_tree_that_is_a_tour_ends_the_ascent() -> None:
    instance = makers.ring(60)
    made = alpha_neighbours(instance, 2)
    assert made.bound == instance.optimum
    assert instance.optimum is not None
    around = instance.distances(np.arange(60)[:, None], made.neighbours)
    assert around.sum() == 2 * instance.optimum


def test_the_bound_is_close_to_the_optimum() -> None:
    instance = makers.grid(30, 20)
    made = alpha_neighbours(instance, 5)
    assert instance.optimum is not None
    assert 0.98 * instance.optimum <= made.bound <= instance.optimum


@pytest.mark.parametrize("name", ["pcb442", "pr1002", "gr666"])
def test_the_optimal_tour_is_on_five_by_alpha(tsplib: Path, name: str) -> None:
    instance = load(tsplib / f"{name}.tsp")
    tour = load_tour(tsplib / f"{name}.opt.tour", instance)
    made = alpha_neighbours(instance, 5)
    best = instance.tour_length(tour)
    assert 0.985 * best <= made.bound <= best

    def share(lists: np.ndarray) -> float:
        sides = [lists[tour] == np.roll(tour, turn)[:, None] for turn in (1, -1)]
        return float(np.mean([side.any(axis=1) for side in sides]))

    assert share(made.neighbours) > 0.99
    assert share(made.neighbours) > share(nearest_neighbours(instance, 8))
