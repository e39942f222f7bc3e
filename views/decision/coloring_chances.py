"""What an ant, or a tabu search, chooses from: the wheel of an ant, and tables with bars."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from gpu.core.decisions.coloring_decision import ColoringDecision, Draw
from gpu.core.decisions.tabu_move import TabuMove
from gpu.core.words import counted
from views.decision.decision_bars import ChanceBars, Row, likeliest, others
from views.decision.decision_parts import Scales
from views.decision.decision_words import probability, quantity, stop_text


class ColoringDraws(Scales[ColoringDecision]):
    """The wheel, unrolled, and where it stopped."""

    def draw(self, painter: QPainter, decision: ColoringDecision) -> None:
        """Draw the wheel."""

        def name_of(at: int) -> str:
            return str(decision.candidates[at] + 1)

        spun = decision.spin is not None
        title = "The chances; no wheel is spun, a draw by the trail was accepted"
        if spun:
            title = f"The wheel, unrolled: it stopped at {stop_text(decision.spin)}"
            if decision.draw is not Draw.WHEEL:
                title += " (equal parts)"
        shares = np.asarray(decision.chances)
        strip = self._draw_parts(painter, title, 0.0, shares, name_of, decision.at, spun=spun)
        if decision.spin is not None:
            self._mark(painter, strip, decision.spin)


class ColoringBars(ChanceBars[ColoringDecision]):
    """The vertices that may join the class."""

    def here(self, decision: ColoringDecision) -> int | None:
        """Return the vertex colored last; none at the beginning of a class."""
        return decision.here

    def heads(self, decision: ColoringDecision) -> tuple[str, ...]:
        """Return the headings."""
        return "vertex", "τ / τ₀", "d_N", "weight", "chance"

    def rows_of(self, decision: ColoringDecision, most: int) -> list[Row]:
        """Return the rows of the likeliest vertices."""
        shown = likeliest(decision.chances, decision.at, most)
        weighed = decision.draw in (Draw.WHEEL, Draw.TRIAL)
        rows = [
            Row(
                str(decision.candidates[at] + 1),
                quantity(float(decision.trails[at])) if decision.here is not None else "",
                str(decision.counts[at]) if decision.here is not None else "",
                quantity(float(decision.weights[at])) if weighed else "",
                probability(float(decision.chances[at])),
                float(decision.chances[at]),
                chosen=bool(at == decision.at),
                city=int(decision.candidates[at]),
            )
            for at in shown
        ]
        return [*rows, *others(decision.chances, shown)]


class MoveBars(ChanceBars[TabuMove]):
    """The best moves of a tabu search: the shorter the bar, the fewer conflicts are left."""

    def here(self, decision: TabuMove) -> None:
        """Return nothing: a search stands nowhere."""

    def heads(self, decision: TabuMove) -> tuple[str, ...]:
        """Return the headings."""
        return "move", "change", "tabu for", "", "conflicts"

    def rows_of(self, decision: TabuMove, most: int) -> list[Row]:
        """Return the rows of the best moves, and of the one that is made."""
        shown = list(range(min(most, len(decision.vertices))))
        if shown and decision.at >= len(shown):
            shown[-1] = decision.at
        before = len(decision.conflicts)
        largest = max((before + int(decision.gains[at]) for at in shown), default=1)
        rows = []
        for at in shown:
            vertex, after = int(decision.vertices[at]), before + int(decision.gains[at])
            move = f"{vertex + 1}: {decision.colors[vertex] + 1} → {decision.targets[at] + 1}"
            wait = int(decision.waits[at])
            rows.append(
                Row(
                    move,
                    _signed(int(decision.gains[at])),
                    str(wait) if wait else "",
                    "",
                    str(after),
                    after / max(1, largest),
                    chosen=at == decision.at,
                    city=vertex,
                )
            )
        left = decision.considered - len(shown)
        return [*rows, Row(counted(left, "other"), "", "", "", "", 0.0)] if left else rows


def _signed(number: int) -> str:
    return f"{number:+d}".replace("-", "−") if number else "0"
