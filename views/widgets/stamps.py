"""Small pictures that are drawn once and stamped at very many places."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

_ROW = 24  # stamps in a row of the sheet

DrawStamp = Callable[[QPainter, int, float, float], object]
"""Draws the stamp of this number with its middle at x and y, in pixels."""


class Stamps:
    """A sheet of ``count`` stamps, each at most so many pixels wide, for a screen of ``ratio``."""

    def __init__(self, count: int, width: float, ratio: float, draw: DrawStamp) -> None:
        self._cell = cell = math.ceil(width * ratio)
        self._ratio = ratio
        self._sheet = QPixmap(_ROW * cell, -(-count // _ROW) * cell)
        self._sheet.fill(Qt.GlobalColor.transparent)
        with QPainter(self._sheet) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(ratio, ratio)
            for number in range(count):
                row, column = divmod(number, _ROW)
                draw(painter, number, (column + 0.5) * cell / ratio, (row + 0.5) * cell / ratio)

    def draw(
        self,
        painter: QPainter,
        numbers: NDArray[np.integer],  # (k,): which stamps
        places: NDArray[np.float64],  # (k, 2): where, in pixels
        sizes: ArrayLike = 1.0,  # (k,) or one: how many times as large as they were drawn
        opacity: ArrayLike = 1.0,  # (k,) or one
    ) -> None:
        """Stamp in one call, which is much faster than one path for each."""
        rows, columns = np.divmod(numbers, _ROW)
        count, cell = len(numbers), self._cell
        size = np.asarray(sizes, np.float64) / self._ratio
        fragments = PrimitiveArray(QPainter.PixmapFragment, 10)
        fragments.resize(count)
        fields = columns * cell, rows * cell, cell, cell, size, size, 0.0, opacity
        fragments.ndarray()[:] = np.column_stack(
            [places, *(np.broadcast_to(np.asarray(field, np.float64), count) for field in fields)]
        )
        draw: Any = painter.drawPixmapFragments  # its stub lacks an argument
        draw(*fragments.drawargs(), self._sheet)
