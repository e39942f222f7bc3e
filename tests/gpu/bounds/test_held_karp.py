"""Bounds by 1-trees: no tour is shorter, whatever the instance is, and few are much longer."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.bounds import held_karp
from gpu.bounds.held_karp import bound_by_penalties, tour_bound
from gpu.core.errors import SolutionError
from gpu.problems.tsp.distances import LARGEST_DISTANCE, Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.cpu import makers

FLAT = (
    Metric.EUC_2D, Metric.CEIL_2D, Metric.FLOOR_2D, Metric.MAN_2D, Metric.MAX_2D, Metric.ATT,
    Metric.GEO,
)  # fmt: skip
IN_SPACE = (Metric.EUC_3D, Metric.MAN_3D, Metric.MAX_3D, Metric.XRAY1, Metric.XRAY2)


def optimum(instance: TspInstance) -> int:
    orders = np.array(list(itertools.permutations(range(1, instance.n))), np.int64)
    tours = np.column_stack((np.zeros(len(orders), np.int64), orders))
    return int(instance.distances(tours, np.roll(tours, -1, axis=1)).sum(axis=1).min())


def under(metric: Metric, n: int, side: int, seed: int) -> TspInstance:
    """Cities at random places of a lattice: many are at the same one where ``side`` is small."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, side, (n, 3 if metric in IN_SPACE else 2)).astype(float)
    if metric is Metric.GEO:
        places = places % 89
    return TspInstance("places", "", metric, places, None, places[:, :2])


def bounded(instance: TspInstance) -> int:
    bound = tour_bound(instance)
    assert bound is not None
    assert bound_by_penalties(instance, bound.witness).cost == bound.cost
    return bound.cost


@pytest.mark.parametrize("metric", [*FLAT, *IN_SPACE])
@given(n=st.integers(3, 7), side=st.sampled_from([1, 2, 4, 1000]), seed=st.integers(0, 10**6))
def test_no_tour_is_shorter(metric: Metric, n: int, side: int, seed: int) -> None:
    instance = under(metric, n, side, seed)
    assert 0 <= bounded(instance) <= optimum(instance)


def test_heaps_of_cities_have_a_bound_like_that_of_their_places() -> None:
    one = makers.uniform(40, size=10_000)
    assert one.coordinates is not None
    at = np.random.default_rng(2).permutation(np.repeat(one.coordinates, 12, axis=0))
    heaps = TspInstance("heaps", "", Metric.EUC_2D, at, None, at)
    assert 0.98 * bounded(one) <= bounded(heaps) <= bounded(one)


@given(
    n=st.integers(3, 7),
    largest=st.sampled_from([1, 3, 1000, LARGEST_DISTANCE]),
    directed=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_no_tour_of_a_matrix_is_shorter(n: int, largest: int, directed: bool, seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(0, largest + 1, (n, n))
    if not directed:
        matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    instance = makers.explicit(matrix, directed=directed)
    assert 0 <= bounded(instance) <= optimum(instance)


@given(seed=st.integers(0, 10**6), size=st.sampled_from([1, 100, 10**6, 2**62]))
def test_whatever_the_penalties_are_no_tour_is_shorter(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    for instance in (makers.uniform(7, seed), makers.symmetric(7, seed), makers.directed(7, seed)):
        penalties = rng.integers(-size, size, 14 if instance.directed else 7)
        assert 0 <= bound_by_penalties(instance, penalties).cost <= optimum(instance)


@pytest.mark.parametrize("seed", range(5))
def test_most_bounds_of_few_cities_are_optimal(seed: int) -> None:
    for instance in (makers.uniform(8, seed), makers.symmetric(8, seed), makers.directed(8, seed)):
        assert 0.85 * optimum(instance) <= bounded(instance)
    ring = makers.ring(30 + seed)
    assert bounded(ring) == ring.optimum


@pytest.mark.parametrize("side", [2, 30, 10**9])
def test_thousands_of_cities_at_few_places_or_far_apart(side: int) -> None:
    rng = np.random.default_rng(side)
    instance = makers.points(rng.integers(0, side, (2000, 2)))
    clustered = makers.points(rng.integers(0, side, (10, 2))[rng.integers(0, 10, 2000)])
    for one in (instance, clustered):
        tour = np.lexsort(one.display.T)
        assert 0 < bounded(one) <= one.tour_length(tour)


def test_a_lattice_is_bounded_by_its_edges() -> None:
    grid = makers.grid(30, 20)
    assert grid.optimum is not None
    assert 0.995 * grid.optimum <= bounded(grid) <= grid.optimum


@pytest.mark.parametrize("n", [400, 900])
def test_matrices_of_equal_distances(n: int) -> None:
    rng = np.random.default_rng(n)
    half = np.triu(rng.integers(1, 4, (n, n)), 1)
    assert bounded(makers.explicit(half + half.T)) == n  # there is a tour of edges that are 1 long
    assert bounded(makers.explicit(np.full((60, 60), 7))) == 60 * 7
    assert bounded(makers.explicit(np.full((60, 60), 7), directed=True)) == 60 * 7


def test_the_same_instance_has_the_same_bound() -> None:
    one, same = makers.uniform(500), makers.uniform(500)
    first, second = tour_bound(one), tour_bound(same)
    assert first is not None
    assert second is not None
    assert first.cost == second.cost
    assert np.array_equal(first.witness, second.witness)
    assert tour_bound(one) is first
    assert np.array_equal(
        bound_by_penalties(one, first.witness + 12345).cost, first.cost
    )  # all penalties may be larger by the same


def test_it_ends_when_it_should() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    assert tour_bound(makers.uniform(400, 77), stop) is None
    assert asked < 20
    with held_karp._one_at_a_time:  # another one is looked for
        ended = threading.Event()
        ended.set()
        assert tour_bound(makers.uniform(400, 78), ended.is_set) is None


@pytest.mark.parametrize("witness", [np.zeros(3, np.int64), np.zeros(30), np.zeros((30, 1), int)])
def test_other_witnesses_show_nothing(witness: np.ndarray) -> None:
    with pytest.raises(SolutionError, match="is shown by 30 penalties"):
        bound_by_penalties(makers.uniform(30), witness)


def test_too_many_cities_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_karp, "BOUND_CITIES", 50)
    monkeypatch.setattr(held_karp, "PAIRS_MOST", 40)
    assert tour_bound(makers.uniform(51)) is None
    assert tour_bound(makers.uniform(50)) is not None
    assert tour_bound(makers.symmetric(41)) is None
    assert tour_bound(makers.directed(41)) is None
    with pytest.raises(SolutionError):
        bound_by_penalties(makers.uniform(51), np.zeros(51, int))


CLOSE = {
    "berlin52": 0.1, "att48": 1, "gr96": 1.2, "lin318": 1, "pcb442": 1, "att532": 1, "gr666": 1,
    "si175": 1, "brazil58": 1, "pr1002": 1, "nrw1379": 1, "fnl4461": 1, "pla7397": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", CLOSE)
def test_bounds_are_close_below_the_optimum(tsplib: Path, name: str) -> None:
    instance = load(tsplib / f"{name}.tsp")
    assert instance.optimum is not None
    gap = 100 * (1 - bounded(dataclasses.replace(instance)) / instance.optimum)
    assert 0 <= gap <= CLOSE[name]
