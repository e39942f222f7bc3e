"""The drawing board, by mouse and keys; a drawing becomes the instance of the window."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.files import own_instances
from app.window.application import Application
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import GRID, open_, state, use_colony, use_device, wait_for
from tests.app.on_the_board import (
    CONTROL,
    FIVE,
    LEFT,
    SHIFT,
    at,
    drag,
    near,
    place,
    says,
)
from tests.colonies import RandomColony
from tests.hands import NONE, click, press, write
from views.draw.board import Board
from views.frame.activity import Activity


def test_what_a_tool_does_is_said_in_full(board: Board) -> None:
    for button in board.tools.buttons.values():
        click(button)
        hint = board.hint
        assert hint.fontMetrics().horizontalAdvance(hint.text()) <= hint.width()


def test_drawing_by_mouse(board: Board) -> None:
    canvas, drawing = board.canvas, board.drawing
    assert canvas.welcome.isVisible()
    place(board, *FIVE)
    assert near(board, *FIVE)
    assert np.array_equal(drawing.points, drawing.points.round())
    assert not canvas.welcome.isVisible()
    assert board.count.text() == "5 cities"

    drag(board, (8000, 3000), (7000, 3500), (6000, 4000))  # a city that is met is moved
    assert near(board, *FIVE[:4], (6000, 4000))
    press(canvas.graphics, Qt.Key.Key_Z, CONTROL)
    assert near(board, *FIVE)
    press(canvas.graphics, Qt.Key.Key_Y, CONTROL)
    assert near(board, *FIVE[:4], (6000, 4000))

    click(board.tools.buttons["lasso"])
    drag(board, (500, 500), (4500, 500), (4500, 1500), (500, 1500))
    assert drawing.selection.tolist() == [0, 1]
    click(board.tools.buttons["move"])
    drag(board, (1000, 1000), (1500, 1500), (2000, 1500))  # both
    assert near(board, (2000, 1500), (5000, 1500), *FIVE[2:4], (6000, 4000))
    press(canvas.graphics, Qt.Key.Key_Delete)
    assert near(board, *FIVE[2:4], (6000, 4000))
    click(board.tools.buttons["erase"])
    drag(board, (4000, 4000), (4000, 5000), (1000, 5000))
    assert near(board, (6000, 4000))
    for _ in range(3):
        press(canvas.graphics, Qt.Key.Key_Z, CONTROL)
    assert near(board, *FIVE[:4], (6000, 4000))
    click(board.close_button)
    assert not board.isVisible()


@pytest.mark.parametrize("key", [Qt.Key.Key_Z, Qt.Key.Key_Delete])
def test_a_city_that_goes_while_it_is_dragged_is_let_go(board: Board, key: Qt.Key) -> None:
    canvas = board.canvas.graphics
    place(board, *FIVE)
    QTest.mousePress(canvas.viewport(), LEFT, NONE, at(board, *FIVE[-1]))
    press(canvas, key, CONTROL if key == Qt.Key.Key_Z else NONE)
    assert near(board, *FIVE[:-1])
    for _ in range(2):
        QTest.mouseMove(canvas.viewport(), at(board, 6000, 4000))
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, at(board, 6000, 4000))
    assert near(board, *FIVE[:-1])


def test_the_rubber_erases_no_city_that_has_got_the_number_of_another(board: Board) -> None:
    canvas = board.canvas.graphics
    place(board, *FIVE)
    click(board.tools.buttons["erase"])
    QTest.mousePress(canvas.viewport(), LEFT, NONE, at(board, *FIVE[0]))
    board.take(np.array([[2000.0, 2000.0]]), "a trace that has ended", replace=True)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, at(board, 6000, 4000))
    assert len(board.drawing.points) == 1


def test_drawing_by_keys(board: Board, qtbot: QtBot) -> None:
    canvas, drawing = board.canvas.graphics, board.drawing
    assert canvas.hasFocus()
    press(canvas, Qt.Key.Key_Return)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up):
        for _ in range(6):
            press(canvas, key)
        press(canvas, Qt.Key.Key_Return)
    first, second, third = drawing.points
    assert first.tolist() == [5000, 3500]
    assert second[0] > 5000
    assert second[1] == 3500
    assert third[0] == second[0]
    assert third[1] > 3500
    press(canvas, Qt.Key.Key_Space)
    assert drawing.selection.tolist() == [2]
    press(canvas, Qt.Key.Key_Left, SHIFT)  # the selected city, by a pixel
    assert drawing.points[2, 0] < third[0]
    press(canvas, Qt.Key.Key_Escape)
    assert not len(drawing.selection)
    press(canvas, Qt.Key.Key_Delete)  # the one at the cursor
    assert len(drawing.points) == 2
    press(canvas, Qt.Key.Key_A, CONTROL)
    press(canvas, Qt.Key.Key_Delete)
    assert not len(drawing.points)
    press(canvas, Qt.Key.Key_Return, CONTROL)
    assert board.message.text() == "A tour needs at least 3 cities; place 3 more"
    press(canvas, Qt.Key.Key_E)
    qtbot.waitUntil(lambda: board.canvas.tool == "erase")
    press(canvas, Qt.Key.Key_Escape)
    assert not board.isVisible()


def test_a_drawing_is_solved(
    qtbot: QtBot, opened: Application, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_device(opened, "cpu:1")
    use_colony(opened, monkeypatch, RandomColony)
    clipboard = QGuiApplication.clipboard()
    for text, why in (("", "no text on the clipboard"), ("1 2\n3 4\n5 x\n", "is no number")):
        clipboard.setText(text)
        press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)
        qtbot.waitUntil(partial(says, board, why))
    clipboard.setText("x,y\n0,0\n30,0\n30,40\n")
    press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)
    qtbot.waitUntil(lambda: len(board.drawing.points) == 3)
    write(board.name, "my triangle")
    with qtbot.waitSignal(opened.files.ready):
        press(board.canvas.graphics, Qt.Key.Key_Return, CONTROL)
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.path == own_instances.drawings_folder() / "my_triangle.tsp"
    assert instance.tour_length(np.arange(3)) == 120
    assert not board.isVisible()
    wait_for(qtbot, opened, Activity.RUNNING)
    click(opened.window.run_bar.stop)
    wait_for(qtbot, opened, Activity.IDLE)
    assert state(opened).best_cost == 120

    click(opened.window.setup.instance.draw_button)
    qtbot.waitUntil(board.isActiveWindow)
    press(board.canvas.graphics, Qt.Key.Key_Return)  # a fourth city
    assert board.drawing.points[3].tolist() == [15, 20]
    with qtbot.waitSignal(opened.files.ready):
        press(board.canvas.graphics, Qt.Key.Key_Return, CONTROL)
    assert (
        opened.instance.value.path == own_instances.drawings_folder() / "my_triangle-2.tsp"
    )  # logs need both
    click(opened.window.run_bar.stop)
    wait_for(qtbot, opened, Activity.IDLE)

    open_(qtbot, opened)
    click(opened.window.setup.instance.draw_button)
    qtbot.waitUntil(board.isActiveWindow)
    assert board.actions_["begin"].text() == "Begin with ring-50"
    board.actions_["begin"].trigger()
    assert len(board.drawing.points) == 50
    press(board.canvas.graphics, Qt.Key.Key_Z, CONTROL)
    assert len(board.drawing.points) == 4
    open_(qtbot, opened, GRID)  # it was being loaded, or was dropped beside the board
    assert board.actions_["begin"].text() == "Begin with grid-100"
    board.reject()


def test_an_unsaved_drawing_is_not_lost_without_a_question(
    qtbot: QtBot, board: Board, opened: Application, tmp_path: Path
) -> None:
    window = opened.window
    assert not window.has_unsaved()  # nothing is drawn
    board.take(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 1.0]]), "three")
    press(board, Qt.Key.Key_Escape)
    assert window.has_unsaved()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(window, Qt.Key.Key_Q, CONTROL)
    asked = window.findChild(QMessageBox)
    assert "drawing is not saved" in asked.text()
    asked.reject()
    assert window.isVisible()
    opened.drawing.save(tmp_path / "a.tsp")
    qtbot.waitUntil(lambda: not window.has_unsaved())
