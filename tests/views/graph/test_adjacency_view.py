"""The matrix of a graph, in blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from gpu.drawing.draw import GraphArtist
from gpu.drawing.drawing import CONFLICT
from tests.graphs import greedy, queens, spoiled
from tests.hands import move
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import colours_in, in_sight, pixel_of, show_state
from views.graph.adjacency_view import AdjacencyView, joined
from views.widgets.theme import DARK
from views.widgets.view import Pointed

QUEENS = queens(8)


@pytest.fixture
def adjacency(qtbot: QtBot) -> AdjacencyView:
    view, artist = AdjacencyView(), GraphArtist(QUEENS)
    view.picture_wanted.connect(lambda coloring: view.show_picture(artist.adjacency(coloring)))
    view.show_instance(QUEENS)
    return in_sight(qtbot, view, 420, 460)


def test_blocks_of_the_matrix_are_empty_and_named(adjacency: AdjacencyView) -> None:
    assert "own order" in adjacency.caption.text()
    coloring = greedy(QUEENS)
    show_state(adjacency, coloring_snapshot(QUEENS, 3, coloring))
    assert "all blocks are empty" in adjacency.caption.text()
    assert adjacency.image.boundingRect().width() == 64
    assert adjacency.outlines._ends.tolist() == [0, *np.cumsum(np.bincount(coloring))]
    picture = adjacency.graphics.grab().toImage()
    spot = pixel_of(adjacency, 0.7, 0.7)
    inside = picture.pixelColor(spot.x(), spot.y())
    assert inside != DARK.colour("panel")  # the ground of a block says that it is one
    assert inside != DARK.colour("city")


def test_an_edge_within_a_block_stands_out(adjacency: AdjacencyView) -> None:
    show_state(adjacency, coloring_snapshot(QUEENS, 3, spoiled(QUEENS, greedy(QUEENS), 2)))
    assert "within blocks" in adjacency.caption.text()
    assert DARK["danger"] in colours_in(adjacency.graphics.grab().toImage())


def test_the_mouse_reads_the_matrix(qtbot: QtBot, adjacency: AdjacencyView) -> None:
    show_state(adjacency, coloring_snapshot(QUEENS, 3))
    row, column = map(int, np.argwhere(adjacency.picture.levels)[40])
    viewport = adjacency.graphics.viewport()
    with qtbot.waitSignal(adjacency.pointed) as pointed:
        move(viewport, pixel_of(adjacency, column + 0.5, row + 0.5))
    one, other = (adjacency.picture.order[at] for at in (row, column))
    assert f"vertices {one + 1} and {other + 1}:  an edge" in adjacency.reading.text()
    assert pointed.args == [Pointed(int(greedy(QUEENS)[one]), (int(one), int(other)))]
    move(viewport, pixel_of(adjacency, 0.5, 1.5))
    assert adjacency.reading.text().endswith("no edge,  class 1")


def test_shown_small_the_matrix_keeps_its_shade_and_every_conflict() -> None:
    levels = np.zeros((8, 8), np.uint8)
    levels[0, 0], levels[4:, 4:], levels[0, 7] = 250, 250, CONFLICT
    small = joined(levels, 4)
    assert small[1, 1] == 250
    assert 0 < small[0, 0] < 100
    assert small[1, 0] == 0
    assert small[0, 1] == CONFLICT


def test_the_matrix_out_of_sight_is_asked_for_when_it_is_looked_at(qtbot: QtBot) -> None:
    view = AdjacencyView()
    asked: list[NDArray[np.int32]] = []
    qtbot.addWidget(view)
    view.picture_wanted.connect(asked.append)
    view.show_instance(QUEENS)
    show_state(view, coloring_snapshot(QUEENS, 1))
    assert asked == []
    view.show()
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert np.array_equal(asked[0], greedy(QUEENS))
