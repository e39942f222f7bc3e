from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QApplication,
    QMenuBar,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.hands import click, press
from tests.views.conftest import WITHOUT_GPU
from tests.views.hearing import heard_badly, name_of
from tests.views.scenes import cut_texts, snapshot, uniform
from views.frame import banner, readout
from views.frame.main_window import MainWindow
from views.widgets.announcing import Herald

INSTANCE = uniform(120)


def test_everything_can_be_reached_by_keyboard(window: MainWindow) -> None:
    """Walking with Tab comes by every control that can be used now."""
    met: set[QWidget] = set()
    widget: QWidget = window
    while widget not in met:
        met.add(widget)
        following = widget.nextInFocusChain()
        assert following is not None
        widget = following
    unreachable = [
        control.objectName() or control.text() or control.toolTip()
        for control in window.findChildren(QToolButton)
        if control.isVisible()
        and control.isEnabled()
        and not control.focusPolicy() & Qt.FocusPolicy.TabFocus
        and control.defaultAction() is None
    ]
    assert unreachable == []
    assert {window.setup.colony.devices, window.setup.colony.colonies, window.run_bar.start} <= met


def test_tab_comes_by_all_parts_as_they_are_read_and_each_has_a_name(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panes = window.dashboard.panes
    regions = [window.run_bar, window.setup, panes[0], window.dashboard.replay, *panes[1:]]
    window.dashboard.replay.show()
    for tab in range(max(len(pane.views) for pane in panes)):
        for pane in panes:
            pane.choose(min(tab, len(pane.views) - 1))
        walked = walk(window, window.run_bar.start)
        assert [type(one).__name__ for one in walked if not name_of(one)] == []
        places = [next(at for at, one in enumerate(regions) if one.isAncestorOf(w)) for w in walked]
        assert places == sorted(places)
        assert set(places) == set(range(len(regions)))
    window.actions_["gallery"].trigger()
    walked = walk(window, window.setup.aim.aims)
    assert [type(one).__name__ for one in walked if not name_of(one)] == []


def walk(window: MainWindow, start: QWidget) -> list[QWidget]:
    """Press Tab from ``start`` until that has the focus again; return all that had it."""
    start.setFocus()
    walked: list[QWidget] = []
    widget = start
    while not walked or widget is not start:
        assert widget not in walked, f"Tab does not leave what is around {name_of(widget)}"
        walked.append(widget)
        press(widget, Qt.Key.Key_Tab)
        following = QApplication.focusWidget()
        assert following is not None
        widget = following
    return walked


def test_every_button_has_a_name_for_those_who_hear_it(window: MainWindow) -> None:
    buttons = [
        button
        for button in window.findChildren(QToolButton)
        if not isinstance(button.parent(), QTabBar | QMenuBar)
    ]
    assert [path_of(button) for button in buttons if not spoken(button)] == []
    zoom = window.dashboard.panes[0].zoom_button
    assert spoken(zoom) == "Show this pane alone"
    click(zoom)
    assert spoken(zoom) == "Show all panes"


def path_of(part: QWidget) -> str:
    """Return where a part is, for whoever has to find it."""
    path = [type(part).__name__]
    while (part := part.parentWidget()) is not None:
        path.append(type(part).__name__)
    return " in ".join(path)


def spoken(button: QToolButton) -> str:
    interface = QAccessible.queryAccessibleInterface(button)
    return interface.text(QAccessible.Text.Name) if interface.isValid() else ""


def test_a_window_that_is_too_small_scrolls_to_what_has_the_focus(window: MainWindow) -> None:
    window.resize(window.minimumSize())
    last = window.dashboard.panes[2].zoom_button
    window.setup.seed_field.entry.setFocus()
    QApplication.sendPostedEvents()
    for target in (last, window.run_bar.start):
        before = target.previousInFocusChain()
        while not before.isVisible() or not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
            before = before.previousInFocusChain()
            assert before is not None
        before.setFocus()
        press(before, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is target
        assert not target.visibleRegion().isEmpty()


def test_no_text_is_cut(shown_either_way: MainWindow) -> None:
    window = shown_either_way
    window.setup.colony.show_survey(WITHOUT_GPU)
    window.show_snapshot(snapshot(INSTANCE, 90, memory=True))
    for size in ((940, 572), (1280, 800), (1920, 1080)):
        window.resize(*size)
        window.dashboard.queue.finish()
        QApplication.sendPostedEvents()
        assert cut_texts(window) == [], size


def test_all_of_the_window_is_heard_well(window: MainWindow) -> None:
    """In sight or not: a screen reader comes by all of it."""
    assert heard_badly(window) == set()


def test_under_linux_a_message_appears_as_a_notification(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orca 43 ignores announcements; what is told at once is said in one."""
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(sys, "platform", "linux")
    window.tell("The run has ended", "done")
    window.tell("The log is written", "done")
    herald = Herald.of(window)
    qtbot.waitUntil(lambda: herald.accessibleName() != "")
    interface = QAccessible.queryAccessibleInterface(herald)
    assert interface.role() == QAccessible.Role.Notification
    assert interface.text(QAccessible.Text.Name) == "The run has ended. The log is written"
    assert len(window.findChildren(Herald)) == 1


def test_a_run_is_told_when_it_got_better_and_seldom(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    for module in (banner, readout):
        monkeypatch.setattr(module, "announce", lambda _, text: told.append(text))
    for iteration in (1, 2, 10, 800, 801):  # 50 iterations a second
        window.show_snapshot(snapshot(INSTANCE, iteration))
    assert [text.rpartition(" ")[2] for text in told] == ["1", "800"]
    assert told[0].startswith("best length ")
    window.tell("The run has ended", "done")
    assert told[-1] == "The run has ended"
