"""What the pictures of a matrix share: a frame to move and zoom in, a caption, a reading."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from views.elided import ElidedLabel
from views.icons import icon
from views.picture import PictureItem
from views.theme import Theme
from views.view import View


class MatrixView(View):
    """A square matrix as a picture, first row at the top, a pixel an entry or a square of them.

    Parameters
    ----------
    image : PictureItem
        The picture.
    parent : QWidget, optional
        Qt's parent.

    Attributes
    ----------
    fit_tip : str
        What the button does that shows the whole matrix.
    caption, reading : ElidedLabel
        What the picture shows, above it; what is under the mouse, below it.
    middle : QHBoxLayout
        The picture, with room for more at its right.
    """

    fit_tip: ClassVar[str] = ""

    def __init__(self, image: PictureItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.graphics: Any = pg.GraphicsView(self)
        self.box: Any = pg.ViewBox(
            lockAspect=True, invertY=True, enableMenu=False, defaultPadding=0.01
        )
        self.graphics.setCentralItem(self.box)
        self.graphics.setMinimumSize(160, 140)
        self.graphics.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.graphics.viewport().installEventFilter(self)
        self.image = image
        self.box.addItem(image)
        self.caption, self.reading = ElidedLabel(), ElidedLabel()
        for label in (self.caption, self.reading):
            label.setProperty("role", "note")
        self.fit_button = QToolButton()
        self.fit_button.setProperty("role", "plain")
        self.fit_button.setToolTip(self.fit_tip)
        self.fit_button.clicked.connect(self.fit)
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
        """Say nothing: the mouse is on no entry."""
        self.reading.setText(" ")

    def fit(self) -> None:
        """Show the whole matrix."""
        self.box.enableAutoRange()
        self.box.autoRange(padding=0.01)

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours around the picture."""
        super().apply_theme(theme)
        self.graphics.setBackground(theme.colour("panel"))
        self.fit_button.setIcon(icon("fit", theme, "muted"))

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Read the entry under the mouse, and fit the picture on a double click."""
        kind = event.type()
        if kind == QEvent.Type.MouseMove:
            self._read_at(event.position())  # type: ignore[attr-defined]
        elif kind == QEvent.Type.Leave:
            self.leave()
        elif kind == QEvent.Type.MouseButtonDblClick:
            self.fit()
        return super().eventFilter(watched, event)

    def _read_at(self, position: QPointF) -> None:
        place = self.box.mapSceneToView(self.graphics.mapToScene(position.toPoint()))
        column, row = math.floor(place.x()), math.floor(place.y())
        size = 0 if self.matrix is None else len(self.matrix)
        if 0 <= row < size and 0 <= column < size:
            self.reading.setText(self.read(row, column))
        else:
            self.leave()
