"""The names of cities on the map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF

from views.tour.map_layer import MapLayer, Sheet
from views.widgets.layers import Points

MOST = 400  # most cities in sight whose names are drawn
_LONGEST = 24  # characters of a name on the map
_AWAY = 5.0  # pixels between a city and its name
_DOT = 3.0  # pixels around a city that no name covers

Names = tuple[str, ...]


class NamesLayer(MapLayer[Names]):
    """A name beside each city, as far as there is room for it; none while too many are in sight.

    No name covers another name or a city: what has no room comes into sight as the user zooms in.
    """

    def draw_part(self, cities: Points, part: Names | None, sheet: Sheet) -> None:
        """Draw the names of cities in sight, each where there is room."""
        assert part is not None
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        pixels = sheet.pixels(cities)
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
        dots = pixels[seen]
        for city in seen.tolist():
            name = part[city] if len(part[city]) <= _LONGEST else f"{part[city][: _LONGEST - 1]}…"
            wide, high = measure.horizontalAdvance(name) + 2, measure.height()
            places = _places_beside(pixels[city], wide, high)
            free = (
                box
                for box in places
                if box.left() >= 0 and box.right() <= size.width()
                if not (_covers(box, dots) or any(box.intersects(other) for other in taken))
            )
            box = next(free, None)
            if not name or box is None:
                continue
            taken.append(box)
            painter.fillRect(box, around)
            painter.setPen(theme.colour("text"))
            painter.drawText(QPointF(box.x() + 1, box.bottom() - measure.descent()), name)


def _places_beside(city: Points, wide: float, high: float) -> Iterator[QRectF]:
    """Return where a name may be: right or left of its city, above or below, or level with it."""
    x, y = city.tolist()
    for top in (y - high, y, y - high / 2):
        for left in (x + _AWAY, x - _AWAY - wide):
            yield QRectF(left, top, wide, high)


def _covers(box: QRectF, dots: Points) -> bool:
    """Whether a dot would be hidden, at least a part of it."""
    low = np.array([box.left() - _DOT, box.top() - _DOT])
    high = np.array([box.right() + _DOT, box.bottom() + _DOT])
    return bool(((dots > low) & (dots < high)).all(axis=1).any())
