"""The drawing board, by mouse and keys; a drawing becomes the instance of the window."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.files import own_instances
from app.window.application import Application
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import GRID, RING, open_, state, use_colony, use_device, wait_for
from tests.app.on_the_board import (
    CONTROL,
    FIVE,
    LEFT,
    SHIFT,
    answer,
    asked,
    at,
    drag,
    near,
    paste,
    place,
    says,
    state_of,
)
from tests.colonies import RandomColony
from tests.hands import NONE, click, drop, press, write
from views.draw.board import Board
from views.draw.canvas import PAGE
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


TABLE = "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\n"
TOWNS = ((13.405, 52.52), (12.4964, 41.9028), (10.75, 59.91))


def test_a_drawing_on_the_globe(
    qtbot: QtBot, opened: Application, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pasted degrees stay degrees if the user wants it; clicked cities are on the globe, too."""
    drawing, canvas = board.drawing, board.canvas
    use_device(opened, "cpu:1")
    use_colony(opened, monkeypatch, RandomColony)
    paste(board, TABLE)
    _, answers = asked(qtbot, board)
    assert set(answers) == {"Latitudes and longitudes", "Plain numbers", "Cancel"}
    answer(qtbot, board, "Cancel")
    assert not len(drawing.points)
    paste(board, TABLE)
    answer(qtbot, board, "Latitudes and longitudes")
    assert near(board, *TOWNS)
    assert np.array_equal(drawing.points, TOWNS)
    assert board.count.text() == "3 cities on the globe"
    assert says(board, "GEO")
    assert np.ptp(canvas.page, axis=0).max() < 20  # degrees are shown, not thousands of units

    place(board, (11.5, 50.0))
    assert near(board, *TOWNS, (11.5, 50.0))
    press(canvas.graphics, Qt.Key.Key_Return)  # by keys, in the middle of the map
    assert drawing.points[4] == pytest.approx([12.08, 50.91], abs=0.01)
    assert board.place.text() == "cursor at latitude 50.91, longitude 12.08"
    paste(board, "48.8566 2.3522\n")  # without a question: the drawing is on the globe
    qtbot.waitUntil(lambda: len(drawing.points) == 6)
    assert drawing.points[5].tolist() == [2.3522, 48.8566]
    paste(board, "500 2\n")
    qtbot.waitUntil(lambda: says(board, "are no latitudes and longitudes"))
    for count in (5, 4, 3, 0):
        press(canvas.graphics, Qt.Key.Key_Z, CONTROL)
        assert len(drawing.points) == count
    assert state_of(drawing) == (0, False)
    assert board.count.text() == "0 cities"
    assert np.array_equal(canvas.page, PAGE)
    for _ in range(4):
        press(canvas.graphics, Qt.Key.Key_Y, CONTROL)
    assert state_of(drawing) == (6, True)

    write(board.name, "towns")
    with qtbot.waitSignal(opened.files.ready):
        press(canvas.graphics, Qt.Key.Key_Return, CONTROL)
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert (instance.metric, instance.geographic) == (Metric.GEO, True)
    assert instance.distances(np.array([0]), np.array([1])) == pytest.approx(1184, abs=3)
    click(opened.window.run_bar.stop)
    wait_for(qtbot, opened, Activity.IDLE)

    click(opened.window.setup.instance.draw_button)
    qtbot.waitUntil(board.isActiveWindow)
    board.actions_["clear"].trigger()
    assert state_of(drawing) == (0, False)
    board.actions_["begin"].trigger()  # the instance stays on the globe
    assert state_of(drawing) == (6, True)
    assert drawing.points[:3] == pytest.approx(np.array(TOWNS))
    board.reject()


