"""What a user does on the drawing board, and what there is to see then."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMessageBox
from pytestqt.qtbot import QtBot

from tests.hands import NONE, click, press
from views.draw.board import Board
from views.draw.drawing import Drawing

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton

FIVE = ((1000, 1000), (4000, 1000), (4000, 5000), (1000, 5000), (8000, 3000))


def at(board: Board, x: float, y: float) -> QPoint:
    """The pixel of a place on the canvas."""
    seen = board.canvas.box.mapViewToScene(QPointF(x, y))
    found: QPoint = board.canvas.graphics.mapFromScene(seen)
    return found


def drag(board: Board, *places: tuple[float, float]) -> None:
    """Press the left button at the first place, and let it go at the last."""
    canvas = board.canvas.graphics.viewport()
    first, *others = (at(board, *place) for place in places)
    QTest.mousePress(canvas, LEFT, NONE, first)
    for other in others:
        QTest.mouseMove(canvas, other)
    QTest.mouseRelease(canvas, LEFT, NONE, others[-1])


def place(board: Board, *places: tuple[float, float]) -> None:
    for one in places:
        click(board.canvas.graphics.viewport(), at(board, *one))


def near(board: Board, *places: tuple[float, float]) -> bool:
    """Whether these are the cities, to within two pixels."""
    points = board.drawing.points
    pixel = board.canvas.box.viewPixelSize()[0]
    return len(points) == len(places) and bool((np.abs(points - places) < 2.5 * pixel).all())


def state_of(drawing: Drawing) -> tuple[int, bool]:
    """How many cities there are, and whether they are on the globe."""
    return len(drawing.points), drawing.globe


def says(board: Board, text: str) -> bool:
    return text in board.message.text()


def paste(board: Board, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)


def asked(qtbot: QtBot, board: Board) -> tuple[str, dict[str, QAbstractButton]]:
    """The question over the board, and its answers."""

    def visible() -> list[QMessageBox]:
        return [box for box in board.findChildren(QMessageBox) if box.isVisible()]

    qtbot.waitUntil(lambda: len(visible()) == 1)
    (box,) = visible()
    return box.text(), {one.text(): one for one in box.buttons()}


def answer(qtbot: QtBot, board: Board, text: str) -> None:
    _, answers = asked(qtbot, board)
    click(answers[text])
    board.activateWindow()  # as a desktop does it when a dialog is gone
    qtbot.waitUntil(board.isActiveWindow)
