"""Files that the desktop opens with the program: on macOS they come as events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class DesktopApplication(QApplication):
    """Hears which files the user opens by a double click, or drops on the program's icon.

    On macOS they are not on the command line, and the first may come before there is a window.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self._open: Callable[[Path], object] | None = None
        self._early: list[Path] = []  # came before anybody could open them

    def open_files_with(self, open_: Callable[[Path], object]) -> None:
        """Have ``open_`` called with each file; with the last of those that have come already."""
        self._open = open_
        if self._early:
            open_(self._early.pop())
            self._early.clear()

    def event(self, event: QEvent) -> bool:
        """Open a file, or keep it until that is possible."""
        if isinstance(event, QFileOpenEvent) and event.file():
            path = Path(event.file())
            if self._open is None:
                self._early.append(path)
            else:
                self._open(path)
            return True
        return super().event(event)
