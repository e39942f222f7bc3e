"""The random draws of a decision: q against q₀, and where the wheel stopped."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from gpu.core.decisions.decision import Choice, Decision, Outcome
from views.decision.decision_parts import Scales
from views.decision.decision_words import apart, spin_text


class DecisionDraws(Scales[Decision]):
    """One scale or two: q, and the unrolled wheel."""

    @property
    def count(self) -> int:
        """Two, if q is drawn."""
        both = self._decision is not None and self._decision.choice.q is not None
        return 2 if both else 1

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
        def name_of(at: int) -> str:
            return str(self._ids[choice.cities[at]])

        chosen = int(np.flatnonzero(choice.cities == choice.chosen)[0])
        spun, title = choice.outcome is Outcome.ROULETTE, _wheel_title(choice)
        strip = self._draw_parts(painter, title, top, choice.shares, name_of, chosen, spun=spun)
        if choice.spin is not None:
            self._mark(painter, strip, choice.spin)


def _wheel_title(choice: Choice) -> str:
    if choice.outcome is Outcome.ROULETTE:
        return f"The wheel, unrolled: it stopped at {spin_text(choice)}"
    if choice.draws is not None:
        return "The weights; no wheel is spun, each city draws a number of its own"
    return "The wheel, unrolled; it is not spun"
