"""What the pictures of a matrix share: what is seen above them, what is pointed at below."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from views.widgets.canvas_view import CanvasView
from views.widgets.elided import ElidedLabel
from views.widgets.picture import PictureItem


class MatrixView(CanvasView):
    """A square matrix as a picture, first row at the top, a pixel an entry or a square of them.

    Parameters
    ----------
    image : PictureItem
        The picture.
    parent : QWidget, optional
        Qt's parent.

    Attributes
    ----------
    reading : ElidedLabel
        What is under the mouse.
    middle : QHBoxLayout
        The picture, with room for more at its right.
    """

    def __init__(self, image: PictureItem, parent: QWidget | None = None) -> None:
        super().__init__(parent, least=(160, 140), padding=0.01, downward=True)
        self.image = image
        self.box.addItem(image)
        self.reading = ElidedLabel()
        self.reading.setProperty("role", "note")
        top = QHBoxLayout()
        top.addWidget(self.caption, 1)
        top.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignTop)
        self.middle = QHBoxLayout()
        self.middle.addWidget(self.graphics, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.addLayout(top)
        layout.addLayout(self.middle, 1)
        layout.addWidget(self.reading)

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The entries that can be read; None while there are none."""
        return None

    def read(self, row: int, column: int) -> str:
        """Say what stands in an entry of :attr:`matrix`."""
        return ""

    def leave(self) -> None:
        """Say nothing."""
        self.reading.setText(" ")

    def point_at(self, place: QPointF) -> None:
        """Read the entry under the mouse, if there is one."""
        column, row = math.floor(place.x()), math.floor(place.y())
        size = 0 if self.matrix is None else len(self.matrix)
        if 0 <= row < size and 0 <= column < size:
            self.reading.setText(self.read(row, column))
        else:
            self.leave()
