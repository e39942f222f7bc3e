"""Marks around rows, columns and entries of a matrix or a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTransform

from views.widgets.canvas.layers import Layer

_LEAST = 5.0  # pixels: smaller marks would hide between the pixels of a picture


class MarksLayer(Layer):
    """Outlines around rectangles, light in dark and dark in light: seen on every colour."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.marks: tuple[QRectF, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there are no marks."""
        return not self.marks

    def show_marks(self, marks: Sequence[QRectF], around: QRectF) -> None:
        """Mark these rectangles in a picture that takes the place ``around``."""
        if tuple(marks) == self.marks and around == self._bounds:
            return
        self.prepareGeometryChange()
        self.marks, self._bounds = tuple(marks), around
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the outlines."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        sight = size.adjusted(-_LEAST, -_LEAST, _LEAST, _LEAST)
        for mark in self.marks:
            box = transform.mapRect(mark)
            wider = max(0.0, (_LEAST - box.width()) / 2)
            higher = max(0.0, (_LEAST - box.height()) / 2)
            box = box.adjusted(-wider, -higher, wider, higher).intersected(sight)
            for colour, width in ((Qt.GlobalColor.black, 3.5), (Qt.GlobalColor.white, 1.5)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(box)
