from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpu.drawing.draw import GraphArtist, suits
from gpu.drawing.drawing import CONFLICT, MATRIX_SIZE, Arrangement
from gpu.drawing.spring import spring_places
from gpu.problems.coloring.instance import GraphInstance, class_order, class_sizes, unique_edges
from tests.graphs import greedy, queens, random_graph, spoiled

BLUE_FIRST = np.array([1, 0, 1, 2, 0], np.int32)


def path(n: int) -> GraphInstance:
    places = np.arange(n - 1)
    return GraphInstance("path", "", n, unique_edges(np.column_stack([places, places + 1])))


def grid(side: int) -> GraphInstance:
    place = np.arange(side * side).reshape(side, side)
    right = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return GraphInstance("grid", "", side * side, unique_edges(np.vstack([right, down])))


def edgeless(n: int) -> GraphInstance:
    return GraphInstance("edgeless", "", n, np.empty((0, 2), np.int32))


def test_classes_have_an_order_and_sizes() -> None:
    assert class_order(BLUE_FIRST).tolist() == [1, 4, 0, 2, 3]
    assert class_sizes(BLUE_FIRST).tolist() == [2, 2, 1]


def test_springs_stretch_a_path_along_x() -> None:
    places = spring_places(path(30))
    along = places[:, 0] * np.sign(places[-1, 0] - places[0, 0])
    assert (np.diff(along) > 0).all()
    assert np.ptp(places[:, 1]) < 0.2 * np.ptp(along)


def test_springs_unfold_a_grid() -> None:
    graph = grid(8)
    places = spring_places(graph)
    lengths = np.hypot(*(places[graph.edges[:, 0]] - places[graph.edges[:, 1]]).T)
    assert lengths.max() < 1.6 * lengths.min()
    corners = places[[0, 7, 56, 63]]
    assert np.hypot(*(corners - places.mean(axis=0)).T).min() > 4  # edges are about 1 long


@pytest.mark.parametrize("graph", [path(1200), random_graph(260, 0.6), edgeless(40)])
def test_springs_of_any_graph_are_finite_and_repeat_themselves(graph: GraphInstance) -> None:
    places = spring_places(graph)
    assert np.isfinite(places).all()
    assert np.array_equal(places, spring_places(graph))
    assert len(np.unique(places.round(6), axis=0)) == graph.n


def test_paths_of_dense_graphs_are_found_by_products(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(60, 0.1)
    followed = spring_places(graph)
    monkeypatch.setattr("gpu.drawing.spring._LARGE", 0)
    assert np.allclose(followed, spring_places(graph))


@pytest.mark.parametrize("arrangement", list(Arrangement))
@pytest.mark.parametrize("n", [1, 2, 9, 200])
def test_every_arrangement_keeps_apart_what_it_shows(arrangement: Arrangement, n: int) -> None:
    graph = random_graph(n, 0.2)
    for coloring in (None, greedy(graph)):
        drawing = GraphArtist(graph).draw(arrangement, coloring)
        places = drawing.places
        assert places.shape == (n, 2)
        assert abs(places).max() <= 1.0 + 1e-9
        apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))[np.triu_indices(n, 1)]
        assert n == 1 or np.percentile(apart, 5) > 0.5 * drawing.spacing > 0
        by_class = coloring is not None and arrangement is not Arrangement.SPRING
        assert len(drawing.names) == (int(greedy(graph).max()) + 1 if by_class else 0)


def test_classes_lie_together() -> None:
    graph = random_graph(120, 0.3)
    coloring = greedy(graph)
    places = GraphArtist(graph).draw(Arrangement.CLASSES, coloring).places
    middles = np.array([places[coloring == color].mean(axis=0) for color in range(coloring.max())])
    nearest = np.hypot(*(places[:, None] - middles).transpose(2, 0, 1)).argmin(axis=1)
    known = coloring < coloring.max()
    assert (nearest[known] == coloring[known]).all()


def test_what_suits_a_graph() -> None:
    assert suits(path(50)) is suits(queens(8)) is Arrangement.SPRING
    assert suits(random_graph(200, 0.5)) is Arrangement.CLASSES
    assert GraphArtist(path(9)).draw(None, None).arrangement is Arrangement.SPRING


def test_springs_are_laid_out_once() -> None:
    artist = GraphArtist(path(9))
    first, coloring = artist.draw(Arrangement.SPRING, None), np.zeros(9, np.int32)
    second = artist.draw(None, coloring)
    assert second.places is first.places
    assert second.coloring is coloring
    assert first.conflicts.shape == (0, 2)
    assert second.conflicts.tolist() == path(9).edges.tolist()


def test_the_matrix_has_an_empty_block_for_each_class() -> None:
    graph = random_graph(80, 0.4)
    coloring = greedy(graph)
    picture = GraphArtist(graph).adjacency(coloring)
    assert picture.levels.shape == (80, 80)
    assert np.array_equal(picture.levels, picture.levels.T)
    assert (picture.levels > 0).sum() == 2 * len(graph.edges)
    assert (picture.levels < CONFLICT).all()
    u, v = graph.edges[7]
    place = np.argsort(picture.order)
    assert picture.levels[place[u], place[v]] > 0
    ends = np.concatenate([[0], np.cumsum(class_sizes(coloring))])
    for start, end in itertools.pairwise(ends):
        assert picture.levels[start:end, start:end].max() == 0


def test_an_edge_within_a_class_is_marked_however_small_the_matrix() -> None:
    graph = path(3 * MATRIX_SIZE)
    coloring = (np.arange(graph.n) % 2).astype(np.int32)
    artist = GraphArtist(graph)
    assert artist.adjacency(coloring).levels.shape == (MATRIX_SIZE, MATRIX_SIZE)
    assert (artist.adjacency(coloring).levels == CONFLICT).sum() == 0
    wrong = spoiled(graph, coloring, 1)
    assert len(graph.conflicts(wrong)) > 0
    assert (artist.adjacency(wrong).levels == CONFLICT).any()


def test_without_a_coloring_the_matrix_keeps_the_order() -> None:
    picture = GraphArtist(path(5)).adjacency(None)
    assert picture.coloring is None
    assert (picture.levels > 0).tolist() == (np.eye(5, k=1) + np.eye(5, k=-1) > 0).tolist()
