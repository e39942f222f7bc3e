"""Crossing tours: the shorter part of each, whatever the parts are."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.focused.cpu.merge import PartitionCrossover, crossed
from tests.gpu.cpu import makers


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
