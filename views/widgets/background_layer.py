"""A layer that is drawn in another thread where there is very much to draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from shiboken6 import isValid

from views.widgets.cached_picture import BackgroundPicture, CachedPicture, Draw
from views.widgets.layers import Layer, Points, Segments, to_pixels, within
from views.widgets.theme import Theme


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

    def edges(self, places: Points, pairs: NDArray[np.integer]) -> Segments:
        """Return the lines between pairs of ``places``, (k, 2), that can be seen."""
        return self.in_sight(self.pixels(places[pairs.ravel()]).reshape(-1, 4))


class BackgroundLayer(Layer):
    """A layer that is drawn in another thread if it has :attr:`many` parts.

    The window shows what there is until then, moved with the map.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._beside = BackgroundPicture(self._update)

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread."""
        return False

    @property
    def ready(self) -> bool:
        """Whether what can be seen is what there is."""
        return self.empty or not self.many or self._beside.ready

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
        self._beside.show(painter, widget, self._bounds, self._draws, self.reach)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw what can be seen."""
        self._draws(painter, transform, size)

    @property
    def _draws(self) -> Draw:
        """What draws the layer as it is now; any thread may call it, and later."""
        raise NotImplementedError

    def _update(self) -> None:
        """Show a picture that another thread has made."""
        if isValid(self):  # a window may be closed before a picture is there
            self.update()
