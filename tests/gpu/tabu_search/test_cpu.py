"""Tabu searches on the CPU: the rule move by move, colonies with them, and threads."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.processors import SPARE
from gpu.core.snapshot import Wanted
from gpu.cpu import main_memory
from gpu.cpu.philox import key_of
from gpu.cpu.record import BEST_COST
from gpu.cpu.stages import EVERYTHING
from gpu.problems.coloring.instance import GraphInstance, greedy_colors, unique_edges
from gpu.rlf.cpu.colony import RlfTabuCpuColony
from gpu.rlf.cpu.coloring import CONSTRUCT, FINISH, RANK, RENEW, SEARCH, SHARE_OUT, TAKE, WEIGH
from gpu.rlf.parameters import ColoringTabuParameters
from gpu.tabu_search import cpu as tabu_tables
from gpu.tabu_search.cpu import bytes_needed, rules_of
from tests.gpu.tabu_search.literal import TabuLiteral

SEED = 2**33 + 9


def random_graph(n: int, density: float) -> GraphInstance:
    """Each pair of vertices is an edge with the same probability."""
    upper = np.triu(np.random.default_rng(n).random((n, n)) < density, 1)
    return GraphInstance("random", "", n, unique_edges(np.argwhere(upper)))


def test_searches_that_do_not_fit_are_refused_with_a_choice_that_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = random_graph(300, 0.5)
    half = sum(bytes_needed(graph, greedy_colors(graph), 64, 1).values())
    monkeypatch.setattr(main_memory, "free_memory", lambda: SPARE + half)
    with pytest.raises(DeviceMemoryError, match="use at most 50 searches, or the colony coloring"):
        RlfTabuCpuColony(
            graph, ColoringTabuParameters(ants=128, searches=128).resolved(graph.n), SEED, threads=1
        )
    fewer = ColoringTabuParameters(ants=128, searches=50)
    RlfTabuCpuColony(graph, fewer.resolved(graph.n), SEED, threads=1).close()


def test_a_dense_graph_is_prepared_in_little_more_memory_than_its_lists_take() -> None:
    graph = random_graph(1500, 0.9)
    tracemalloc.start()
    try:
        most = greedy_colors(graph)
        colored = tracemalloc.get_traced_memory()[1]
        rules = rules_of(key_of(SEED), graph, most, 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    for vertex in (0, 700, 1499):
        listed = rules.neighbours[rules.ends[vertex] : rules.ends[vertex + 1]]
        ends = graph.edges[(graph.edges == vertex).any(axis=1)].sum(axis=1) - vertex
        np.testing.assert_array_equal(listed, np.sort(ends))
    assert colored < 2**20
    assert peak < rules.neighbours.nbytes + 2**20


@pytest.mark.parametrize(("n", "density", "moves"), [(18, 0.5, 40), (25, 0.2, 30), (9, 0.9, 25)])
def test_searches_move_by_the_rule(n: int, density: float, moves: int) -> None:
    graph = random_graph(n, density)
    parameters = ColoringTabuParameters(ants=4, searches=3, moves=moves)
    colony = RlfTabuCpuColony(graph, parameters.resolved(graph.n), SEED, threads=2)
    literals: list[TabuLiteral | None] = [None] * 3
    best, most = n, greedy_colors(graph)
    for _ in range(3):
        work(colony, WEIGH, CONSTRUCT, RANK)
        colors, costs = colony._state.ants.colors.tolist(), colony._state.ants.costs.tolist()
        target = min(best, min(costs)) - 1
        for number, ant in enumerate(colony._searching.ant_of):
            literal = literals[number]
            if literal is None:
                literal = TabuLiteral(graph, SEED, number, list(colors[ant]), costs[ant])
                literals[number] = literal
            literal.search(min(target, most), moves)
        work(colony, SEARCH)
        for number, literal in enumerate(literals):
            state = colony._searching.searches.states[number]
            assert state[tabu_tables.TRIED_COLORS] == literal.count
            assert state[tabu_tables.MOVES_MADE] == literal.time
            assert state[tabu_tables.FEWEST_CONFLICTS] == literal.fewest
            assert colony._searching.searches.colors[number].tolist() == literal.colors
            if literal.kept:
                assert colony._searching.searches.kept[number].tolist() == literal.kept
        work(colony, TAKE, SHARE_OUT, RENEW, FINISH)
        found = [max(one.kept) + 1 for one in literals if one and one.kept]
        best = min([best, *costs, *found])
        assert colony._record.numbers[BEST_COST] == best
    colony.close()


def work(colony: RlfTabuCpuColony, *stages: int) -> None:
    """Run these stages of an iteration, on two threads."""
    for stage in stages:
        colony._work(1, 1 << stage, 0, EVERYTHING)


def test_a_colony_finds_the_fewest_colors_with_any_number_of_threads() -> None:
    sides = np.arange(60) % 5  # five classes, no edge within one
    apart = np.not_equal.outer(sides, sides)
    chosen = np.triu(np.random.default_rng(2).random((60, 60)) < 0.7, 1) & apart
    graph = GraphInstance("partite", "", 60, unique_edges(np.argwhere(chosen)))
    ends = []
    for threads in (1, 3):
        parameters = ColoringTabuParameters(ants=6, searches=4, moves=400)
        colony = RlfTabuCpuColony(graph, parameters.resolved(graph.n), SEED, threads=threads)
        colony.iterate(3)
        ends.append(colony.snapshot(Wanted.EVERYTHING))
        assert set(colony.timed_iteration()) == {
            "choice info",
            "construction",
            "tabu search",
            "update",
        }
        colony.close()
    one, other = ends
    assert one.best_cost == 5
    np.testing.assert_array_equal(one.best_solution, other.best_solution)
    np.testing.assert_array_equal(one.pheromone, other.pheromone)
    assert (one.iteration_best, one.iteration_mean) == (5, other.iteration_mean)
