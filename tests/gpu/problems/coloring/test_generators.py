"""Generators of graphs: what each promises, and that the bundled files are theirs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from gpu.core.problem import Problem
from gpu.problems.bundled import BundledInstance, bundled
from gpu.problems.coloring import generators
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.coloring.generators import (
    GRAPH_RECIPES,
    SQUARE_SIDE,
    geometric,
    instance,
    mycielski,
    partite,
    queens,
    random,
    roads,
)
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance

GRAPHS = [one for one in bundled() if one.problem is Problem.COLORING]


def matrix(graph: GraphInstance) -> NDArray[np.bool_]:
    adjacent = np.zeros((graph.n, graph.n), bool)
    adjacent[graph.edges[:, 0], graph.edges[:, 1]] = True
    return adjacent | adjacent.T


def fewest_colors(graph: GraphInstance) -> int:
    """Chromatic number, by trying."""
    neighbours = [np.flatnonzero(row) for row in matrix(graph)]

    def fits(colors: list[int], most: int) -> bool:
        vertex = len(colors)
        if vertex == graph.n:
            return True
        taken = {colors[other] for other in neighbours[vertex] if other < vertex}
        fresh = max(colors, default=-1) + 1
        return any(
            color not in taken and fits([*colors, color], most)
            for color in range(min(fresh + 1, most))
        )

    return next(most for most in range(1, graph.n + 1) if fits([], most))


@pytest.mark.parametrize("item", GRAPHS, ids=lambda item: item.name)
def test_a_bundled_graph_is_what_the_index_says(item: BundledInstance) -> None:
    graph = load_instance(item.path)
    assert isinstance(graph, GraphInstance)
    assert (graph.name, graph.n, graph.note) == (item.name, item.n, "")
    assert graph.comment.splitlines()[0] == item.kind
    assert graph.optimum == item.optimum


def test_every_recipe_is_bundled() -> None:
    assert [one.name for one in GRAPHS] == [recipe.name for recipe in GRAPH_RECIPES]


def test_pairs_of_a_random_graph_are_edges_with_its_probability() -> None:
    n, edges, known = random(1, 400, 0.3)
    assert known is None
    pairs = n * (n - 1) / 2
    assert abs(len(edges) - 0.3 * pairs) < 4 * np.sqrt(0.21 * pairs)
    assert np.array_equal(edges, random(1, 400, 0.3)[1])
    assert not np.array_equal(edges, random(2, 400, 0.3)[1])


def test_points_of_a_geometric_graph_are_joined_where_they_are_close() -> None:
    _, edges, _ = geometric(1, 60, 0.2)
    points = np.random.Generator(np.random.PCG64(1)).integers(0, SQUARE_SIDE, (60, 2))
    near = {
        (u, v)
        for u, v in combinations(range(60), 2)
        if np.hypot(*(points[u] - points[v])) < 0.2 * SQUARE_SIDE
    }
    assert set(map(tuple, edges.tolist())) == near


def all_at_once(seed: int, n: int, p: float) -> NDArray[np.int32]:
    """How random graphs were drawn when they were small."""
    draws = np.random.Generator(np.random.PCG64(seed))
    u, v = np.triu_indices(n, 1)
    chosen = draws.random(u.size) < p
    return np.column_stack((u[chosen], v[chosen])).astype(np.int32)


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (2, 0.9), (40, 0.0), (99, 0.3), (2000, 0.01)])
def test_a_random_graph_is_the_same_drawn_in_parts(n: int, p: float) -> None:
    assert np.array_equal(random(3, n, p)[1], all_at_once(3, n, p))


def test_of_very_many_pairs_as_many_are_drawn_as_are_edges_on_average(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generators, "PAIRS_DRAWN", 0)
    n, pairs = 200, 199 * 100
    counts = np.zeros((n, n))
    for seed in range(60):
        edges = random(seed, n, 0.1)[1]
        assert len(edges) == pairs // 10
        GraphInstance("drawn", "", n, edges)  # checks them
        counts[edges[:, 0], edges[:, 1]] += 1
    found = counts[np.triu_indices(n, 1)]
    expected = pairs * stats.binom.pmf(np.arange(61), 60, 0.1)
    seen = np.bincount(found.astype(int), minlength=61)
    many = expected > 5
    assert stats.chisquare(seen[many], expected[many] * seen[many].sum() / expected[many].sum())[
        1
    ] > (1e-3)
    assert np.array_equal(random(5, n, 0.1)[1], random(5, n, 0.1)[1])


def test_places_are_joined_by_roads_where_no_other_is_in_the_circle_between_them() -> None:
    n, edges, known = roads(1, 200)
    assert known is None
    draws = np.random.Generator(np.random.PCG64(1))
    points = np.column_stack(np.divmod(draws.integers(0, SQUARE_SIDE**2, n), SQUARE_SIDE))
    expected = []
    for u, v in combinations(range(n), 2):
        others = np.delete(points, [u, v], axis=0)
        if (((points[u] - others) * (points[v] - others)).sum(axis=1) > 0).all():
            expected.append([u, v])
    assert edges.tolist() == expected


def test_squares_of_a_board_are_joined_as_queens_see() -> None:
    graph = instance("queens", "", queens(5))
    row, column = np.divmod(np.arange(25), 5)
    assert graph.cost_of((2 * row + column) % 5) == graph.optimum == 5
    assert matrix(graph)[:5, :5].sum() == 20  # a row needs as many colors as it is long
    assert queens(6)[2] is None
    assert len(queens(8)[1]) == 728  # as DIMACS's queen8_8


def test_mycielski_needs_one_color_more_each_time() -> None:
    for colors in (2, 3, 4, 5):
        graph = instance("mycielski", "", mycielski(colors))
        assert fewest_colors(graph) == graph.optimum == colors
        adjacent = matrix(graph).astype(int)
        assert np.trace(adjacent @ adjacent @ adjacent) == 0  # no triangle
    assert [mycielski(colors)[0] for colors in (4, 5, 6)] == [11, 23, 47]  # as myciel3 to 5
    assert [len(mycielski(colors)[1]) for colors in (4, 5, 6)] == [20, 71, 236]
    with pytest.raises(ValueError, match="the least is 2"):
        mycielski(1)


@pytest.mark.parametrize(("n", "colors", "p"), [(12, 4, 0.5), (9, 9, 0.1), (7, 1, 0.9), (10, 3, 0)])
def test_a_partite_graph_needs_as_many_colors_as_it_has_parts(
    n: int, colors: int, p: float
) -> None:
    graph = instance("partite", "", partite(3, n, colors, p))
    assert fewest_colors(graph) == graph.optimum == colors
    with pytest.raises(ValueError, match="cannot be in"):
        partite(3, n, n + 1, p)


@pytest.mark.data
def test_generators_make_what_dimacs_has(dimacs: Path) -> None:
    for name, layout in (("queen8_8", queens(8)), ("myciel5", mycielski(6))):
        published = load_graph(dimacs / f"{name}.col")
        n, edges, _ = layout
        assert n == published.n
        assert sorted(np.bincount(edges.ravel())) == sorted(published.degrees)
