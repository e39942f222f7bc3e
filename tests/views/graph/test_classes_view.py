"""The sizes of classes, as bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog
from pytestqt.qtbot import QtBot

from tests.graphs import greedy, queens
from tests.hands import click, move
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import colours_in, in_sight, pixel_of, show_state
from views.graph.class_marks import mark_of
from views.graph.classes_view import ClassesView
from views.widgets.theme import DARK, LIGHT, Theme
from views.widgets.view import Pointed

QUEENS = queens(8)


@pytest.fixture
def classes(qtbot: QtBot) -> ClassesView:
    view = ClassesView()
    view.show_instance(QUEENS)
    return in_sight(qtbot, view, 420, 320)


def test_bars_and_their_mean(classes: ClassesView) -> None:
    assert "begin with a run" in classes.plot.hint.text()
    coloring = greedy(QUEENS)
    show_state(classes, coloring_snapshot(QUEENS, 3, coloring))
    sizes = np.bincount(coloring)
    assert classes.bars.sizes.tolist() == sizes.tolist()
    assert classes.mean.points[0, 1] == pytest.approx(64 / len(sizes))
    assert classes.reading.text().startswith(f"{len(sizes)} classes of {sizes.min()}")
    ticks = classes.plot.axes["bottom"].tickValues(0.5, 3.5, 400)
    assert all(float(place).is_integer() for _, level in ticks for place in level)
    shown = colours_in(classes.plot.widget.grab().toImage())
    assert {mark_of(color).colour.name() for color in range(5)} <= shown
    click(classes.chip)
    assert not classes.mean.isVisible()
    classes.begin_run()
    assert classes.bars.sizes.tolist() == []
    classes.bars.sizes = np.array([3000, 3000])
    classes._say()
    assert classes.reading.text().endswith("3\u202f000 vertices, 3\u202f000 on average")


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_a_mark_differs_from_its_bar(classes: ClassesView, theme: Theme) -> None:
    """Around it there is black on a light bar, and white on a dark one, whatever the theme."""
    classes.apply_theme(theme)
    show_state(classes, coloring_snapshot(QUEENS, 3))
    picture = classes.plot.widget.grab().toImage()
    for color in (3, 4):  # yellow and blue
        foot = pixel_of(classes.plot, color + 1.0, 0.0)
        column = {picture.pixelColor(foot.x(), foot.y() - up).name() for up in range(3, 9)}
        assert mark_of(color).ink.name() in column


def test_the_mouse_names_a_bar(qtbot: QtBot, classes: ClassesView) -> None:
    show_state(classes, coloring_snapshot(QUEENS, 3))
    plot = classes.plot
    with qtbot.waitSignal(classes.pointed) as pointed:
        move(plot.widget.viewport(), pixel_of(plot, 9.0, 0.5))
    assert pointed.args == [Pointed(8)]
    size = np.bincount(greedy(QUEENS))[8]
    assert classes.reading.text() == f"class 9, pale orange squares:  {size} vertices"


@pytest.fixture
def named(classes: ClassesView) -> ClassesView:
    """A graph whose vertices have names, with a coloring."""
    names = tuple(f"square {place + 1}" for place in range(QUEENS.n))
    classes.show_instance(replace(QUEENS, names=names))
    show_state(classes, coloring_snapshot(QUEENS, 3, greedy(QUEENS)))
    return classes


def test_vertices_with_names_are_listed_with_their_classes(named: ClassesView) -> None:
    coloring = greedy(QUEENS)
    assert named.list.isVisible()
    assert not named.plot.isVisible()
    assert named.list.headings == ["Vertex", "Class", "Neighbours"]
    assert named.list.texts(7) == ["square 8", str(coloring[7] + 1), "21"]
    pointed: list[Pointed] = []
    named.pointed.connect(pointed.append)
    named.list.selectRow(7)
    assert pointed == [Pointed(int(coloring[7]), (7,))]
    click(named.form.buttons["sizes"])
    assert named.plot.isVisible()
    assert not named.list.isVisible()


def test_a_vertex_is_sought_by_its_name(named: ClassesView) -> None:
    named.search.setText("square 6")
    assert [named.list.texts(at)[0] for at in range(6)] == [
        "square 6",
        *(f"square {number}" for number in range(60, 65)),
    ]
    assert named.reading.text() == "6 vertices with square 6"
    named.search.clear()
    assert len(named.list.content.rows) == QUEENS.n


def test_a_class_has_the_colour_that_the_user_chooses(
    named: ClassesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = mark_of(1).colour
    monkeypatch.setattr(QColorDialog, "getColor", lambda *_: QColor("#12ab34"))
    changed: list[bool] = []
    named.colours_changed.connect(lambda: changed.append(True))
    named.list.class_wanted.emit(1)
    assert changed
    assert mark_of(1).colour.name() == "#12ab34"
    kept = named.kept
    named.show_instance(queens(5))
    assert mark_of(1).colour == usual
    named.keep("")
    named.show_instance(QUEENS)
    assert mark_of(1).colour == usual
    named.keep(kept)
    assert mark_of(1).colour.name() == "#12ab34"
    for broken in ("{", "[1]", '{"a": 3}', '{"a": {"x": "red"}}'):
        named.keep(broken)
        assert mark_of(1).colour == usual
