"""One-trees, and the lists by alpha that follow from them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from gpu.cpu.alpha import OneTree, alpha_neighbours
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.cpu import makers
from tests.gpu.cpu.test_first_tours import LIMITED

Edge = tuple[int, int]


def spanning(n: int, edges: dict[Edge, int], first: list[Edge]) -> list[Edge]:
    """Edges of the shortest spanning tree among those that have the edges ``first``."""
    part = list(range(n))
    kept = []
    for a, b in first + sorted(edges, key=lambda edge: (edges[edge], edge)):
        if part[a] != part[b]:
            kept.append((a, b))
            gone = part[b]
            part = [part[a] if one == gone else one for one in part]
    return kept


def complete(n: int, seed: int) -> tuple[OneTree, np.ndarray, dict[Edge, int]]:
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(n), 2)), np.int32)
    lengths = rng.permutation(len(pairs) * 7)[: len(pairs)].astype(np.int64)
    penalties = rng.integers(-40, 40, n)
    dear = (lengths + penalties[pairs].sum(axis=1)) * 1000 + np.arange(len(pairs))
    # Thousandths make all lengths different.
    tree = OneTree(
        n, pairs[:, 0].copy(), pairs[:, 1].copy(), lengths * 1000 + np.arange(len(pairs))
    )
    return tree, penalties * 1000, dict(zip(map(tuple, pairs.tolist()), dear.tolist(), strict=True))


@given(n=st.integers(3, 12), seed=st.integers(0, 10**6))
def test_tree_and_alphas_follow_their_definition(n: int, seed: int) -> None:
    tree, penalties, edges = complete(n, seed)
    shortest = spanning(n, edges, [])
    degree = np.bincount(np.array(shortest).ravel(), minlength=n)
    further = {
        leaf: min(edges[edge] for edge in edges if leaf in edge and edge not in shortest)
        for leaf in np.flatnonzero(degree == 1).tolist()
    }
    leaf = max(further, key=lambda leaf: (further[leaf], leaf))  # two may share it
    length = sum(edges[edge] for edge in shortest)
    assert tree.grow(penalties) == length + further[leaf] - 2 * penalties.sum()
    expected = []
    for edge, dear in edges.items():
        if edge in shortest:
            expected.append(0)
        elif leaf in edge:
            expected.append(dear - further[leaf])
        else:
            forced = spanning(n, edges, [edge])
            expected.append(sum(edges[one] for one in forced) - length)
    assert tree.alphas(penalties).tolist() == expected
    joined = next(edge for edge in edges if edges[edge] == further[leaf])
    degree[list(joined)] += 1
    assert tree.degrees.tolist() == degree.tolist()


@pytest.mark.parametrize("side", [1, 2, 50, 10**6])
def test_a_sparse_tree_is_as_short_as_scipy_s(side: int) -> None:
    # A ring keeps the graph in one piece; side 1 makes all lengths the same.
    n = 3000
    rng = np.random.default_rng(side)
    chords = np.sort(rng.integers(0, n, (20_000, 2)).astype(np.int32), axis=1)
    ring = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    pairs = np.concatenate((ring, [(0, n - 1)], chords[chords[:, 0] < chords[:, 1]]))
    start, end = np.unique(pairs, axis=0).astype(np.int32).T.copy()
    lengths = rng.integers(1, side + 1, start.size)
    tree = OneTree(n, start, end, lengths)
    total = tree.grow(np.zeros(n, np.int64))
    scipys = minimum_spanning_tree(coo_array((lengths, (start, end)), (n, n))).sum()
    assert scipys < total <= scipys + side
    assert tree.degrees.sum() == 2 * n
    assert tree.alphas(np.zeros(n, np.int64)).min() == 0


def optimum(instance: TspInstance) -> int:
    orders = np.array(list(itertools.permutations(range(1, instance.n))), np.int64)
    tours = np.column_stack((np.zeros(len(orders), np.int64), orders))
    return int(instance.distances(tours, np.roll(tours, -1, axis=1)).sum(axis=1).min())


@pytest.mark.parametrize("k", [1, 5, 12])
@pytest.mark.parametrize("name", LIMITED)
def test_the_lists_hold_other_cities_once(name: str, k: int) -> None:
    instance = LIMITED[name]
    made = alpha_neighbours(instance, k, steps=20)
    lists, n = made.neighbours, instance.n
    assert lists.shape == (n, min(k, n - 1))
    assert lists.dtype == np.int32
    assert lists.min() >= 0
    assert lists.max() < n
    assert not np.any(lists == np.arange(n)[:, None])
    assert np.all(np.diff(np.sort(lists, axis=1), axis=1) > 0)
    assert made.penalties.shape == (n,)
    assert np.all(np.isfinite(made.penalties))
    again = alpha_neighbours(instance, k, steps=20)
    assert np.array_equal(again.neighbours, lists)
    assert np.array_equal(again.penalties, made.penalties)
    assert again.bound == made.bound


@pytest.mark.parametrize("seed", range(6))
def test_no_tour_is_shorter_than_the_bound(seed: int) -> None:
    for instance in (makers.uniform(8, seed), makers.symmetric(8, seed), makers.crowded(8, seed)):
        best = optimum(instance)
        bound = alpha_neighbours(instance, 7).bound
        assert 0.8 * best <= bound <= best


def test_a_tree_that_is_a_tour_ends_the_ascent() -> None:
    instance = makers.ring(60)
    made = alpha_neighbours(instance, 2)
    assert made.bound == instance.optimum
    assert instance.optimum is not None
    around = instance.distances(np.arange(60)[:, None], made.neighbours)
    assert around.sum() == 2 * instance.optimum


def test_the_bound_is_close_to_the_optimum() -> None:
    instance = makers.grid(30, 20)
    made = alpha_neighbours(instance, 5)
    assert instance.optimum is not None
    assert 0.98 * instance.optimum <= made.bound <= instance.optimum


@pytest.mark.parametrize("name", ["pcb442", "pr1002", "gr666"])
def test_the_optimal_tour_is_on_five_by_alpha(tsplib: Path, name: str) -> None:
    instance = load(tsplib / f"{name}.tsp")
    tour = instance.load_solution(tsplib / f"{name}.opt.tour")
    made = alpha_neighbours(instance, 5)
    best = instance.tour_length(tour)
    assert 0.985 * best <= made.bound <= best

    def share(lists: np.ndarray) -> float:
        sides = [lists[tour] == np.roll(tour, turn)[:, None] for turn in (1, -1)]
        return float(np.mean([side.any(axis=1) for side in sides]))

    assert share(made.neighbours) > 0.99
    assert share(made.neighbours) > share(nearest_neighbours(instance, 8))
