"""An axis of a plot that is drawn again only when it has changed."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from views.widgets.cached_picture import CachedPicture


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's axis with a cached picture; else Qt draws its texts whenever a curve moves."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._cached = CachedPicture()
        self.whole_numbers = False

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return distances between ticks, with their offsets; at least 1 for whole numbers."""
        plain: Any = super()
        levels: list[tuple[float, float]] = plain.tickSpacing(low, high, size)
        if not self.whole_numbers:
            return levels
        return [level for level in levels if level[0] >= 1] or [(1.0, 0.0)]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw, or show what was drawn before."""
        if widget is None:
            return
        if self.picture is None:  # pyqtgraph drops its picture when anything changes
            self._cached.drop()

        def draw(inner: QPainter, transform: QTransform, _: QRectF) -> None:
            inner.setTransform(transform)
            plain: Any = super(Axis, self)
            plain.paint(inner, option, widget)

        self._cached.show(painter, widget, self.boundingRect(), draw)