def test_a_plane_and_the_globe_do_not_mix(qtbot: QtBot, board: Board) -> None:
    drawing = board.drawing
    place(board, *FIVE)
    paste(board, "lat,lon\n52.52,13.405\n41.9028,12.4964\n")
    question, answers = asked(qtbot, board)
    assert set(answers) == {"On the globe", "On a flat map, in metres", "Cancel"}
    assert "replace the drawing in a plane, which has 5 cities" in question
    answer(qtbot, board, "On a flat map, in metres")
    assert state_of(drawing) == (7, False)
    assert says(board, "metres on a flat map")
    paste(board, "lat,lon\n52.52,13.405\n41.9028,12.4964\n")
    answer(qtbot, board, "On the globe")
    assert state_of(drawing) == (2, True)
    press(board.canvas.graphics, Qt.Key.Key_Z, CONTROL)
    assert state_of(drawing) == (7, False)
    press(board.canvas.graphics, Qt.Key.Key_Y, CONTROL)

    place(board, (13.0, 45.0))  # the globe has an end
    press(board.canvas.graphics, Qt.Key.Key_A, CONTROL)
    for _ in range(200):
        press(board.canvas.graphics, Qt.Key.Key_Up)
    assert drawing.points[:, 1].max() == 90
    assert np.ptp(drawing.points[:, 1]) == pytest.approx(52.52 - 41.9028)  # none is left behind
    press(board.canvas.graphics, Qt.Key.Key_Escape)
    press(board.canvas.graphics, Qt.Key.Key_F)
    click(board.canvas.graphics.viewport(), at(board, 5.0, 91.0))
    assert says(board, "The globe ends there")
    assert len(drawing.points) == 3
    board.reject()


def test_a_picture_is_traced(
    qtbot: QtBot, opened: Application, board: Board, tmp_path: Path
) -> None:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    path = tmp_path / "picture.png"
    image.save(str(path))
    board.trace.cities.setValue(30)
    opened.drawing.trace(path)
    qtbot.waitUntil(lambda: "all white" in board.message.text())
    broken = tmp_path / "broken.png"
    broken.write_text("no picture")
    opened.drawing.trace(broken)
    qtbot.waitUntil(lambda: "choose a PNG" in board.message.text())

    click(board.trace.inverted)
    opened.drawing.trace(path)
    assert board.trace.cancel_button.isVisible()
    assert not board.actions_["solve"].isEnabled()
    click(board.trace.cancel_button)
    assert board.message.text() == "Cancelled"
    opened.drawing.trace(path)
    qtbot.waitUntil(lambda: len(board.drawing.points) == 30)
    saved = tmp_path / "mine.tsp"
    opened.drawing.save(saved)
    qtbot.waitUntil(lambda: board.message.text() == "mine.tsp is written")
    assert "DIMENSION: 30" in saved.read_text()
    board.reject()


def test_a_file_is_dropped_or_pasted(qtbot: QtBot, board: Board, tmp_path: Path) -> None:
    """A table or an instance adds its places, a picture is traced."""
    table, picture, text = (tmp_path / name for name in ("towns.csv", "ant.png", "letter.txt"))
    film = tmp_path / "run.mp4"
    film.write_bytes(b"\0\0\0\x18ftypmp42\0")
    table.write_text("name;latitude;longitude\nBerlin;52,52;13,405\nRome;41,9028;12,4964\n")
    text.write_text("Dear ants,\n")
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    image.save(str(picture))
    assert [part for part in board.findChildren(QWidget) if part.acceptDrops()] == []

    def dropped(path: Path) -> None:
        data = QMimeData()
        data.setUrls([QUrl("https://example.org/x.csv"), QUrl.fromLocalFile(str(path))])
        drop(board, data)

    dropped(table)
    question, _ = asked(qtbot, board)
    assert question.startswith("towns.csv has latitudes and longitudes.")
    answer(qtbot, board, "On the globe")
    assert state_of(board.drawing) == (2, True)
    dropped(text)
    qtbot.waitUntil(lambda: board.message.text().startswith(str(text)))
    QGuiApplication.clipboard().clear()
    board.actions_["paste"].trigger()
    assert state_of(board.drawing) == (2, True)
    table.write_text("x,y\n500,2\n7,8\n")
    dropped(table)
    qtbot.waitUntil(lambda: says(board, "the numbers in towns.csv are no latitudes"))
    board.trace.cities.setValue(30)
    dropped(picture)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (30, False))
    dropped(film)
    qtbot.waitUntil(lambda: says(board, f"{film}: it is a film or a sound, not an instance"))
    dropped(RING)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (80, False))
    press(board.canvas.graphics, Qt.Key.Key_Z, CONTROL)
    assert state_of(board.drawing) == (30, False)

    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile(str(table))])
    QGuiApplication.clipboard().setMimeData(copied)
    press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (32, False))
    QGuiApplication.clipboard().clear()
    board.reject()
