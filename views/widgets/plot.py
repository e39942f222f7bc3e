"""A plot in the style of the window, with pyqtgraph's axes and mouse, and its own curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTransform
from PySide6.QtWidgets import QStackedLayout, QStyleOptionGraphicsItem, QWidget

from views.widgets.cached_picture import CachedPicture
from views.widgets.formats import significant, whole
from views.widgets.labels import make_label
from views.widgets.layers import Layer, Points, dashed, draw_lines, draw_points, to_pixels, within
from views.widgets.theme import DARK, Theme

Range = tuple[float, float]  # lowest and highest value

_APART = 20  # least pixels between two ticks at powers of ten
_BEYOND = 15  # pixels by which a text may stand beyond the ends of its axis
_LONG = 15  # digits from which on such a number is written as a power


class Curve(Layer):
    """A line through points; NaN breaks it."""

    def __init__(
        self,
        depth: float,
        role: str,
        width: float,
        *,
        dashes: bool = False,
        dots: bool = False,
        steps: bool = False,  # whether a value stays until the next point, instead of a slope
    ) -> None:
        super().__init__(depth)
        self._role, self._width, self._dashes, self._dots = role, width, dashes, dots
        self._steps = steps
        self.points: Points = np.empty((0, 2))

    def set_points(self, points: Points) -> None:
        """Take other points, float64 of shape (k, 2)."""
        if np.array_equal(points, self.points, equal_nan=True):
            return
        self.points = points
        self.set_bounds(points[np.isfinite(points).all(axis=1)])
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the line, and its dots where it has some."""
        if len(self.points) == 0:
            return
        colour = self._theme.colour(self._role)
        look = {"dashes": self._dashes, "steps": self._steps}
        width = self._width * self._theme.strokes
        pixels = draw_curve(painter, transform, size, self.points, colour, width, **look)
        if self._dots or len(self.points) == 1:
            shown = pixels[np.isfinite(pixels).all(axis=1)]
            draw_points(painter, shown, colour, width + 4)


def draw_curve(
    painter: QPainter,
    transform: QTransform,
    size: QRectF,
    points: Points,
    colour: QColor,
    width: float,
    *,
    dashes: bool = False,
    steps: bool = False,
) -> Points:
    """Draw a line through at least one point, and return its corners in pixels."""
    if steps:
        points = np.column_stack([points[:, 0].repeat(2)[1:], points[:, 1].repeat(2)[:-1]])
    pixels = to_pixels(points, transform)
    pixels = np.where(np.isfinite(pixels), np.clip(pixels, -1e5, 1e5), np.nan)
    if dashes:
        pixels[:, 0] = np.clip(pixels[:, 0], -20, size.width() + 20)
        lines = dashed(pixels)
    else:
        lines = np.hstack([pixels[:-1], pixels[1:]])
    if len(lines):
        draw_lines(painter, lines[within(lines, size)], colour, width)
    return pixels


class _Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's axis with a cached picture; else Qt draws its texts whenever a curve moves."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._cached = CachedPicture()
        self.whole_numbers = False

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        plain: Any = super()
        levels: list[tuple[float, float]] = plain.tickSpacing(low, high, size)
        if not self.whole_numbers:
            return levels
        return [level for level in levels if level[0] >= 1] or [(1.0, 0.0)]

    def boundingRect(self) -> QRectF:
        """Leave room for the first and the last text, which pyqtgraph leaves out beside a grid."""
        plain: Any = super()
        rect: QRectF = plain.boundingRect()
        grid = self.parentItem()
        if self.grid is False or grid is None:
            return rect
        upright = self.orientation in ("left", "right")
        across, down = (0, _BEYOND) if upright else (_BEYOND, 0)
        grown = rect.adjusted(-across, -down, across, down)
        room: QRectF = self.mapRectFromParent(grid.boundingRect())
        return rect.united(grown.intersected(room))

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if widget is None:
            return
        if self.picture is None:  # pyqtgraph drops its picture when anything changes
            self._cached.drop()

        def draw(inner: QPainter, transform: QTransform, _: QRectF) -> None:
            inner.setTransform(transform)
            plain: Any = super(_Axis, self)
            plain.paint(inner, option, widget)

        self._cached.show(painter, widget, self.boundingRect(), draw)


# Row and column of each axis; the curves are at (0, 1).
_PLACES = {"left": (0, 0), "right": (0, 2), "bottom": (1, 1)}


