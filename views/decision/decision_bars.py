"""The cities that an ant considers, the likeliest first, with numbers and bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter

from gpu.core.decisions.decision import Decision, Outcome
from gpu.core.words import counted
from views.decision.decision_parts import D, DecisionPart
from views.decision.decision_words import probability, quantity
from views.widgets.view import NOTHING, Pointed

MOST = 20  # most cities with a row of their own
_FEWEST = 3  # cities that are always shown, however small the window is
# Least width in pixels, at scale 1, for the columns of trails, heuristics and weights.
_NUMBERS_FROM = 380
_THIN = {
    Outcome.I_ROULETTE: "thin: r · weight, as drawn",
    Outcome.RESERVOIR: "thin: weight / −log r, as drawn",
}


class Row(NamedTuple):
    """One row of the table."""

    name: str  # the texts of its columns
    trail: str
    heuristic: str
    weight: str
    chance: str
    length: float  # length of the bar, in [0, 1]: the chance; 0 in the row of all other cities
    # the drawn key (r·w of an I-Roulette) relative to the largest; NaN if there is none
    key: float = math.nan
    chosen: bool = False  # whether this is the city that the ant takes
    city: int = -1  # the place, from 0; -1 in the row of all others
    other: int = -1  # the other end, in the row of an edge
    role: str = ""  # colour of the bar; empty for the usual one


class ChanceBars(DecisionPart[D]):
    """Draws as many rows as fit, the last for all others."""

    pointed = Signal(object)  # the :class:`Pointed` edge to the city of the row under the mouse

    def __init__(self) -> None:
        super().__init__()
        self._lit: tuple[int, ...] = ()
        self.setMouseTracking(True)

    def point_out(self, part: Pointed) -> None:
        """Let the rows of places stand out."""
        if part.places != self._lit:
            self._lit = part.places
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which row is under the mouse."""
        at = int(event.position().y() / self._row_height()) - 1
        rows, decision = self.rows, self._decision
        place = rows[at].city if 0 <= at < len(rows) else -1
        found = NOTHING
        if decision is not None and place >= 0:
            other = rows[at].other
            here = self.here(decision) if other < 0 else other
            found = Pointed(places=(place,) if here is None else (here, place))
        self.pointed.emit(found)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.pointed.emit(NOTHING)

    def sizeHint(self) -> QSize:
        """Return room for all rows."""
        return QSize(300, math.ceil(self._row_height() * (MOST + 2)))

    def minimumSizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(200, math.ceil(self._row_height() * (_FEWEST + 2)))

    @property
    def rows(self) -> list[Row]:
        """The rows that fit, the likeliest city first; the chosen one is always included."""
        if self._decision is None:
            return []
        fit = max(_FEWEST, int(self.height() / self._row_height()) - 2)
        return self.rows_of(self._decision, min(MOST, fit))

    def here(self, decision: D) -> int | None:
        """Return where the ant stands, if it stands anywhere."""
        raise NotImplementedError

    def rows_of(self, decision: D, most: int) -> list[Row]:
        """Return at most ``most`` rows of places, and one for all others if there are more."""
        raise NotImplementedError

    def heads(self, decision: D) -> tuple[str, ...]:
        """Return the headings of the five columns."""
        raise NotImplementedError

    def thin(self, decision: D) -> str:
        """Say what thin bars are, if there are any."""
        return ""

    def draw(self, painter: QPainter, decision: D) -> None:
        """Draw the table and its bars."""
        theme, height, rows = self._theme, self._row_height(), self.rows
        numbers = self.width() >= _NUMBERS_FROM * theme.scale
        heads = self.heads(decision)
        columns = [0, 1, 2, 3, 4] if numbers else [0, 4]
        metrics = QFontMetricsF(theme.font(0.92, bold=True))
        cells = [tuple(map(str, row)) for row in (heads, *rows)]
        widths = {
            at: max(metrics.horizontalAdvance(row[at]) for row in cells) + 12 for at in columns
        }
        room = max(24.0, self.width() - sum(widths.values()))
        longest = max((row.length for row in rows if row.length > 0), default=1.0)
        lit = set(self._lit)
        painter.setFont(theme.font(0.84))
        painter.setPen(theme.colour("muted"))
        self._draw_cells(painter, heads, widths, 0.0)
        if thin := self.thin(decision):
            painter.setPen(theme.colour("gap"))
            place = QRectF(self.width() - room + 4, 0, room, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, thin)
        for number, row in enumerate(rows, 1):
            y = number * height
            if row.chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour(row.role or "best", 0.16))
                painter.drawRoundedRect(QRectF(0, y, self.width(), height), 4, 4)
            if (row.other < 0 and row.city in lit) or (lit and lit <= {row.city, row.other}):
                painter.setPen(theme.colour("text"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(0.5, y, self.width() - 1, height - 1), 4, 4)
            painter.setFont(theme.font(0.92, bold=row.chosen))
            painter.setPen(theme.colour("text"))
            self._draw_cells(painter, row, widths, y)
            self._draw_bar(painter, row, self.width() - room, y, room / longest)

    def _draw_cells(
        self, painter: QPainter, cells: tuple[object, ...], widths: dict[int, float], y: float
    ) -> None:
        x = 0.0
        for column, width in widths.items():
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            place = QRectF(x + 5, y, width - 10, self._row_height())
            painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, str(cells[column]))
            x += width

    def _draw_bar(self, painter: QPainter, row: Row, x: float, y: float, unit: float) -> None:
        if row.length <= 0:
            return
        height = self._row_height()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(row.role or ("best" if row.chosen else "latest")))
        length = max(1.5, row.length * unit - 6)
        painter.drawRoundedRect(QRectF(x, y + height * 0.18, length, height * 0.5), 2, 2)
        if math.isfinite(row.key):
            painter.setBrush(self._theme.colour("gap", 0.95))
            whole = max(1.5, row.key * (self.width() - x - 6))
            painter.drawRect(QRectF(x, y + height * 0.72, whole, height * 0.14))

    def _row_height(self) -> float:
        return QFontMetricsF(self._theme.font(0.92)).height() * 1.34


