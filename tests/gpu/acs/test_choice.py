"""The compiled pieces of an ant's choice, each against NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import gpu.problems.tsp.neighbours
from gpu.acs.cpu import choice, state
from gpu.acs.cpu.choice import box_tree_of
from gpu.acs.cpu.state import update
from gpu.acs.parameters import AcsParameters
from gpu.core.random import philox4x32
from gpu.cpu.geometry import geometry_of
from gpu.cpu.philox import key_of, philox
from gpu.cpu.structures import width_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import NOT_LISTED, Candidates, build_candidates, weights
from tests.gpu.cpu import makers
from tests.gpu.cpu.compiling import caller


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
