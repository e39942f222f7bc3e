"""Whole tours are settled: shorter, of all cities, and the same however many threads."""

from __future__ import annotations

import numpy as np

from gpu.cpu.greedy import greedy_tour
from gpu.focused.cpu.settling import Settling
from gpu.problems.tsp.quadrants import quadrant_neighbours
from tests.gpu.cpu import makers


def test_settled_tours_are_shorter_by_what_is_said() -> None:
    instance = makers.uniform(150, seed=4)
    neighbours = quadrant_neighbours(instance, 8)
    first = greedy_tour(instance, neighbours)
    tours = np.array([first, first[::-1], np.roll(first, 50), np.arange(150)], np.int32)
    before = [instance.tour_length(tour) for tour in tours]
    settling = Settling(instance, neighbours)
    gains = settling.settle(tours)
    assert min(gains) > 0
    for tour, length, gain in zip(tours, before, gains, strict=True):
        assert sorted(tour) == list(range(150))
        assert instance.tour_length(tour) == length - gain
    alone = np.array([first], np.int32)
    assert settling.settle(alone) == gains[:1]
    np.testing.assert_array_equal(alone[0], tours[0])
    assert settling.settle(alone) == [0]  # it is settled
