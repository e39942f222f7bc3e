"""A picture in a plot that shows no wrong values when it is shown small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from views.widgets.cached_picture import CachedPicture

Shades = NDArray[np.uint8]
Join = Callable[[Shades, int], Shades]


def brightest(shades: Shades, factor: int) -> Shades:
    """Join ``factor`` × ``factor`` shades to their largest; a mean would lose thin bands."""
    starts = np.arange(0, len(shades), factor)
    joined: Shades = np.maximum.reduceat(np.maximum.reduceat(shades, starts, 0), starts, 1)
    return joined


class PictureItem(QGraphicsItem):
    """Shows shades 0 to 255 in the colours of a table; a pixel is one unit wide.

    Parameters
    ----------
    colours : list of int
        256 colours, 0xAARRGGBB.
    joined : callable, optional
        Joins shades if the screen has fewer pixels: takes the shades, and how many to join along
        each side. By default the brightest one is shown.
    """

    def __init__(self, colours: list[int], joined: Join | None = None) -> None:
        super().__init__()
        self._colours = colours
        self._joined = joined or brightest
        self._cached = CachedPicture()
        self._shades: NDArray[np.uint8] = np.zeros((0, 0), dtype=np.uint8)

    def set_picture(self, shades: NDArray[np.uint8] | None) -> bool:
        """Show ``shades`` (rows, columns); return whether the size changed."""
        shades = np.zeros((0, 0), dtype=np.uint8) if shades is None else shades
        resized = shades.shape != self._shades.shape
        if resized:
            self.prepareGeometryChange()
        self._shades = np.ascontiguousarray(shades)
        self._cached.drop()
        self.update()
        return resized

    def set_colours(self, colours: list[int]) -> None:
        """Use other colours."""
        self._colours = colours
        self._cached.drop()
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle from (0, 0) to (columns, rows)."""
        rows, columns = self._shades.shape
        return QRectF(0, 0, columns, rows)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw, or show what was drawn for the same range."""
        if widget is not None and len(self._shades):
            self._cached.show(painter, widget, self.boundingRect(), self._draw)

    def _draw(self, painter: QPainter, transform: QTransform, _: QRectF) -> None:
        """Draw sharp pixels if they are large, else joined ones."""
        shades = self._shades
        scale = abs(transform.m11())
        if scale < 1:
            shades = np.ascontiguousarray(self._joined(shades, int(np.ceil(1 / scale - 1e-6))))
        height, width = shades.shape
        image = QImage(shades.data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(self._colours)
        painter.setTransform(transform)
        # A smoothed picture would show values that do not exist.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        painter.drawImage(self.boundingRect(), image)
