"""Horizontal bars with their names and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from views.widgets.theme import PaintedWidget
from views.widgets.values import Valued, ValueTable


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    name: str
    text: str  # the value, as text
    value: float  # >= 0: the length
    role: str = "accent"  # the theme's colour of it
    low: float = math.nan  # ends of its whisker; NaN if it has none
    high: float = math.nan


class Bars(PaintedWidget, Valued):
    """Draws bars below each other; the longest fills the width."""

    def __init__(self) -> None:
        super().__init__()
        self.bars: Sequence[Bar] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Show other bars."""
        resized = len(bars) != len(self.bars)
        self.bars = tuple(bars)
        if resized:
            self.updateGeometry()
        self.update()

    def values(self) -> ValueTable | None:
        """Return the bars with their values as they are shown, and as numbers."""
        if not self.bars:
            return None
        rows = [(one.name, one.text, one.value) for one in self.bars]
        return ValueTable(self.accessibleName(), ("Bar", "Value", "Length"), rows, (2,))

    def summary(self) -> str:
        """Return all bars with their values."""
        said = "; ".join(f"{one.name}: {one.text}" for one in self.bars)
        return f"{self.accessibleName()}. {said}" if said else ""

    def sizeHint(self) -> QSize:
        """Return room for all bars."""
        return QSize(220, math.ceil(self._row_height() * max(1, len(self.bars))) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the same size: bars are never cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        if not self.bars:
            return
        font = self._theme.font(0.92)
        metrics = QFontMetricsF(font)
        names = max(metrics.horizontalAdvance(bar.name) for bar in self.bars) + 10
        texts = max(metrics.horizontalAdvance(bar.text) for bar in self.bars) + 10
        names = min(names, self.width() * 0.45)
        room = max(20.0, self.width() - names - texts)
        ends = [end for bar in self.bars for end in (bar.value, bar.high) if math.isfinite(end)]
        longest = max(ends) or 1.0
        height = self._row_height()
        centred = Qt.AlignmentFlag.AlignVCenter
        with QPainter(self) as painter:
            painter.setFont(font)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for row, bar in enumerate(self.bars):
                y = row * height
                name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideRight, names - 6)
                painter.setPen(self._theme.colour("muted"))
                painter.drawText(QRectF(0, y, names, height), centred, name)
                end = max(2.0, room * bar.value / longest)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.colour(bar.role, 0.85))
                painter.drawRoundedRect(QRectF(names, y + height * 0.2, end, height * 0.6), 3, 3)
                painter.setPen(self._theme.colour("text"))
                if math.isfinite(bar.low) and math.isfinite(bar.high):
                    left, right = (names + room * v / longest for v in (bar.low, bar.high))
                    middle = y + height / 2
                    painter.drawLine(QPointF(left, middle), QPointF(right, middle))
                    end = max(end, right - names)
                place = QRectF(names + end + 6, y, texts + room, height)
                painter.drawText(place, centred, bar.text)

    def _row_height(self) -> float:
        return QFontMetricsF(self._theme.font(0.92)).height() * 1.55
