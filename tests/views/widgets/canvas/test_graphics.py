"""The widget in which plots and maps are drawn: when it gets another size."""

from __future__ import annotations

import time
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QAbstractEventDispatcher, QObject, QRectF, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.graphics import graphics_in, take_sizes
from views.widgets.layouts import fill

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
