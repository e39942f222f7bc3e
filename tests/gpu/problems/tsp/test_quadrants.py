"""Lists with the nearest cities and those around, against their definition, city by city."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.problems.tsp import distances, neighbours
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE, nearest_neighbours, quadrant_neighbours
from tests.gpu.cpu import makers


def quadrant(x: float, y: float) -> int:
    """Right and up with the axis to the right, then counter-clockwise; -1 for the same place."""
    return -1 if x == 0 == y else int(math.atan2(y, x) / (math.pi / 2) // 1) % 4


def plain(instance: TspInstance, k: int) -> list[list[int]]:
    table = instance.all_distances().tolist()
    rows = []
    for city, (x, y) in enumerate(instance.coordinates.tolist()):
        away = table[city]
        order = sorted(set(range(instance.n)) - {city}, key=lambda other: (away[other], other))
        k = min(k, len(order))
        row, quadrants = [], [0] * 4
        for other in order:
            turn = quadrant(*(instance.coordinates[other] - (x, y)))
            if turn >= 0 and quadrants[turn] < 2:
                quadrants[turn] += 1
                row.append(other)
        row = row[:k]
        row += [other for other in order if other not in row][: k - len(row)]
        rows.append(sorted(row, key=lambda other: (away[other], other)))
    return rows


def check(instance: TspInstance, lists: np.ndarray, k: int) -> None:
    """The lists hold other cities alone, none twice, ordered by (distance, index)."""
    cities = np.arange(instance.n)[:, None]
    assert lists.shape == (instance.n, min(k, instance.n - 1))
    assert lists.dtype == np.int32
    assert lists.min() >= 0
    assert lists.max() < instance.n
    assert not np.any(lists == cities)
    keys = instance.distances(cities, lists) * instance.n + lists
    assert np.all(np.diff(keys, axis=1) > 0)


@pytest.mark.parametrize("metric", PLANE)
@settings(max_examples=40)
@given(data=st.data())
def test_the_lists_follow_their_definition(metric: Metric, data: st.DataObject) -> None:
    # Few values on a small lattice: ties and cities in line are the rule.
    side = data.draw(st.sampled_from([1, 3, 40]))
    value = st.integers(0, side).map(float)
    xy = data.draw(st.lists(st.tuples(value, value), min_size=5, max_size=60, unique=True))
    instance = makers.points(xy, metric)
    k = data.draw(st.integers(1, 12))
    lists = quadrant_neighbours(instance, k)
    check(instance, lists, k)
    assert lists.tolist() == plain(instance, k)


def test_many_cities_follow_the_definition_too() -> None:
    instance = makers.points(np.random.default_rng(1).random((300, 2)) * 1e4)
    for k in (6, 8):
        lists = quadrant_neighbours(instance, k)
        check(instance, lists, k)
        # A city at the border may look further than the tree was asked.
        same = np.all(lists == plain(instance, k), axis=1)
        assert same.mean() > 0.9


def test_clusters_have_edges_between_them() -> None:
    middle = np.repeat([(0, 0), (0, 1000), (1000, 0), (1000, 1000)], 20, axis=0)
    points = middle + np.random.default_rng(3).integers(0, 30, (80, 2))
    instance = makers.points(points)
    cluster = np.arange(80) // 20
    nearest, around = nearest_neighbours(instance, 8), quadrant_neighbours(instance, 8)
    assert np.all(cluster[nearest] == cluster[:, None])
    assert np.mean(np.any(cluster[around] != cluster[:, None], axis=1)) > 0.5


@pytest.mark.parametrize("metric", PLANE)
def test_heaps_at_one_place_hide_nobody(metric: Metric) -> None:
    places = np.random.default_rng(9).integers(0, 100, (8, 2))
    instance = makers.points(np.repeat(places, 300, axis=0), metric)
    lists = quadrant_neighbours(instance, 8)
    check(instance, lists, 8)
    place = np.arange(2400) // 300
    assert np.all(np.any(place[lists] != place[:, None], axis=1))
    number = np.arange(2400) % 300
    assert np.all(np.isin(np.flatnonzero((number >= 8) & (number < 299)), lists))


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((3000, 2)),
        np.column_stack((np.arange(1000.0), np.zeros(1000))),
        np.column_stack((np.zeros(500), np.arange(500) % 7)),
        np.random.default_rng(2).random((3000, 2)) * 1e-3,  # all distances are 0
        np.random.default_rng(2).integers(0, 30, (3000, 2)) + 5e8,
        np.concatenate((np.random.default_rng(2).random((500, 2)), [[1e8, 1e8], [-1e8, 0]])),
    ],
    ids=["one place", "a line", "few places", "tiny", "far off", "far away cities"],
)
def test_hostile_places(points: np.ndarray) -> None:
    instance = makers.points(points)
    for k in (1, 2, 5, 8, 40):
        check(instance, quadrant_neighbours(instance, k), k)


@pytest.mark.parametrize(
    "instance",
    [
        makers.symmetric(30),
        makers.points(np.random.default_rng(5).random((50, 3)) * 100, Metric.EUC_3D),
        makers.points(np.random.default_rng(5).random((50, 2)) * 80, Metric.GEO),
    ],
    ids=["matrix", "solid", "sphere"],
)
def test_without_a_plane_they_are_the_nearest(instance: TspInstance) -> None:
    assert np.array_equal(quadrant_neighbours(instance, 8), nearest_neighbours(instance, 8))
    assert quadrant_neighbours(instance, 99).shape == (instance.n, instance.n - 1)


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.points(np.random.default_rng(3).random((300, 2)) * 1e6)
    whole = quadrant_neighbours(instance, 8)
    monkeypatch.setattr(distances, "BLOCK_PAIRS", 300)
    assert np.array_equal(quadrant_neighbours(instance, 8), whole)
    monkeypatch.setattr(neighbours, "LOOKED_AT", (384,))
    assert np.array_equal(quadrant_neighbours(instance, 8), whole)
