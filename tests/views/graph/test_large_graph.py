"""The view of a large graph: drawn in another thread, with a sample of its edges."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpu.core.formats import number_of
from gpu.core.snapshot import Wanted
from gpu.drawing import density
from gpu.drawing.draw import GraphArtist
from gpu.drawing.drawing import Arrangement
from gpu.problems.coloring import instance
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from tests.hands import click, move
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import colours_in, in_sight, pixel_of, show_state
from views.graph.adjacency_view import AdjacencyView
from views.graph.class_marks import mark_of
from views.graph.graph_view import GraphView
from views.widgets.picture_export import as_image
from views.widgets.theme import DARK, LIGHT
from views.widgets.view import Pointed

SIDE = 150


def grid() -> GraphInstance:
    place = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    right = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return GraphInstance("grid", "", SIDE * SIDE, unique_edges(np.vstack([right, down])))


GRID = grid()
BOARD = (np.add.outer(np.arange(SIDE), np.arange(SIDE)) % 2).ravel().astype(np.int32)


@pytest.fixture
def view(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> GraphView:
    """The grid by classes, whose edges are not all drawn."""
    monkeypatch.setattr(density, "MOST_EDGES", 20_000)
    made, artist = GraphView(), GraphArtist(GRID)
    made.drawing_wanted.connect(lambda how, coloring: made.show_drawing(artist.draw(how, coloring)))
    made.show_instance(GRID)
    in_sight(qtbot, made, 520, 520)
    click(made.arrangement.buttons["classes"])
    drawn(qtbot, made)
    return made


def drawn(qtbot: QtBot, view: GraphView) -> None:
    view.grab()
    qtbot.waitUntil(lambda: view.edges.ready and view.vertices.ready and view.conflict_lines.ready)


def show(qtbot: QtBot, view: GraphView, coloring: NDArray[np.int32]) -> None:
    show_state(view, coloring_snapshot(GRID, 1, coloring, wanted=Wanted.SOLUTION))
    drawn(qtbot, view)


def picture(view: GraphView) -> QImage:
    found: QImage = view.graphics.grab().toImage()
    return found


def test_vertices_have_the_colors_of_their_classes(qtbot: QtBot, view: GraphView) -> None:
    assert mark_of(0).colour.name() not in colours_in(picture(view))
    show(qtbot, view, BOARD)
    assert {mark_of(color).colour.name() for color in (0, 1)} <= colours_in(picture(view))
    assert view.state.text() == "2 colors, no conflict"


def test_the_view_says_how_many_edges_are_drawn(qtbot: QtBot, view: GraphView) -> None:
    drawn_edges, in_sight_ = view.edges.sampled
    assert 18_000 < drawn_edges <= 20_000 < in_sight_ == len(GRID.edges)
    assert f"{drawn_edges:,} of the {in_sight_:,}".replace(",", "\u202f") in view.caption.text()
    view.box.setRange(xRange=(0.5, 0.6), yRange=(0.5, 0.6))
    drawn(qtbot, view)
    assert view.edges.sampled is None
    assert "zoom in" not in view.caption.text()


def test_nothing_of_it_is_drawn_in_the_thread_of_the_window(
    qtbot: QtBot, view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()

    def noted(plain: Callable[..., object]) -> Callable[..., object]:
        def draw(*arguments: object) -> object:
            threads.add(threading.current_thread())
            return plain(*arguments)

        return draw

    for layer in (view.edges, view.vertices):
        monkeypatch.setattr(layer, "draw_part", noted(layer.draw_part))
    show(qtbot, view, BOARD)
    view.apply_theme(LIGHT)
    view.box.scaleBy((0.5, 0.5))
    drawn(qtbot, view)
    assert threads
    assert threading.main_thread() not in threads


def test_all_conflicts_are_drawn_however_many_edges_are_not(
    qtbot: QtBot, view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(density, "MOST_EDGES", 1)
    click(view.arrangement.buttons["circle"])
    one = BOARD.copy()
    one[1] = one[0]
    show(qtbot, view, one)
    assert "conflict" in view.state.text()
    assert DARK["danger"] in colours_in(picture(view))
    show(qtbot, view, np.zeros(GRID.n, np.int32))  # every edge is one
    assert view.state.text() == f"1 color, ⚠ {number_of(len(GRID.edges), 'conflict')}"
    assert DARK["danger"] in colours_in(picture(view))


def test_a_class_and_the_edges_of_a_vertex_stand_out(qtbot: QtBot, view: GraphView) -> None:
    show(qtbot, view, BOARD)
    vertex = int(np.flatnonzero(BOARD == 0)[40])
    move(view.graphics.viewport(), pixel_of(view, *view._drawing.places[vertex]))
    drawn(qtbot, view)
    assert "class 1 of 2" in view.hover.text()
    shown = colours_in(picture(view))
    assert mark_of(0).colour.name() in shown
    assert mark_of(1).colour.name() not in shown


def test_its_pictures_need_no_matrix_of_bits(
    qtbot: QtBot, view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: GraphInstance) -> None:
        raise AssertionError("a matrix of bits was made")

    monkeypatch.setattr(instance, "_bit_matrix", refuse)
    show(qtbot, view, BOARD)
    matrix, artist = AdjacencyView(), GraphArtist(GRID)
    matrix.picture_wanted.connect(lambda coloring: matrix.show_picture(artist.adjacency(coloring)))
    matrix.show_instance(GRID)
    in_sight(qtbot, matrix, 400, 400)
    show_state(matrix, coloring_snapshot(GRID, 1, BOARD, wanted=Wanted.SOLUTION))
    assert "all blocks are empty" in matrix.caption.text()
    view.point_out(Pointed(0, (7, 8)))
    drawn(qtbot, view)


def test_a_picture_for_a_file_has_the_same_edges_in_all_its_bands(
    qtbot: QtBot, view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    plain = density.levels_of

    threads = set()

    def note(*arguments: object) -> NDArray[np.uint8]:
        threads.add(threading.current_thread())
        made.append(plain(*arguments))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(density, "levels_of", note)
    monkeypatch.setattr("views.widgets.picture_export._BAND_PIXELS", 100_000)
    show(qtbot, view, BOARD)
    sampled = view.edges.sampled
    made.clear()
    threads.clear()
    image = as_image(view, DARK)
    # Those of the screen may be made anew meanwhile: the line that tells of them takes room.
    assert len([one for one in made if one.shape == made[-1].shape]) == 1
    assert threading.main_thread() not in threads
    assert image.height() * image.width() > 5 * 100_000
    assert view.edges.sampled == sampled  # of the screen
    assert {mark_of(color).colour.name() for color in (0, 1)} <= colours_in(image)


def test_places_that_are_not_the_last_are_said_to_be_sought(
    qtbot: QtBot, view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.drawing.draw._LARGE_GRAPH", 1_000)
    artist = GraphArtist(GRID)
    view.show_drawing(artist.draw(Arrangement.SPRING, None))
    assert "Finding places" in view.hover.text()
    artist.settle(Arrangement.SPRING)
    view.show_drawing(artist.draw(Arrangement.SPRING, None))
    assert view.hover.text() == ""
