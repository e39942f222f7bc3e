"""The names of cities on the map."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTransform

from views.tour.tour_layers import MapLayer
from views.widgets.layers import Points, to_pixels
from views.widgets.theme import Theme

MOST = 400  # most cities in sight whose names are drawn
_LONGEST = 24  # characters of a name on the map
_AWAY = 5.0  # pixels between a city and its name

Names = tuple[str, ...]


class NamesLayer(MapLayer[Names]):
    """A name beside each city, as far as there is room for it; none while too many are in sight."""

    def draw_part(
        self,
        cities: Points,
        part: Names | None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw the names of cities in sight, each where no other one is."""
        assert part is not None
        pixels = to_pixels(cities, transform)
        inside = (pixels >= 0) & (pixels <= [size.width(), size.height()])
        seen = np.flatnonzero(inside.all(axis=1))
        if len(seen) > MOST:
            return
        font = theme.font(0.84)
        measure = QFontMetricsF(font)
        painter.setFont(font)
        taken: list[QRectF] = []
        around = QColor(theme["window"])
        around.setAlphaF(0.7)
        for city in seen.tolist():
            name = part[city] if len(part[city]) <= _LONGEST else f"{part[city][: _LONGEST - 1]}…"
            x, y = pixels[city]
            box = QRectF(x + _AWAY, y - measure.height(), 0, measure.height())
            box.setWidth(measure.horizontalAdvance(name) + 2)
            if box.right() > size.width():
                box.moveRight(x - _AWAY)
            if not name or any(box.intersects(other) for other in taken):
                continue
            taken.append(box)
            painter.fillRect(box, around)
            painter.setPen(theme.colour("text"))
            painter.drawText(QPointF(box.x() + 1, box.bottom() - measure.descent()), name)
