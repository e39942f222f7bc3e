"""What an item has drawn, cached until the item or the visible range changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar
from weakref import WeakSet

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

# Draws in pixels. Takes the painter, the transform from the coordinates of the item to pixels, and
# the rectangle of the viewport.
Draw = Callable[[QPainter, QTransform, QRectF], None]

_PEN = 8.0  # pixels that lines and dots may reach beyond their bounds: a dot's have no size


class CachedPicture:
    """What one item has drawn, in pixels of the viewport."""

    in_use: ClassVar[bool] = True  # whether items use their caches now; see :meth:`exact`

    _all: ClassVar[WeakSet[CachedPicture]] = WeakSet()

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._drawn_for: object = None
        self._viewport: QWidget | None = None  # where it was shown last
        self._all.add(self)

    @classmethod
    def free(cls, hidden: QWidget) -> None:
        """Give back the memory of all pictures in a widget that nobody sees now."""
        for one in cls._all:
            place = one._viewport
            if place is not None and (not isValid(place) or hidden.isAncestorOf(place)):
                one.drop()
                one._pixmap, one._viewport = QPixmap(), None

    @classmethod
    @contextmanager
    def exact(cls) -> Iterator[None]:
        """Let all items draw instead of using pixels, for pictures sharper than the screen."""
        cls.in_use = False
        try:
            yield
        finally:
            cls.in_use = True

    def drop(self) -> None:
        """Draw again the next time."""
        self._drawn_for = None

    def show(self, painter: QPainter, widget: QWidget, bounds: QRectF, draw: Draw) -> None:
        """Show what was drawn for the same range in the viewport ``widget``, else ``draw`` it.

        ``painter`` is what an item's ``paint`` gets. ``bounds`` says where the item draws, in its
        coordinates; pens may reach a little beyond.
        """
        transform = painter.worldTransform()
        size = QRectF(widget.rect())
        painter.save()
        painter.resetTransform()
        if self.in_use:
            self._viewport = widget
            ratio = widget.devicePixelRatioF()
            wanted_for = (transform, widget.size(), ratio)
            if self._drawn_for != wanted_for:
                self._drawn_for = wanted_for
                if self._pixmap.size() != widget.size() * ratio:
                    self._pixmap = QPixmap(widget.size() * ratio)
                self._pixmap.setDevicePixelRatio(ratio)
                self._pixmap.fill(Qt.GlobalColor.transparent)
                with QPainter(self._pixmap) as inner:
                    inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                    draw(inner, transform, size)
            # Copies only the part that was drawn: five layers of a large window are many pixels.
            drawn = transform.mapRect(bounds).adjusted(-_PEN, -_PEN, _PEN, _PEN)
            part = drawn.intersected(size).toAlignedRect()
            source = QRectF(part.topLeft() * ratio, QSizeF(part.size() * ratio))
            painter.drawPixmap(QRectF(part), self._pixmap, source)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(painter, transform, size)
        painter.restore()
