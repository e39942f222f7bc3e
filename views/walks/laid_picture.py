"""What ants have left behind: a picture that grows with their steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from views.widgets.background_layer import Sheet

DrawSteps = Callable[[Sheet, float, float], object]
"""Draws what comes of the steps from one place to another one; from 0, the ground too."""


class LaidPicture:
    """Keeps what finished steps have left, so that each is drawn once."""

    def __init__(self) -> None:
        self._of: object = None
        self.steps = 0.0  # that it shows
        self._picture = QPixmap()

    def drop(self) -> None:
        """Begin anew the next time."""
        self._of = None

    def show(self, sheet: Sheet, ratio: float, of: object, steps: float, draw: DrawSteps) -> None:
        """Show what so many ``steps`` have left, on a screen with ``ratio`` pixels for each.

        It is drawn anew where it is not ``of`` the same as before, where the map has moved, or
        where ants have gone back.
        """
        pixels = round(sheet.size.width() * ratio), round(sheet.size.height() * ratio)
        wanted = of, sheet.transform, sheet.theme, pixels
        first = self.steps
        if wanted != self._of or self.steps > steps:
            self._picture = QPixmap(*pixels)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            self._of, first = wanted, 0.0
        elif first == steps:
            sheet.painter.drawPixmap(0, 0, self._picture)
            return
        with QPainter(self._picture) as inner:
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(Sheet(inner, sheet.transform, sheet.size, sheet.theme), first, steps)
        self.steps = steps
        sheet.painter.drawPixmap(0, 0, self._picture)


def sharpness(painter: QPainter) -> float:
    """Return how many pixels there are for each of the viewport's, where nothing is transformed."""
    return painter.deviceTransform().m11()


AnyShare = TypeVar("AnyShare", float, NDArray[np.float64])


def eased(share: AnyShare) -> AnyShare:
    """Return how far an ant is after a ``share`` of a step: it begins and ends slowly."""
    return share * share * (3.0 - 2.0 * share)
