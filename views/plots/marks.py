"""Marks along the axis of a plot: where a run was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QTransform

from views.widgets.canvas.dashes import dashed
from views.widgets.canvas.layers import Layer, draw_lines, pen

_NEAR = 4.0  # pixels from the mouse to the mark that it points at, at most
_GAP = 4.0  # pixels between a mark and its text, and between two texts


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a run that has a name."""

    iteration: int  # iterations until then
    solutions: int  # tours or colorings built until then
    seconds: float  # seconds of solving until then
    text: str  # what was changed, in a few words


class MarkLayer(Layer):
    """A dashed line at each mark, with its text where there is room."""

    def __init__(self) -> None:
        super().__init__(depth=0)
        self._marks: tuple[tuple[float, str], ...] = ()  # place and text, by place

    def show_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        """Show other marks: the place of each along the axis, and its text."""
        ordered = tuple(sorted(marks))
        if ordered != self._marks:
            self._marks = ordered
            self.prepareGeometryChange()
            self._bounds = QRectF(QPointF(-1e12, -1e12), QPointF(1e12, 1e12))
            self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no mark."""
        return not self._marks

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the lines, and the texts that do not cover one another."""
        colour, metrics = self._theme.colour("muted"), painter.fontMetrics()
        free = size.left()
        for place, text in self._marks:
            x = transform.m11() * place + transform.dx()
            if not size.left() <= x <= size.right():
                continue
            line = np.array([[x, size.top()], [x, size.bottom()]])
            draw_lines(painter, dashed(line, size, 2.0, 3.0), colour)
            width = metrics.horizontalAdvance(text)
            at = x + _GAP if x + _GAP + width <= size.right() else x - _GAP - width
            if at >= free:
                painter.setPen(pen(colour))
                painter.drawText(QPointF(at, size.top() + metrics.ascent() + 2), text)
                free = at + width + 2 * _GAP

    def near(self, place: float, pixel: float) -> str:
        """Return the text of the mark at ``place``; a ``pixel`` is so wide. Empty for none."""
        found = [one for one in self._marks if abs(one[0] - place) <= _NEAR * pixel]
        return min(found, key=lambda one: abs(one[0] - place))[1] if found else ""
