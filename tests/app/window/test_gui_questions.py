"""No run is lost without a question: neither by a file that is opened nor by leaving."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QCloseEvent, QScreen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QDialog,
    QMessageBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.problem import Problem
from gpu.problems.tsp.drawing import pasted
from tests.app.in_window import GRID, answer, limit, open_, use_colony, use_device, wait_for
from tests.colonies import RandomColony
from tests.hands import NONE, click, drop, press, settle
from tests.views.scenes import cut_texts
from views.film import FilmDialog
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


def name(application: Application) -> str:
    return "" if application.instance.value is None else application.instance.value.name


def test_a_dropped_file_asks_before_it_ends_a_run(qtbot: QtBot, running: Application) -> None:
    drop(running.window, GRID)
    answer(qtbot, running, "", "Go on")
    settle()
    qtbot.waitUntil(lambda: running.background.idle)
    assert running.window.activity is Activity.RUNNING
    assert name(running) == "ring-50"
    assert running.window.setup.instance.name.text() == "ring-50"
    drop(running.window, GRID)
    answer(qtbot, running, "", "Stop and show")
    qtbot.waitUntil(lambda: name(running) == "grid-100")
    wait_for(qtbot, running, Activity.IDLE)


def test_quitting_asks_while_a_run_goes_on(qtbot: QtBot, running: Application) -> None:
    press(running.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    answer(qtbot, running, "", "Go on")
    assert running.window.isVisible()
    assert running.window.activity is Activity.RUNNING
    qtbot.waitUntil(lambda: running.window.findChild(QMessageBox) is None)
    # As the desktop does it; what closes a QWindow is the program, which is not asked.
    QApplication.sendEvent(running.window.windowHandle(), QCloseEvent())
    answer(qtbot, running, "", "Stop and quit")
    qtbot.waitUntil(lambda: not running.window.isVisible())


def test_nothing_is_asked_when_nothing_goes_on(qtbot: QtBot, opened: Application) -> None:
    open_(qtbot, opened)
    press(opened.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not opened.window.isVisible()
    assert opened.window.findChild(QMessageBox) is None


SCREEN, ROOM = QSize(640, 400), QSize(624, 360)  # the rest is for a dialog's frame and title
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def film(opened: Application) -> None:
    what = "uniform-100, acs-seq on cpu:1, seed 1, from its log in the folder of all logs. " * 2
    FilmDialog(opened.window, Problem.TSP, what, dark=True).show()


def presentation(opened: Application) -> None:
    press(opened.window, Qt.Key.Key_F11)
    opened.window.paint_now()  # in the large type
    opened.window.resize(SCREEN)
    press(opened.window, Qt.Key.Key_V)


def on_the_globe(opened: Application) -> None:
    """The longest question of the program."""
    opened.drawing.open()
    board = opened.drawing.board
    board.take(pasted("1 2\n3 4\n").plane.points, "two")
    opened.drawing._add("The clipboard", pasted("lat,lon\n52.52,13.405\n41.9028,12.4964\n"))


DIALOGS: dict[str, Callable[[Application], object]] = {
    "about": lambda opened: opened.window.actions_["about"].trigger(),
    "best known": lambda opened: click(opened.window.setup.instance.best_known),
    "board": lambda opened: press(opened.window, Qt.Key.Key_D, CONTROL | SHIFT),
    "film": film,
    "keys": lambda opened: press(opened.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier),
    "picture": lambda opened: press(opened.window, Qt.Key.Key_E, CONTROL),
    "presentation": presentation,
    "preset": lambda opened: opened.window.setup.preset_menu.keep.trigger(),
    "question": on_the_globe,
}


@pytest.fixture(params=DIALOGS)
def dialog(
    qtbot: QtBot,
    opened: Application,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> QDialog:
    """A dialog on such a screen, opened in a window that was opened on a larger one."""
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: QRect(QPoint(), SCREEN))
    open_(qtbot, opened)
    DIALOGS[request.param](opened)
    made = QApplication.activeModalWidget() or opened.window.findChild(FilmDialog)
    assert isinstance(made, QDialog)
    qtbot.waitUntil(made.isActiveWindow)
    return made


def stops(dialog: QDialog) -> set[QWidget]:
    """All controls that Tab should lead to."""
    tab = Qt.FocusPolicy.TabFocus
    return {
        one
        for one in dialog.findChildren(QWidget)
        if one.isVisible() and one.isEnabled() and one.focusPolicy() & tab == tab
        if one.focusProxy() is None
    }


def test_a_dialog_fits_and_all_of_it_can_be_reached(dialog: QDialog) -> None:
    assert dialog.size() == dialog.size().boundedTo(ROOM)
    assert cut_texts(dialog) == []
    for button in dialog.findChildren(QAbstractButton):
        assert button.isHidden() or button.width() >= button.minimumSizeHint().width()
    for key, modifier in ((Qt.Key.Key_Tab, NONE), (Qt.Key.Key_Backtab, SHIFT)):
        first = now = QApplication.focusWidget()
        assert first is not None
        seen: set[QWidget] = set()
        while now is not None and now not in seen:
            seen.add(now)
            if not isinstance(now, QAbstractScrollArea | QTabBar):  # what it shows covers it
                assert now.visibleRegion().boundingRect().height() == now.height(), now
            press(now, key, modifier)
            now = QApplication.focusWidget()
        assert not stops(dialog) - seen
