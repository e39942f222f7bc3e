"""Graphs of any size: their neighbours, their memory, and what refuses large ones."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest

from gpu import aims, catalog
from gpu.aims import Aim
from gpu.core.errors import InstanceError, ParameterError
from gpu.core.machine import devices
from gpu.problems.coloring.instance import (
    LARGEST_GRAPH,
    LARGEST_MATRIX,
    GraphInstance,
    greedy_colors,
    unique_edges,
)
from gpu.run.session import new_session


def large_graph(n: int, m: int, seed: int = 1) -> GraphInstance:
    pairs = np.random.default_rng(seed).integers(0, n, (m, 2))
    return GraphInstance("large", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))


@pytest.mark.parametrize(("n", "m"), [(7, 9), (300, 20_000), (200_000, 600_000)])
def test_neighbours_are_those_of_the_edges(n: int, m: int) -> None:
    graph = large_graph(n, m)
    both = np.concatenate((graph.edges, graph.edges[:, ::-1]))
    expected = both[np.lexsort((both[:, 1], both[:, 0]))]
    assert np.array_equal(np.repeat(np.arange(n), graph.degrees), expected[:, 0])
    assert np.array_equal(graph.adjacent, expected[:, 1])
    assert graph.offsets.tolist() == [0, *np.cumsum(graph.degrees).tolist()]
    last = expected[expected[:, 0] == n - 1, 1]
    assert graph.neighbours(n - 1).tolist() == last.tolist()


def test_edges_are_each_there_once_in_order() -> None:
    pairs = np.random.default_rng(2).integers(0, 100_000, (50_000, 2))
    expected = sorted({(min(pair), max(pair)) for pair in pairs.tolist()})
    assert unique_edges(pairs).tolist() == [list(pair) for pair in expected]
    assert unique_edges(unique_edges(pairs)[::-1, ::-1]).tolist() == unique_edges(pairs).tolist()
    assert unique_edges([(2**31 - 1, 0)]).tolist() == [[0, 2**31 - 1]]


def test_a_graph_takes_memory_for_its_vertices_and_edges_alone() -> None:
    edges = large_graph(400_000, 800_000).edges
    tracemalloc.start()
    try:
        graph = GraphInstance("sparse", "", 400_000, edges)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 13 * graph.n + 8.1 * len(edges)
    assert peak < 48 * graph.n + 32 * len(edges) + 30 * 2**20  # what is computed for a part at once


def test_a_matrix_is_made_of_graphs_that_are_not_too_large() -> None:
    graph = GraphInstance("wide", "", LARGEST_MATRIX + 1, unique_edges([(0, LARGEST_MATRIX)]))
    with pytest.raises(InstanceError, match=r"32,769 vertices.* would take 0\.1 GiB.* 32,768"):
        assert graph.adjacency is None
    with pytest.raises(InstanceError, match=f"from 1 to {LARGEST_GRAPH:,}"):
        GraphInstance("none", "", LARGEST_GRAPH + 1, unique_edges([]))


def test_colonies_with_a_matrix_refuse_what_is_too_large() -> None:
    graph = GraphInstance("wide", "", LARGEST_MATRIX + 1, unique_edges([(0, 1)]))
    refusal = r"up to 32,768 vertices, because each pair has a trail, and wide has 32,769"
    for system in catalog.CATALOG:
        if system.name.startswith("aco-rlf"):
            with pytest.raises(ParameterError, match=refusal):
                catalog.check_solves(system, graph)
    with pytest.raises(ParameterError, match=refusal):
        new_session(graph, colony="coloring", device="cpu")


def test_the_best_colony_for_a_graph_that_is_too_large_for_a_matrix() -> None:
    cores, core = devices.find("cpu"), devices.find("cpu:1")
    gpu = dataclasses.replace(cores, name="cuda:0", kind="cuda")
    for n in (20_000, LARGEST_MATRIX + 1):  # too many for the sets of a GPU, and for a matrix
        graph = GraphInstance("wide", "", n, unique_edges([(0, 1)]))
        assert aims.device_for(Aim.BEST, graph, (gpu, cores, core)) is cores
        assert aims.choice(Aim.BEST, graph, cores).system.name == "gpx-cores"
        assert aims.choice(Aim.BEST, graph, core).system.name == "gpx-seq"
        refused = aims.choice(Aim.BEST, graph, gpu).system
        with pytest.raises(ParameterError, match=r"takes 16,384, or .*: choose gpx-cores"):
            catalog.check_solves(refused, graph)


def test_what_an_aim_chooses_for_a_graph_that_no_colony_takes_says_why() -> None:
    graph = GraphInstance("wide", "", LARGEST_MATRIX + 1, unique_edges([(0, 1)]))
    chosen = aims.choice(Aim.PAPER, graph, devices.find("cpu"))
    assert chosen.system.problem is graph.problem
    with pytest.raises(ParameterError, match="up to 32,768 vertices"):
        new_session(graph, aim="paper", device="cpu")


def test_a_greedy_coloring_of_a_sparse_graph_needs_few_colors() -> None:
    assert greedy_colors(large_graph(5000, 5000)) <= 5
