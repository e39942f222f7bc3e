"""What the main window shows, scrolled where the window is too small for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

_LEAST = 940, 500  # what a window of 940 × 572 shows; a smaller one scrolls


class Contents(QWidget):
    """The whole of what the window shows."""

    def heightForWidth(self, width: int) -> int:
        """Return that the width decides nothing.

        Else one page with lines that wrap would make all of them as high as the highest one would
        like to be, even if that is out of sight.
        """
        return -1


class Scrolled(QScrollArea):
    """Scrolls ``contents`` in a small window. Tab brings what has the focus into sight."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._contents = contents
        self.setWidget(contents)
        self.squeeze(on=False)

    def squeeze(self, *, on: bool) -> None:
        """Never scroll: a presentation leaves out what has no room."""
        self._contents.setMinimumSize(*((1, 1) if on else _LEAST))
