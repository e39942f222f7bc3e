"""Lists with the nearest cities, and with those around, against their definitions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.cpu.geometry import geometry_of
from gpu.cpu.quadrants import MOST_BY_TREE, lists_around, quadrant_lists, renumbered
from gpu.problems.tsp import distances, neighbours
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours, quadrant_neighbours
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.cpu import makers
from tests.gpu.problems.texts import PLANE, SOLID


def _instance(metric: Metric, points: object) -> TspInstance:
    coordinates = np.array(points, np.float64)
    return TspInstance("p", "", metric, coordinates, None, coordinates[:, :2])


def _brute(instance: TspInstance, k: int) -> list[list[int]]:
    table = instance.all_distances().tolist()
    everyone = range(instance.n)
    return [
        sorted((j for j in everyone if j != i), key=lambda j: (table[i][j], j))[:k]
        for i in everyone
    ]


@pytest.mark.parametrize("metric", [*PLANE, *SOLID])
@settings(max_examples=40)
@given(data=st.data())
def test_the_lists_equal_brute_force(metric: Metric, data: st.DataObject) -> None:
    # Few values on a small lattice: ties, duplicates and points in line are the rule.
    value = st.integers(0, data.draw(st.sampled_from([0, 1, 3, 40]))).map(float)
    size = 3 if metric in SOLID else 2
    points = data.draw(st.lists(st.tuples(*[value] * size), min_size=3, max_size=60))
    instance = _instance(metric, points)
    k = data.draw(st.integers(1, instance.n - 1))
    assert nearest_neighbours(instance, k).tolist() == _brute(instance, k)


@pytest.mark.parametrize("metric", PLANE)
@pytest.mark.parametrize("side", [30.0, 3000.0])
def test_lists_by_tree_equal_brute_force(metric: Metric, side: float) -> None:
    # Enough cities for the tree, with real coordinates.
    points = np.random.default_rng(7).random((400, 2)) * min(
        side, 90.0 if metric is Metric.GEO else side
    )
    instance = _instance(metric, points)
    assert nearest_neighbours(instance, 12).tolist() == _brute(instance, 12)


def test_geographical_lists_cross_the_date_line_and_the_poles() -> None:
    random = np.random.default_rng(8)
    points = np.column_stack((random.uniform(-90, 90, 500), random.uniform(-180, 180, 500)))
    instance = _instance(Metric.GEO, points)
    assert nearest_neighbours(instance, 10).tolist() == _brute(instance, 10)


def test_heaps_of_cities_at_one_place() -> None:
    points = np.repeat(np.random.default_rng(9).integers(0, 100, (8, 2)), 60, axis=0)
    instance = _instance(Metric.EUC_2D, points)
    assert nearest_neighbours(instance, 20).tolist() == _brute(instance, 20)


def test_ties_go_to_the_lowest_index() -> None:
    instance = _instance(Metric.EUC_2D, [(0, 0), (5, 0), (0, 5), (-5, 0), (0, -5)])
    assert nearest_neighbours(instance, 3)[0].tolist() == [1, 2, 3]
    # Rounded, 5.4 is as near as 5, and has the lower index.
    instance = _instance(Metric.EUC_2D, [(0, 0), (5.4, 0), (0, 5), (99, 99)])
    assert nearest_neighbours(instance, 2)[0].tolist() == [1, 2]


def test_a_far_off_plane_keeps_its_ties() -> None:
    points = np.random.default_rng(4).integers(0, 30, (300, 2)) + 5e8
    instance = _instance(Metric.EUC_2D, points)
    assert nearest_neighbours(instance, 8).tolist() == _brute(instance, 8)


def _explicit(matrix: NDArray[np.integer], directed: bool) -> TspInstance:
    return TspInstance(
        "m", "", Metric.EXPLICIT, None, matrix.astype(np.int32), np.zeros((len(matrix), 2)),
        directed=directed,
    )  # fmt: skip


@given(data=st.data())
def test_directed_lists_follow_outgoing_distances(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 12))
    entries = data.draw(st.lists(st.integers(0, 6), min_size=n * n, max_size=n * n))
    instance = _explicit(np.array(entries).reshape(n, n), directed=True)
    k = data.draw(st.integers(1, n - 1))
    assert nearest_neighbours(instance, k).tolist() == _brute(instance, k)


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(2).integers(0, 50, (200, 2))
    instance = _instance(Metric.EUC_2D, points)
    whole = nearest_neighbours(instance, 9)
    monkeypatch.setattr(distances, "BLOCK_PAIRS", 300)
    assert np.array_equal(nearest_neighbours(instance, 9), whole)
    monkeypatch.setattr(neighbours, "_WIDENINGS", 0)
    assert np.array_equal(nearest_neighbours(instance, 9), whole)


@pytest.mark.parametrize("k", [0, -1, 5])
def test_k_out_of_range(k: int) -> None:
    instance = _instance(Metric.EUC_2D, [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)])
    with pytest.raises(ValueError, match=rf"k = {k} must be in \[1, 4\]"):
        nearest_neighbours(instance, k)


@pytest.mark.parametrize("name", ["pr2392", "gr666", "att532", "si175", "pla7397", "fnl4461"])
def test_real_files_equal_brute_force(tsplib: Path, name: str) -> None:
    instance = load(tsplib / f"{name}.tsp")
    lists = nearest_neighbours(instance, 40)
    assert lists.dtype == np.int32
    everyone = np.arange(instance.n)
    for city in np.random.default_rng(1).integers(0, instance.n, 60).tolist():
        row = instance.distances(np.array(city), everyone)
        order = np.lexsort((everyone, row))
        assert lists[city].tolist() == order[order != city][:40].tolist()


def test_the_largest_file(tsplib: Path) -> None:
    instance = load(tsplib / "pla85900.tsp")
    lists = nearest_neighbours(instance, 160)  # an n × n array of integers alone would be 30 GB
    everyone = np.arange(instance.n)
    for city in (0, 31_415, 85_899):
        row = instance.distances(np.array(city), everyone)
        order = np.lexsort((everyone, row))
        assert lists[city].tolist() == order[order != city][:160].tolist()


@pytest.mark.parametrize("metric", [one for one in PLANE if one is not Metric.GEO])
def test_lists_are_of_nearest_cities_where_nearly_all_distances_are_equal(metric: Metric) -> None:
    instance = _instance(metric, np.random.default_rng(7).random((400, 2)))
    cities = np.arange(instance.n)[:, None]
    lists = nearest_neighbours(instance, 12)
    brute = np.array(_brute(instance, 12))
    assert np.array_equal(instance.distances(cities, lists), instance.distances(cities, brute))
    assert all(len({city, *row}) == 13 for city, row in enumerate(lists.tolist()))
    assert np.bincount(lists.ravel()).max() < 200  # by number, city 0 would be on nearly all


@pytest.mark.parametrize("places", [1, 3])
def test_the_lists_of_very_many_equal_places_do_not_have_the_same_few_cities(places: int) -> None:
    points = np.random.default_rng(places).integers(0, places, (1200, 2)).astype(float)
    instance, k = _instance(Metric.EUC_2D, points), 8
    lists = nearest_neighbours(instance, k)
    cities = np.arange(instance.n)
    assert not instance.distances(cities[:, None], lists).any()  # nearer ones there are not
    assert not (lists == cities[:, None]).any()
    assert all(len(set(row)) == k for row in lists.tolist())
    assert np.bincount(lists.ravel()).max() <= 4 * k  # by number, a few would be on all lists
    if places == 1:
        assert (np.sort((lists - cities[:, None]) % instance.n, axis=1) == cities[1 : k + 1]).all()


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


@pytest.mark.parametrize("metric", neighbours.PLANE)
@settings(max_examples=40)
@given(data=st.data())
def test_the_lists_follow_their_definition(metric: Metric, data: st.DataObject) -> None:
    # Few values on a small lattice: ties and cities in line are the rule.
    side = data.draw(st.sampled_from([1, 3, 40]))
    value = st.integers(0, side).map(float)
    # As many as the tree is asked for at first: among more, one that is tied may not be seen.
    most = neighbours.LOOKED_AT[0]
    xy = data.draw(st.lists(st.tuples(value, value), min_size=5, max_size=most, unique=True))
    instance = makers.points(xy, metric)
    k = data.draw(st.integers(1, 12))
    lists = quadrant_neighbours(instance, k)
    check(instance, lists, k)
    assert lists.tolist() == plain(instance, k)
    assert np.array_equal(lists_around(geometry_of(instance, 0.0), k), lists)


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


@pytest.mark.parametrize("metric", neighbours.PLANE)
def test_heaps_at_one_place_hide_nobody(metric: Metric) -> None:
    places = np.random.default_rng(9).integers(0, 100, (8, 2))
    instance = makers.points(np.repeat(places, 300, axis=0), metric)
    lists = quadrant_neighbours(instance, 8)
    check(instance, lists, 8)
    place = np.arange(2400) // 300
    assert np.all(np.any(place[lists] != place[:, None], axis=1))
    assert np.array_equal(lists_around(geometry_of(instance, 0.0), 8), lists)
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
        check(instance, lists_around(geometry_of(instance, 0.0), k), k)


def test_many_cities_have_the_same_lists_from_boxes() -> None:
    rng = np.random.default_rng(8)
    even = rng.random((20_000, 2)) * 1e6
    for points in (even, rng.normal(even[:200, None], 1000, (200, 100, 2)).reshape(-1, 2)):
        instance = makers.points(points)
        lists = lists_around(geometry_of(instance, 0.0), 10)
        assert np.array_equal(lists, quadrant_neighbours(instance, 10))


@pytest.mark.parametrize("n", [1000, MOST_BY_TREE + 1])
def test_who_makes_the_lists_changes_nothing(n: int) -> None:
    instance = makers.points(np.random.default_rng(7).random((n, 2)) * 1e6)
    assert np.array_equal(quadrant_lists(instance, 8), quadrant_neighbours(instance, 8))


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


def test_small_blocks_change_no_quadrant(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.points(np.random.default_rng(3).random((300, 2)) * 1e6)
    whole = quadrant_neighbours(instance, 8)
    monkeypatch.setattr(distances, "BLOCK_PAIRS", 300)
    assert np.array_equal(quadrant_neighbours(instance, 8), whole)
    monkeypatch.setattr(neighbours, "LOOKED_AT", (384,))
    assert np.array_equal(quadrant_neighbours(instance, 8), whole)


def test_renumbered_lists_are_by_distance_and_new_number() -> None:
    instance = makers.points(np.random.default_rng(4).integers(0, 30, (2000, 2)))
    lists = quadrant_neighbours(instance, 8)
    order = np.random.default_rng(5).permutation(2000).astype(np.int32)
    ours = instance.restricted_to(order)
    made = renumbered(geometry_of(ours, 0.0), lists, order)
    check(ours, made, 8)
    assert np.array_equal(np.sort(order[made]), np.sort(lists[order]))
