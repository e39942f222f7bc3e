"""A picture in a plot that shows no wrong values when it is shown small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QTransform

from views.widgets.layers import Layer

Shades = NDArray[np.uint8]
Join = Callable[[Shades, int], Shades]  # takes shades, and how many to join along each side


def brightest(shades: Shades, factor: int) -> Shades:
    """Join ``factor`` × ``factor`` shades to their largest; a mean would lose thin bands."""
    starts = np.arange(0, len(shades), factor)
    joined: Shades = np.maximum.reduceat(np.maximum.reduceat(shades, starts, 0), starts, 1)
    return joined


class PictureItem(Layer):
    """Shows shades 0 to 255 in the colours of a table: 256 of them, 0xAARRGGBB.

    A pixel is one unit wide. If the screen has fewer pixels, ``joined`` joins the shades.
    """

    def __init__(self, colours: list[int], joined: Join = brightest) -> None:
        super().__init__(depth=0)
        self._colours, self._joined = colours, joined
        self._shades: Shades = np.zeros((0, 0), dtype=np.uint8)

    def set_picture(self, shades: Shades | None) -> bool:
        """Show ``shades`` (rows, columns); return whether the size changed."""
        shades = np.zeros((0, 0), dtype=np.uint8) if shades is None else shades
        resized = shades.shape != self._shades.shape
        if resized:
            self.prepareGeometryChange()
            rows, columns = shades.shape
            self._bounds = QRectF(0, 0, columns, rows)
        self._shades = np.ascontiguousarray(shades)
        self.refresh()
        return resized

    def set_colours(self, colours: list[int]) -> None:
        """Use other colours."""
        self._colours = colours
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no picture."""
        return len(self._shades) == 0

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
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
        painter.drawImage(self._bounds, image)
