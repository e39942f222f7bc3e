from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tsplib95
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.problems.tsp import distances
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.problems.texts import PLANE, SOLID, points_text

# Names alone: the folder itself is found by the fixture, when the tests run.
SMALL = (
    "att48", "bays29", "berlin52", "brazil58", "brg180", "burma14", "d198", "dantzig42", "eil51",
    "eil76", "gr17", "gr24", "gr96", "kroA100", "lin105", "si175", "st70", "ulysses16",
    "ulysses22",
)  # fmt: skip
LARGE = (
    "a280", "att532", "brd14051", "d1291", "d15112", "d18512", "fnl4461", "gr666", "lin318",
    "nrw1379", "pcb1173", "pcb3038", "pcb442", "pla33810", "pla7397", "pla85900", "pr1002",
    "pr2392", "rat783", "rl11849", "rl5915", "usa13509",
)  # fmt: skip
WITH_TOUR = (
    "a280", "att48", "bays29", "berlin52", "brg180", "eil51", "eil76", "gr24", "gr666", "gr96",
    "kroA100", "lin105", "pcb442", "pr1002", "pr2392", "st70", "ulysses16", "ulysses22",
)  # fmt: skip


def _oracle(path: Path) -> tuple[tsplib95.models.StandardProblem, int]:
    problem = tsplib95.load(path)
    return problem, min(problem.get_nodes())


def _instance(metric: Metric, points: list[tuple[float, ...]]) -> TspInstance:
    coordinates = np.array(points, np.float64)
    return TspInstance("p", "", metric, coordinates, None, coordinates[:, :2])


def test_the_lists_of_files_are_whole(tsplib: Path) -> None:
    assert sorted((*SMALL, *LARGE)) == sorted(path.stem for path in tsplib.glob("*.tsp"))
    tours = {path.name.removesuffix(".opt.tour") for path in tsplib.glob("*.opt.tour")}
    assert tours == set(WITH_TOUR)


@pytest.mark.parametrize("name", SMALL)
def test_every_pair_of_a_small_file_equals_tsplib95(tsplib: Path, name: str) -> None:
    problem, first = _oracle(tsplib / f"{name}.tsp")
    instance = load(tsplib / f"{name}.tsp")
    n = instance.n
    expected = [[problem.get_weight(first + i, first + j) for j in range(n)] for i in range(n)]
    everyone = np.arange(n)
    assert np.array_equal(instance.distances(everyone[:, None], everyone), expected)
    assert np.array_equal(instance.all_distances(), expected)


@pytest.mark.parametrize("name", LARGE)
def test_random_pairs_of_a_large_file_equal_tsplib95(tsplib: Path, name: str) -> None:
    problem, first = _oracle(tsplib / f"{name}.tsp")
    instance = load(tsplib / f"{name}.tsp")
    a, b = np.random.default_rng(5).integers(0, instance.n, (2, 3000))
    expected = [
        problem.get_weight(first + i, first + j)
        for i, j in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert np.array_equal(instance.distances(a, b), expected)


@pytest.mark.parametrize("name", WITH_TOUR)
def test_an_optimal_tour_has_the_best_known_length(tsplib: Path, name: str) -> None:
    known = json.loads((tsplib.parent / "best_known.json").read_text())["tour_length"]
    instance = load(tsplib / f"{name}.tsp")
    assert instance.tour_length(instance.optimal_tour) == known[name] == instance.optimum


IN_TSPLIB95 = [
    metric
    for metric in (*PLANE, *SOLID)
    if metric not in (Metric.FLOOR_2D, Metric.FLOOR_3D, Metric.CEIL_3D)
]


@pytest.mark.parametrize("metric", IN_TSPLIB95)
@settings(max_examples=40)
@given(data=st.data())
def test_every_metric_equals_tsplib95(metric: Metric, data: st.DataObject) -> None:
    size = 3 if metric in SOLID else 2
    # Two decimals, as files have them; GEO takes degrees and minutes.
    value = st.integers(-17959 if metric is Metric.GEO else -300_000, 17959).map(lambda v: v / 100)
    points = data.draw(st.lists(st.tuples(*[value] * size), min_size=3, max_size=6))
    instance = _instance(metric, points)
    problem = tsplib95.parse(points_text(metric, points))
    for i in range(len(points)):
        for j in range(len(points)):
            try:
                expected = problem.get_weight(i + 1, j + 1)
            except ValueError:
                # tsplib95 takes the arc cosine of a number that rounding left above 1 or below -1.
                assert metric is Metric.GEO
                continue
            assert instance.distances(np.array(i), np.array(j)) == expected


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (Metric.EUC_2D, 4),  # 3.61
        (Metric.CEIL_2D, 4),
        (Metric.FLOOR_2D, 3),
        (Metric.MAN_2D, 5),
        (Metric.MAX_2D, 3),
        (Metric.ATT, 2),  # √1.3 = 1.14 rounds to 1, which is too short
    ],
)
def test_distances_by_hand(metric: Metric, expected: int) -> None:
    instance = _instance(metric, [(0, 0), (2, 3), (9, 9)])
    assert instance.distances(np.array(0), np.array(1)) == expected


