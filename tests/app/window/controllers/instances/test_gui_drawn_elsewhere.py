"""What comes onto the drawing board from elsewhere: pasted places, traced pictures, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import RING, use_colony, use_device, wait_for
from tests.app.on_the_board import (
    CONTROL,
    FIVE,
    LEFT,
    answer,
    asked,
    at,
    near,
    paste,
    place,
    says,
    state_of,
)
from tests.colonies import RandomColony
from tests.hands import NONE, click, press, write
from views.draw.board import Board
from views.draw.canvas import PAGE
from views.frame.activity import Activity

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
    qtbot.waitUntil(lambda: says(board, "the numbers in towns.csv are no latitudes"))
    board.trace.cities.setValue(30)
    drop(picture)
    qtbot.waitUntil(lambda: state_of(board.drawing) == (30, False))
    drop(film)
    qtbot.waitUntil(lambda: says(board, f"{film}: it is a film or a sound, not an instance"))
    drop(RING)
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
