"""Holds back the painting of a window while it changes."""

from __future__ import annotations

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
        if not self._closed_by:
            self._window.setUpdatesEnabled(True)
