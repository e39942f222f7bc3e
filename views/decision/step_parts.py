"""The options of a step as a table with bars, and what was drawn as scales."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from gpu.core.decisions import OPTIONS_TOLD, DrawScale, Option, Sign, Step
from views.decision.step_canvas import MARK_LOOKS
from views.widgets.theme import PaintedWidget
from views.widgets.values import Valued, ValueTable
from views.widgets.view import NOTHING, Pointed

_MOST_ROWS = OPTIONS_TOLD - 1
_FEWEST_ROWS = 3  # that are always shown, however small the window is
_NUMBERS_FROM = 380  # least width in pixels, at scale 1, for all columns
_TOLD = 3  # options that a summary names
_NARROWEST = 1.5  # least width in pixels of a part of a scale; smaller ones are not told apart


class StepPart(PaintedWidget):
    """A widget that draws one step, in :meth:`draw`."""

    growth = QSizePolicy.Policy.Expanding  # how its height follows the room that there is

    def __init__(self) -> None:
        super().__init__()
        self._step: Step | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, self.growth)

    def show_step(self, step: Step) -> None:
        """Show another step."""
        self._step = step
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the step, if there is one."""
        if self._step is not None:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self.draw(painter, self._step)

    def draw(self, painter: QPainter, step: Step) -> None:
        """Draw ``step``."""
        raise NotImplementedError


class OptionBars(StepPart, Valued):
    """As many options as fit, the last row for all others."""

    pointed = Signal(object)  # the :class:`Pointed` places of the row under the mouse

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Options of the step")
        self._lit: tuple[int, ...] = ()
        self.setMouseTracking(True)

    def values(self) -> ValueTable | None:
        """Return all options that the step tells, and which of them is chosen."""
        if self._step is None:
            return None
        options = self._step.options
        rows = [(*one.cells, "yes" if one.chosen else "") for one in options.told]
        return ValueTable(self._step.sentence, (*options.heads, "Chosen"), rows, ())

    def summary(self) -> str:
        """Return what the ant does, and the best options."""
        if self._step is None:
            return ""
        told = self._step.options.told[:_TOLD]
        return f"{self._step.sentence} {'; '.join(' '.join(one.cells) for one in told)}"

    def point_out(self, part: Pointed) -> None:
        """Let the rows of places stand out."""
        if part.places != self._lit:
            self._lit = part.places
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which row is under the mouse."""
        at, rows = int(event.position().y() / self.row_height) - 1, self.rows
        places = rows[at].places if 0 <= at < len(rows) else ()
        self.pointed.emit(Pointed(places=places) if places else NOTHING)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.pointed.emit(NOTHING)

    def sizeHint(self) -> QSize:
        """Return room for all rows."""
        return QSize(300, math.ceil(self.row_height * (_MOST_ROWS + 2)))

    def minimumSizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(200, math.ceil(self.row_height * (_FEWEST_ROWS + 2)))

    @property
    def row_height(self) -> float:
        """Height in pixels of the headings, and of each row."""
        return QFontMetricsF(self._theme.font(0.92)).height() * 1.34

    @property
    def rows(self) -> list[Option]:
        """The options that fit; the one that is chosen is always among them."""
        if self._step is None:
            return []
        fit = max(_FEWEST_ROWS, int(self.height() / self.row_height) - 2)
        return self._step.options.fitting(min(_MOST_ROWS, fit))

    @property
    def lit(self) -> list[Option]:
        """The rows that stand out: those of the places that are pointed at."""
        here = set() if self._step is None else set(self._step.picture.marked(*_STANDING))
        lit = set(self._lit)
        return [row for row in self.rows if lit and lit <= set(row.places) and lit != here]

    def draw(self, painter: QPainter, step: Step) -> None:
        """Draw the table and its bars."""
        theme, height, rows, options = self._theme, self.row_height, self.rows, step.options
        columns = [0, 1, 2, 3, 4] if self.width() >= _NUMBERS_FROM * theme.scale else [0, 4]
        metrics = QFontMetricsF(theme.font(0.92, bold=True))
        cells = [options.heads, *(row.cells for row in rows)]
        widths = {
            at: max(metrics.horizontalAdvance(row[at]) for row in cells) + 12 for at in columns
        }
        room = max(24.0, self.width() - sum(widths.values()))
        longest = max((row.length for row in rows if row.length > 0), default=1.0)
        lit = self.lit
        painter.setFont(theme.font(0.84))
        painter.setPen(theme.colour("muted"))
        self._draw_cells(painter, options.heads, widths, 0.0)
        painter.setPen(theme.colour("gap"))
        place = QRectF(self.width() - room + 4, 0, room, height)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, options.thin)
        for number, row in enumerate(rows, 1):
            y = number * height
            if row.chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour(_role(row), 0.16))
                painter.drawRoundedRect(QRectF(0, y, self.width(), height), 4, 4)
            if row in lit:
                painter.setPen(theme.colour("text"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(0.5, y, self.width() - 1, height - 1), 4, 4)
            painter.setFont(theme.font(0.92, bold=row.chosen))
            painter.setPen(theme.colour("text"))
            self._draw_cells(painter, row.cells, widths, y)
            self._draw_bar(painter, row, self.width() - room, y, room / longest)

    def _draw_cells(
        self, painter: QPainter, cells: Sequence[str], widths: dict[int, float], y: float
    ) -> None:
        x = 0.0
        for column, width in widths.items():
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            place = QRectF(x + 5, y, width - 10, self.row_height)
            painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, cells[column])
            x += width

    def _draw_bar(self, painter: QPainter, row: Option, x: float, y: float, unit: float) -> None:
        if row.length <= 0:
            return
        height = self.row_height
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(_role(row)))
        length = max(1.5, row.length * unit - 6)
        painter.drawRoundedRect(QRectF(x, y + height * 0.18, length, height * 0.5), 2, 2)
        if math.isfinite(row.thin):
            painter.setBrush(self._theme.colour("gap", 0.95))
            whole = max(1.5, row.thin * (self.width() - x - 6))
            painter.drawRect(QRectF(x, y + height * 0.72, whole, height * 0.14))


_STANDING = Sign.ANT, Sign.STANDS


def _role(option: Option) -> str:
    """Return the colour of an option's bar."""
    if option.sign is not None:
        return MARK_LOOKS[option.sign].role
    return "best" if option.chosen else "latest"


