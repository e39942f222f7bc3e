"""Layers of the map: numbers and names beside cities, and where the route begins and ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF

from views.tour.globe_layer import bar_room
from views.tour.map_layer import MapLayer
from views.widgets.background_layer import Sheet
from views.widgets.layers import Points, pen

LABELS_MOST = 400  # most cities in sight that have labels
_LONGEST_CITY_NAME = 24  # characters of a name on the map
_LABEL_AWAY = 5.0  # pixels between a city and its label
_DOT = 3.0  # pixels around a city that no label covers

Names = tuple[str, ...]


class Labels(NamedTuple):
    """What stands beside cities."""

    names: Names = ()  # of all cities; () for none
    order: NDArray[np.integer] | None = None  # the cities in their order, which numbers them
    bar: bool = False  # whether a scale bar is in the corner

    def texts(self, cities: NDArray[np.intp]) -> list[str]:
        """Return the label of each of these ``cities``."""
        names = [self.names[city] for city in cities] if self.names else [""] * len(cities)
        names = [
            name if len(name) <= _LONGEST_CITY_NAME else f"{name[: _LONGEST_CITY_NAME - 1]}…"
            for name in names
        ]
        if self.order is None:
            return names
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(1, len(self.order) + 1)
        return [
            f"{number} {name}".rstrip()
            for number, name in zip(place[cities].tolist(), names, strict=True)
        ]


class LabelsLayer(MapLayer[Labels]):
    """A label beside each city, as far as there is room; none while too many are in sight.

    No label covers another one or a city: what has no room comes into sight as the user zooms in.
    """

    reach = 300.0  # at the edge of the map, labels are beyond all cities

    def draw_part(self, cities: Points, part: Labels | None, sheet: Sheet) -> None:
        """Draw the labels of cities in sight, each where there is room."""
        assert part is not None
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        pixels = sheet.pixels(cities)
        inside = (pixels >= 0) & (pixels <= [size.width(), size.height()])
        seen = np.flatnonzero(inside.all(axis=1))
        if len(seen) > LABELS_MOST:
            return
        font = theme.font(0.84)
        measure = QFontMetricsF(font)
        painter.setFont(font)
        taken = [bar_room(sheet, cities)] if part.bar else []
        around = QColor(theme["window"])
        around.setAlphaF(0.7)
        dots = pixels[seen]
        for city, text in zip(seen.tolist(), part.texts(seen), strict=True):
            wide, high = measure.horizontalAdvance(text) + 2, measure.height()
            places = _places_beside(pixels[city], wide, high)
            free = (
                box
                for box in places
                if size.contains(box)
                if not (_covers(box, dots) or any(box.intersects(other) for other in taken))
            )
            box = next(free, None)
            if not text or box is None:
                continue
            taken.append(box)
            painter.fillRect(box, around)
            painter.setPen(theme.colour("text"))
            painter.drawText(QPointF(box.x() + 1, box.bottom() - measure.descent()), text)


def _places_beside(city: Points, wide: float, high: float) -> Iterator[QRectF]:
    """Return where a label may be: right or left of its city, above or below, or level with it."""
    x, y = city.tolist()
    for top in (y - high, y, y - high / 2):
        for left in (x + _LABEL_AWAY, x - _LABEL_AWAY - wide):
            yield QRectF(left, top, wide, high)


def _covers(box: QRectF, dots: Points) -> bool:
    """Whether a dot would be hidden, at least a part of it."""
    low = np.array([box.left() - _DOT, box.top() - _DOT])
    high = np.array([box.right() + _DOT, box.bottom() + _DOT])
    return bool(((dots > low) & (dots < high)).all(axis=1).any())


class RouteEnds(NamedTuple):
    """Where a route begins and ends; a closed one ends where it begins."""

    start: int | None
    end: int | None


_MARK_RADIUS = 7.5  # pixels


class EndsLayer(MapLayer[RouteEnds]):
    """A disc with a ring where the route begins, a square where it ends somewhere else."""

    many = False
    reach = 12.0

    def draw_part(self, cities: Points, part: RouteEnds | None, sheet: Sheet) -> None:
        """Draw both marks, with an outline that parts them from all else."""
        assert part is not None
        painter, theme = sheet.painter, sheet.theme
        radius = _MARK_RADIUS * theme.scale
        for city, role, square in ((part.end, "danger", True), (part.start, "good", False)):
            if city is None or (square and city == part.start):
                continue
            at = QPointF(*sheet.pixels(cities[[city]])[0])
            box = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
            painter.setPen(pen(theme.colour("panel"), 2.5 * theme.scale))
            painter.setBrush(theme.colour(role))
            inner = box.adjusted(*(radius * share for share in (0.6, 0.6, -0.6, -0.6)))
            if square:
                painter.drawRect(box.adjusted(1, 1, -1, -1))
            else:
                painter.drawEllipse(box)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("panel"))
            (painter.drawRect if square else painter.drawEllipse)(inner)
