"""Minimum 1-trees and the α of edges, against plain Python."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from gpu.cpu.one_tree import OneTree

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
