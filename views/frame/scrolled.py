"""What the main window shows, scrolled where the window is too small for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

_LEAST = 940, 500  # what a window of 940 × 572 shows; a smaller one scrolls


class Scrolled(QScrollArea):
    """Scrolls ``contents`` in a small window. Tab brings what has the focus into sight."""

    def __init__(self, contents: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._contents = contents
        self.setWidget(contents)
        self.squeeze(on=False)

    def squeeze(self, *, on: bool) -> None:
        """Never scroll: a presentation leaves out what has no room."""
        self._contents.setMinimumSize(*((1, 1) if on else _LEAST))
        # Else lines that wrap, such as a script's, would make the contents as high as they like.
        self.setWidgetResizable(not on)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give contents that are not scrolled all the room there is."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if not self.widgetResizable():
            self._contents.resize(self.viewport().size())
