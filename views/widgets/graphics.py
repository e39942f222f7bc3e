"""The widget in which plots and maps are drawn, and how far it can be zoomed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
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


_FARTHEST_ZOOM = 5.0  # widths of the whole in sight, at most: farther away, nothing can be made out


class Box(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's view of items, zoomed no farther in or out than there is something to see."""

    def __init__(
        self, least: float, whole: Callable[[], QRectF] | None = None, **options: Any
    ) -> None:
        """Show at least the share ``least`` of the width and height of ``whole()``.

        The whole is where the items are, unless it is given. A side of 0 is not limited.
        """
        super().__init__(enableMenu=False, **options)
        self._least, self._whole = least, whole or self.childrenBoundingRect

    def scaleBy(
        self,
        s: Sequence[float | None] | None = None,
        center: QPointF | None = None,
        x: float | None = None,
        y: float | None = None,
    ) -> None:
        """Zoom by factors; those above 1 show more."""
        across, down = (x, y) if s is None else s
        seen, whole = self.targetRect(), self._whole()
        sides = (seen.width(), whole.width()), (seen.height(), whole.height())
        if self.state["aspectLocked"] is not False:
            one, other = zip(*sides, strict=True)
            sides = ((max(one), max(other)),) * 2
        factors = [
            None if factor is None else self._limited(factor, *side)
            for factor, side in zip((across, down), sides, strict=True)
        ]
        plain: Any = super()
        plain.scaleBy(center=center, x=factors[0], y=factors[1])

    def _limited(self, factor: float, seen: float, whole: float) -> float:
        """Return the factor, or one nearer to 1."""
        if not (seen > 0 and whole > 0):
            return factor
        if factor < 1:
            return max(factor, min(1.0, self._least * whole / seen))
        return min(factor, max(1.0, _FARTHEST_ZOOM * whole / seen))
