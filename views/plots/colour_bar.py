"""The legend of a heatmap: a logarithmic scale beside its colours."""

from __future__ import annotations

import math
from functools import cache

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from views.widgets.theme import PaintedWidget

COLOURS = "viridis"  # perceptually uniform, and readable with every kind of colour vision


@cache
def colour_table() -> list[int]:
    """Return 256 colours, 0xffRRGGBB, from the weakest to the strongest."""
    table = pg.colormap.get(COLOURS).getLookupTable(nPts=256)
    return [QColor(*map(int, row[:3])).rgb() for row in table]


class ColourBar(PaintedWidget):
    """Draws the colours of a range, with its ticks."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label
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
