"""What helps to draw and is no part of a drawing: the page, the cursor, the lasso."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPolygonF, QTransform

from views.draw.drawing import NONE, Which
from views.widgets.layers import Layer, Points, draw_lines, to_pixels

PAGE = np.array([[0.0, 0.0], [10_000.0, 7_000.0]])  # where a new drawing has room


class GuidesLayer(Layer):
    """The page, the cursor of the keys, and the lasso while it is drawn."""

    def __init__(self) -> None:
        super().__init__(0)
        self.spot: Points | None = None  # (2,)
        self.lasso: list[tuple[float, float]] = []
        self.page: Points = PAGE

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw them."""
        (left, top), (right, bottom) = to_pixels(self.page, transform)
        page = [[left, top, right, top], [right, top, right, bottom]]
        page += [[right, bottom, left, bottom], [left, bottom, left, top]]
        draw_lines(painter, np.array(page), self._theme.colour("border"))
        if self.spot is not None:
            x, y = to_pixels(self.spot[None], transform)[0]
            cross = [[x - 9, y, x + 9, y], [x, y - 9, x, y + 9]]
            draw_lines(painter, np.array(cross), self._theme.colour("accent"), 2.0)
        if len(self.lasso) > 1:
            around = to_pixels(np.array([*self.lasso, self.lasso[0]]), transform)
            lines = np.hstack([around[:-1], around[1:]])
            draw_lines(painter, lines, self._theme.colour("accent"), 1.4)


def within(
    lasso: Sequence[tuple[float, float]], points: Points, low: Points, high: Points, size: QSize
) -> Which:
    """Return the points in sight within ``lasso``: it is filled, and their pixels looked up.

    What is in sight reaches from ``low`` to ``high``, and has so many pixels.
    """
    if len(lasso) < 3 or not len(points):
        return NONE
    sides = np.array([size.width(), size.height()])
    scale = sides / (high - low)
    mask = QImage(size, QImage.Format.Format_Grayscale8)
    mask.fill(0)
    with QPainter(mask) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.GlobalColor.white)
        around = (np.array(lasso) - low) * scale
        painter.drawPolygon(QPolygonF([QPointF(*one) for one in around]))
    rows = np.frombuffer(mask.constBits(), np.uint8).reshape(size.height(), -1)
    pixels = np.floor((points - low) * scale)
    seen = np.flatnonzero(((pixels >= 0) & (pixels < sides)).all(axis=1))
    columns, lines = pixels[seen].astype(np.intp).T
    inside: Which = seen[rows[lines, columns] > 0]
    return inside
