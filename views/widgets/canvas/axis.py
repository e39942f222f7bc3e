"""An axis of a plot, and where its ticks are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QStyleOptionGraphicsItem, QWidget

from gpu.core.formats import significant, whole
from views.widgets.cached_picture import CachedPicture

Ticks = list[tuple[float, list[float]]]  # distance and places of each kind, the main one first

_APART = 20  # least pixels between two ticks at powers of ten
_BETWEEN = 8  # least pixels between two texts that stand in a row
_BEYOND = 15  # pixels by which a text may stand beyond the ends of its axis
_LONG = 15  # digits from which on such a number is written as a power


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's axis with a cached picture; else Qt draws its texts whenever a curve moves."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._cached = CachedPicture()
        self.whole_numbers = False
        self.ticks: Callable[[float, float, float], Ticks] | None = None  # None: pyqtgraph's own
        self.texts: Callable[[list[float], float, float], list[str]] = tick_texts

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return how far ticks are apart, and where each kind of them begins."""
        plain: Any = super()
        levels: list[tuple[float, float]] = plain.tickSpacing(low, high, size)
        if self.whole_numbers:
            levels = [level for level in levels if level[0] >= 1] or [(1.0, 0.0)]
        least = self._extent(low, high, levels[0][0]) * (high - low) / size if levels else 0.0
        return levels if not levels or levels[0][0] >= least else [(_round(least), 0.0), *levels]

    def _extent(self, low: float, high: float, spacing: float) -> float:
        """Return how many pixels of the axis the text of a tick needs."""
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        if self.orientation in ("left", "right"):
            return metrics.height()
        texts = tick_texts([low, high], 1.0, spacing)
        return max(map(metrics.horizontalAdvance, texts)) + _BETWEEN

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
        across, down = (0, _BEYOND) if upright else (_BEYOND, 0)
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
            plain: Any = super(Axis, self)
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

        self.ticks, self.texts = ticks, texts
        self.draw_again()

    def draw_again(self) -> None:
        """Draw ticks and texts again, because they have changed."""
        self.picture = None
        self.update()

    def _usual_ticks(self, low: float, high: float, size: float) -> Ticks:
        plain: Any = super()
        ticks: Ticks = plain.tickValues(low, high, size)
        return ticks


def _round(least: float) -> float:
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
    return [f"1e{v:.0f}" if abs(v) > _LONG else _plain(10**v) for v in values]


def _plain(number: float) -> str:
    """Return a number that has few digits, but for the errors of rounding."""
    is_whole = abs(number - round(number)) < 1e-9 * number
    return whole(number) if is_whole else f"{number:.4g}"


def logarithmic_ticks(low: float, high: float, size: float) -> Ticks:
    """Return ticks at powers of ten, and at 2 and 5 times those if there is room.

    Where there is no room for all powers, some are left out. In a range that has fewer than two of
    all these, ticks are at some other round numbers.
    """
    apart = max(1, math.ceil((high - low) * _APART / max(size, _APART)))
    powers = range(math.ceil(low / apart) * apart, math.floor(high) + 1, apart)
    major = [float(power) for power in powers]
    if apart > 1:
        return [(float(apart), major)]
    decades = range(math.floor(low), math.ceil(high) + 1)
    between = [power + math.log10(factor) for power in decades for factor in (2, 5)]
    minor = [place for place in between if low <= place <= high]
    if len(major) + len(minor) < 2 and high - low > 1e-6 and max(-low, high) < _LONG:
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
