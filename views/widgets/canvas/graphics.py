"""The widget in which plots and maps are drawn."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from views.widgets.steps import StepTimer


class Graphics(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no type hints
    """Fills all its pixels with its own background; gets a new size in a turn of its own.

    A window of another size draws all anew. In one round of Qt's loop that would take too long: so
    what is in sight first shows its former picture, and each one is drawn in another round.

    The background is neither a picture nor drawn over that of the window: in a file of vectors,
    whose colours may be others, the window's would be seen around the picture.
    """

    def __init__(self, parent: QWidget) -> None:
        self._turn: StepTimer | None = None  # pyqtgraph sends events before there is one
        super().__init__(parent)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._turn = StepTimer(self)
        self._turn.timeout.connect(self._take_turn)

    def event(self, event: QEvent) -> bool:
        """Let a new size wait for its turn."""
        if event.type() == QEvent.Type.Resize and self._turn is not None and self.isVisible():
            self._turn.start()
            return True
        return bool(super().event(event))

    def take_size(self) -> None:
        """Have the size at once for which the turn has not come yet."""
        if self._turn is not None and self._turn.isActive():
            self._turn.stop()
            super().event(QResizeEvent(self.size(), self.viewport().size()))

    def _take_turn(self) -> None:
        """Take the size, and be drawn in this round: later, all would be drawn in one."""
        self.take_size()
        self.viewport().repaint()


def graphics_in(parent: QWidget) -> Any:
    """Return a widget of pyqtgraph's; it has no type hints."""
    return Graphics(parent)


def take_sizes(widget: QWidget) -> None:
    """Have all graphics in ``widget`` their sizes at once."""
    for one in widget.findChildren(Graphics):
        one.take_size()
