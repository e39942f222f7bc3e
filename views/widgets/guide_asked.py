"""How any part of the window asks for a passage of the guides: an event that its window gets.

So no part between the two knows of it. Parts also say which passage is about them, for F1.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QToolButton, QWidget

_PROPERTY = "guide"
_TYPE = QEvent.Type(QEvent.registerEventType())


class GuideAsked(QEvent):
    """The user wants to read ``target``, such as ``watch#trails``."""

    def __init__(self, target: str) -> None:
        super().__init__(_TYPE)
        self.target = target


def ask_guide(widget: QWidget | None, target: str) -> None:
    """Tell the main window around ``widget``, or around its dialog, that ``target`` is wanted."""
    around = widget
    while around is not None and not isinstance(around, QMainWindow):
        around = around.parentWidget()
    if around is not None:
        QApplication.sendEvent(around, GuideAsked(target))


def set_target(widget: QWidget, target: str) -> None:
    """Say which passage is about ``widget`` and its parts."""
    widget.setProperty(_PROPERTY, target)


def target_of(widget: QWidget | None) -> str:
    """Return the passage about ``widget``, or about the nearest part around it that has one."""
    while widget is not None:
        if target := widget.property(_PROPERTY):
            return str(target)
        widget = widget.parentWidget()
    return ""


class GuideButton(QToolButton):
    """A "?" that leads to the passage about the part that it is in, which ``subject`` names."""

    def __init__(self, target: str, subject: str) -> None:
        super().__init__()
        self.target = target
        self.setText("?")
        self.setProperty("role", "ask")
        self.setToolTip("Read about it in the guide (F1)")
        self.setAccessibleName(f"Guide: {subject}")
        self.clicked.connect(lambda: ask_guide(self, self.target))
