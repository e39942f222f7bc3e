"""The widget of plots and maps: its size, its background, how far it can be zoomed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QAbstractEventDispatcher, QObject, QRectF, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.gpu.cpu import makers
from tests.hands import double_click, scroll
from views.tour.tour_view import TourView
from views.widgets.graphics import graphics_in, take_sizes
from views.widgets.layouts import fill
from views.widgets.plot import PlotWidget
from views.widgets.theme import DARK

WORK = 0.02  # seconds of the processor that each drawing takes


class Slow(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no type hints
    """Takes its time, and notes in which round and at what width it is drawn."""

    def __init__(self, rounds: list[int]) -> None:
        super().__init__()
        self.rounds, self.drawn = rounds, list[tuple[int, int]]()

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, 1, 1)

    def paint(self, painter: Any, option: Any, widget: QWidget) -> None:
        self.drawn.append((len(self.rounds), widget.width()))
        end = time.thread_time() + WORK
        while time.thread_time() < end:
            pass


class Counter(QObject):
    """Notes each round of Qt's loop, as long as its parent lives."""

    def __init__(self, parent: QWidget, rounds: list[int]) -> None:
        super().__init__(parent)
        self.rounds = rounds

    @Slot()
    def count(self) -> None:
        self.rounds.append(len(self.rounds))


def window_with_two(qtbot: QtBot) -> tuple[QWidget, list[Slow]]:
    window, rounds = QWidget(), list[int]()
    qtbot.addWidget(window)
    dispatcher = QAbstractEventDispatcher.instance()
    counter = Counter(window, rounds)
    dispatcher.awake.connect(counter.count)
    items = [Slow(rounds), Slow(rounds)]
    layout = fill(QHBoxLayout(window), spacing=0)
    for item in items:
        graphics = graphics_in(window)
        graphics.setCentralItem(box := pg.ViewBox(enableMenu=False))
        box.addItem(item)
        layout.addWidget(graphics)
    window.resize(600, 200)
    window.show()
    qtbot.waitUntil(lambda: all(item.drawn for item in items), timeout=60_000)
    return window, items


def test_two_in_a_window_of_another_size_are_drawn_in_two_rounds(qtbot: QtBot) -> None:
    window, items = window_with_two(qtbot)
    before = [item.drawn[-1][1] for item in items]
    for item in items:
        item.drawn.clear()
    window.resize(1000, 200)
    assert [item.drawn for item in items] == [[], []]

    def widths(item: Slow) -> list[int]:
        return [width for _, width in item.drawn]

    qtbot.waitUntil(lambda: all(max(widths(one), default=0) > 490 for one in items), timeout=60_000)
    first = [next(at for at, width in item.drawn if width > 490) for item in items]
    assert first[0] != first[1]
    # Until its turn comes, each is what it was.
    assert all(
        width in (was, 500) for was, one in zip(before, items, strict=True) for width in widths(one)
    )


def test_a_picture_has_the_new_size_at_once(qtbot: QtBot) -> None:
    window, items = window_with_two(qtbot)
    window.resize(1000, 200)
    take_sizes(window)
    assert [one.viewport().width() for one in window.findChildren(pg.GraphicsView)] == [500, 500]
    window.grab()
    assert [item.drawn[-1][1] for item in items] == [500, 500]


def test_what_is_hidden_has_the_new_size_as_it_comes_into_sight(qtbot: QtBot) -> None:
    window, items = window_with_two(qtbot)
    window.hide()
    window.resize(1000, 200)
    for item in items:
        item.drawn.clear()
    window.show()
    qtbot.waitUntil(lambda: all(item.drawn for item in items), timeout=60_000)
    assert {width for item in items for _, width in item.drawn} == {500}


IN, OUT = 120, -120  # a notch of the wheel


def test_the_map_is_zoomed_no_farther_than_there_is_something_to_see(qtbot: QtBot) -> None:
    view = TourView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(600, 500)
    view.show_instance(makers.uniform(50, size=1000))
    view.show()
    whole = view.whole()
    assert 900 < max(whole.width(), whole.height()) < 1100
    seen: list[QRectF] = []
    for notches, angle in ((90, IN), (200, OUT)):
        for _ in range(notches):
            scroll(view.graphics.viewport(), angle)
        seen.append(view.box.viewRect())
    assert 0.0005 < seen[0].width() < 0.005
    assert 4000 < max(seen[1].width(), seen[1].height()) < 7500
    double_click(view.graphics.viewport())
    assert view.box.viewRect().contains(whole)
    assert view.box.viewRect().width() < 2 * whole.width()


def test_a_plot_is_zoomed_no_farther_than_its_ticks_differ(qtbot: QtBot) -> None:
    plot = PlotWidget("iterations", "length")
    qtbot.addWidget(plot)
    plot.apply_theme(DARK)
    plot.resize(600, 400)
    plot.show()
    plot.follow((0, 1000), (5000, 6000))
    for notches, angle, sides in ((90, IN, (0.1, 0.1)), (200, OUT, (5000, 5000))):
        for _ in range(notches):
            scroll(plot.widget.viewport(), angle)
        rect = plot.box.viewRect()
        np.testing.assert_allclose((rect.width(), rect.height()), sides, rtol=1e-6)


def test_where_nothing_is_shown_yet_the_wheel_may_be_turned(qtbot: QtBot) -> None:
    plot = PlotWidget("iterations", "length")
    qtbot.addWidget(plot)
    plot.resize(600, 400)
    plot.show()
    before = plot.box.viewRect()
    scroll(plot.widget.viewport(), IN)
    nearer = plot.box.viewRect()
    assert nearer.width() < before.width()
    plot.follow((3, 3), (7, 7))  # one point: there is no width to compare with
    scroll(plot.widget.viewport(), OUT)
    assert plot.box.viewRect().width() > nearer.width()
