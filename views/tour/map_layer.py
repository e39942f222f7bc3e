"""Layers of the map: what all have in common, and what is pointed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QPointF, Qt

from views.widgets.background_layer import BackgroundLayer, Sheet
from views.widgets.cached_picture import Draw
from views.widgets.layers import MOST_IN_WINDOW, Points, pen
from views.widgets.view import Pointed

T = TypeVar("T")

_RADII = {1: 8.0, 2: 4.5}  # pixels of the ring around a city, and of those at both ends of an edge


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
