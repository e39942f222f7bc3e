from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QMenuBar, QTabBar, QToolButton, QWidget

from tests.hands import click
from tests.views.conftest import WITHOUT_GPU
from tests.views.cut_texts import cut_texts
from tests.views.scenes import snapshot, uniform
from views.frame.main_window import MainWindow

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


def test_every_button_has_a_name_for_those_who_hear_it(window: MainWindow) -> None:
    buttons = [
        button
        for button in window.findChildren(QToolButton)
        if not isinstance(button.parent(), QTabBar | QMenuBar)
    ]
    assert [button.toolTip() for button in buttons if not spoken(button)] == []
    zoom = window.dashboard.panes[0].zoom_button
    assert spoken(zoom) == "Show this pane alone"
    click(zoom)
    assert spoken(zoom) == "Show all panes"


def spoken(button: QToolButton) -> str:
    interface = QAccessible.queryAccessibleInterface(button)
    return interface.text(QAccessible.Text.Name) if interface.isValid() else ""


@pytest.mark.parametrize("presenting", [False, True])
def test_no_text_is_cut(window: MainWindow, presenting: bool) -> None:
    window.setup.colony.show_survey(WITHOUT_GPU)
    window.show_snapshot(snapshot(INSTANCE, 90, memory=True))
    if presenting:
        window.actions_["present"].trigger()
        window.setWindowState(Qt.WindowState.WindowNoState)
    for size in ((940, 572), (1280, 800), (1920, 1080)):
        window.resize(*size)
        window.dashboard.queue.finish()
        QApplication.sendPostedEvents()
        assert cut_texts(window) == [], size