class Scales(StepPart):
    """What was drawn: scales from 0 to 1, one below the other, each with a mark at the number."""

    growth = QSizePolicy.Policy.Fixed

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Numbers that were drawn")

    def show_step(self, step: Step) -> None:
        """Show what was drawn in another step, if anything was."""
        super().show_step(step)
        self.setVisible(bool(step.drawn))

    def sizeHint(self) -> QSize:
        """Return room for all scales."""
        count = 0 if self._step is None else len(self._step.drawn)
        return QSize(220, math.ceil(self._scale_height * count))

    def minimumSizeHint(self) -> QSize:
        """Return the same height, so that nothing is cut."""
        return QSize(160, self.sizeHint().height())

    @property
    def _scale_height(self) -> float:
        return QFontMetricsF(self._theme.font(0.92)).height() * 3.6

    def draw(self, painter: QPainter, step: Step) -> None:
        """Draw the scales."""
        for number, drawn in enumerate(step.drawn):
            self._draw_scale(painter, drawn, number * self._scale_height)

    def _draw_scale(self, painter: QPainter, drawn: DrawScale, top: float) -> None:
        """Draw a scale, its parts, and the number that was drawn."""
        theme, chosen = self._theme, drawn.chosen
        painter.setFont(theme.font(0.92))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(theme.colour("muted"))
        line = metrics.height()
        title = metrics.elidedText(drawn.title, Qt.TextElideMode.ElideRight, self.width() - 4)
        painter.drawText(QRectF(2, top, self.width() - 4, line), 0, title)
        strip = QRectF(7, top + line * 1.75, self.width() - 14, line * 1.35)
        ends = np.cumsum(drawn.parts) / drawn.parts.sum()
        begins = np.concatenate([[0.0], ends[:-1]])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("latest", 0.4 if chosen >= 0 else 0.16))
        painter.drawRect(strip)  # parts that are too small
        for at in np.flatnonzero((ends - begins) * strip.width() >= _NARROWEST).tolist():
            if at != chosen:
                self._draw_part(painter, drawn, at, strip, begins[at], ends[at])
        if chosen >= 0:
            self._draw_part(painter, drawn, chosen, strip, begins[chosen], ends[chosen])
        if drawn.number is not None:
            self._mark(painter, strip, drawn.number)

    def _draw_part(
        self, painter: QPainter, drawn: DrawScale, at: int, strip: QRectF, begin: float, end: float
    ) -> None:
        left, width = strip.left() + strip.width() * begin, strip.width() * (end - begin)
        part = QRectF(left, strip.top(), max(width, _NARROWEST), strip.height())
        if at == drawn.chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("best", 0.8))
            painter.drawRect(part)
        painter.setPen(self._theme.colour("panel"))
        painter.drawLine(part.topRight(), part.bottomRight())
        painter.setFont(self._theme.font(0.92, bold=at == drawn.chosen))
        text = drawn.names.get(at, "")
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
