"""A plot in the style of the window: curves on axes, whose range follows the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from views.widgets.canvas.axis import Axis
from views.widgets.canvas.box import Box
from views.widgets.canvas.curve import Curve
from views.widgets.canvas.graphics import graphics_in
from views.widgets.canvas.layers import Layer
from views.widgets.labels import make_label
from views.widgets.theme import DARK, Theme

Range = tuple[float, float]  # lowest and highest value

# Row and column of each axis; the curves are at (0, 1).
_PLACES = {"left": (0, 0), "right": (0, 2), "bottom": (1, 1)}


class Plot(QWidget):
    """Axes with curves. The range follows the data until the user moves it."""

    hovered = Signal(float, float)  # x and y under the mouse, or NaN where it left the plot

    def __init__(self, x_label: str, y_label: str, *, right_label: str = "") -> None:
        super().__init__()
        # Made of parts, because pyqtgraph's own PlotWidget has menus that outlive it.
        self.widget = graphics_in(self)
        self.box: Any = Box(1e-4, self._whole)
        self.axes = {side: Axis(side) for side in _PLACES}
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
        self.widget.setMinimumSize(200, 84)  # a pane of a presentation on a small screen
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
