"""The strip or the band: a row a city of the best tour, a column a neighbour, colour the trail."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QImage, QPainter, QTransform

from gpu.core.snapshot import TrailTable
from views.plots.trail_levels import TrailLevels
from views.widgets.canvas.layers import Layer
from views.widgets.canvas.marks import MarksLayer
from views.widgets.canvas.plot import Plot

_TOP = -0.5  # upper edge of the first row: the middle of each row is its number
_LEAST_ROWS = 4  # rows in sight when the user zooms in as far as possible


def shades_of(trails: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """Return shades 1 to 255, logarithmic from ``low`` to ``high``; 0 where there is no trail."""
    laid = trails > 0
    least = np.maximum(trails, np.float32(low))
    shades = 1 + np.log(least / low) * (254 / math.log(high / low))
    return np.where(laid, np.clip(shades, 1, 255), 0).astype(np.uint8)


class RowsItem(Layer):
    """Draws the rows in sight. Where they are more than pixels, each pixel is the largest trail."""

    def __init__(self, colours: list[int]) -> None:
        super().__init__(depth=0)
        self._colours = colours
        self._levels: TrailLevels | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self._levels is None

    def show_levels(self, levels: TrailLevels | None, left: float) -> None:
        """Show these trails, the first column at x = ``left``."""
        self.prepareGeometryChange()
        self._levels = levels
        self._bounds = QRectF()
        if levels is not None:
            rows, columns = levels.table.values.shape
            self._bounds = QRectF(left, _TOP, columns, rows)
        self.refresh()

    def set_colours(self, colours: list[int]) -> None:
        """Use other colours."""
        self._colours = colours
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the rows between the edges of the picture."""
        levels = self._levels
        assert levels is not None
        n = len(levels.table.values)
        seen = transform.inverted()[0].mapRect(size)
        first = min(max(0, math.floor(seen.top() - _TOP)), n - 1)
        last = min(max(first + 1, math.ceil(seen.bottom() - _TOP)), n)
        rows, first, per_pixel = levels.between(first, last, round(size.height()))
        shades = np.ascontiguousarray(shades_of(rows, *levels.shown))
        height, width = shades.shape
        image = QImage(shades.data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(self._colours)
        painter.setTransform(transform)
        # A smoothed picture would show values that do not exist.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        # The last pixel may have fewer rows than the others; what is beyond the edge is cut off.
        painter.setClipRect(self._bounds)
        there = QRectF(self._bounds.left(), first + _TOP, width, height * per_pixel)
        painter.drawImage(there, image)


class TrailTablePlot(Plot):
    """A table of trails with axes. The mouse moves and zooms along the tour only."""

    entered = Signal(int, int)  # row and column under the mouse; -1, -1 for none

    def __init__(self, colours: list[int]) -> None:
        super().__init__("", "cities of the tour")
        self.rows = RowsItem(colours)
        self.marks = MarksLayer(0)
        self.add_layer(self.rows, behind=True)
        self.add_layer(self.marks)
        self.levels: TrailLevels | None = None
        self._numbers: Sequence[int] | NDArray[np.int64] = ()
        self._centred = False
        self.box.invertY()
        self.box.setMouseEnabled(x=False, y=True)
        self.show_whole_numbers("left")
        self.show_whole_numbers("bottom")
        self.axes["left"].texts = self._city_texts
        self.axes["bottom"].texts = self._column_texts
        self.hovered.connect(self._enter)

    @property
    def table(self) -> TrailTable | None:
        """What is shown."""
        return None if self.levels is None else self.levels.table

    def show_levels(
        self,
        levels: TrailLevels | None,
        numbers: Sequence[int] | NDArray[np.int64],
        *,
        centred: bool,
    ) -> None:
        """Show a table, with the ``numbers`` of cities that people know.

        The columns of a band are ``centred`` around the city; those of a strip are ranks.
        """
        former, former_form = self.table, self._centred
        self.levels, table = levels, None if levels is None else levels.table
        self._numbers, self._centred = numbers, centred
        self.rows.show_levels(levels, self._left)
        if table is None:
            return
        n, width = table.values.shape
        if former is None or former.values.shape != (n, width) or former_form != centred:
            text = "places ahead on the best tour" if centred else "rank of the neighbour"
            self.set_label("bottom", text)
            self.box.setLimits(
                xMin=self._left,
                xMax=self._left + width,
                yMin=_TOP,
                yMax=n + _TOP,
                minYRange=min(n, _LEAST_ROWS),
            )
            self.fit()
        self.axes["left"].draw_again()  # the same places have other cities
        self.follow((self._left, self._left + width), (_TOP, n + _TOP))

    def mark(self, cities: tuple[int, ...]) -> None:
        """Mark the row of one city, or the trails between two and back."""
        table = self.table
        if table is None:
            return
        n, width = table.values.shape
        rows = [int(np.flatnonzero(table.cities == city)[0]) for city in cities]
        marks = [QRectF(self._left, row + _TOP, width, 1) for row in rows[:1] if len(rows) == 1]
        if len(rows) == 2:
            for row, other in zip(rows, cities[::-1], strict=True):
                columns = np.flatnonzero(table.others[row] == other)
                marks += [QRectF(self._left + at, row + _TOP, 1, 1) for at in columns]
        self.marks.show_marks(marks, QRectF(self._left, _TOP, width, n))

    @property
    def _left(self) -> float:
        """Where the first column begins: its middle is its rank, or its place on the tour."""
        if not self._centred or self.table is None:
            return 0.5
        width: int = self.table.values.shape[1]
        return -width / 2

    def _enter(self, x: float, y: float) -> None:
        at = -1, -1
        if self.table is not None and math.isfinite(x):
            row, column = math.floor(y - _TOP), math.floor(x - self._left)
            n, width = self.table.values.shape
            if 0 <= row < n and 0 <= column < width:
                at = row, column
        self.entered.emit(*at)

    def _city_texts(self, places: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers of the cities of these rows."""
        if self.table is None:
            return ["" for _ in places]
        cities = self.table.cities
        rows = [round(place) for place in places]
        return [
            str(self._numbers[int(cities[row])]) if 0 <= row < len(cities) else "" for row in rows
        ]

    def _column_texts(self, places: list[float], scale: float, spacing: float) -> list[str]:
        """Return ranks, or how many places a city is ahead (+) or behind (−)."""
        plain = [f"{place:+.0f}" if self._centred and place else f"{place:.0f}" for place in places]
        return [text.replace("-", "−") for text in plain]
