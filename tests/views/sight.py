"""How a widget of a test comes into sight."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

Shown = TypeVar("Shown", bound=QWidget)


def in_sight(qtbot: QtBot, widget: Shown, width: int = 0, height: int = 0) -> Shown:
    """Show ``widget``, in this size if one is given, wait until it is there, and return it.

    It is closed at the test's end.
    """
    qtbot.addWidget(widget)
    if width:
        widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget
