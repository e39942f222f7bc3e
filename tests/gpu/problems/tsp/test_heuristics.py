"""The nearest-neighbour tour."""

import time

import numpy as np
import pytest

import gpu.problems.tsp.candidates
from gpu.problems.tsp.candidates import build_candidates
from gpu.problems.tsp.heuristics import nearest_neighbour_length, nearest_neighbour_tour
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers

INSTANCES = {
    "uniform": makers.uniform(200),
    "ties": makers.grid(12, 10),
    "places shared": makers.crowded(150),
    "directed": makers.directed(100),
    "3 cities": makers.uniform(3),
}


def plain(instance: TspInstance) -> list[int]:
    tour = [0]
    while len(tour) < instance.n:
        left = np.setdiff1d(np.arange(instance.n), tour)
        tour.append(int(left[instance.distances(np.array(tour[-1]), left).argmin()]))
    return tour


@pytest.mark.parametrize("backup", [3, 128])
@pytest.mark.parametrize("name", INSTANCES)
def test_the_tour_is_that_of_looking_at_everyone(
    name: str, backup: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu.problems.tsp.candidates, "BACKUP", backup)
    instance = INSTANCES[name]
    candidates = build_candidates(instance, min(4, instance.n - 1))
    tour = nearest_neighbour_tour(instance, candidates)
    assert tour.dtype == np.int32
    assert tour.tolist() == plain(instance)
    assert nearest_neighbour_length(instance, candidates) == instance.tour_length(tour)


@pytest.mark.slow
def test_time_hardly_grows_faster_than_cities() -> None:
    times = []
    for n in (4_000, 4_000, 40_000):  # the first compiles
        instance = makers.uniform(n, size=10**6)
        candidates = build_candidates(instance, 32)
        start = time.perf_counter()
        tour = nearest_neighbour_tour(instance, candidates)
        times.append(time.perf_counter() - start)
        assert np.array_equal(np.sort(tour), np.arange(n))
    assert times[2] < 50 * times[1]  # 100 times if every step looked at every city
