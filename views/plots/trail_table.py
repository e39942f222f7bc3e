"""A table of trails as a plot, the strip or the band: its levels of detail and its colours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy

from gpu.core.snapshot import TrailTable
from views.widgets.layers import Layer, MarksLayer
from views.widgets.plot import PlotWidget
from views.widgets.theme import PaintedWidget

COLOUR_MAP = "viridis"  # perceptually uniform, and readable with every kind of colour vision


@cache
def colour_table() -> list[int]:
    """Return 256 colours, 0xffRRGGBB, from the weakest to the strongest."""
    table = pg.colormap.get(COLOUR_MAP).getLookupTable(nPts=256)
    return [QColor(*map(int, row[:3])).rgb() for row in table]


class ColourBar(PaintedWidget):
    """Draws the colours of a range, with its ticks."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label
        self.setAccessibleName(f"Colours of {label}")
        self._low, self._high = 1.0, 10.0
        self._colours = colour_table()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_range(self, low: float, high: float) -> None:
        """Label the range from ``low`` to ``high``, both > 0."""
        if (low, high) != (self._low, self._high):
            self._low, self._high = low, high
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Return room for the bar and its longest tick."""
        metrics = QFontMetricsF(self._theme.font(0.84))
        widest = max((metrics.horizontalAdvance(_short(t)) for t in self._ticks()), default=20.0)
        widest = max(widest + 22, metrics.horizontalAdvance(self._label) + 4)
        return QSize(math.ceil(widest) + 6, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        font = self._theme.font(0.84)
        metrics = QFontMetricsF(font)
        top = metrics.height() * 1.6
        bar = QRectF(4, top, 12, max(10.0, self.height() - top - metrics.height() * 0.7))
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        for place in range(17):
            gradient.setColorAt(place / 16, QColor(self._colours[place * 255 // 16]))
        with QPainter(self) as painter:
            painter.setFont(font)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(QPointF(2, metrics.ascent() + 1), self._label)
            painter.fillRect(bar, gradient)
            space = math.log(self._high / self._low)
            last = math.inf
            for tick in self._ticks():
                y = bar.bottom() - bar.height() * math.log(tick / self._low) / space
                if last - y < metrics.height():
                    continue
                last = y
                painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + 3, y))
                label = QRectF(bar.right() + 6, y - metrics.height() / 2, 60, metrics.height())
                painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, _short(tick))

    def _ticks(self) -> list[float]:
        low = math.floor(math.log10(self._low) + 1e-9)
        high = math.ceil(math.log10(self._high) - 1e-9)
        ticks = [10.0**power for power in range(low, high + 1)]
        return [self._low, *(t for t in ticks if self._low < t < self._high), self._high]


def _short(value: float) -> str:
    return f"{value:g}" if 1e-3 <= value < 1e5 else f"{value:.0e}".replace("e+0", "e")


TrailRows = NDArray[np.float32]  # shape (rows, columns)
TrailRange = tuple[float, float]  # the weakest and the strongest trail of the colours

MANY_TRAILS = 100_000
"""Rows of a table from which on its levels are made in another thread."""

_ROWS_JOINED = 4  # rows of a level that are one row of the next
_LEAST_ROWS_OF_LEVEL = 400  # rows of a level from which on there is a coarser one


@dataclass(frozen=True, slots=True, eq=False)
class TrailLevels:
    """A table, the range of its colours, and the strongest trails of more and more rows."""

    table: TrailTable
    shown: TrailRange
    levels: tuple[TrailRows, ...]  # the first has all rows, the next a row for four of them

    def between(self, first: int, last: int, most: int) -> tuple[TrailRows, int, int]:
        """Return the rows from ``first`` to before ``last``, joined to ``most`` rows or fewer.

        Returns
        -------
        TrailRows
            Each row has the strongest trails of some rows of the table, column by column.
        int
            The first row of the table that is in them.
        int
            How many rows of the table are joined to one.
        """
        wanted = max(1, math.ceil((last - first) / max(1, most)))
        level = min(int(math.log(wanted, _ROWS_JOINED) + 1e-9), len(self.levels) - 1)
        step = _ROWS_JOINED**level
        together = math.ceil(wanted / step)
        count = step * together
        begin = first - first % count  # a row is always joined to the same ones
        end = math.ceil(last / count) * count
        return joined(self.levels[level][begin // step : end // step], together), begin, count


def levels_of(table: TrailTable) -> TrailLevels | None:
    """Make the levels of ``table``, in any thread; None if there is no trail in it at all."""
    shown = range_of(table.values)
    if shown is None:
        return None
    levels = [table.values]
    while len(levels[-1]) > _LEAST_ROWS_OF_LEVEL:
        levels.append(joined(levels[-1], _ROWS_JOINED))
    return TrailLevels(table, shown, tuple(levels))


def joined(rows: TrailRows, count: int) -> TrailRows:
    """Return the largest of every ``count`` rows, column by column.

    The k-th of all groups at once: some ten times as fast as NumPy's ``reduceat``.
    """
    if count == 1:
        return rows
    largest: TrailRows = rows[::count].copy()
    for k in range(1, count):
        more = rows[k::count]
        np.maximum(largest[: len(more)], more, out=largest[: len(more)])
    return largest


def range_of(trails: TrailRows) -> TrailRange | None:
    """Return the range of the colours; None if there is no trail at all."""
    least = trails.min(axis=0)
    low = float(np.min(least, where=least > 0, initial=np.inf))
    for column in np.flatnonzero(least <= 0):  # few, as a rule: only these are searched for others
        mine = trails[:, column]
        low = min(low, float(np.min(mine, where=mine > 0, initial=np.inf)))
    return _round_range(low, float(trails.max())) if math.isfinite(low) else None


def _round_range(low: float, high: float) -> TrailRange:
    """Widen to 1, 2 or 5 times a power of ten, so that the colours seldom change."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [10.0**power * factor for power in powers for factor in (1, 2, 5)]
    bottom = max(step for step in steps if step <= low * (1 + 1e-6))
    top = min(step for step in steps if step >= high * (1 - 1e-6))
    return bottom, max(top, 10 * bottom)


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


class TrailTablePlot(PlotWidget):
    """A table of trails with axes. The mouse moves and zooms along the tour only."""

    entered = Signal(int, int)  # row and column under the mouse; -1, -1 for none

    def __init__(self, colours: list[int]) -> None:
        super().__init__("", "city number, in tour order")
        self.rows = RowsItem(colours)
        self.marks = MarksLayer(0)
        self.add_layer(self.rows, behind=True)
        self.add_layer(self.marks)
        self.levels: TrailLevels | None = None
        self._called: Callable[[int], str] = str
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
        called: Callable[[int], str],
        *,
        centred: bool,
    ) -> None:
        """Show a table; ``called`` says what people know a city by, as short as it can be.

        The columns of a band are ``centred`` around the city; those of a strip are ranks.
        """
        former, former_form = self.table, self._centred
        self.levels, table = levels, None if levels is None else levels.table
        self._called, self._centred = called, centred
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
        return [self._called(int(cities[row])) if 0 <= row < len(cities) else "" for row in rows]

    def _column_texts(self, places: list[float], scale: float, spacing: float) -> list[str]:
        """Return ranks, or how many places a city is ahead (+) or behind (−)."""
        plain = [f"{place:+.0f}" if self._centred and place else f"{place:.0f}" for place in places]
        return [text.replace("-", "−") for text in plain]