class DecisionBars(ChanceBars[Decision]):
    """The cities that an ant considers."""

    def here(self, decision: Decision) -> int:
        """Return the ant's city."""
        return decision.city

    def rows_of(self, decision: Decision, most: int) -> list[Row]:
        """Return the rows of the likeliest cities."""
        return rows_of(decision, self._ids, most)

    def heads(self, decision: Decision) -> tuple[str, ...]:
        """Return the headings."""
        drawn = Outcome.ROULETTE, Outcome.I_ROULETTE, Outcome.RESERVOIR
        share = "chance" if decision.choice.outcome in drawn else "share"
        return "city", "τ / τ₀", "η^β", "weight", share

    def thin(self, decision: Decision) -> str:
        """Say what is drawn by cities themselves."""
        return "" if decision.choice.draws is None else _THIN[decision.choice.outcome]


def likeliest(chances: NDArray[np.float64], chosen: int, most: int) -> NDArray[np.intp]:
    """Return at most ``most`` places, or one more if these are all, the likeliest first.

    The place ``chosen`` is always among them.
    """
    order = np.argsort(-chances, kind="stable")
    shown = order if len(order) <= most + 1 else order[:most]
    if chosen not in shown:
        shown[-1] = chosen
    return shown


def others(chances: NDArray[np.float64], shown: NDArray[np.intp]) -> list[Row]:
    """Return the row of all that are not ``shown``, if there are any."""
    left = len(chances) - len(shown)
    if not left:
        return []
    rest = max(0.0, 1.0 - float(chances[shown].sum()))
    return [Row(counted(left, "other"), "", "", "", probability(rest), 0.0)]


def rows_of(decision: Decision, ids: Sequence[int] | NDArray[np.int64], most: int) -> list[Row]:
    """Return at most ``most`` rows of cities, and one for all others if there are more."""
    choice, chances = decision.choice, decision.probabilities
    chosen = int(np.flatnonzero(choice.cities == choice.chosen)[0])
    shown = likeliest(chances, chosen, most)
    keys = choice.keys
    rows = [
        Row(
            str(ids[choice.cities[at]]),
            quantity(float(choice.trails[at])),
            quantity(float(choice.heuristics[at])),
            quantity(float(choice.weights[at])),
            probability(float(chances[at])),
            float(chances[at]),
            math.nan if keys is None else float(keys[at] / keys.max()),
            bool(at == chosen),
            int(choice.cities[at]),
        )
        for at in shown
    ]
    return [*rows, *others(chances, shown)]
