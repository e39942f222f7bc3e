"""Layers of the map: what all have in common, names of cities, and what is pointed at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF

from views.widgets.background_layer import BackgroundLayer, Sheet
from views.widgets.cached_picture import Draw
from views.widgets.layers import MOST_IN_WINDOW, Points, pen
from views.widgets.view import Pointed

T = TypeVar("T")

_RADII = {1: 8.0, 2: 4.5}  # pixels of the ring around a city, and of those at both ends of an edge
NAMES_MOST = 400  # most cities in sight whose names are drawn
_LONGEST_CITY_NAME = 24  # characters of a name on the map
_NAME_AWAY = 5.0  # pixels between a city and its name
_DOT = 3.0  # pixels around a city that no name covers

Names = tuple[str, ...]


def diameter_for(count: int, sizes: tuple[tuple[int, float], ...]) -> float:
    """Return the diameter of ``count`` dots from ``sizes``, pairs of a limit and its diameter."""
    return next((diameter for most, diameter in sizes if count <= most), 1.0)


class MapLayer(BackgroundLayer, Generic[T]):
    """A layer that draws a ``T``, if it has one, at or between cities.

    Where cities are very many, it is drawn in another thread.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.cities: Points = np.empty((0, 2))
        self.shown: T | None = None

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread."""
        return len(self.cities) > MOST_IN_WINDOW

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self.shown is None

    def set_cities(self, cities: Points, around: Points | None = None) -> None:
        """Take other cities, and show nothing there yet; ``around`` has the same bounds."""
        self.cities, self.shown = cities, None
        self.set_bounds(cities if around is None else around)
        self._beside.clear()
        self.refresh()

    def show_part(self, part: T | None) -> None:
        """Show ``part`` instead of the former one."""
        self.shown = part
        self.refresh()

    def draw_part(self, cities: Points, part: T | None, sheet: Sheet) -> None:
        """Draw ``part``; any thread may call this, and the layer may show something else by now."""
        raise NotImplementedError

    @property
    def _draws(self) -> Draw:
        """What draws the part, in any thread, as it is now."""
        cities, part, theme = self.cities, self.shown, self._theme
        return lambda painter, transform, size: self.draw_part(
            cities, part, Sheet(painter, transform, size, theme)
        )


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
        if len(seen) > NAMES_MOST:
            return
        font = theme.font(0.84)
        measure = QFontMetricsF(font)
        painter.setFont(font)
        taken: list[QRectF] = []
        around = QColor(theme["window"])
        around.setAlphaF(0.7)
        dots = pixels[seen]
        for city in seen.tolist():
            name = part[city]
            if len(name) > _LONGEST_CITY_NAME:
                name = f"{name[: _LONGEST_CITY_NAME - 1]}…"
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
        for left in (x + _NAME_AWAY, x - _NAME_AWAY - wide):
            yield QRectF(left, top, wide, high)


def _covers(box: QRectF, dots: Points) -> bool:
    """Whether a dot would be hidden, at least a part of it."""
    low = np.array([box.left() - _DOT, box.top() - _DOT])
    high = np.array([box.right() + _DOT, box.bottom() + _DOT])
    return bool(((dots > low) & (dots < high)).all(axis=1).any())


class LitLayer(MapLayer[Pointed]):
    """A ring around each city, and a bold line between two. So little is drawn at once."""

    many = False
    diameter: Callable[[Sheet], float] | None = None  # of large dots, which the rings enclose

    def draw_part(self, cities: Points, part: Pointed | None, sheet: Sheet) -> None:
        """Draw the city or the edge, with an outline that parts it from all else."""
        assert part is not None
        painter, theme = sheet.painter, sheet.theme
        ends = [QPointF(*at) for at in sheet.pixels(cities[list(part.places)])]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = _RADII[len(ends)] * theme.scale
        if self.diameter is not None:
            radius = max(radius, self.diameter(sheet) / 2 + 7.5 * theme.scale)
        for role, width in (("panel", 7.0), ("text", 3.5)):
            painter.setPen(pen(theme.colour(role), width * theme.scale))
            if len(ends) == 2:
                painter.drawLine(*ends)
            for end in ends:
                painter.drawEllipse(end, radius, radius)

    def light(self, part: Pointed) -> None:
        """Show the cities of ``part``, if it has some that are on this map."""
        there = part.places and max(part.places) < len(self.cities)
        shown = part if there else None
        if shown != self.shown:
            self.show_part(shown)
