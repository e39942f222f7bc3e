"""What every part of a view of decisions is: a widget that draws one decision, and its scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from gpu.core.decisions.rule import AnyDecision
from views.widgets.theme import PaintedWidget

_NARROWEST = 1.5  # least width in pixels of a part of the wheel; smaller ones are not told apart

D = TypeVar("D", bound=AnyDecision)


class DecisionPart(PaintedWidget, Generic[D]):
    """A widget that draws one decision, in :meth:`draw`."""

    growth = QSizePolicy.Policy.Expanding  # how its height follows the room that there is

    def __init__(self) -> None:
        super().__init__()
        self._decision: D | None = None
        self._ids: Sequence[int] | NDArray[np.int64] = np.empty(0, np.int64)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, self.growth)

    def show_decision(self, decision: D, ids: Sequence[int] | NDArray[np.int64]) -> None:
        """Show another decision; ``ids`` are the numbers of the places in the file."""
        self._decision, self._ids = decision, ids
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the decision, if there is one."""
        if self._decision is not None:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self.draw(painter, self._decision)

    def draw(self, painter: QPainter, decision: D) -> None:
        """Draw ``decision``."""
        raise NotImplementedError


class Scales(DecisionPart[D]):
    """Scales from 0 to 1, one below the other, each with a mark at the number drawn."""

    growth = QSizePolicy.Policy.Fixed

    @property
    def count(self) -> int:
        """How many scales there are."""
        return 1

    def sizeHint(self) -> QSize:
        """Return room for all scales."""
        return QSize(220, math.ceil(self._scale_height() * self.count))

    def minimumSizeHint(self) -> QSize:
        """Return the same height, so that nothing is cut."""
        return QSize(160, self.sizeHint().height())

    def _draw_parts(
        self,
        painter: QPainter,
        title: str,
        top: float,
        shares: NDArray[np.float64],
        name_of: Callable[[int], str],
        chosen: int,
        *,
        spun: bool,
    ) -> QRectF:
        """Draw a wheel, unrolled: the parts are as large as the ``shares``; return its place."""
        theme = self._theme
        strip = self._begin_scale(painter, title, top)
        ends = np.cumsum(shares) / shares.sum()
        begins = np.concatenate([[0.0], ends[:-1]])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("latest", 0.4 if spun else 0.16))
        painter.drawRect(strip)  # parts that are too small
        wide = (ends - begins) * strip.width() >= _NARROWEST
        wide[chosen] = True
        for at in np.flatnonzero(wide):
            marked = spun and at == chosen
            left, right = (strip.left() + strip.width() * p for p in (begins[at], ends[at]))
            part = QRectF(left, strip.top(), max(right - left, _NARROWEST), strip.height())
            if marked:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("best", 0.8))
                painter.drawRect(part)
            painter.setPen(theme.colour("panel"))
            painter.drawLine(part.topRight(), part.bottomRight())
            self._write(painter, part, name_of(int(at)), bold=bool(marked))
        return strip

    def _begin_scale(self, painter: QPainter, title: str, top: float) -> QRectF:
        """Write the title, and return the place of the scale."""
        painter.setFont(self._theme.font(0.92))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(self._theme.colour("muted"))
        line = metrics.height()
        title = metrics.elidedText(title, Qt.TextElideMode.ElideRight, self.width() - 4)
        painter.drawText(QRectF(2, top, self.width() - 4, line), 0, title)
        return QRectF(7, top + line * 1.75, self.width() - 14, line * 1.35)

    def _write(self, painter: QPainter, part: QRectF, text: str, *, bold: bool) -> None:
        painter.setFont(self._theme.font(0.92, bold=bold))
        if QFontMetricsF(painter.font()).horizontalAdvance(text) + 6 <= part.width():
            painter.setPen(self._theme.colour("text"))
            painter.drawText(part, Qt.AlignmentFlag.AlignCenter, text)

    def _mark(self, painter: QPainter, strip: QRectF, place: float) -> None:
        """Mark ``place`` in [0, 1) by a triangle and two ticks that do not hide the text."""
        x, side = strip.left() + strip.width() * place, strip.height() * 0.34
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("text"))
        top = strip.top() - 1
        corners = (x - side, top - 1.5 * side), (x + side, top - 1.5 * side), (x, top)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        tick = strip.height() * 0.22
        painter.drawRect(QRectF(x - 1, top - 1, 2, tick + 1))
        painter.drawRect(QRectF(x - 1, strip.bottom() - tick, 2, tick + 3))

    def _scale_height(self) -> float:
        return QFontMetricsF(self._theme.font(0.92)).height() * 3.6
