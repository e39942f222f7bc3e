"""The colorings that are made at once: against their rules to the letter, and what is known."""

from __future__ import annotations

from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from gpu.core.snapshot import RunState
from gpu.cpu import first_colorings
from gpu.cpu.first_colorings import (
    best_greedy_coloring,
    first_fit_coloring,
    greedy_colorings,
    largest_first_coloring,
    saturation_coloring,
    smallest_last_coloring,
)
from gpu.cpu.graphs import degeneracy_order
from gpu.problems.coloring import dsatur
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.run.outcome import Ending
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.starting import use_once
from gpu.run.stopping import StopSettings
from tests.gpu.rlf.literal import complete, edgeless, graph, random_graph


def cliques_with_leaves(size: int) -> GraphInstance:
    """Cliques whose vertices have leaves, which get to know colors higher than their degree."""
    edges, n = [], 0
    for clique in (range(size), range(size, 2 * size)):
        edges += list(combinations(clique, 2))
        n = clique.stop
    for vertex in range(2 * size):
        edges += [(vertex, n), ((3 * vertex + size) % (2 * size), n)]
        n += 1
    return graph(n, sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]}))


def wide_star(leaves: int) -> GraphInstance:
    return graph(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])


GRAPHS = [
    *(random_graph(n, share, n) for n in (2, 7, 40, 120) for share in (0.02, 0.1, 0.5, 0.95)),
    *(complete(9), edgeless(5), edgeless(1), wide_star(30), cliques_with_leaves(12)),
]
graphs = pytest.mark.parametrize("instance", GRAPHS, ids=lambda one: f"{one.name}-{one.size}")


@pytest.fixture
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every graph count as a large one, of which nothing is made yet."""
    monkeypatch.setattr(dsatur, "MADE", WeakKeyDictionary())
    monkeypatch.setattr(first_colorings, "MADE", dsatur.MADE)
    monkeypatch.setattr(first_colorings, "_found", WeakKeyDictionary())
    monkeypatch.setattr(dsatur, "_SMALL", 0)


def literal(instance: GraphInstance, order: list[int]) -> list[int]:
    colors: dict[int, int] = {}
    for vertex in order:
        near = {colors.get(other) for other in instance.neighbours(vertex).tolist()}
        colors[vertex] = next(color for color in range(instance.n) if color not in near)
    return [colors[vertex] for vertex in range(instance.n)]


@graphs
def test_each_vertex_gets_the_first_color_that_is_free(instance: GraphInstance) -> None:
    order = np.random.default_rng(1).permutation(instance.n)
    found = first_fit_coloring(instance, order)
    assert found.tolist() == literal(instance, order.tolist())
    by_degree = sorted(range(instance.n), key=lambda vertex: (-instance.degrees[vertex], vertex))
    assert largest_first_coloring(instance).tolist() == literal(instance, by_degree)


@graphs
def test_smallest_last_takes_a_vertex_of_the_least_degree_away(instance: GraphInstance) -> None:
    found = degeneracy_order(instance)
    left, core = set(range(instance.n)), 0
    assert found.order[found.places].tolist() == list(range(instance.n))
    for vertex in found.order.tolist():
        near = {one: len(left.intersection(instance.neighbours(one).tolist())) for one in left}
        assert near[vertex] == min(near.values())
        core = max(core, near[vertex])
        assert found.cores[vertex] == core
        left.remove(vertex)
    assert not left
    colors = instance.cost_of(smallest_last_coloring(instance))
    assert colors <= found.cores.max() + 1


@graphs
@pytest.mark.usefixtures("_large")
def test_by_saturation_they_are_those_without_a_compiler(
    instance: GraphInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_colorings, "_VERTICES_AT_ONCE", 3)
    found = saturation_coloring(instance)
    assert found.tolist() == dsatur._colored(instance).tolist()
    assert not found.flags.writeable
    assert saturation_coloring(instance) is found
    assert dsatur_coloring(instance) is found


def test_a_small_graph_needs_no_compiler() -> None:
    instance = random_graph(20, 0.5)
    assert saturation_coloring(instance) is dsatur_coloring(instance)


@pytest.mark.usefixtures("_large")
def test_it_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_colorings, "_VERTICES_AT_ONCE", 10)
    instance, asked = random_graph(100, 0.1), list[int]()

    def third_time() -> bool:
        asked.append(1)
        return len(asked) == 3

    assert saturation_coloring(instance, third_time) is None
    assert len(asked) == 3
    assert saturation_coloring(instance) is not None


@graphs
@pytest.mark.usefixtures("_large")
def test_greedy_colorings_become_better(instance: GraphInstance) -> None:
    found = list(greedy_colorings(instance))
    costs = [instance.cost_of(one) for one in found]
    assert costs == sorted(set(costs), reverse=True)
    by = largest_first_coloring, smallest_last_coloring, dsatur_coloring
    assert costs[-1] == min(instance.cost_of(make(instance)) for make in by)
    assert best_greedy_coloring(instance) is found[-1]
    again = list(greedy_colorings(instance))
    assert all(one is other for one, other in zip(found, again, strict=True))


def test_of_a_small_graph_the_greedy_coloring_is_that_by_saturation() -> None:
    instance = crown(9)
    assert best_greedy_coloring(instance) is dsatur_coloring(instance)
    assert len(list(greedy_colorings(instance))) == 1


def test_what_is_used_once_is_compiled_for_large_graphs_too() -> None:
    use_once(random_graph(10, 0.5))
    for function in (first_colorings._color_in_order, first_colorings._color_by_saturation):
        assert vars(function)["overloads"]


def crown(half: int) -> GraphInstance:
    """Two colors suffice, and largest first takes one for every pair."""
    edges = [(2 * one, 2 * other + 1) for one in range(half) for other in range(half)]
    return graph(2 * half, sorted((min(e), max(e)) for e in edges if e[0] // 2 != e[1] // 2))


@pytest.mark.usefixtures("_large")
def test_a_run_on_a_large_graph_shows_a_coloring_at_once_and_then_a_better_one() -> None:
    instance, seen = crown(8), list[RunState]()
    stop = StopSettings(iterations=1, go_on=True)
    session = new_session(instance, colony="aco-rlf-seq", device="cpu:1", seed=1, stop=stop)
    run = Run(instance, session)
    run.observers.append(seen.append)
    run.build()
    costs = [one.cost for one in run.improvements]
    assert (costs[0], costs[-1]) == (8, 2)
    assert costs == sorted(set(costs), reverse=True)
    assert list(dict.fromkeys(state.best_cost for state in seen)) == costs
    told = [one.cost for state in seen for one in state.progress.improvements]
    assert told == costs
    run.close()


@pytest.mark.usefixtures("_large")
def test_a_run_that_is_cancelled_waits_for_no_better_coloring(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_colorings, "_VERTICES_AT_ONCE", 2)
    instance = crown(8)
    stop = StopSettings(iterations=1)
    session = new_session(instance, colony="aco-rlf-seq", device="cpu:1", seed=1, stop=stop)
    run = Run(instance, session)
    run.observers.append(lambda state: run.cancel())
    outcome = run.finish()
    assert (outcome.ending, outcome.state.best_cost) == (Ending.CANCELLED, 8)
