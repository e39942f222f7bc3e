"""The drawing board, by mouse and keys; a drawing becomes the instance of the window."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.files import drawings
from app.window.application import Application
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from tests.app.in_window import open_, state, use_colony, use_device, wait_for
from tests.colonies import RandomColony
from tests.hands import NONE, click, press, write
from views.draw.board import Board
from views.draw.canvas import PAGE
from views.draw.drawing import Drawing
from views.frame.activity import Activity

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def board(qtbot: QtBot, opened: Application) -> Board:
    press(opened.window, Qt.Key.Key_D, CONTROL | SHIFT)
    made = opened.drawing.board
    assert made is not None
    qtbot.waitUntil(made.isActiveWindow)
    return made


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


FIVE = ((1000, 1000), (4000, 1000), (4000, 5000), (1000, 5000), (8000, 3000))


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
        qtbot.waitUntil(partial(says, board, why), timeout=10_000)
    clipboard.setText("x,y\n0,0\n30,0\n30,40\n")
    press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)
    qtbot.waitUntil(lambda: len(board.drawing.points) == 3, timeout=10_000)
    write(board.name, "my triangle")
    with qtbot.waitSignal(opened.files.ready, timeout=20_000):
        press(board.canvas.graphics, Qt.Key.Key_Return, CONTROL)
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.path == drawings.folder() / "my_triangle.tsp"
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
    with qtbot.waitSignal(opened.files.ready, timeout=20_000):
        press(board.canvas.graphics, Qt.Key.Key_Return, CONTROL)
    assert opened.instance.value is not None
    assert opened.instance.value.path == drawings.folder() / "my_triangle-2.tsp"  # logs need both
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
    board.reject()


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
    qtbot.waitUntil(lambda: says(board, "beyond 90 and 180 degrees"))
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
    with qtbot.waitSignal(opened.files.ready, timeout=20_000):
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
    qtbot.waitUntil(lambda: "all white" in board.message.text(), timeout=60_000)
    broken = tmp_path / "broken.png"
    broken.write_text("no picture")
    opened.drawing.trace(broken)
    qtbot.waitUntil(lambda: "choose a PNG" in board.message.text(), timeout=20_000)

    click(board.trace.inverted)
    opened.drawing.trace(path)
    assert board.trace.cancel_button.isVisible()
    assert not board.actions_["solve"].isEnabled()
    click(board.trace.cancel_button)
    assert board.message.text() == "Cancelled"
    opened.drawing.trace(path)
    qtbot.waitUntil(lambda: len(board.drawing.points) == 30, timeout=60_000)
    saved = tmp_path / "mine.tsp"
    opened.drawing.save(saved)
    qtbot.waitUntil(lambda: board.message.text() == "mine.tsp is written", timeout=20_000)
    assert "DIMENSION: 30" in saved.read_text()
    board.reject()


def test_a_file_is_dropped_or_pasted(qtbot: QtBot, board: Board, tmp_path: Path) -> None:
    """A table adds its places, a picture is traced."""
    table, picture, text = (tmp_path / name for name in ("towns.csv", "ant.png", "letter.txt"))
    table.write_text("name;latitude;longitude\nBerlin;52,52;13,405\nRome;41,9028;12,4964\n")
    text.write_text("Dear ants,\n")
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    image.save(str(picture))
    assert [part for part in board.findChildren(QWidget) if part.acceptDrops()] == []

    def drop(path: Path) -> None:
        data = QMimeData()
        data.setUrls([QUrl("https://example.org/x.csv"), QUrl.fromLocalFile(str(path))])
        middle, action = board.rect().center(), Qt.DropAction.CopyAction
        for event in (
            QDragEnterEvent(middle, action, data, LEFT, NONE),
            QDropEvent(QPointF(middle), action, data, LEFT, NONE),
        ):
            QApplication.sendEvent(board, event)
            assert event.isAccepted()

    drop(table)
    question, _ = asked(qtbot, board)
    assert question.startswith("towns.csv has latitudes and longitudes.")
    answer(qtbot, board, "On the globe")
    assert state_of(board.drawing) == (2, True)
    drop(text)
    qtbot.waitUntil(lambda: board.message.text().startswith(str(text)))
    QGuiApplication.clipboard().clear()
    board.actions_["paste"].trigger()
    assert state_of(board.drawing) == (2, True)
    table.write_text("x,y\n500,2\n7,8\n")
    drop(table)
    qtbot.waitUntil(lambda: says(board, "in towns.csv are numbers beyond 90 and 180 degrees"))
    board.trace.cities.setValue(30)
    drop(picture)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (30, False))

    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile(str(table))])
    QGuiApplication.clipboard().setMimeData(copied)
    press(board.canvas.graphics, Qt.Key.Key_V, CONTROL)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (32, False))
    QGuiApplication.clipboard().clear()
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
    assert asked is not None
    assert "drawing is not saved" in asked.text()
    asked.reject()
    assert window.isVisible()
    opened.drawing.save(tmp_path / "a.tsp")
    qtbot.waitUntil(lambda: not window.has_unsaved(), timeout=20_000)
