"""The base of the layers of the map, and what they draw on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from shiboken6 import isValid

from views.widgets.cached_picture import BackgroundPicture, CachedPicture, Draw
from views.widgets.layers import MOST_IN_WINDOW, Layer, Points, Segments, to_pixels, within
from views.widgets.theme import Theme

T = TypeVar("T")


def diameter_for(count: int, sizes: tuple[tuple[int, float], ...]) -> float:
    """Return the diameter of ``count`` dots from ``sizes``, pairs of a limit and its diameter."""
    return next((diameter for most, diameter in sizes if count <= most), 1.0)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a layer is drawn on."""

    painter: QPainter
    transform: QTransform  # maps the data to pixels
    size: QRectF  # of what can be seen, in pixels
    theme: Theme

    def pixels(self, points: Points) -> Points:
        """Return where ``points`` are."""
        return to_pixels(points, self.transform)

    def in_sight(self, lines: Segments) -> Segments:
        """Return those ``lines``, which are in pixels, that can be seen."""
        seen: Segments = lines[within(lines, self.size)]
        return seen

    def edges(self, cities: Points, pairs: NDArray[np.int32]) -> Segments:
        """Return the lines between pairs of cities, (k, 2), that can be seen."""
        return self.in_sight(self.pixels(cities[pairs.ravel()]).reshape(-1, 4))


class MapLayer(Layer, Generic[T]):
    """A layer that draws a ``T``, if it has one, at or between cities.

    Where cities are very many, it is drawn in another thread, and the window shows what there is
    until then, moved with the map.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.cities: Points = np.empty((0, 2))
        self.shown: T | None = None
        self._beside = BackgroundPicture(self._update)

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread."""
        return len(self.cities) > MOST_IN_WINDOW

    @property
    def ready(self) -> bool:
        """Whether what can be seen is what there is."""
        return self.empty or not self.many or self._beside.ready

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

    def refresh(self) -> None:
        """Draw again, after the data or the colours have changed."""
        self._beside.drop()
        super().refresh()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw, or show what was drawn."""
        if widget is None or self.empty or not (self.many and CachedPicture.in_use):
            super().paint(painter, option, widget)
            return
        self._beside.show(painter, widget, self._bounds, self._drawing)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw what can be seen of the part."""
        self._drawing(painter, transform, size)

    def draw_part(self, cities: Points, part: T | None, sheet: Sheet) -> None:
        """Draw ``part``; any thread may call this, and the layer may show something else by now."""
        raise NotImplementedError

    @property
    def _drawing(self) -> Draw:
        """What draws the part, in any thread, as it is now."""
        cities, part, theme = self.cities, self.shown, self._theme
        return lambda painter, transform, size: self.draw_part(
            cities, part, Sheet(painter, transform, size, theme)
        )

    def _update(self) -> None:
        if isValid(self):  # a window may be closed before a picture is there
            self.update()
