"""Graphics items that draw many lines or points at once, each item one layer of a plot.

A layer draws in the pixels of the viewport: thousands of one-pixel lines take a millisecond,
where Qt's stroker would take a hundred for the same lines at a width of two. What was drawn is
kept as a pixmap until the data or the visible range changes, so that a layer that stands still
costs nothing while another moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

Points = NDArray[np.float64]
"""Shape (k, 2)."""

Segments = NDArray[np.float64]
"""Shape (k, 4): x and y of one end, then of the other."""

_STROKED = 700
"""Most lines that are given to Qt's stroker at a width other than one."""

_SMOOTH = 20_000
"""Most lines that are drawn smooth; among more, nobody sees a single one."""

_SIDE_BY_SIDE = (
    (6_000, ((-0.4, -0.25), (0.4, -0.25), (0.0, 0.45))),
    (15_000, ((-0.3, -0.3), (0.3, 0.3))),
)
"""Up to how many lines, and by which shifts in pixels, thin lines make a bold one; beyond, bold
lines would only fill the picture."""


def pen(colour: QColor, width: float = 1.0) -> QPen:
    """Return a pen with round ends, ``width`` pixels wide at any zoom."""
    result = QPen(colour, width)
    result.setCosmetic(True)
    result.setCapStyle(Qt.PenCapStyle.RoundCap)
    return result


def draw_lines(painter: QPainter, lines: Segments, colour: QColor, width: float = 1.0) -> None:
    """Draw separate lines; wide ones among many as several thin ones side by side."""
    if len(lines) == 0:
        return
    array = PrimitiveArray(QLineF, 4)
    array.resize(len(lines))
    shifts: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    if width != 1 and len(lines) <= _STROKED:
        painter.setPen(pen(colour, width))
    else:
        painter.setPen(pen(colour))
        if width >= 1.5:
            shifts = next((s for limit, s in _SIDE_BY_SIDE if len(lines) <= limit), shifts)
    smooth = painter.testRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth and len(lines) <= _SMOOTH)
    for dx, dy in shifts:
        np.add(lines, np.array([dx, dy, dx, dy]), out=array.ndarray())
        painter.drawLines(*array.drawargs())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)


def draw_points(painter: QPainter, points: Points, colour: QColor, diameter: float) -> None:
    """Draw round dots, or single pixels where ``diameter`` is at most one."""
    if len(points) == 0:
        return
    array = PrimitiveArray(QPointF, 2)
    array.resize(len(points))
    array.ndarray()[:] = points
    painter.setPen(pen(colour, max(1.0, diameter)))
    painter.drawPoints(*array.drawargs())


def path_lines(points: Points) -> Segments:
    """Return the lines of an open path, less those that stay within one pixel."""
    if len(points) > 10_000:
        pixel = np.round(points)
        moved = np.ones(len(points), dtype=bool)
        moved[1:-1] = (pixel[1:-1] != pixel[:-2]).any(axis=1)
        points = points[moved]
    return np.hstack([points[:-1], points[1:]])


def dashed(points: Points, on: float = 5.0, off: float = 4.0) -> Segments:
    """Cut an open path into dashes of ``on`` pixels that run on around its corners."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    period = on + off
    starts = np.arange(0.0, along[-1], period)
    cuts = np.unique(np.concatenate([along, starts, np.minimum(starts + on, along[-1])]))
    x, y = np.interp(cuts, along, points[:, 0]), np.interp(cuts, along, points[:, 1])
    drawn = ((cuts[:-1] + cuts[1:]) / 2) % period < on
    lines: Segments = np.column_stack([x[:-1], y[:-1], x[1:], y[1:]])[drawn]
    return lines


def within(lines: Segments, size: QRectF) -> NDArray[np.bool_]:
    """Mark the lines that may touch the rectangle ``size``."""
    x1, y1, x2, y2 = lines.T
    return np.asarray(
        (np.maximum(x1, x2) >= size.left())
        & (np.minimum(x1, x2) <= size.right())
        & (np.maximum(y1, y2) >= size.top())
        & (np.minimum(y1, y2) <= size.bottom())
    )


class Layer(QGraphicsItem):
    """One layer; a subclass says in :meth:`draw` what it looks like in pixels."""

    keep_pictures: ClassVar[bool] = True

    def __init__(self, depth: float) -> None:
        super().__init__()
        self.setZValue(depth)
        self._bounds = QRectF()
        self._picture = QPixmap()
        self._drawn_for: object = None

    @classmethod
    @contextmanager
    def exact(cls) -> Iterator[None]:
        """Draw lines instead of kept pixmaps, for pictures sharper than the screen."""
        cls.keep_pictures = False
        try:
            yield
        finally:
            cls.keep_pictures = True

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return False

    def set_bounds(self, points: Points) -> None:
        """Say where the data lies."""
        self.prepareGeometryChange()
        self._bounds = QRectF()
        if len(points):
            low, high = points.min(axis=0), points.max(axis=0)
            margin = 0.03 * max(float((high - low).max()), 1e-9)  # for the dots at the border
            self._bounds = QRectF(QPointF(*(low - margin)), QPointF(*(high + margin)))

    def refresh(self) -> None:
        """Draw again, because the data or the colours changed."""
        self._drawn_for = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the data."""
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw, or show what was drawn for the same range."""
        if widget is None or self.empty:
            return
        transform = painter.worldTransform()
        size = QRectF(widget.rect())
        painter.save()
        painter.resetTransform()
        if self.keep_pictures:
            ratio = widget.devicePixelRatioF()
            wanted_for = (transform, widget.size(), ratio)
            if self._drawn_for != wanted_for:
                self._drawn_for = wanted_for
                self._picture = QPixmap(widget.size() * ratio)
                self._picture.setDevicePixelRatio(ratio)
                self._picture.fill(Qt.GlobalColor.transparent)
                with QPainter(self._picture) as inner:
                    inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                    self.draw(inner, transform, size)
            # Only where there is something: five layers of a large window are many pixels.
            part = transform.mapRect(self._bounds).intersected(size).toAlignedRect()
            source = QRectF(part.topLeft() * ratio, QSizeF(part.size() * ratio))
            painter.drawPixmap(QRectF(part), self._picture, source)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.draw(painter, transform, size)
        painter.restore()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw in pixels of the viewport ``size``; ``transform`` leads there from the data."""
        raise NotImplementedError


def to_pixels(points: Points, transform: QTransform) -> Points:
    """Map ``points`` by ``transform``."""
    matrix = np.array(
        [[transform.m11(), transform.m12()], [transform.m21(), transform.m22()]], dtype=np.float64
    )
    pixels: Points = points @ matrix + np.array([transform.dx(), transform.dy()])
    return pixels
