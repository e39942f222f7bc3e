"""A picture in a plot that stays faithful when it is shown smaller than it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from views.widgets.kept import KeptPicture

Shades = NDArray[np.uint8]
Join = Callable[[Shades, int], Shades]


def brightest(shades: Shades, factor: int) -> Shades:
    """Join squares of ``factor`` shades a side to the largest: a mean would pale thin bands."""
    starts = np.arange(0, len(shades), factor)
    joined: Shades = np.maximum.reduceat(np.maximum.reduceat(shades, starts, 0), starts, 1)
    return joined


class PictureItem(QGraphicsItem):
    """Shows shades 0 to 255 through a table of colours, one unit a pixel.

    Parameters
    ----------
    colours : list of int
        256 colours, 0xAARRGGBB.
    joined : callable, optional
        Shows more than one shade as one, where there are more than pixels of the screen: takes
        shades and how many along each side come together. By default the brightest counts.
    """

    def __init__(self, colours: list[int], joined: Join | None = None) -> None:
        super().__init__()
        self._colours = colours
        self._joined = joined or brightest
        self._kept = KeptPicture()
        self._shades: NDArray[np.uint8] = np.zeros((0, 0), dtype=np.uint8)

    def set_picture(self, shades: NDArray[np.uint8] | None) -> bool:
        """Show ``shades`` (rows, columns); return whether the size changed."""
        shades = np.zeros((0, 0), dtype=np.uint8) if shades is None else shades
        resized = shades.shape != self._shades.shape
        if resized:
            self.prepareGeometryChange()
        self._shades = np.ascontiguousarray(shades)
        self._kept.drop()
        self.update()
        return resized

    def set_colours(self, colours: list[int]) -> None:
        """Take other colours."""
        self._colours = colours
        self._kept.drop()
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
            self._kept.show(painter, widget, self.boundingRect(), self._draw)

    def _draw(self, painter: QPainter, transform: QTransform, _: QRectF) -> None:
        """Draw with sharp pixels where they are large, else each for all of its part."""
        shades = self._shades
        scale = abs(transform.m11())
        if scale < 1:
            shades = np.ascontiguousarray(self._joined(shades, int(np.ceil(1 / scale - 1e-6))))
        height, width = shades.shape
        image = QImage(shades.data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(self._colours)
        painter.setTransform(transform)
        # A smoothed picture would show values that are nowhere.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        painter.drawImage(self.boundingRect(), image)