class Plot(QWidget):
    """Axes with curves. The range follows the data until the user moves it."""

    hovered = Signal(float, float)  # x and y under the mouse, or NaN where it left the plot

    def __init__(self, x_label: str, y_label: str, *, right_label: str = "") -> None:
        super().__init__()
        # Made of parts, because pyqtgraph's own PlotWidget has menus that outlive it.
        self.widget: Any = pg.GraphicsView(self)
        self.box: Any = pg.ViewBox(enableMenu=False)
        self.axes: dict[str, Any] = {side: _Axis(side) for side in _PLACES}
        grid: Any = pg.GraphicsLayout()
        grid.setSpacing(0)
        grid.setContentsMargins(0, 4, 4, 0)
        grid.addItem(self.box, 0, 1)
        self.widget.setCentralItem(grid)
        for side, axis in self.axes.items():
            grid.addItem(axis, *_PLACES[side])
            axis.linkToView(self.box)
            axis.setZValue(-1000)  # the grid is behind the curves
            axis.enableAutoSIPrefix(False)
            axis.tickStrings = tick_texts
        self.axes["right"].setVisible(bool(right_label))
        self._labels = {"bottom": x_label, "left": y_label, "right": right_label}
        self._curves: list[Curve] = []
        self._layers: list[Layer] = []  # pyqtgraph does not keep those whose bounds it ignores
        self._follows = True
        self._wanted: tuple[Range, Range] | None = None
        self._shown: tuple[Range, Range] | None = None
        self._theme = DARK
        self.box.disableAutoRange()
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.widget.setMinimumSize(200, 120)
        self.widget.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.widget.viewport().installEventFilter(self)
        self.hint = make_label("note", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.widget)
        self._pages.addWidget(self.hint)

    def add_curve(
        self,
        role: str,
        width: float = 1.0,
        *,
        dashes: bool = False,
        dots: bool = False,
        steps: bool = False,
    ) -> Curve:
        """Add an empty curve in front of the others."""
        curve = Curve(len(self._curves), role, width, dashes=dashes, dots=dots, steps=steps)
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

    def show_whole_numbers(self, side: str, *, only: bool = True) -> None:
        """Put the ticks of an axis at whole numbers only, or anywhere again."""
        self.axes[side].whole_numbers = only
        self.axes[side].picture = None
        self.axes[side].update()

    def show_logarithmic(self, side: str, *, on: bool) -> None:
        """Write the ticks of an axis for values that are exponents of ten, or plain ones again."""
        axis = self.axes[side]
        if on:
            axis.tickValues, axis.tickStrings = logarithmic_ticks, logarithmic_texts
        else:
            vars(axis).pop("tickValues", None)
            axis.tickStrings = tick_texts
        axis.picture = None
        axis.update()

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

    def map_right_axis(
        self, to_right: Callable[[float], float], from_right: Callable[[float], float]
    ) -> None:
        """Let the right axis show the same values in another unit."""
        axis = self.axes["right"]
        plain = type(axis).tickValues

        def values(low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
            levels = plain(axis, to_right(low), to_right(high), size)
            return [(step, [from_right(v) for v in places]) for step, places in levels]

        def texts(places: list[float], scale: float, spacing: float) -> list[str]:
            return tick_texts([to_right(place) for place in places], scale, spacing)

        axis.tickValues, axis.tickStrings = values, texts
        axis.picture = None
        axis.update()

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
        if kind == QEvent.Type.MouseMove:
            position = event.position().toPoint()  # type: ignore[attr-defined]
            place = self.box.mapSceneToView(self.widget.mapToScene(position))
            self.hovered.emit(place.x(), place.y())
        elif kind == QEvent.Type.Leave:
            self.hovered.emit(math.nan, math.nan)
        elif kind == QEvent.Type.MouseButtonDblClick:
            self.fit()
        return super().eventFilter(watched, event)

    def _moved_by_user(self, _: object) -> None:
        self._follows = False


def _with_room(wanted: Range, shown: Range) -> Range:
    """Return a range with ``wanted`` in it: ``shown`` if possible, else one with room to grow."""
    low, high = wanted
    room = 0.1 * (high - low)
    if shown[0] <= low and high <= shown[1]:
        return shown if high - low >= 0.75 * (shown[1] - shown[0]) else wanted
    return low - room if low < shown[0] else low, high + room if high > shown[1] else high


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
    return [
        f"1e{v:.0f}" if abs(v) > _LONG else whole(10**v) if v >= 0 else significant(10**v, 1)
        for v in values
    ]


def logarithmic_ticks(low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
    """Return ticks at powers of ten, and at 2 and 5 times those if there is room.

    Where there is no room for all powers, some are left out.
    """
    apart = max(1, math.ceil((high - low) * _APART / max(size, _APART)))
    powers = range(math.ceil(low / apart) * apart, math.floor(high) + 1, apart)
    major = [float(power) for power in powers]
    if apart > 1:
        return [(float(apart), major)]
    decades = range(math.floor(low), math.ceil(high) + 1)
    between = [power + math.log10(factor) for power in decades for factor in (2, 5)]
    minor = [place for place in between if low <= place <= high]
    if size < 60 * (len(major) + len(minor)) and len(major) > 1:
        minor = []
    return [(1.0, major), (0.3, minor)]
