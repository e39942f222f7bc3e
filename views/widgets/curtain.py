"""Holds back the painting of a window while it changes."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget


class Curtain:
    """Is closed while anybody wants that: the window is painted once, after all of them."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._closed_by: set[object] = set()

    def close(self, who: object) -> None:
        """Paint nothing until ``who`` opens the curtain again."""
        self._closed_by.add(who)
        self._window.setUpdatesEnabled(False)

    def open(self, who: object) -> None:
        """Paint again, unless somebody else wants the curtain closed."""
        self._closed_by.discard(who)
        if not self._closed_by and not self._window.updatesEnabled():
            self._window.setUpdatesEnabled(True)
            # Qt asks for no painting of what waits for it already. What was to be painted when the
            # curtain closed still waits, and the event that should have painted it is gone.
            QCoreApplication.postEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
