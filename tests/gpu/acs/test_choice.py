"""The compiled pieces of an ant's choice, each against NumPy; the wheel in a kernel, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpu.problems.tsp.neighbours
from gpu.acs.cpu import choice, state
from gpu.acs.cpu import choice as box_tree
from gpu.acs.cpu.choice import box_tree_of
from gpu.acs.cpu.state import BOX_LEVELS, BoxTree, update
from gpu.acs.parameters import AcsParameters
from gpu.core.random import philox4x32
from gpu.cpu.geometry import BOXED, geometry_of
from gpu.cpu.philox import key_of, philox
from gpu.cpu.structures import width_of
from gpu.cuda import loader
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import NOT_LISTED, Candidates, build_candidates, weights
from tests.emulation import Emulator, needs_emulation
from tests.gpu.construction.literal import turn
from tests.gpu.cpu import makers
from tests.gpu.cpu.makers import caller
from tests.gpu.cpu.test_geometry import instance_of


@caller
def call_philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    return philox(c0, c1, c2, c3, k0, k1)


@caller
def call_fallback(edges: Any, boxes: Any, unvisited: Any, waiting: Any, u: int, left: int) -> Any:
    return choice.fallback(edges, boxes, unvisited, waiting, 0, u, left)


@caller
def call_update(edges: Any, u: Any, v: Any, lane: Any, keep: Any, added: Any) -> Any:
    return update(edges, u, v, lane, keep, added)


@caller
def call_heaviest(
    lists: state.AcsLists, trails: state.AcsPheromone, unvisited: Any, u: Any, keys: Any
) -> Any:
    largest = choice.weigh(lists, trails, unvisited, 0, u, keys)
    return choice.heaviest(lists, u, keys, largest) if largest != 0 else NOT_LISTED


def rules_for(instance: TspInstance, selective: bool) -> state.AcsRules:
    return state.AcsRules(
        key_of(0), np.uint32(0), 1, 1, np.float32(0.9), np.float32(0.1),
        np.float32(0.8), 0.2, selective, selective, 1, True, instance.directed, 1,
    )  # fmt: skip


def bits(mask: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """One ant's bit set of the cities in ``mask``."""
    padded = np.zeros(-(-len(mask) // 32) * 32, bool)
    padded[: len(mask)] = mask
    return np.packbits(padded, bitorder="little").view("<u4").reshape(1, -1).astype(np.uint32)


@settings(max_examples=30)
@given(st.tuples(*[st.integers(0, 2**32 - 1)] * 6))
def test_philox_is_the_reference(words: tuple[int, ...]) -> None:
    c0, c1, c2, c3, k0, k1 = words
    expected = philox4x32((c0, c1, c2, c3), (k0, k1))
    assert list(call_philox(*(np.uint32(word) for word in words))) == expected.tolist()


FIELDS = {
    "uniform": makers.uniform(150, seed=2),
    "crowded": makers.crowded(150),
    "grid": makers.grid(15, 10),
    "no geometry": makers.symmetric(150),
    "directed": makers.directed(150),
}


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(FIELDS)),
    st.sampled_from([0, 1, 3]),  # slots; 0 is the matrix
    st.sampled_from([4, 20, 200]),  # backup
    st.floats(0, 3).map(lambda beta: round(beta, 1)),
    st.integers(0, 2**32 - 1),
)
def test_fallback_is_the_full_scan(
    field: str, slots: int, backup: int, beta: float, seed: int
) -> None:
    """Whatever was visited and wherever trails are strong, no city beats the one chosen."""
    instance, rng = FIELDS[field], np.random.default_rng(seed)
    n, cl = instance.n, int(rng.integers(1, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu.problems.tsp.neighbours, "BACKUP", backup)
        candidates = build_candidates(instance, cl)
    lists = state.lists_of(candidates, beta)
    trails, rules = state.pheromone_of(n, cl, slots), rules_for(instance, slots > 0)
    geometry = geometry_of(instance, beta)
    edges = state.AcsEdges(lists, geometry, trails, rules)
    for u, v in rng.integers(0, n, (int(rng.integers(0, 3 * n)), 2)):
        if u != v:
            lane = np.flatnonzero(candidates.neighbours[u] == v)
            added = np.float32(rng.choice([0.2, 0.05, 30.0]))
            found = int(lane[0]) if lane.size else NOT_LISTED
            call_update(edges, u, v, found, rules.global_keep, added)
    boxes, waiting = box_tree_of(geometry), state.new_workspace().waiting
    full = full_trails(trails, lists, candidates, slots)
    for u in rng.choice(n, 10, replace=False):
        free = rng.random(n) < rng.choice([0.02, 0.3, 0.9])
        free[u] = False
        free[candidates.neighbours[u]] = False
        left = np.flatnonzero(free)
        if not left.size:
            continue
        eta = weights(instance.distances(np.array(u), left), candidates.distances[u, :1], beta)
        expected = left[np.argmax(full[u, left] * eta)]
        assert expected == call_fallback(edges, boxes, bits(free), waiting, u, left.size)


def full_trails(
    trails: state.AcsPheromone, lists: state.AcsLists, candidates: Candidates, slots: int
) -> NDArray[np.float32]:
    n = len(trails.listed)
    full = np.ones((n, n), np.float32) if slots else trails.others.copy()
    for u in range(n):
        full[u, candidates.neighbours[u]] = trails.listed[u, : candidates.neighbours.shape[1]]
        for slot in range(slots):
            if trails.cities[u, slot] >= 0:
                full[u, trails.cities[u, slot]] = trails.values[u, slot]
    return full


def test_greedy_ties_go_to_the_lowest_city() -> None:
    instance = makers.symmetric(40, seed=1)
    candidates = build_candidates(instance, 20)
    lists = state.lists_of(candidates, 0.0)._replace(
        weights=np.ones((40, width_of(20)), np.float32)
    )
    trails = state.pheromone_of(40, 20, 0)
    keys = state.new_workspace().keys
    for u in range(40):
        row = candidates.neighbours[u]
        everyone = bits(np.arange(40) != u)
        assert row[call_heaviest(lists, trails, everyone, u, keys)] == row.min()
        strong = row[[5, 11, 17]]
        trails.listed[u, [5, 11, 17]] = 3.0
        assert row[call_heaviest(lists, trails, everyone, u, keys)] == strong.min()
        left = np.isin(np.arange(40), np.setdiff1d(row, strong))
        assert row[call_heaviest(lists, trails, bits(left), u, keys)] == np.min(
            np.setdiff1d(row, strong)
        )
        assert call_heaviest(lists, trails, bits(np.zeros(40, bool)), u, keys) == NOT_LISTED


def test_the_bounds_hold_whatever_is_updated() -> None:
    instance = makers.uniform(60)
    assert AcsParameters().candidates == 32
    candidates = build_candidates(instance, 5)
    lists, trails = state.lists_of(candidates, 3.0), state.pheromone_of(60, 5, 0)
    rules, rng = rules_for(instance, False), np.random.default_rng(1)
    near = np.zeros((60, 60), bool)
    np.put_along_axis(near, candidates.backup[:, :10].astype(int), True, axis=1)
    lists = lists._replace(backup=np.ascontiguousarray(lists.backup[:, :10]))
    geometry = geometry_of(instance, 3.0)
    edges = state.AcsEdges(lists, geometry, trails, rules)
    off_list = np.ones((60, 60), bool)
    np.put_along_axis(off_list, candidates.neighbours.astype(int), False, axis=1)
    for u, v in rng.integers(0, 60, (500, 2)):
        if u != v and off_list[u, v]:
            keep, added = np.float32(rng.random()), np.float32(rng.exponential(10))
            call_update(edges, u, v, NOT_LISTED, keep, added)
    largest_near = np.where(near & off_list, trails.others, 0).max(axis=1)
    largest_beyond = np.where(~near & off_list, trails.others, 0).max(axis=1)
    assert np.all(trails.bounds[:, 0] >= largest_near)
    assert np.all(trails.bounds[:, 1] >= largest_beyond)
    assert np.any(trails.bounds[:, 1] < largest_near)  # the two are told apart


@caller
def call_nearest_possible(boxes: Any, geometry: Any, u: int, result: Any) -> None:
    for box in range(result.size):
        result[box] = box_tree.nearest_possible(boxes, geometry, box, u)


@pytest.mark.parametrize("metric", Metric)
def test_no_city_is_nearer_than_its_box_allows(metric: Metric) -> None:
    instance = instance_of(metric)
    geometry = geometry_of(instance, 3.0)
    boxes = box_tree_of(geometry)
    if geometry.rule not in BOXED:
        assert metric in (Metric.GEO, Metric.XRAY1, Metric.XRAY2, Metric.EXPLICIT)
        assert len(boxes.spans) == 0
        return
    lowest = np.empty(len(boxes.spans), np.int64)
    tight = 0
    for u in range(0, instance.n, 20):
        call_nearest_possible(boxes, geometry, u, lowest)
        distances = instance.distances(np.array(u), boxes.cities.astype(np.int64))
        for box, (begin, end) in enumerate(boxes.spans):
            nearest = distances[begin:end].min()
            assert lowest[box] <= nearest
            tight += 2 * lowest[box] >= nearest
    assert tight > len(boxes.spans)  # the bounds say something


def check_tree(boxes: BoxTree, n: int) -> None:
    assert np.array_equal(np.sort(boxes.cities), np.arange(n))
    assert boxes.spans[0].tolist() == [0, n]
    for (begin, end), (first, second) in zip(boxes.spans, boxes.parts, strict=True):
        assert begin < end
        if first >= 0:
            assert boxes.spans[first].tolist()[0] == begin
            assert boxes.spans[first].tolist()[1] == boxes.spans[second].tolist()[0]
            assert boxes.spans[second].tolist()[1] == end


@pytest.mark.parametrize("n", [3, 24, 25, 1000, 5000])
def test_every_city_is_in_one_box_of_each_level(n: int) -> None:
    check_tree(box_tree_of(geometry_of(makers.uniform(n), 3.0)), n)


def test_cities_at_one_place_need_one_box() -> None:
    boxes = box_tree_of(geometry_of(makers.points(np.full((500, 2), 7.0)), 3.0))
    check_tree(boxes, 500)
    assert len(boxes.spans) == 1


def test_a_tree_too_deep_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(box_tree_of(geometry_of(makers.uniform(1000), 3.0)).spans) < 2**BOX_LEVELS
    monkeypatch.setattr(box_tree, "BOX_LEVELS", 3)
    assert len(box_tree_of(geometry_of(makers.uniform(1000), 3.0)).spans) == 0


LAST_WORD = 2**32 - 1
LIGHT = (2.0**-24, 2.0**-60, 2.0**-99)


@caller
def call_roulette(keys: Any, largest: Any, word: Any) -> Any:
    return choice.roulette(keys, largest, word)


def drawn(weighed: NDArray[np.float32], word: int) -> int:
    keys = weighed.view(np.int32)
    return int(call_roulette(keys, keys.max(), np.uint32(word)))


def spins_at_the_lightest(least: float) -> tuple[NDArray[np.float32], dict[int, int]]:
    """Two light candidates, between heavier ones and behind them; the lane by the random word."""
    weighed = np.zeros(32, np.float32)
    weighed[[3, 9, 17, 31]] = [1.0, least, 2.0**10, least]
    total = 2**12 + 1 + 2**22 + 1
    lanes: dict[int, int] = {}
    for lane, before, ahead in ((9, 2**12, 3), (31, total - 1, 17)):
        word = -(-(before << 32) // total)  # the first that stops there
        lanes |= {word: lane, word - 1: ahead}
    return weighed, lanes


def test_draws_are_in_proportion() -> None:
    rng = np.random.default_rng(0)
    weighed = np.zeros(32, np.float32)
    weighed[rng.choice(32, 9, replace=False)] = rng.random(9) + 0.2
    draws = 60_000
    words = philox4x32((np.arange(draws // 4), 0, 0, 2), (3, 4)).ravel()
    counts = np.bincount([drawn(weighed, int(word)) for word in words], minlength=32)
    expected = draws * weighed.astype(float) / weighed.sum(dtype=float)
    assert not counts[weighed == 0].any()
    held = weighed > 0
    # A chi-square of 8 degrees of freedom exceeds 26.1 once in a thousand.
    assert ((counts[held] - expected[held]) ** 2 / expected[held]).sum() < 26.1


weight = st.one_of(
    st.just(0.0), st.floats(0.5, 2, width=32), st.floats(2.0**-99, 2.0**60, width=32)
)


@settings(max_examples=300)
@given(
    st.lists(weight, min_size=1, max_size=32).filter(any),
    st.one_of(st.just(0), st.just(LAST_WORD), st.integers(0, LAST_WORD)),
)
def test_the_wheel_stops_where_whole_numbers_say(weights: list[float], word: int) -> None:
    weighed = np.zeros(32, np.float32)
    weighed[: len(weights)] = weights
    lane = drawn(weighed, word)
    assert lane == turn(weights, word)
    assert weighed[lane] > 0


@pytest.mark.parametrize("least", LIGHT)
def test_the_lightest_city_can_be_drawn(least: float) -> None:
    weighed, lanes = spins_at_the_lightest(least)
    assert {word: drawn(weighed, word) for word in lanes} == lanes


@needs_emulation
def test_a_kernel_draws_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [(rng.random(32) * 2.0 ** rng.integers(-99, 60, 32)).astype(np.float32) for _ in "12345"]
    rows += [rng.random(32).astype(np.float32) for _ in range(5)]
    for row in rows:
        row[rng.random(32) < 0.4] = 0
    spins = [(row, int(word)) for row in rows for word in rng.integers(0, 2**32, 20)]
    spins += [(row, word) for row in rows for word in (0, LAST_WORD)]
    for least in LIGHT:
        weighed, lanes = spins_at_the_lightest(least)
        spins += [(weighed, word) for word in lanes]
    weights, words = (np.array(each) for each in zip(*spins, strict=True))
    found = np.zeros(len(spins), np.int32)
    source = tmp_path / "roulette.cu"
    source.write_text(loader.source_text("tests/gpu/acs/roulette.cu"))
    with Emulator(source, ["spins"]) as emulator:
        emulator.launch(
            "spins", grid=len(spins), block=32, args=[weights, words.astype(np.uint32), found]
        )
    assert found.tolist() == [drawn(weighed, word) for weighed, word in spins]
