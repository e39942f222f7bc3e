"""A plot's axis, drawn anew only where it changed."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from views.widgets.kept import KeptPicture


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's axis, whose texts and grid Qt would set again whenever a curve moves."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._kept = KeptPicture()
        self.whole_numbers = False

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return distances between ticks and their offsets; none below 1 for whole numbers."""
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
        if self.picture is None:  # what pyqtgraph makes of it when anything changes
            self._kept.drop()

        def draw(inner: QPainter, transform: QTransform, _: QRectF) -> None:
            inner.setTransform(transform)
            plain: Any = super(Axis, self)
            plain.paint(inner, option, widget)

        self._kept.show(painter, widget, self.boundingRect(), draw)
