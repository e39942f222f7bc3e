"""Heads of arrows on edges, for tours with a direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from views.widgets.layers import Points, Segments, parts_in_sight

MOST = 2_000  # most heads in sight; more would hide the tour
_ROOM = 2.6  # least length of an edge in sight, in lengths of a head


def draw_heads(
    painter: QPainter, lines: Segments, size: QRectF, colour: QColor, head: float
) -> None:
    """Draw a head, ``head`` pixels long, in the middle of what is seen of each edge.

    Edges that are too short for it have none. If there would be too many heads, none is drawn.
    """
    seen, begin, end = parts_in_sight(lines, size)
    start, way = lines[seen, :2], lines[seen, 2:] - lines[seen, :2]
    lengths = np.hypot(way[:, 0], way[:, 1])
    long = lengths * (end - begin) >= _ROOM * head
    if not 0 < np.count_nonzero(long) <= MOST:
        return
    middle = (start + way * ((begin + end) / 2)[:, None])[long]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for corners in heads(middle, (way / np.maximum(lengths, 1e-9)[:, None])[long], head):
        painter.drawPolygon(QPolygonF([QPointF(*at) for at in corners]))


def heads(middle: Points, along: Points, head: float) -> NDArray[np.float64]:
    """Return the three corners of each head, (k, 3, 2): its tip, and its back at both sides.

    ``along`` are the directions, of length 1.
    """
    across = np.column_stack([-along[:, 1], along[:, 0]]) * head * 0.45
    tip, back = middle + along * head / 2, middle - along * head / 2
    return np.stack([tip, back + across, back - across], axis=1)
