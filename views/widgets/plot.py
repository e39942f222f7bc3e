"""A plot in the style of the window: curves on axes, whose range follows the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QTransform
from PySide6.QtWidgets import (
    QGraphicsSceneResizeEvent,
    QStackedLayout,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gpu.core.formats import significant, whole
from views.widgets.cached_picture import CachedPicture
from views.widgets.graphics import Box, graphics_in
from views.widgets.labels import make_label
from views.widgets.layers import Layer, PlotCurve, Points
from views.widgets.theme import DARK, Theme
from views.widgets.values import Row, Valued, ValueTable, value_text

Ticks = list[tuple[float, list[float]]]  # distance and places of each kind, the main one first

_POWERS_APART = 20  # least pixels between two ticks at powers of ten
_TEXTS_APART = 8  # least pixels between two texts that stand in a row
_TEXT_OVERHANG = 15  # pixels by which a text may stand beyond the ends of its axis
_LONGEST_POWER = 15  # digits from which on such a number is written as a power


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's axis with a cached picture; else Qt draws its texts whenever a curve moves."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._cached = CachedPicture()
        self.whole_numbers = False
        self.ticks: Callable[[float, float, float], Ticks] | None = None  # None: pyqtgraph's own
        self.texts: Callable[[list[float], float, float], list[str]] = tick_texts
        self.value: Callable[[float], float] = float  # of a place along the axis

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return how far ticks are apart, and where each kind of them begins."""
        plain: Any = super()
        levels: list[tuple[float, float]] = plain.tickSpacing(low, high, size)
        if self.whole_numbers:
            levels = [level for level in levels if level[0] >= 1] or [(1.0, 0.0)]
        least = self._extent(low, high, levels[0][0]) * (high - low) / size if levels else 0.0
        return levels if not levels or levels[0][0] >= least else [(_round_up(least), 0.0), *levels]

    def _extent(self, low: float, high: float, spacing: float) -> float:
        """Return how many pixels of the axis the text of a tick needs."""
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        if self.orientation in ("left", "right"):
            return metrics.height()
        texts = tick_texts([low, high], 1.0, spacing)
        return max(map(metrics.horizontalAdvance, texts)) + _TEXTS_APART

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        """Leave out the name of the axis where it would be cut."""
        plain: Any = super()
        plain.resizeEvent(event)
        if self.label is not None:
            size = self.size()
            length = size.height() if self.orientation in ("left", "right") else size.width()
            fits = self.label.boundingRect().width() <= length
            self.label.setOpacity(1.0 if fits else 0.0)  # its room stays: no layout goes to and fro

    def boundingRect(self) -> QRectF:
        """Leave room for the first and the last text, which pyqtgraph leaves out beside a grid."""
        plain: Any = super()
        rect: QRectF = plain.boundingRect()
        grid = self.parentItem()
        if self.grid is False or grid is None:
            return rect
        upright = self.orientation in ("left", "right")
        across, down = (0, _TEXT_OVERHANG) if upright else (_TEXT_OVERHANG, 0)
        grown = rect.adjusted(-across, -down, across, down)
        room: QRectF = self.mapRectFromParent(grid.boundingRect())
        return rect.united(grown.intersected(room))

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Show the picture, after drawing it again if anything has changed."""
        if widget is None:
            return
        if self.picture is None:  # pyqtgraph drops its picture when anything changes
            self._cached.drop()

        def draw(inner: QPainter, transform: QTransform, _: QRectF) -> None:
            inner.setTransform(transform)
            plain: Any = super(PlotAxis, self)
            plain.paint(inner, option, widget)

        self._cached.show(painter, widget, self.boundingRect(), draw)

    def tickValues(self, low: float, high: float, size: float) -> Ticks:
        """Return the places of the ticks, the main ones first."""
        if self.ticks is not None:
            return self.ticks(low, high, size)
        return self._usual_ticks(low, high, size)

    def tickStrings(self, places: list[float], scale: float, spacing: float) -> list[str]:
        """Return what stands at these ticks."""
        return self.texts(places, scale, spacing)

    def show_whole_numbers(self, *, only: bool = True) -> None:
        """Put the ticks at whole numbers only, or anywhere again."""
        self.whole_numbers = only
        self.draw_again()

    def show_logarithmic(self, *, on: bool) -> None:
        """Write the ticks for values that are exponents of ten, or plain ones again."""
        self.ticks = logarithmic_ticks if on else None
        self.texts = logarithmic_texts if on else tick_texts
        self.value = _power_of_ten if on else float
        self.draw_again()

    def show_other_unit(
        self, to_other: Callable[[float], float], from_other: Callable[[float], float]
    ) -> None:
        """Show the same values in another unit."""

        def ticks(low: float, high: float, size: float) -> Ticks:
            levels = self._usual_ticks(to_other(low), to_other(high), size)
            return [(step, [from_other(v) for v in places]) for step, places in levels]

        def texts(places: list[float], scale: float, spacing: float) -> list[str]:
            return tick_texts([to_other(place) for place in places], scale, spacing)

        self.ticks, self.texts, self.value = ticks, texts, to_other
        self.draw_again()

    def draw_again(self) -> None:
        """Draw ticks and texts again, because they have changed."""
        self.picture = None
        self.update()

    def _usual_ticks(self, low: float, high: float, size: float) -> Ticks:
        plain: Any = super()
        ticks: Ticks = plain.tickValues(low, high, size)
        return ticks


def _power_of_ten(exponent: float) -> float:
    return float(10.0**exponent)


def _round_up(least: float) -> float:
    """Return the smallest number from ``least`` on that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least)


