"""The canvas of a view of decisions, and what is drawn on it of tours and of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPolygonF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from views.tour.arrows import heads
from views.widgets.canvas_view import nearest
from views.widgets.graphics import Box, graphics_in
from views.widgets.labels import make_label
from views.widgets.layers import Points, pen
from views.widgets.layouts import fill
from views.widgets.theme import Theme
from views.widgets.view import NOTHING, Pointed

_WIDEST = 11.0  # width in pixels of a certain choice. Widths grow with the root of the chance


class DecisionCanvas(QWidget):
    """A canvas with the same scale on both axes, and the meaning of its marks."""

    pointed = Signal(object)  # the :class:`Pointed` place under the mouse

    def __init__(self) -> None:
        super().__init__()
        # pyqtgraph has no type hints; its objects are Any.
        self.graphics = graphics_in(self)
        self.box: Any = Box(1e-6, lockAspect=True, defaultPadding=0.0)
        self.graphics.setCentralItem(self.box)
        self.graphics.setMinimumSize(180, 110)
        self.graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.graphics.viewport().installEventFilter(self)
        # The view places the legend.
        self.legend = make_label("note", wrap=True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        fill(QVBoxLayout(self), (self.graphics, 1))

    @property
    def places(self) -> Points:
        """Where cities or vertices are."""
        raise NotImplementedError

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Tell which place is under the mouse."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            position = event.position().toPoint()
            at = self.box.mapSceneToView(self.graphics.mapToScene(position))
            place = nearest(self.places, at, self.box.viewPixelSize())
            self.pointed.emit(NOTHING if place is None else Pointed(places=(place,)))
        elif event.type() == QEvent.Type.Leave:
            self.pointed.emit(NOTHING)
        return super().eventFilter(watched, event)

    def _explain(self, marks: Sequence[tuple[str, str, str]]) -> None:
        """Show what ``marks`` mean: triples of a sign, its colour and its name."""
        # No-break spaces keep each mark beside its name.
        self.legend.setText(
            " &nbsp; ".join(
                f'<span style="color: {colour}">{mark}</span>&nbsp;{name.replace(" ", "&nbsp;")}'
                for mark, colour, name in marks
            )
        )


def write_names(
    painter: QPainter,
    theme: Theme,
    names: Sequence[tuple[Points, str, bool, bool]],  # place, text, whether it is marked, chosen
    size: QRectF,
) -> None:
    """Write numbers beside places if there is room, the most important first."""
    mark = 8.0 * theme.scale
    taken = [
        QRectF(float(x - mark), float(y - mark), 2 * mark, 2 * mark)
        for (x, y), _, marked, _ in names
        if marked
    ]
    for (x, y), text, marked, chosen in names:
        painter.setFont(theme.font(1.1 if marked else 0.9, bold=marked))
        metrics = QFontMetricsF(painter.font())
        width, height = metrics.horizontalAdvance(text) + 6, metrics.height()
        away = mark + 1
        sides = product((y - height - 2, y + 2), (x + away, x - away - width))
        places = (QRectF(left, top, width, height) for top, left in sides)
        free = [at for at in places if size.contains(at) and not any(map(at.intersects, taken))]
        if not free:
            continue
        place = free[0]
        taken.append(place)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("panel", 0.8))
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(theme.colour("best" if chosen else "text"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


def width_of(chance: float) -> float:
    """Return the width in pixels of a line to what is chosen with this ``chance``."""
    return float(1.0 + (_WIDEST - 1.0) * np.sqrt(chance))


def draw_arrow(painter: QPainter, start: Points, end: Points, colour: QColor, width: float) -> None:
    """Draw the chosen edge with an arrow head in its middle, where no mark hides it."""
    width = max(width, 4.0)
    painter.setPen(pen(colour, width))
    painter.drawLine(QPointF(*start), QPointF(*end))
    way = end - start
    length = float(np.hypot(*way))
    head = 2.2 * width + 4
    if length < 2 * head:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    (points,) = heads((start + way * 0.5)[None], (way / length)[None], head)
    painter.drawPolygon(QPolygonF([QPointF(*at) for at in points]))
