"""Real mouse and key events for tests; pytest-qt's own are without types."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QWidget

NONE = Qt.KeyboardModifier.NoModifier


def click(widget: QWidget, place: QPoint | None = None) -> None:
    """Press and release the left button in the middle of ``widget``, or on a box's own square."""
    if place is None:
        place = widget.rect().center()
        if isinstance(widget, QCheckBox):
            place = QPoint(8, place.y())
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, NONE, place)


def double_click(widget: QWidget) -> None:
    """Click twice in the middle of ``widget``."""
    QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, NONE, widget.rect().center())


def move(widget: QWidget, place: QPoint) -> None:
    """Move the mouse to ``place`` on ``widget``."""
    QTest.mouseMove(widget, place)


def press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """Press and release ``key`` with the focus on ``widget``."""
    QTest.keyClick(widget, key, modifiers)


def write(widget: QWidget, text: str) -> None:
    """Replace what stands in an entry by typing ``text``."""
    press(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(widget, Qt.Key.Key_Delete)
    QTest.keyClicks(widget, text)
