"""The bases of views with a picture, or with a matrix, that can be moved, zoomed and pointed at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from views.widgets.controls import make_button
from views.widgets.graphics import Box, graphics_in
from views.widgets.labels import ElidedLabel, Label, make_label
from views.widgets.layers import Layer, MarksLayer, PictureItem
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon
from views.widgets.view import NOTHING, View

_REACH = 12.0  # pixels from the mouse to what it points at, at most


class CanvasView(View):
    """A canvas with the same scale on both axes, and a button that shows all of it again."""

    fit_tip: ClassVar[str] = ""  # what the button does
    least: ClassVar[tuple[int, int]] = (200, 160)  # least width and height of the canvas

    def __init__(self, *, padding: float = 0.0, downward: bool = False) -> None:
        """Add a margin of ``padding`` times the picture's size around it; y may grow downward."""
        super().__init__()
        self._padding = padding
        self._over: list[QLabel] = []
        # pyqtgraph has no type hints; its objects are Any.
        self.graphics = graphics_in(self)  # the canvas as a widget
        self.box: Any = Box(  # of its items, with their coordinates
            1e-6, self.whole, lockAspect=True, invertY=downward, defaultPadding=padding
        )
        self.graphics.setAccessibleName(f"Picture of {self.title}" if self.title else "Picture")
        self.graphics.setCentralItem(self.box)
        self.graphics.setMinimumSize(*self.least)
        self.graphics.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.graphics.viewport().installEventFilter(self)
        self.fit_button = make_button("plain", tip=self.fit_tip)
        self.fit_button.clicked.connect(self.fit)
        self.caption = make_label("note", wrap=True)  # says what is shown

    def whole(self) -> QRectF:
        """Return what there is to see."""
        return self.box.childrenBoundingRect()  # type: ignore[no-any-return]

    def point_at(self, place: QPointF) -> None:
        """Called when the mouse is at ``place``, in coordinates of the items."""

    def leave(self) -> None:
        """Called when the mouse has left the canvas."""

    def fit(self) -> None:
        """Show the whole picture."""
        self.box.enableAutoRange()
        self.box.autoRange(padding=self._padding)

    def apply_theme(self, theme: Theme) -> None:
        """Use the colours and the type of ``theme``, in all layers too."""
        super().apply_theme(theme)
        for item in self.box.childGroup.childItems():  # those without bounds, too
            if isinstance(item, Layer):
                item.set_theme(theme)
        self.graphics.setBackground(theme.colour("panel"))
        self.fit_button.setIcon(icon("fit", theme, "muted"))

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Follow the mouse, and show everything on a double click."""
        kind = event.type()
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseMove:
            if event.buttons() != Qt.MouseButton.NoButton:
                return super().eventFilter(watched, event)  # what is dragged goes with the mouse
            position = event.position().toPoint()
            self.point_at(self.box.mapSceneToView(self.graphics.mapToScene(position)))
        elif kind == QEvent.Type.Leave:
            self.leave()
        elif kind == QEvent.Type.MouseButtonDblClick:
            self.fit()
        elif kind == QEvent.Type.Resize:
            for label in self._over:
                label.resize(self.graphics.size())
        return super().eventFilter(watched, event)

    def _label_over(self, text: str) -> QLabel:
        """Put a text over the whole canvas."""
        label = Label(text, self.graphics, alignment=Qt.AlignmentFlag.AlignCenter)
        label.setProperty("role", "welcome")
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._over.append(label)
        return label

    def nearest(self, places: NDArray[np.float64], place: QPointF) -> int | None:
        """Return which of ``places`` (n, 2) is nearest to the mouse; None if none is near."""
        return nearest(places, place, self.box.viewPixelSize())


def nearest(places: NDArray[np.float64], place: QPointF, pixel: tuple[float, float]) -> int | None:
    """Return which of ``places`` (n, 2) is nearest to ``place``; None if none is near.

    A ``pixel`` is so wide and so high there.
    """
    scale = np.array(pixel)
    # Two comparisons: no differences of a million places.
    x, room = places[:, 0], _REACH * scale[0]
    beside = np.flatnonzero((x >= place.x() - room) & (x <= place.x() + room))
    offsets = (places[beside] - np.array([place.x(), place.y()])) / scale
    distances = np.hypot(offsets[:, 0], offsets[:, 1])
    if not distances.size or distances.min() > _REACH:
        return None
    return int(beside[distances.argmin()])


class MatrixView(CanvasView):
    """A square matrix as a picture, first row at the top. A pixel is one entry or a square of them.

    There is a caption above it and a reading below it. The layout ``middle`` holds the picture;
    more can be added at its right. The layout ``head`` holds the caption.
    """

    least = (160, 140)

    def __init__(self, image: PictureItem) -> None:
        super().__init__(padding=0.01, downward=True)
        self.image = image
        self.box.addItem(image)
        self.marks = MarksLayer(2)
        self.box.addItem(self.marks, ignoreBounds=True)
        self.reading = ElidedLabel("note")  # says what is under the mouse
        self.head = fill(QHBoxLayout(), (self.caption, 1))
        self.head.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignTop)
        self.middle = fill(QHBoxLayout(), (self.graphics, 1))
        fill(QVBoxLayout(self), self.head, (self.middle, 1), self.reading, margins=(8, 6, 8, 6))

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The entries; None while there are none."""
        return None

    def read(self, row: int, column: int) -> str:
        """Return what an entry of :attr:`matrix` means."""
        return ""

    def mark(self, rows: Sequence[int]) -> None:
        """Mark a row and its column, or both entries of two rows; with no ``rows``, nothing."""
        n = 0 if self.matrix is None else len(self.matrix)
        marks = []
        if len(rows) == 1:
            marks = [QRectF(0, rows[0], n, 1), QRectF(rows[0], 0, 1, n)]
        elif rows:
            marks = [QRectF(column, row, 1, 1) for row, column in (rows, rows[::-1])]
        self.marks.show_marks(marks, QRectF(0, 0, n, n))

    def leave(self) -> None:
        """Clear the reading, and point at nothing."""
        self.reading.setText(" ")
        self.point_to(NOTHING)

    def point_at(self, place: QPointF) -> None:
        """Show the entry under the mouse, if there is one."""
        column, row = math.floor(place.x()), math.floor(place.y())
        size = 0 if self.matrix is None else len(self.matrix)
        if 0 <= row < size and 0 <= column < size:
            self.reading.setText(self.read(row, column))
        else:
            self.leave()