def tick_texts(values: list[float], scale: float, spacing: float) -> list[str]:
    """Return the texts of ticks, whole numbers with their thousands apart."""
    if spacing >= 1:
        return [whole(value * scale) for value in values]
    digits = max(0, math.ceil(-math.log10(spacing))) if spacing > 0 else 2
    if digits > 5:
        return [significant(value * scale) for value in values]
    return [f"{value * scale:.{digits}f}" for value in values]


def logarithmic_texts(values: list[float], scale: float, spacing: float) -> list[str]:
    """Return the texts of ticks at exponents of ten."""
    return [f"1e{v:.0f}" if abs(v) > _LONGEST_POWER else _plain(10**v) for v in values]


def _plain(number: float) -> str:
    """Return a number that has few digits, but for the errors of rounding."""
    is_whole = abs(number - round(number)) < 1e-9 * number
    return whole(number) if is_whole else f"{number:.4g}"


def logarithmic_ticks(low: float, high: float, size: float) -> Ticks:
    """Return ticks at powers of ten, and at 2 and 5 times those if there is room.

    Where there is no room for all powers, some are left out. In a range that has fewer than two of
    all these, ticks are at some other round numbers.
    """
    apart = max(1, math.ceil((high - low) * _POWERS_APART / max(size, _POWERS_APART)))
    powers = range(math.ceil(low / apart) * apart, math.floor(high) + 1, apart)
    major = [float(power) for power in powers]
    if apart > 1:
        return [(float(apart), major)]
    decades = range(math.floor(low), math.ceil(high) + 1)
    between = [power + math.log10(factor) for power in decades for factor in (2, 5)]
    minor = [place for place in between if low <= place <= high]
    if len(major) + len(minor) < 2 and high - low > 1e-6 and max(-low, high) < _LONGEST_POWER:
        return [(1.0, _few(10**low, 10**high))]
    if size < 60 * (len(major) + len(minor)) and len(major) > 1:
        minor = []
    return [(1.0, major), (0.3, minor)]


def _few(low: float, high: float) -> list[float]:
    """Return the exponents of ten of two round numbers or a few more between ``low`` and ``high``.

    A number is round if it is a multiple of 1, 2 or 5 times a power of ten.
    """
    power = 10.0 ** math.floor(math.log10(high - low))
    for factor in (5.0, 2.0, 1.0, 0.5, 0.2):
        step = factor * power
        found = range(math.ceil(low / step), math.floor(high / step) + 1)
        if len(found) > 1:
            break
    return [math.log10(at * step) for at in found]


Range = tuple[float, float]  # lowest and highest value

# Row and column of each axis; the curves are at (0, 1).
_AXIS_PLACES = {"left": (0, 0), "right": (0, 2), "bottom": (1, 1)}


_EVERYWHERE = 1e11  # from where on the end of a level line is beyond all data


