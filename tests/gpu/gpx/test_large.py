"""The gpx and HEAD colonies on large graphs, and on those with a vertex of very many neighbours."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.core.snapshot import Wanted
from gpu.cpu.first_colorings import best_greedy_coloring, largest_first_coloring
from gpu.gpx.cpu.colony import GpxCpuColony
from gpu.gpx.cpu.state import QUOTA
from gpu.gpx.cuda.colony import NARROW, WIDE, SearchShape
from gpu.gpx.parameters import (
    CROSSING,
    MOST_SEARCHED,
    OPTIMIZING,
    GpxParameters,
    HeadParameters,
)
from gpu.gpx.rule import FEW_LOOSE
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.tabu_search.cpu import CONFLICTS
from tests.gpu.gpx import literal
from tests.gpu.gpx.test_rule import one_of


def test_a_large_sparse_graph_gets_fewer_colors_than_greedy_ones() -> None:
    n = MOST_SEARCHED + 1000
    pairs = np.random.default_rng(1).integers(0, n, (5 * n, 2))
    graph = GraphInstance("large", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    greedy = graph.cost_of(best_greedy_coloring(graph))
    colony = GpxCpuColony(graph, GpxParameters().resolved(n), 1, threads=2)
    try:
        for _ in range(20):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.EVERYTHING)
            if shown.best_cost < greedy:
                break
        assert graph.cost_of(shown.best_solution) == shown.best_cost < greedy
        assert (shown.pheromone, shown.trails) == (None, None)
        assert shown.trails_note.startswith("On graphs of more than 4,096 vertices")
        assert colony.trails_from(7).tolist() == [1.0] * n
    finally:
        colony.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_rounds_are_those_of_the_rule_with_any_number_of_threads(threads: int) -> None:
    n, noise = MOST_SEARCHED + 1003, 20
    pairs = np.random.default_rng(4).integers(0, n, (9 * n, 2))
    graph = GraphInstance("rounds", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    start = largest_first_coloring(graph)
    count = graph.cost_of(start)
    parameters = dataclasses.replace(GpxParameters(), noise=noise)
    colony = GpxCpuColony(graph, parameters.resolved(n), 5, threads=threads, start=start)
    try:
        state, own = colony.standing, one_of(colony.standing.optimizers)
        squeezed = literal.squeezed(start.tolist(), count, count - 1)
        slow = literal.RoundsLiteral(
            graph, 5, 0, squeezed, count - 1, noise, int(state.rules.heaviest), best=count
        )
        colony.iterate(1)
        rounds = 0
        for iteration in range(1, 60):
            rounds += len(slow.loose) >= FEW_LOOSE
            slow.iterate(iteration, int(state.schedule[QUOTA + OPTIMIZING]))
            colony.iterate(1)
            assert own.colors.tolist() == slow.colors
            assert own.weights.tolist() == slow.weights
            assert colony.snapshot(Wanted.NUMBERS).best_cost == slow.best
        assert 20 < rounds < 59
        assert slow.best < count
    finally:
        colony.close()


def test_conflicts_are_counted_right_where_vertices_need_more_than_16_bits() -> None:
    n = 66_000
    pairs = np.random.default_rng(2).integers(0, n, (2 * n, 2))
    graph = GraphInstance("wide", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    parameters = HeadParameters.from_mapping({"moves": 40}).resolved(n)
    colony = GpxCpuColony(graph, parameters, 1, threads=1)
    try:
        colony.iterate(1)
        searches = colony.standing.searches
        for ant in range(2):
            real = len(graph.conflicts(searches.colors[ant]))
            assert searches.numbers[ant, CONFLICTS] == real > 0
    finally:
        colony.close()


def test_the_first_moves_of_a_large_graph_are_few() -> None:
    n = 30_000
    pairs = np.random.default_rng(3).integers(0, n, (5 * n, 2))
    graph = GraphInstance("long", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    colony = GpxCpuColony(graph, HeadParameters().resolved(n), 1, threads=1)
    try:
        state = colony.standing
        # Each of these moves looks at nearly all vertices.
        assert state.schedule[QUOTA + CROSSING] * n < state.rules.work
    finally:
        colony.close()


def star(leaves: int) -> GraphInstance:
    """Return a graph in which one vertex has all others as neighbours."""
    ends = np.column_stack((np.zeros(leaves, np.int64), np.arange(1, leaves + 1)))
    return GraphInstance("star", "", leaves + 1, unique_edges([*ends.tolist(), [1, 2]]))


def test_a_vertex_with_too_many_neighbours_is_refused_where_it_would_be_searched() -> None:
    graph = star(33_000)
    with pytest.raises(ParameterError, match="32,767 neighbours or more"):
        GpxCpuColony(graph, HeadParameters().resolved(graph.n), 1, threads=1)
    colony = GpxCpuColony(graph, GpxParameters().resolved(graph.n), 1, threads=1)
    colony.close()


def test_counts_are_wide_where_many_neighbours_may_be_in_one_class() -> None:
    hub = star(300)
    assert SearchShape.of(hub, dsatur_coloring(hub)).fields == WIDE
    small = star(100)
    assert SearchShape.of(small, dsatur_coloring(small)).fields == NARROW
