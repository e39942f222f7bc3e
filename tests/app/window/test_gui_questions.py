"""No run is lost without a question: neither by a file that is opened nor by leaving."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import GRID, limit, open_, use_colony, use_device, wait_for
from tests.colonies import RandomColony
from tests.hands import NONE, click, press
from views.frame.activity import Activity


@pytest.fixture
def running(qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch) -> Application:
    """The window with a run that has no limit."""
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    use_colony(opened, monkeypatch, RandomColony)
    limit(opened)
    press(opened.window, Qt.Key.Key_Space)
    wait_for(qtbot, opened, Activity.RUNNING)
    return opened


def answer(qtbot: QtBot, application: Application, text: str) -> None:
    """Click the button ``text`` of the question."""
    window = application.window
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None)
    box = window.findChild(QMessageBox)
    buttons = {one.text(): one for one in box.buttons() if isinstance(one, QPushButton)}
    click(buttons[text])


def drop(application: Application) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(GRID))])
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    for event in (
        QDragEnterEvent(QPoint(500, 300), action, data, button, NONE),
        QDropEvent(QPointF(500, 300), action, data, button, NONE),
    ):
        QApplication.sendEvent(application.window, event)


def name(application: Application) -> str:
    return "" if application.instance.value is None else application.instance.value.name


def test_a_dropped_file_asks_before_it_ends_a_run(qtbot: QtBot, running: Application) -> None:
    drop(running)
    answer(qtbot, running, "Go on")
    qtbot.wait(100)
    assert running.window.activity is Activity.RUNNING
    assert name(running) == "ring-50"
    assert running.window.setup.instance.name.text() == "ring-50"
    drop(running)
    answer(qtbot, running, "Stop and show")
    qtbot.waitUntil(lambda: name(running) == "grid-100")
    wait_for(qtbot, running, Activity.IDLE)


def test_quitting_asks_while_a_run_goes_on(qtbot: QtBot, running: Application) -> None:
    press(running.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    answer(qtbot, running, "Go on")
    assert running.window.isVisible()
    assert running.window.activity is Activity.RUNNING
    qtbot.waitUntil(lambda: running.window.findChild(QMessageBox) is None)
    # As the desktop does it; QWindow.close is a wish of the program, which is not asked.
    QApplication.sendEvent(running.window.windowHandle(), QCloseEvent())
    answer(qtbot, running, "Stop and quit")
    qtbot.waitUntil(lambda: not running.window.isVisible())


def test_nothing_is_asked_when_nothing_goes_on(qtbot: QtBot, opened: Application) -> None:
    open_(qtbot, opened)
    press(opened.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not opened.window.isVisible()
    assert opened.window.findChild(QMessageBox) is None


def test_escape_in_a_presentation_leaves_the_run_alone(qtbot: QtBot, running: Application) -> None:
    press(running.window, Qt.Key.Key_F11)
    press(running.window, Qt.Key.Key_Escape)
    assert not running.window.isFullScreen()
    qtbot.wait(100)
    assert running.window.activity is Activity.RUNNING
    with qtbot.waitSignal(running.runs.ended):
        press(running.window, Qt.Key.Key_Escape)
