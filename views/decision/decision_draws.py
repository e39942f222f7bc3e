"""The random draws of a decision: q against q₀, and where the wheel stopped."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from gpu.core.decision import Choice, Decision, Outcome
from views.decision.decision_words import apart, spin_text
from views.widgets.theme import PaintedWidget

_NARROWEST = 1.5  # least width in pixels of a part of the wheel; smaller ones are not told apart


class DecisionPart(PaintedWidget):
    """A widget that draws one decision, in :meth:`draw`."""

    growth = QSizePolicy.Policy.Expanding  # how its height follows the room that there is

    def __init__(self) -> None:
        super().__init__()
        self._decision: Decision | None = None
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, self.growth)

    def show_decision(self, decision: Decision, ids: NDArray[np.int64]) -> None:
        """Show another decision; ``ids`` are the numbers of the cities in the file."""
        self._decision, self._ids = decision, ids
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the decision, if there is one."""
        if self._decision is not None:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self.draw(painter, self._decision)

    def draw(self, painter: QPainter, decision: Decision) -> None:
        """Draw ``decision``."""
        raise NotImplementedError


class DecisionDraws(DecisionPart):
    """Two scales from 0 to 1 with a mark at the number drawn: q, and the unrolled wheel."""

    growth = QSizePolicy.Policy.Fixed

    def sizeHint(self) -> QSize:
        """Return room for one scale or two."""
        both = self._decision is not None and self._decision.choice.q is not None
        return QSize(220, math.ceil(self._scale_height() * (2 if both else 1)))

    def minimumSizeHint(self) -> QSize:
        """Return the same height, so that nothing is cut."""
        return QSize(160, self.sizeHint().height())

    def draw(self, painter: QPainter, decision: Decision) -> None:
        """Draw the scales."""
        choice, top = decision.choice, 0.0
        if choice.q is not None and choice.q0 is not None:
            self._draw_q(painter, choice.q, choice.q0)
            top = self._scale_height()
        self._draw_wheel(painter, choice, top)

    def _draw_q(self, painter: QPainter, q: float, q0: float) -> None:
        theme = self._theme
        texts = apart(q, q0)
        strip = self._begin_scale(painter, f"Draw q = {texts[0]}, q₀ = {texts[1]}", 0.0)
        border = strip.left() + strip.width() * q0
        greedy = QRectF(strip.left(), strip.top(), border - strip.left(), strip.height())
        wheel = QRectF(border, strip.top(), strip.right() - border, strip.height())
        for part, role, name in ((greedy, "best", "the heaviest"), (wheel, "latest", "the wheel")):
            chosen = (role == "best") == (q < q0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(role, 0.55 if chosen else 0.22))
            painter.drawRect(part)
            self._write(painter, part, name, bold=chosen)
        self._mark(painter, strip, q)

    def _draw_wheel(self, painter: QPainter, choice: Choice, top: float) -> None:
        theme = self._theme
        strip = self._begin_scale(painter, _wheel_title(choice), top)
        ends = np.cumsum(choice.shares) / choice.shares.sum()
        begins = np.concatenate([[0.0], ends[:-1]])
        spun = choice.outcome is Outcome.ROULETTE
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("latest", 0.4 if spun else 0.16))
        painter.drawRect(strip)  # parts that are too small
        wide = (ends - begins) * strip.width() >= _NARROWEST
        for at in np.flatnonzero(wide | (choice.cities == choice.chosen)):
            chosen = spun and bool(choice.cities[at] == choice.chosen)
            left, right = (strip.left() + strip.width() * p for p in (begins[at], ends[at]))
            part = QRectF(left, strip.top(), max(right - left, _NARROWEST), strip.height())
            if chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("best", 0.8))
                painter.drawRect(part)
            painter.setPen(theme.colour("panel"))
            painter.drawLine(part.topRight(), part.bottomRight())
            self._write(painter, part, str(self._ids[choice.cities[at]]), bold=chosen)
        if choice.spin is not None:
            self._mark(painter, strip, choice.spin)

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


def _wheel_title(choice: Choice) -> str:
    if choice.outcome is Outcome.ROULETTE:
        return f"The wheel, unrolled: it stopped at {spin_text(choice)}"
    if choice.draws is not None:
        return "The weights; no wheel is spun, each city draws a number of its own"
    return "The wheel, unrolled; it is not spun"
