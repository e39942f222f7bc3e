"""The base of views with a picture of a matrix: a caption above it, a reading below it."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from views.widgets.canvas_view import CanvasView
from views.widgets.labels import ElidedLabel
from views.widgets.layouts import fill
from views.widgets.picture_item import PictureItem


class MatrixView(CanvasView):
    """A square matrix as a picture, first row at the top. A pixel is one entry or a square of them.

    The layout ``middle`` holds the picture; more can be added at its right.
    """

    least = (160, 140)

    def __init__(self, image: PictureItem, parent: QWidget | None = None) -> None:
        super().__init__(parent, padding=0.01, downward=True)
        self.image = image
        self.box.addItem(image)
        self.reading = ElidedLabel("note")  # says what is under the mouse
        top = fill(QHBoxLayout(), (self.caption, 1))
        top.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignTop)
        self.middle = fill(QHBoxLayout(), (self.graphics, 1))
        fill(QVBoxLayout(self), top, (self.middle, 1), self.reading, margins=(8, 6, 8, 6))

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The entries; None while there are none."""
        return None

    def read(self, row: int, column: int) -> str:
        """Return what an entry of :attr:`matrix` means."""
        return ""

    def leave(self) -> None:
        """Clear the reading."""
        self.reading.setText(" ")

    def point_at(self, place: QPointF) -> None:
        """Show the entry under the mouse, if there is one."""
        column, row = math.floor(place.x()), math.floor(place.y())
        size = 0 if self.matrix is None else len(self.matrix)
        if 0 <= row < size and 0 <= column < size:
            self.reading.setText(self.read(row, column))
        else:
            self.leave()
