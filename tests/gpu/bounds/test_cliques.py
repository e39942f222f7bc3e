"""Cliques of graphs: against all cliques of small graphs, and against those that are known."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.bounds import cliques
from gpu.bounds.cliques import CliqueSearch
from gpu.bounds.coloring import coloring_bound
from gpu.bounds.cycles import odd_cycle
from gpu.core.errors import SolutionError
from gpu.cpu.graphs import degeneracy_order
from gpu.problems.bundled import bundled
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.problems.loading import load_instance
from tests.gpu.rlf.literal import complete, edgeless, graph, random_graph

PUBLISHED = {
    "DSJC125.5.col": 10,
    "DSJC250.5.col": 12,
    "DSJC250.9.col.gz": 43,
    "DSJC500.5.col": 13,
    "DSJC500.9.col": 56,
    "DSJC1000.5.col": 15,
    "le450_15a.col": 15,
    "le450_15d.col.gz": 15,
    "le450_25c.col": 25,
    "qg.order40.col.gz": 40,
    "r250.5.col.gz": 65,
    "wap05a.col.gz": 50,
}
"""The largest cliques that are known of the graphs of DIMACS."""


def largest(instance: GraphInstance) -> int:
    """The size of the largest clique, by trying all."""
    near = [set(instance.neighbours(v).tolist()) for v in range(instance.n)]

    def grown(size: int, left: set[int]) -> int:
        best = size
        for v in sorted(left):
            best = max(best, grown(size + 1, {u for u in left & near[v] if u > v}))
        return best

    return grown(0, set(range(instance.n)))


def searched(instance: GraphInstance, part: int, work: int, seed: int = 0) -> NDArray[np.int32]:
    search = CliqueSearch(instance, seed)
    while search.work < work and not search.ended:
        search.improve(part)
    return search.clique


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9])
def test_the_largest_clique_of_a_small_graph_is_found(share: float) -> None:
    for seed in range(6):
        instance = random_graph(22, share, seed)
        found = searched(instance, 10_000, 1_000_000)
        assert instance.bound_by(found).cost == len(found) == largest(instance)


def test_greedy_cliques_and_the_tabu_search_each_find_what_the_other_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = random_graph(200, 0.9, 1)
    greedy = CliqueSearch(instance)
    greedy.improve(1_000_000)  # the tabu search begins later
    both = searched(instance, 1_000_000, 20_000_000)
    assert 20 < len(greedy.clique) < len(both)
    monkeypatch.setattr(cliques, "GREEDY_WORK", 0)
    walked = searched(instance, 1_000_000, 20_000_000)
    assert instance.bound_by(walked).cost == len(walked) == len(both)


def test_parts_of_any_size_find_what_the_whole_does() -> None:
    instance = random_graph(150, 0.7, 3)
    whole = CliqueSearch(instance, seed=5)
    whole.improve(3_000_000)
    parts = CliqueSearch(instance, seed=5)
    while parts.work < 3_000_000:
        parts.improve(min(50_000, 3_000_000 - parts.work))
    assert parts.work == whole.work
    assert parts.clique.tolist() == whole.clique.tolist()
    again = CliqueSearch(instance, seed=5)
    again.improve(3_000_000)
    assert again.clique.tolist() == whole.clique.tolist()


def test_a_search_ends_where_no_vertex_has_enough_neighbours_for_more() -> None:
    for instance, size in ((complete(9), 9), (edgeless(4), 1), (graph(2, [(0, 1)]), 2)):
        search = CliqueSearch(instance)
        search.improve(10_000)
        assert search.ended
        assert len(search.clique) == size
        assert not search.clique.flags.writeable


def test_a_hidden_clique_of_a_large_sparse_graph_is_found_at_once() -> None:
    random = np.random.default_rng(2)
    n = 50_000
    hidden = np.sort(random.choice(n, 12, replace=False))
    pairs = random.integers(0, n, (250_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    instance = GraphInstance(
        "sparse", "", n, unique_edges(np.vstack([pairs, list(combinations(hidden.tolist(), 2))]))
    )
    assert set(hidden.tolist()) <= set(searched(instance, 1_000_000, 20_000_000).tolist())


@pytest.mark.parametrize("share", [0.03, 0.3, 0.8])
def test_a_vertex_has_at_most_its_core_number_of_later_neighbours(share: float) -> None:
    instance = random_graph(80, share, 4)
    order, places, cores = degeneracy_order(instance)
    assert sorted(order.tolist()) == list(range(80))
    assert order[places].tolist() == list(range(80))
    left, most = set(range(80)), 0
    near = [set(instance.neighbours(v).tolist()) for v in range(80)]
    while left:  # always one with the fewest neighbours among those that are left
        vertex = min(left, key=lambda v: len(left & near[v]))
        most = max(most, len(left & near[vertex]))
        assert cores[vertex] == most
        left.remove(vertex)
    for vertex in range(80):
        later = [u for u in near[vertex] if places[u] > places[vertex]]
        assert len(later) <= cores[vertex]
    assert (np.diff(cores[order]) >= 0).all()


def test_an_odd_cycle_is_found_unless_two_colors_are_enough() -> None:
    ring = [(v, (v + 1) % 11) for v in range(11)]
    twelve = [(v, (v + 1) % 12) for v in range(12)]
    assert odd_cycle(graph(12, twelve)) is None
    assert odd_cycle(edgeless(3)) is None
    for edges, n in ((ring, 11), ([*twelve, (12, 13), (13, 14), (12, 14)], 15)):
        found = odd_cycle(graph(n, edges))
        assert graph(n, edges).bound_by(found).cost == 3
    for seed in range(20):
        instance = random_graph(40, 0.06, seed)
        found = odd_cycle(instance)
        if found is not None:
            assert len(found) % 2
            assert instance.bound_by(found).cost == 3


def test_the_bound_of_a_graph_says_why() -> None:
    ring = graph(7, [(v, (v + 1) % 7) for v in range(7)])
    known = [
        (edgeless(5), 1, "a clique of 1 vertex"),
        (graph(4, [(0, 1), (1, 2), (2, 3)]), 2, "an edge"),
        (ring, 3, "an odd cycle of 7 vertices"),
        (complete(6), 6, "a clique of 6 vertices"),
    ]
    for instance, cost, why in known:
        bound = coloring_bound(instance)
        assert (bound.cost, bound.why) == (cost, why)
        assert coloring_bound(instance) is bound  # it is made once
        assert not bound.witness.flags.writeable


def test_a_bound_that_nobody_waits_for_is_given_up() -> None:
    assert coloring_bound(random_graph(100, 0.5, 1), lambda: True) is None


def test_a_wrong_witness_is_refused() -> None:
    instance = graph(6, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0), (4, 1)])
    assert instance.bound_by(np.array([0, 1, 2])).cost == 3
    assert instance.bound_by(np.array([0, 1, 2, 3, 4])).why == "an odd cycle of 5 vertices"
    for wrong in ([0, 1, 3], [0, 1, 2, 3], [0, 1, 1], [], [0, 6], [-1, 0], [[0, 1]], [0.5, 1]):
        with pytest.raises(SolutionError, match="a clique, or by an odd cycle"):
            instance.bound_by(np.array(wrong))


@pytest.mark.parametrize("path", [one.path for one in bundled() if ".col" in one.path.name])
def test_no_bundled_graph_has_fewer_colors_than_its_bound(path: Path) -> None:
    instance = load_instance(path)
    assert isinstance(instance, GraphInstance)
    assert instance.optimum is None or coloring_bound(instance).cost <= instance.optimum


@pytest.mark.data
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_largest_known_cliques_are_found_at_once(dimacs: Path, name: str) -> None:
    instance = load_instance(dimacs / name)
    assert isinstance(instance, GraphInstance)
    assert coloring_bound(instance).cost == PUBLISHED[name]
