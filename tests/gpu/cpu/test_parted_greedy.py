"""Greedy tours of very many cities, made part by part."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.machine import blocks
from gpu.cpu import parted_greedy
from gpu.cpu.first_tours import greedy_tour
from gpu.cpu.geometry import geometry_of
from gpu.cpu.parted_greedy import parted_greedy_tours
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE, quadrant_neighbours
from tests.gpu.cpu import makers


def _made(instance: TspInstance, count: int = 1, seed: int | None = None) -> NDArray[np.int32]:
    lists = quadrant_neighbours(instance, 8)
    tours = parted_greedy_tours(geometry_of(instance, 0.0), lists, count, seed)
    assert tours.shape == (count, instance.n)
    assert np.array_equal(np.sort(tours), np.tile(np.arange(instance.n), (count, 1)))
    return tours


def test_of_one_part_it_is_as_long_as_the_greedy_tour() -> None:
    instance = makers.uniform(3000, size=10**6)
    (tour,) = _made(instance)
    greedy = greedy_tour(instance, quadrant_neighbours(instance, 8))
    assert instance.tour_length(tour) == pytest.approx(instance.tour_length(greedy), rel=0.001)


def test_of_several_parts_it_is_a_little_longer() -> None:
    instance = makers.uniform(2 * blocks.BLOCK + 5, size=10**7)
    (tour,) = _made(instance)
    greedy = greedy_tour(instance, quadrant_neighbours(instance, 8))
    assert instance.tour_length(tour) < 1.01 * instance.tour_length(greedy)


def test_drawn_tours_differ_and_follow_from_the_seed() -> None:
    instance = makers.uniform(2000, size=10**6)
    tours = _made(instance, 3, 5)
    assert np.array_equal(tours, _made(instance, 3, 5))
    assert np.array_equal(tours[:1], _made(instance, 1, 5))
    assert not np.array_equal(tours, _made(instance, 3, 6))
    lengths = [instance.tour_length(tour) for tour in tours]
    assert len(set(lengths)) == 3
    (plain,) = _made(instance)
    assert max(lengths) < 1.1 * instance.tour_length(plain)


@pytest.mark.parametrize("metric", PLANE)
def test_heaps_and_lines_have_tours(metric: Metric) -> None:
    rng = np.random.default_rng(3)
    for points in (
        np.zeros((500, 2)),
        np.column_stack((np.arange(700.0), np.zeros(700))),
        np.repeat(rng.integers(0, 100, (8, 2)), 100, axis=0),
        np.concatenate((rng.random((500, 2)), [[1e8, 1e8], [-1e8, 0]])),
    ):
        _made(makers.points(points, metric), 2, 1)


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(2 * blocks.BLOCK + 5, size=10**7)
    tours = _made(instance), _made(instance, 2, 1)
    for module in (blocks, parted_greedy):
        monkeypatch.setattr(module, "usable_cores", lambda: 3)
    for before, after in zip(tours, (_made(instance), _made(instance, 2, 1)), strict=True):
        assert np.array_equal(before, after)