class PlotWidget(QWidget, Valued):
    """Axes with curves. The range follows the data until the user moves it."""

    hovered = Signal(float, float)  # x and y under the mouse, or NaN where it left the plot

    def __init__(self, x_label: str, y_label: str, *, right_label: str = "") -> None:
        super().__init__()
        # Made of parts, because pyqtgraph's own PlotWidget has menus that outlive it.
        self.widget = graphics_in(self)
        self.box: Any = Box(1e-4, self._whole)
        self.axes = {side: PlotAxis(side) for side in _AXIS_PLACES}
        grid: Any = pg.GraphicsLayout()
        grid.setSpacing(0)
        grid.setContentsMargins(0, 4, 4, 0)
        grid.addItem(self.box, 0, 1)
        self.widget.setCentralItem(grid)
        for side, axis in self.axes.items():
            grid.addItem(axis, *_AXIS_PLACES[side])
            axis.linkToView(self.box)
            axis.setZValue(-1000)  # the grid is behind the curves
            axis.enableAutoSIPrefix(False)
        self.axes["right"].setVisible(bool(right_label))
        self._labels = {"bottom": x_label, "left": y_label, "right": right_label}
        self.across = ""  # what runs along the axis at the bottom where that has no label
        self._curves: list[PlotCurve] = []
        self._layers: list[Layer] = []  # pyqtgraph does not keep those whose bounds it ignores
        self._follows = True
        self._wanted: tuple[Range, Range] | None = None
        self._shown: tuple[Range, Range] | None = None
        self._theme = DARK
        self.box.disableAutoRange()
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.widget.setMinimumSize(200, 84)  # a pane of a presentation on a small screen
        self.widget.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.widget.viewport().installEventFilter(self)
        self.hint = make_label("note", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.widget)
        self._pages.addWidget(self.hint)
        self._name_itself()

    def add_curve(
        self,
        role: str,
        width: float = 1.0,
        *,
        dashes: bool = False,
        dots: bool = False,
        steps: bool = False,
        name: str = "",
    ) -> PlotCurve:
        """Add an empty curve in front of the others; a table of the plot has it by its name."""
        look = {"dashes": dashes, "dots": dots, "steps": steps}
        curve = PlotCurve(len(self._curves), role, width, **look, name=name)
        curve.set_theme(self._theme)
        self._curves.append(curve)
        self._layers.append(curve)
        self.box.addItem(curve, ignoreBounds=True)
        return curve

    def add_layer(self, layer: Layer, *, behind: bool = False) -> None:
        """Add a layer in front of all curves, or behind them."""
        layer.setZValue(-1 if behind else len(self._curves))  # the grid is farther behind
        layer.set_theme(self._theme)
        self._layers.append(layer)
        self.box.addItem(layer, ignoreBounds=True)

    @property
    def title(self) -> str:
        """What the plot shows."""
        return " by ".join(filter(None, (self._labels["left"] or "values", self._across)))

    @property
    def _across(self) -> str:
        return self._labels["bottom"] or self.across

    def _name_itself(self) -> None:
        for widget in (self, self.widget):
            widget.setAccessibleName(f"Plot of {self.title}")

    def values(self) -> ValueTable | None:
        """Return the points of all curves and layers that are shown, in the units of the axes."""
        x, y, right = (self.axes[side] for side in ("bottom", "left", "right"))
        rows: list[Row] = []
        for name, points in self._shown_series():
            for place, height in points.tolist():
                row = [name, x.value(place) if abs(place) < _EVERYWHERE else None, y.value(height)]
                rows.append((*row, right.value(height)) if right.isVisible() else tuple(row))
        if not rows:
            return None
        headings = ["Curve", self._across or "x", self._labels["left"] or "y"]
        if right.isVisible():
            headings.append(self._labels["right"])
        return ValueTable(self.title, tuple(headings), rows, tuple(range(1, len(headings))))

    def summary(self) -> str:
        """Return the last point of each curve and layer that is shown."""
        x, y = self.axes["bottom"], self.axes["left"]
        said = []
        for name, points in self._shown_series():
            place, height = points[-1].tolist()
            where = f" at {value_text(x.value(place))}" if abs(place) < _EVERYWHERE else ""
            said.append(f"{name}: {value_text(y.value(height))}{where}")
        return f"{self.title}. {'; '.join(said)}" if said else ""

    def _shown_series(self) -> list[tuple[str, Points]]:
        """Return the names and points of what is shown; a level line has one point."""
        found = []
        for layer in self._layers:
            for name, points in layer.series() if layer.isVisible() else ():
                finite = points[np.isfinite(points).all(axis=1)]
                level = len(finite) and abs(finite[0, 0]) >= _EVERYWHERE
                if len(finite):
                    found.append((name, finite[:1] if level else finite))
        return found

    def show_whole_numbers(self, side: str, *, only: bool = True) -> None:
        """Put the ticks of an axis at whole numbers only, or anywhere again."""
        self.axes[side].show_whole_numbers(only=only)

    def show_logarithmic(self, side: str, *, on: bool) -> None:
        """Write the ticks of an axis for values that are exponents of ten, or plain ones again."""
        self.axes[side].show_logarithmic(on=on)

    def show_hint(self, text: str) -> None:
        """Show ``text`` instead of empty axes; an empty text shows the axes again."""
        self.hint.setText(text)
        self._pages.setCurrentIndex(1 if text else 0)

    def follow(self, x: Range, y: Range, *, growing: bool = False) -> None:
        """Show this range, unless the user has chosen another one.

        With ``growing``, leave room for more points if the data has outgrown the range: the axes
        then need not be drawn again with every point.
        """
        self._wanted = x, y
        if growing and self._shown is not None:
            x, y = (_with_room(new, old) for new, old in zip((x, y), self._shown, strict=True))
        self._shown = x, y
        if self._follows and all(math.isfinite(v) for v in (*x, *y)):
            around = 0.0 if x[1] > x[0] else 0.5  # one point is shown in the middle
            beside = 0.0 if y[1] > y[0] else 1.0
            width = max(x[0] - around, min(x[0], 0.0)), x[1] + around
            height = y[0] - beside, y[1] + beside
            self.box.setRange(xRange=width, yRange=height, padding=0.0)

    def fit(self) -> None:
        """Go back to the range of the data."""
        self._follows = True
        if self._wanted is not None:
            self.follow(*self._wanted)
        self._shown = None

    def set_label(self, side: str, text: str) -> None:
        """Change the label of an axis."""
        self._labels[side] = text
        self._style_label(side)
        self._name_itself()

    def map_right_axis(
        self, to_right: Callable[[float], float], from_right: Callable[[float], float]
    ) -> None:
        """Let the right axis show the same values in another unit."""
        self.axes["right"].show_other_unit(to_right, from_right)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.widget.setBackground(theme.colour("panel"))
        font = theme.font(0.86)
        for side, label in self._labels.items():
            axis = self.axes[side]
            # A cosmetic pen would be thin in a picture of more pixels.
            axis.setPen(pg.mkPen(theme.colour("border"), width=1, cosmetic=False))
            axis.setTextPen(theme.colour("muted"))
            axis.setStyle(tickFont=font, tickTextOffset=4, tickLength=-4)
            if label:
                self._style_label(side)
        for side in ("bottom", "left"):
            self.axes[side].setGrid(0.22)
        for layer in self._layers:
            layer.set_theme(theme)

    def _style_label(self, side: str) -> None:
        axis, theme = self.axes[side], self._theme
        axis.setLabel(self._labels[side])
        axis.label.setFont(theme.font(0.86))
        axis.label.setDefaultTextColor(theme.colour("muted"))

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Tell where the mouse is, and fit on a double click."""
        kind = event.type()
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseMove:
            position = event.position().toPoint()
            place = self.box.mapSceneToView(self.widget.mapToScene(position))
            self.hovered.emit(place.x(), place.y())
        elif kind == QEvent.Type.Leave:
            self.hovered.emit(math.nan, math.nan)
        elif kind == QEvent.Type.MouseButtonDblClick:
            self.fit()
        return super().eventFilter(watched, event)

    def _whole(self) -> QRectF:
        """Return the range of the data."""
        x, y = self._wanted or ((0.0, 0.0), (0.0, 0.0))
        return QRectF(x[0], y[0], x[1] - x[0], y[1] - y[0])

    def _moved_by_user(self, _: object) -> None:
        self._follows = False


def _with_room(wanted: Range, shown: Range) -> Range:
    """Return a range with ``wanted`` in it: ``shown`` if possible, else one with room to grow."""
    low, high = wanted
    room = 0.1 * (high - low)
    if shown[0] <= low and high <= shown[1]:
        return shown if high - low >= 0.75 * (shown[1] - shown[0]) else wanted
    return low - room if low < shown[0] else low, high + room if high > shown[1] else high
