"""What is removed of a graph before a search: against the rule, and colorings against the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpu.bounds import reduction
from gpu.bounds.coloring import coloring_bound
from gpu.bounds.reduction import Reduction, reduced
from gpu.core.errors import ParameterError
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from tests.gpu.problems.coloring.test_generators import fewest_colors
from tests.gpu.rlf.literal import complete, edgeless, graph, random_graph

LEFT = {
    "DSJC125.5.col": 125,
    "le450_15a.col": 407,
    "le450_25c.col": 435,
    "r250.5.col.gz": 235,
    "wap05a.col.gz": 665,
}
"""Vertices of the kernel, with the largest clique as the bound."""


def check(whole: GraphInstance, found: Reduction) -> None:
    """Hold a reduction against the rule: all removals were allowed, and none more is possible."""
    left = set(range(whole.n))
    near = [set(whole.neighbours(v).tolist()) for v in range(whole.n)]
    for vertex, other in zip(found.removed.tolist(), found.dominating.tolist(), strict=True):
        here = near[vertex] & left
        if other < 0:
            assert len(here) < found.colors
        else:
            assert other in left - near[vertex] - {vertex}
            assert here <= near[other]
        left.remove(vertex)
    assert found.vertices.tolist() == sorted(left)
    inside = {(u, v) for u in left for v in near[u] & left if u < v}
    names = found.vertices.tolist()
    assert {(names[u], names[v]) for u, v in found.kernel.edges.tolist()} == inside
    if len(left) > 1:
        for u in left:
            assert len(near[u] & left) >= found.colors
            assert not any(near[u] & left <= near[v] for v in left - near[u] - {u})


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.9])
def test_the_kernel_is_what_the_rule_leaves_and_needs_as_many_colors(share: float) -> None:
    for seed in range(8):
        whole = random_graph(14, share, seed)
        found = reduced(whole, coloring_bound(whole).cost)
        check(whole, found)
        fewest = fewest_colors(whole)
        assert max(found.colors, fewest_colors(found.kernel)) == fewest


@pytest.mark.parametrize("share", [0.03, 0.1, 0.4])
def test_a_coloring_of_the_kernel_becomes_one_of_the_whole(share: float) -> None:
    for seed in range(4):
        whole = random_graph(120, share, seed)
        for colors in (1, 3, 8, 20):
            found = reduced(whole, colors)
            check(whole, found)
            coloring = dsatur_coloring(found.kernel)
            extended = found.extended(coloring)
            assert whole.cost_of(extended) <= max(colors, found.kernel.cost_of(coloring))
            assert extended[found.vertices].tolist() == coloring.tolist()
            assert not extended.flags.writeable
            again = found.restricted(extended)
            assert found.kernel.cost_of(again) == found.kernel.cost_of(coloring)


def test_what_is_restricted_skips_no_color() -> None:
    whole = graph(5, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
    found = reduced(whole, 2)
    assert found.vertices.tolist() == [0, 1, 2]
    coloring = found.restricted(np.array([3, 1, 2, 0, 1]))
    assert coloring.tolist() == [2, 0, 1]


def test_of_a_tree_and_of_a_graph_without_edges_one_vertex_is_left() -> None:
    random = np.random.default_rng(1)
    tree = graph(500, [(int(random.integers(v)), v) for v in range(1, 500)])
    for whole, colors in ((tree, 2), (edgeless(7), 1), (complete(6), 6)):
        found = reduced(whole, colors)
        check(whole, found)
        assert found.kernel.n == 1
        assert whole.cost_of(found.extended(np.zeros(1, np.int32))) == colors


def test_twins_are_one_in_the_kernel_however_dense_the_graph_is() -> None:
    """Parts of four vertices each, all joined with all others: each part is one vertex."""
    pairs = [(u, v) for u in range(40) for v in range(u) if u // 4 != v // 4]
    whole = graph(40, pairs)
    found = reduced(whole, 1)
    check(whole, found)
    assert found.kernel.n == 10
    assert (found.dominating >= 0).all()


def test_a_graph_of_which_nothing_can_be_removed_is_its_own_kernel() -> None:
    whole = random_graph(60, 0.5, 1)
    found = reduced(whole, 3)
    assert found.kernel is whole
    coloring = dsatur_coloring(whole)
    assert found.extended(coloring).tolist() == coloring.tolist()


def test_domination_is_given_up_where_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(u, v) for u in range(40) for v in range(u) if u // 4 != v // 4]
    monkeypatch.setattr(reduction, "DOMINATION_WORK", 200)
    whole = graph(40, pairs)
    found = reduced(whole, 1)
    assert 0 < len(found.removed) < 30
    coloring = found.extended(dsatur_coloring(found.kernel))
    assert whole.cost_of(coloring) == 10


def test_no_colors_are_refused() -> None:
    with pytest.raises(ParameterError, match="colors = 0"):
        reduced(complete(3), 0)


@pytest.mark.data
@pytest.mark.parametrize("name", LEFT)
def test_so_many_vertices_are_left_of_published_graphs(dimacs: Path, name: str) -> None:
    whole = load_instance(dimacs / name)
    assert isinstance(whole, GraphInstance)
    found = reduced(whole, coloring_bound(whole).cost)
    check(whole, found)
    assert found.kernel.n == LEFT[name]
    coloring = dsatur_coloring(found.kernel)
    most = max(found.colors, found.kernel.cost_of(coloring))
    assert whole.cost_of(found.extended(coloring)) <= most
