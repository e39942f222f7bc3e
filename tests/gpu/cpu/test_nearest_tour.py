"""The nearest-neighbour tour, against looking at every city."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from gpu.cpu.first_tours import nearest_neighbour_length, nearest_neighbour_tour
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
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


def plain(instance: TspInstance) -> list[int]:
    tour, left = [0], np.arange(1, instance.n)
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


@pytest.mark.slow
def test_time_and_memory_hardly_grow_faster_than_cities() -> None:
    nearest_neighbour_tour(makers.uniform(10))  # imports and compiles, in memory of its own
    times = []
    for n in (4_000, 200_000):
        instance = makers.uniform(n, size=10**6)
        tracemalloc.start()
        start = time.process_time()
        tour = nearest_neighbour_tour(instance)
        times.append(time.process_time() - start)
        assert tracemalloc.get_traced_memory()[1] < 500 * n + 2**20
        tracemalloc.stop()
        assert np.array_equal(np.sort(tour), np.arange(n))
    assert times[1] < 500 * times[0]  # some 90 times; 2500 if every step looked at every city
