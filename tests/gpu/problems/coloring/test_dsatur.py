"""The greedy coloring by saturation, against the rule to the letter and against what is known."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from gpu.problems.bundled import bundled
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from tests.gpu.rlf.literal import complete, edgeless, graph, random_graph

PUBLISHED = {
    "DSJC125.5.col": 23,
    "DSJC250.5.col": 37,
    "DSJC250.9.col.gz": 90,
    "DSJC500.1.col": 16,
    "DSJC500.5.col": 65,
    "DSJC500.9.col": 163,
    "DSJC1000.1.col": 25,
    "DSJC1000.5.col": 114,
    "DSJC1000.9.col": 301,
    "flat1000_50_0.col.gz": 113,
    "le450_15d.col.gz": 24,
    "le450_25c.col": 28,
}
"""Colors that DSATUR found for T. Cazenave, B. Negrevergne, F. Sikora, Monte Carlo Graph Coloring
(2020), Tables 2 to 4."""


def tree(n: int) -> GraphInstance:
    random = np.random.default_rng(n)
    return graph(n, [(int(random.integers(v)), v) for v in range(1, n)])


def grid(side: int) -> GraphInstance:
    across = [(v, v + 1) for v in range(side * side) if (v + 1) % side]
    return graph(side * side, [*across, *((v, v + side) for v in range(side * (side - 1)))])


def latin_square(order: int) -> GraphInstance:
    """The cells of a square, joined within each row and column: qg.order60 of DIMACS for 60."""
    cells = np.arange(order * order).reshape(order, order)
    lines = [*cells, *cells.T]
    return graph(order * order, [pair for line in lines for pair in combinations(line.tolist(), 2)])


def literal(instance: GraphInstance) -> list[int]:
    """Color the graph by the rule to the letter."""
    near = [set(instance.neighbours(v).tolist()) for v in range(instance.n)]
    colors: dict[int, int] = {}

    def urgency(v: int) -> tuple[int, int, int]:
        return len({colors[u] for u in near[v] if u in colors}), len(near[v] - colors.keys()), -v

    while len(colors) < instance.n:
        v = max((v for v in range(instance.n) if v not in colors), key=urgency)
        taken = {colors[u] for u in near[v] if u in colors}
        colors[v] = next(color for color in range(instance.n) if color not in taken)
    return [colors[v] for v in range(instance.n)]


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 7, 60])
def test_it_is_the_rule_to_the_letter(n: int, share: float) -> None:
    for seed in range(5):
        instance = random_graph(n, share, seed)
        assert dsatur_coloring(instance).tolist() == literal(instance)


def test_it_is_the_same_rule_where_a_vertex_has_very_many_neighbours() -> None:
    for share in (0.6, 0.9, 0.98):  # some 30 to 130 colors
        instance = random_graph(240, share, 1)
        assert 2 * len(instance.edges) > 128 * instance.n
        assert dsatur_coloring(instance).tolist() == literal(instance)


def test_a_graph_without_odd_cycles_has_two_colors() -> None:
    sides = np.random.default_rng(1).integers(0, 60, (300, 2))
    parts = graph(120, [(int(u), 60 + int(v)) for u, v in sides])  # several, and single vertices
    for instance in (tree(3000), grid(50), parts, graph(2, [(0, 1)])):
        assert instance.cost_of(dsatur_coloring(instance)) == 2


def test_graphs_whose_number_of_colors_is_known() -> None:
    ring = graph(9, [*pairwise(range(9)), (0, 8)])
    known = [(edgeless(5), 1), (edgeless(1), 1), (complete(8), 8), (ring, 3)]
    known.append((latin_square(60), 63))  # as was published; 60 would be enough
    for instance, colors in known:
        assert instance.cost_of(dsatur_coloring(instance)) == colors


@pytest.mark.parametrize("path", [one.path for one in bundled() if ".col" in one.path.name])
def test_that_of_a_bundled_graph_is_proper_and_made_once(path: Path) -> None:
    instance = load_instance(path)
    assert isinstance(instance, GraphInstance)
    coloring = dsatur_coloring(instance)
    assert instance.cost_of(coloring) >= (instance.optimum or 1)
    assert dsatur_coloring(instance) is coloring
    assert not coloring.flags.writeable


@pytest.mark.data
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_graphs_have_as_many_colors_as_others_found(dimacs: Path, name: str) -> None:
    instance = load_instance(dimacs / name)
    assert isinstance(instance, GraphInstance)
    assert instance.cost_of(dsatur_coloring(instance)) == PUBLISHED[name]
