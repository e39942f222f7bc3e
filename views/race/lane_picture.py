"""What a lane has found, as a small picture in the lane's colour: a tour, or color classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from gpu.problems.coloring.instance import class_sizes
from gpu.problems.tsp.instance import TspInstance
from views.tour.map_layer import MapLayer
from views.tour.tour_layers import CitiesLayer, TourLayer
from views.widgets.canvas_view import CanvasView
from views.widgets.layers import corners
from views.widgets.layouts import fill
from views.widgets.theme import PaintedWidget

_LEAST = (110, 92)  # width and height
_SMALLER = -2.4  # pixels, of the dots: large ones hide the tour, and take long to draw
_GAP = 0.16  # gap between bars, as a share of the place of a bar


class LaneMap(CanvasView):
    """The cities and the best tour."""

    fit_tip = "Show the whole map"
    least = _LEAST

    def __init__(self, role: str) -> None:
        super().__init__()
        self.cities = CitiesLayer(0, larger=_SMALLER)
        self.tour = TourLayer(1, role, bold=True)
        self._layers: tuple[MapLayer[Any], ...] = self.cities, self.tour
        for layer in self._layers:
            self.box.addItem(layer)
        fill(QVBoxLayout(self), (self.graphics, 1))
        self.caption.setParent(self)  # the lane has a text of its own
        self.caption.hide()
        self.fit_button.setParent(self)
        self.fit_button.hide()  # a double click does it

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show its cities, and no tour yet."""
        points = np.empty((0, 2)) if instance is None else instance.display
        around = np.array(corners(points)) if len(points) else points
        for layer in self._layers:
            layer.set_cities(points, around)
        self.fit()

    def show_solution(self, tour: NDArray[np.int32] | None) -> None:
        """Show another tour."""
        self.tour.show_part(tour)


class LaneClasses(PaintedWidget):
    """A bar for each color class, the largest first."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self._role = role
        self.sizes: NDArray[np.int64] = np.empty(0, np.int64)
        self.setMinimumSize(*_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_solution(self, coloring: NDArray[np.int32] | None) -> None:
        """Show another coloring."""
        none = np.empty(0, np.int64)
        self.sizes = none if coloring is None else np.sort(class_sizes(coloring))[::-1]
        self.update()

    def sizeHint(self) -> QSize:
        """Return the least size."""
        return QSize(*_LEAST)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        if not len(self.sizes):
            return
        area = QRectF(self.rect()).adjusted(6, 6, -6, -2)
        place, most = area.width() / len(self.sizes), int(self.sizes[0])
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(self._role, 0.85))
            for at, size in enumerate(self.sizes.tolist()):
                height = area.height() * size / most
                left = area.left() + (at + _GAP / 2) * place
                painter.drawRect(QRectF(left, area.bottom() - height, place * (1 - _GAP), height))
