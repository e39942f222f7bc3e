"""The view of a graph: vertices in their classes, and conflicts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import Wanted
from gpu.drawing.draw import GraphArtist
from gpu.drawing.drawing import Arrangement
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from tests.graphs import greedy, queens, random_graph
from tests.hands import click, double_click, move, scroll
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import colours_in, in_sight, pixel_of, show_state
from views.graph.adjacency_view import AdjacencyView
from views.graph.class_marks import COLORS, DISTINCT, mark_of
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.widgets.theme import DARK, LIGHT, Theme
from views.widgets.view import View

SQUARE = GraphInstance("square", "", 4, unique_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), optimum=2)
CROSSED = np.array([0, 1, 0, 1], np.int32)
QUEENS = queens(8)


class Desk:
    """Answers what a view asks for when told to, so that tests see what happens meanwhile."""

    def __init__(self, graph: GraphInstance) -> None:
        self.artist = GraphArtist(graph)
        self.asked: list[tuple[Arrangement | None, NDArray[np.int32] | None]] = []

    def hear(self, how: Arrangement | None, coloring: NDArray[np.int32] | None) -> None:
        self.asked.append((how, coloring))


def show(view: GraphView, desk: Desk, coloring: NDArray[np.int32], iteration: int = 3) -> None:
    """Give the view a coloring, and the drawing that it asks for."""
    show_state(view, coloring_snapshot(SQUARE, iteration, coloring))
    answer(view, desk)


def make_graph_view(qtbot: QtBot, graph: GraphInstance) -> tuple[GraphView, Desk]:
    view, desk = GraphView(), Desk(graph)
    view.drawing_wanted.connect(desk.hear)
    view.show_instance(graph)
    in_sight(qtbot, view, 520, 520)
    return view, desk


def answer(view: GraphView, desk: Desk) -> None:
    view.show_drawing(desk.artist.draw(*desk.asked[-1]))


@pytest.fixture
def square(qtbot: QtBot) -> tuple[GraphView, Desk]:
    view, desk = make_graph_view(qtbot, SQUARE)
    answer(view, desk)
    return view, desk


def places(view: GraphView) -> NDArray[np.float64]:
    return view._drawing.places


def colours(view: GraphView, place: NDArray[np.float64], reach: int = 5) -> set[str]:
    """Every color within a few pixels of a place."""
    picture: QImage = view.graphics.grab().toImage()
    centre = pixel_of(view, *place)
    around = range(-reach, reach + 1)
    return {picture.pixelColor(centre + QPoint(x, y)).name() for x in around for y in around}


def test_classes_differ_in_more_than_hue() -> None:
    looks = [mark_of(number) for number in range(DISTINCT)]
    assert len({mark.name for mark in looks}) == DISTINCT
    assert len({(mark.colour.name(), mark.outline.tobytes()) for mark in looks}) == DISTINCT
    assert {mark.name.rsplit(" ", 1)[-1] for mark in looks[:8]} == {"circle"}
    assert len({mark.colour.name() for mark in looks[:COLORS]}) == COLORS
    assert mark_of(8).name == "pale orange square"
    for mark in looks:  # numbers can be read on their marks
        light, dark = sorted((grey(mark.colour), grey(mark.ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3.0


def grey(colour: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def test_places_are_asked_for_and_the_graph_is_grey_until_it_is_colored(
    qtbot: QtBot,
) -> None:
    view, desk = make_graph_view(qtbot, SQUARE)
    assert desk.asked[-1] == (None, None)
    assert view.waiting.isVisible()
    answer(view, desk)
    assert not view.waiting.isVisible()
    assert "not colored" in view.state.text()
    assert mark_of(0).colour.name() not in colours(view, places(view)[0])


def test_the_best_coloring_fills_in(square: tuple[GraphView, Desk]) -> None:
    view, desk = square
    show(view, desk, CROSSED)
    for vertex, color in enumerate(CROSSED):
        assert mark_of(color).colour.name() in colours(view, places(view)[vertex], 9)
    assert view.state.text() == "2 colors, no conflict"
    better = np.array([1, 0, 1, 0], np.int32)
    show(view, desk, better, 4)
    assert mark_of(1).colour.name() in colours(view, places(view)[0], 9)
    view.begin_run()
    assert "not colored" in view.state.text()
    late = desk.artist.draw(None, better)  # of the run before
    view.show_drawing(late)
    assert "not colored" in view.state.text()


def test_conflicts_are_drawn_and_counted_and_cannot_be_switched_off(
    square: tuple[GraphView, Desk],
) -> None:
    view, desk = square
    middle = places(view)[:2].mean(axis=0)
    show(view, desk, CROSSED)
    assert DARK["danger"] not in colours(view, middle)
    show(view, desk, np.array([0, 0, 1, 2], np.int32))
    assert view._drawing.conflicts.tolist() == [[0, 1]]
    assert "1 conflict" in view.state.text()
    assert view.state.property("role") == "wrong"
    for chip in view.chips.values():
        click(chip)
    assert DARK["danger"] in colours(view, middle)
    assert DARK["danger"] not in colours(view, places(view)[2:].mean(axis=0))


def test_edges_and_numbers_can_be_switched_off(square: tuple[GraphView, Desk]) -> None:
    view, desk = square
    show(view, desk, CROSSED)
    middle, ink = places(view)[:2].mean(axis=0), mark_of(0).ink.name()
    assert len(colours(view, middle)) > 1
    assert ink in colours(view, places(view)[0], 9)
    click(view.chips["edges"])
    assert colours(view, middle) == {DARK["panel"]}
    click(view.chips["numbers"])
    assert ink not in colours(view, places(view)[0], 9)


def test_arrangements_by_class_wait_for_their_places(square: tuple[GraphView, Desk]) -> None:
    view, desk = square
    show(view, desk, CROSSED)
    click(view.arrangement.buttons["classes"])
    how, coloring = desk.asked[-1]
    assert how is Arrangement.CLASSES
    assert coloring is CROSSED or np.array_equal(coloring, CROSSED)
    answer(view, desk)
    asked = len(desk.asked)
    better = np.array([1, 0, 1, 0], np.int32)
    show_state(view, coloring_snapshot(SQUARE, 4, better))
    assert len(desk.asked) == asked + 1
    assert np.array_equal(view.shown, CROSSED)  # until places come
    answer(view, desk)
    assert np.array_equal(view.shown, better)
    show_state(view, coloring_snapshot(SQUARE, 5, better.copy()))
    assert len(desk.asked) == asked + 1  # the same coloring needs no other places


def test_the_mouse_names_a_vertex_and_its_class(
    qtbot: QtBot, square: tuple[GraphView, Desk]
) -> None:
    view, desk = square
    viewport = view.graphics.viewport()
    move(viewport, pixel_of(view, *places(view)[2]))
    qtbot.waitUntil(lambda: view.hover.text() == "vertex 3:  2 neighbours")
    show(view, desk, CROSSED)
    other = mark_of(1).colour.name()
    middle = places(view)[[1, 2]].mean(axis=0)
    plain = colours(view, middle)
    assert other in colours(view, places(view)[1], 9)
    move(viewport, pixel_of(view, *places(view)[2]) + QPoint(1, 0))
    qtbot.waitUntil(lambda: "class 1 of 2 (orange circles): 2 vertices" in view.hover.text())
    assert other not in colours(view, places(view)[1], 9)  # other classes pale
    assert mark_of(0).colour.name() in colours(view, places(view)[0], 9)
    assert colours(view, middle) != plain  # the edges of the vertex stand out
    move(viewport, QPoint(3, 3))
    qtbot.waitUntil(lambda: view.hover.text() == "")


def test_a_double_click_shows_the_whole_graph_again(square: tuple[GraphView, Desk]) -> None:
    view, _ = square
    view.box.scaleBy((0.1, 0.1))
    zoomed = view.box.viewRect().width()
    double_click(view.graphics.viewport())
    assert view.box.viewRect().width() > 5 * zoomed


def test_zooming_lasts_while_colorings_come(qtbot: QtBot) -> None:
    graph = random_graph(150, 0.5)
    view, desk = make_graph_view(qtbot, graph)
    answer(view, desk)
    show_state(view, coloring_snapshot(graph, 1))
    answer(view, desk)
    whole = view.box.viewRect().width()
    scroll(view.graphics.viewport(), 1200)
    zoomed = view.box.viewRect().width()
    assert zoomed < 0.6 * whole
    show_state(view, coloring_snapshot(graph, 2, greedy(graph, seed=5)))
    answer(view, desk)
    assert view.box.viewRect().width() == zoomed
    view.fit()
    assert view.box.viewRect().width() > 0.9 * whole


@pytest.mark.parametrize("how", ["spring", "circle", "classes"])
@pytest.mark.parametrize("graph", [random_graph(1, 0.0), random_graph(190, 0.9), queens(5)])
def test_any_graph_is_drawn_in_both_themes(qtbot: QtBot, how: str, graph: GraphInstance) -> None:
    view, desk = make_graph_view(qtbot, graph)
    show_state(view, coloring_snapshot(graph, 3))
    click(view.arrangement.buttons[how])
    answer(view, desk)
    for theme in (DARK, LIGHT, Theme(dark=True, scale=1.4)):
        view.apply_theme(theme)
        shown = colours_in(view.graphics.grab().toImage(), 3)
        assert len(shown) > (3 if graph.n > 1 else 1)


@pytest.mark.parametrize("kind", [GraphView, AdjacencyView, ClassesView])
def test_views_of_a_graph_need_the_coloring_alone(qtbot: QtBot, kind: type[View]) -> None:
    view = kind()
    view.show_instance(QUEENS)
    in_sight(qtbot, view, 420, 460)
    assert view.wanted == Wanted.SOLUTION
    before = view.grab().toImage()
    show_state(view, dataclasses.replace(coloring_snapshot(QUEENS, 9), best_solution=None))
    assert view.grab().toImage() == before
