"""The layout of large graphs: it shows their shape, step by step, and in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.drawing import draw
from gpu.drawing.draw import GraphArtist, is_large
from gpu.drawing.drawing import Arrangement
from gpu.drawing.sparse_stress import StressLayout
from gpu.problems.coloring import instance
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from tests.graphs import random_graph


def grid(side: int, *, beside: int = 0) -> GraphInstance:
    """Squares of a board, joined to those at their sides; and pairs of vertices beside it."""
    place = np.arange(side * side).reshape(side, side)
    right = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    pairs = side * side + np.arange(2 * beside).reshape(-1, 2)
    shuffled = np.random.default_rng(1).permutation(side * side + 2 * beside)
    edges = unique_edges(shuffled[np.vstack([right, down, pairs])])
    return GraphInstance("grid", "", len(shuffled), edges)


def lengths(graph: GraphInstance, places: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.hypot(
        *(places[graph.edges[:, 0]] - places[graph.edges[:, 1]]).T
    )
    return found


def settled(layout: StressLayout) -> list[NDArray[np.float64]]:
    found = []
    while not layout.settled:
        if layout.improve():
            found.append(layout.places())
    return found


def test_a_grid_is_unfolded_at_once_and_then_better() -> None:
    graph = grid(60)
    layout = StressLayout(graph)
    assert layout.longest >= 60
    first, *_, last = settled(layout)
    for places in (first, last):
        assert np.isfinite(places).all()
        extent = np.ptp(places, axis=0)
        assert np.median(lengths(graph, places)) < 0.05 * extent.max()
        counts = np.histogram2d(places[:, 0], places[:, 1], bins=6)[0]
        assert (counts > 0).mean() > 0.6  # it fills the map
    spread = [one.std() / one.mean() for one in (lengths(graph, first), lengths(graph, last))]
    assert spread[1] < 0.8 * spread[0]


def test_components_lie_beside_each_other() -> None:
    graph = grid(20, beside=50)
    places = settled(StressLayout(graph))[-1]
    ends = graph.edges[graph.degrees[graph.edges].max(axis=1) == 1]
    assert len(ends) == 50
    board = places[graph.degrees > 1]
    low, high = board.min(axis=0), board.max(axis=0)
    inside = ((places[ends.ravel()] > low) & (places[ends.ravel()] < high)).all(axis=1)
    assert not inside.any()
    apart = places[ends].mean(axis=1)
    near = np.hypot(*(apart[:, None] - apart).transpose(2, 0, 1))
    assert near[np.triu_indices(50, 1)].min() > 1.0


@pytest.mark.parametrize(
    "graph",
    [grid(15, beside=3), random_graph(300, 0.05), GraphInstance("", "", 90, np.empty((0, 2), int))],
)
def test_a_graph_always_gets_the_same_finite_places(graph: GraphInstance) -> None:
    first, second = settled(StressLayout(graph)), settled(StressLayout(graph))
    assert all(np.array_equal(*both) for both in zip(first, second, strict=True))
    assert np.isfinite(first[-1]).all()
    assert len(np.unique(first[-1].round(9), axis=0)) > 0.9 * graph.n


def test_an_artist_shows_something_at_once_then_a_layout_then_better_ones() -> None:
    graph = grid(230)
    assert is_large(graph)
    artist = GraphArtist(graph)
    drawing = artist.draw(None, None)
    assert drawing.arrangement is Arrangement.CLASSES
    assert not drawing.settled
    seen = [drawing]
    while not seen[-1].settled:
        artist.improve(None)
        seen.append(artist.draw(None, None))
    springs = [one for one in seen if one.arrangement is Arrangement.SPRING]
    assert len({id(one.places) for one in springs}) > 5
    assert not springs[0].settled
    first, last = (lengths(graph, one.places) for one in (springs[0], springs[-1]))
    assert last.std() / last.mean() < first.std() / first.mean()
    for one in seen:
        assert abs(one.places).max() <= 1.0 + 1e-9
        assert one.bounds.tolist() == [
            one.places.min(axis=0).tolist(),
            one.places.max(axis=0).tolist(),
        ]
    artist.improve(None)
    assert artist.draw(None, None).places is springs[-1].places


def test_springs_of_a_large_graph_without_a_shape_are_only_for_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draw, "_LARGE_GRAPH", 1_000)
    artist = GraphArtist(random_graph(1_200, 0.01))
    artist.settle(None)
    drawing = artist.draw(None, None)
    assert drawing.arrangement is Arrangement.CLASSES
    assert drawing.settled
    assert not artist.draw(Arrangement.SPRING, None).settled
    assert artist.draw(Arrangement.CIRCLE, None).settled
    artist.settle(Arrangement.SPRING)
    assert artist.draw(Arrangement.SPRING, None).arrangement is Arrangement.SPRING


def test_pictures_of_a_large_graph_need_memory_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(graph: GraphInstance) -> NDArray[np.uint32]:
        raise AssertionError("a matrix of bits was made")

    monkeypatch.setattr(instance, "_bit_matrix", refuse)
    graph = grid(250)
    coloring = (np.arange(graph.n) % 3).astype(np.int32)
    GraphArtist(grid(5)).adjacency(None)  # what is compiled is not counted
    tracemalloc.start()
    artist = GraphArtist(graph)
    artist.settle(None)
    artist.draw(None, coloring)
    artist.draw(Arrangement.CLASSES, coloring)
    assert artist.adjacency(coloring).levels.shape == (1000, 1000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 400 * graph.n + 100 * len(graph.edges) + 60e6  # bytes
