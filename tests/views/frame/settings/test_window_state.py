"""Where the window is when it opens: within the screen, with its frame."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMargins, QRect
from PySide6.QtGui import QScreen
from pytestqt.qtbot import QtBot

from views.frame.main_window import MainWindow
from views.frame.settings.settings import Settings

FRAME = QMargins(8, 32, 8, 8)


def on_screen(monkeypatch: pytest.MonkeyPatch, width: int, height: int) -> QRect:
    """Let the screen have this size, and return where there is room within a frame."""
    screen = QRect(0, 0, width, height)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: screen)
    return screen.marginsRemoved(FRAME)


def opened(qtbot: QtBot, settings: Settings) -> MainWindow:
    window = MainWindow(settings)
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize("screen", [(1920, 1080), (1000, 700), (960, 540), (640, 400), (500, 350)])
def test_the_first_window_is_no_larger_than_there_is_room(
    qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch, screen: tuple[int, int]
) -> None:
    room = on_screen(monkeypatch, *screen)
    window = opened(qtbot, settings)
    assert window.size() == room.size().boundedTo(QRect(0, 0, 1280, 800).size())
    assert window.minimumSize() == window.minimumSize().boundedTo(window.size())


@pytest.mark.parametrize("place", [(10, 30, 780, 760), (90, 300, 690, 490), (2, 30, 700, 400)])
def test_a_window_that_was_kept_is_brought_within_a_smaller_screen(
    qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch, place: tuple[int, ...]
) -> None:
    on_screen(monkeypatch, 800, 800)
    window = opened(qtbot, settings)
    window.setGeometry(*place)
    window.show()
    assert window.close()
    again = opened(qtbot, settings)
    assert again.geometry().getRect() == place  # the screen is as it was
    room = on_screen(monkeypatch, 760, 600)
    assert room.contains(opened(qtbot, settings).geometry())
