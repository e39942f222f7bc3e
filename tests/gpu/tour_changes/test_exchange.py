"""Exchanges of edges: what makes a tour is made, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.tour_changes.cpu.exchange import make
from gpu.tour_changes.cpu.state import Exchange, new_exchange
from tests.gpu.cpu.makers import caller


@caller
def made(
    tour: NDArray[np.int32], place: NDArray[np.int32], room: Exchange, count: np.int64
) -> bool:
    return make(tour, place, room, np.int64(0), count)


def edges(tour: NDArray[np.int32]) -> set[tuple[int, int]]:
    pairs = np.sort(np.column_stack((tour, np.roll(tour, -1))), axis=1)
    return set(map(tuple, pairs.tolist()))


def exchange(
    tour: NDArray[np.int32], old: list[tuple[int, int]], new: list[tuple[int, int]]
) -> bool:
    place = np.empty_like(tour)
    place[tour] = np.arange(tour.size)
    room = new_exchange(tour.size)
    room.old[: len(old)], room.new[: len(new)] = old, new
    room.order[:, : len(old)] = np.arange(len(old))
    done = made(tour, place, room, np.int64(len(old)))
    np.testing.assert_array_equal(tour[place], np.arange(tour.size))
    return done


@pytest.mark.parametrize("block", range(3))
def test_what_differs_between_two_tours_makes_one_of_the_other(block: int) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        differ(np.random.default_rng(seed))


def differ(rng: np.random.Generator) -> None:
    n = int(rng.integers(5, 60))
    tour = rng.permutation(n).astype(np.int32)
    other = tour.copy()
    for _ in range(rng.integers(1, 5)):
        first, last = np.sort(rng.integers(0, n + 1, 2))
        other[first:last] = other[first:last][::-1]
    old, new = edges(tour) - edges(other), edges(other) - edges(tour)
    mixed = [list(side) for side in (old, new)]
    for side in mixed:
        rng.shuffle(side)
    if old:
        assert exchange(tour, *mixed)
    assert edges(tour) == edges(other)


def test_what_makes_two_cycles_is_refused() -> None:
    for seed in range(100):
        make_two_cycles(np.random.default_rng(seed))


def make_two_cycles(rng: np.random.Generator) -> None:
    n = int(rng.integers(8, 40))
    tour = rng.permutation(n).astype(np.int32)
    before = tour.copy()
    first, last = np.sort(rng.choice(n - 2, 2, replace=False))
    if last - first < 2:
        return
    a, b, c, d = (int(tour[at]) for at in (first, first + 1, last, last + 1))
    assert not exchange(tour, [(a, b), (c, d)], [(a, d), (b, c)])  # both halves close
    np.testing.assert_array_equal(tour, before)
    assert exchange(tour, [(a, b), (c, d)], [(a, c), (b, d)])


def test_an_edge_that_the_tour_lacks_is_refused() -> None:
    tour = np.arange(10, dtype=np.int32)
    assert not exchange(tour, [(0, 1), (4, 6)], [(0, 4), (1, 6)])
    np.testing.assert_array_equal(tour, np.arange(10))


def test_a_city_between_two_old_edges_moves() -> None:
    tour = np.arange(8, dtype=np.int32)
    assert exchange(tour, [(1, 2), (2, 3), (5, 6)], [(1, 3), (5, 2), (2, 6)])
    assert edges(tour) == edges(np.array([0, 1, 3, 4, 5, 2, 6, 7], np.int32))