def test_xray_by_hand() -> None:
    # φ turns the short way, 20 degrees from 350 to 10; χ by 30, 2θ by 23.
    points: list[tuple[float, ...]] = [(350, 0, 0), (10, 30, 23), (0, 0, 0)]
    pair = np.array(0), np.array(1)
    assert _instance(Metric.XRAY1, points).distances(*pair) == 3000
    assert _instance(Metric.XRAY2, points).distances(*pair) == 2000
    short: list[tuple[float, ...]] = [(350, 0, 0), (10, 0, 0), (0, 0, 0)]
    assert _instance(Metric.XRAY1, short).distances(*pair) == 2000
    assert _instance(Metric.XRAY2, short).distances(*pair) == 1600


def test_float32_would_be_too_coarse() -> None:
    instance = _instance(Metric.EUC_2D, [(0, 0), (16_777_217, 0), (1, 1)])
    assert instance.distances(np.array(0), np.array(1)) == 16_777_217


def test_pairs_broadcast_to_int64() -> None:
    instance = _instance(Metric.EUC_2D, [(0, 0), (3, 4), (6, 8)])
    table = instance.distances(np.arange(3)[:, None], np.arange(3))
    assert table.dtype == np.int64
    assert table.tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]


def test_a_tour_is_as_long_if_cores_measure_parts_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    instance = _instance(Metric.EUC_2D, random.integers(0, 999, (100, 2)).tolist())
    tour = random.permutation(100)
    whole = instance.tour_length(tour)
    monkeypatch.setattr("gpu.problems.tsp.instance._EDGES_AT_ONCE", 7)  # the last part has 2
    assert instance.tour_length(tour) == whole == instance.cost_of(tour)


def test_the_matrix_is_the_same_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(3).integers(0, 999, (23, 2)).tolist()
    instance = _instance(Metric.CEIL_2D, points)
    whole = instance.all_distances()
    assert whole.dtype == np.int32
    monkeypatch.setattr(distances, "BLOCK_PAIRS", 50)
    assert len(distances.blocks(23, 23)) == 12
    assert np.array_equal(instance.all_distances(), whole)


@pytest.mark.parametrize("metric", [*PLANE, *SOLID])
@given(data=st.data())
def test_no_distance_exceeds_the_bound(metric: Metric, data: st.DataObject) -> None:
    value = st.floats(-1e6, 1e6)
    size = 3 if metric in SOLID else 2
    points = data.draw(st.lists(st.tuples(*[value] * size), min_size=2, max_size=5))
    coordinates = np.array(points)
    table = distances.pairwise(metric, coordinates[:, None], coordinates)
    assert table.max() <= distances.longest_possible(metric, coordinates)
    assert table.min() >= 0


def test_a_metric_without_formula_is_refused() -> None:
    with pytest.raises(ValueError, match="EXPLICIT has no formula"):
        distances.pairwise(Metric.EXPLICIT, np.zeros((1, 2)), np.zeros((1, 2)))
