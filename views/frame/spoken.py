"""Names for buttons that have an icon alone, for those who hear the window instead of seeing it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QToolButton, QWidget


class Spoken(QObject):
    """Names every button of a window that has no text by what its tool tip says.

    Parameters
    ----------
    window : QWidget
        All its buttons are there.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        for button in window.findChildren(QToolButton):
            if not button.text():
                button.installEventFilter(self)
                _name(button)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the tool tip."""
        if event.type() == QEvent.Type.ToolTipChange and isinstance(watched, QToolButton):
            _name(watched)
        return super().eventFilter(watched, event)


def _name(button: QToolButton) -> None:
    """Call it what its tip says, without the key and what is said after it."""
    button.setAccessibleName(button.toolTip().partition(" (")[0].partition(";")[0])
