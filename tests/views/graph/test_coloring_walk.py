"""Ants that color a graph in the view: what is drawn of each, and what is held back."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTransform
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import RunState, Walks, Wanted
from tests.hands import click
from tests.views.graph.test_graph_view import CROSSED, SQUARE, Desk, answer, make_graph_view
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import colours_in, show_state
from views.graph.class_marks import mark_of
from views.graph.graph_view import GraphView
from views.graph.walk_layer import ColoringWalkLayer, tiles_of

ORDERS = np.array([[0, 2, 1, 3], [1, 3, 2, 0], [3, 1, 0, 2]], np.int32)
COLORS = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0]], np.int32)
FEW = {mark_of(color).colour.name() for color in range(2)}


def state_of(iteration: int) -> RunState:
    """A state after an iteration of three ants."""
    walks = Walks(ORDERS, np.full(3, 2), 3, COLORS)
    shown = coloring_snapshot(SQUARE, iteration, CROSSED)
    return dataclasses.replace(shown, walks=walks, solutions_each=3)


@pytest.fixture
def shown(qtbot: QtBot) -> tuple[GraphView, Desk]:
    view, desk = make_graph_view(qtbot, SQUARE)
    answer(view, desk)
    click(view.chips["walk"])
    return view, desk


def layer_of(view: GraphView) -> ColoringWalkLayer:
    layer = view._layers[-1]
    assert isinstance(layer, ColoringWalkLayer)
    return layer


def test_vertices_take_their_class_and_the_best_coloring_comes_last(
    shown: tuple[GraphView, Desk],
) -> None:
    view, desk = shown
    assert Wanted.WALKS in view.wanted
    asked = len(desk.asked)
    show_state(view, state_of(1))
    bar, layer = view.walking.bar, layer_of(view)
    bar.stop()
    assert len(desk.asked) == asked  # for the best coloring
    assert layer.ants == 3
    assert bar.note.text() == "Iteration 1: step 1 of 4  ·  3 ants"
    bare = colours_in(view.graphics.grab().toImage())
    for _ in range(3):
        click(bar.step)
    assert [one.tolist() for one in layer.candidates(3)] == [[3], [0], [2]]
    drawn = colours_in(view.graphics.grab().toImage())
    assert drawn >= FEW
    assert not bare >= FEW
    assert view.vertices.opacity() == 0.0
    click(bar.step)
    click(bar.step)
    assert desk.asked[-1][1] is not None
    answer(view, desk)
    assert view.vertices.opacity() == 1.0
    assert layer.opacity() == 0.0


def test_candidates_of_a_class_have_no_neighbour_in_it(shown: tuple[GraphView, Desk]) -> None:
    view, _ = shown
    show_state(view, state_of(1))
    layer = layer_of(view)
    assert [one.tolist() for one in layer.candidates(0)] == [[0, 1, 2, 3]] * 3
    assert [one.tolist() for one in layer.candidates(1)] == [[2], [3], [1]]
    assert [one.tolist() for one in layer.candidates(2)] == [[1, 3], [0, 2], [0, 2]]
    view.walking.bar.ants.setValue(1)
    assert [one.tolist() for one in layer.candidates(3)] == [[3]]


def test_switched_off_the_graph_is_as_before(shown: tuple[GraphView, Desk]) -> None:
    view, desk = shown
    show_state(view, state_of(1))
    click(view.chips["walk"])
    assert Wanted.WALKS not in view.wanted
    assert desk.asked[-1][1] is not None
    assert view.edges.opacity() == 1.0
    assert not view.walking.bar.isVisible()


@pytest.mark.parametrize("count", [1, 2, 5, 6, 30])
def test_pictures_of_ants_do_not_overlap(count: int) -> None:
    size = QRectF(0, 0, 900, 500)
    tiles = tiles_of(count, QTransform(), size, 20.0)
    places = [tile.place for tile in tiles]
    assert len(places) == count
    assert all(size.contains(place) for place in places)
    assert not any(one.intersects(other) for at, one in enumerate(places) for other in places[:at])
    middle = tiles[-1].transform.map(size.center())
    assert places[-1].contains(middle)
