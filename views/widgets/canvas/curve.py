"""A curve of a plot."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QTransform

from views.widgets.canvas.dashes import dashed
from views.widgets.canvas.layers import (
    Layer,
    Points,
    cut_to,
    draw_lines,
    draw_points,
    to_pixels,
)


class Curve(Layer):
    """A line through points; NaN breaks it."""

    def __init__(
        self,
        depth: float,
        role: str,
        width: float,
        *,
        dashes: bool = False,
        dots: bool = False,
        steps: bool = False,  # whether a value stays until the next point, instead of a slope
    ) -> None:
        super().__init__(depth)
        self._role, self._width, self._dashes, self._dots = role, width, dashes, dots
        self._steps = steps
        self.points: Points = np.empty((0, 2))

    def set_points(self, points: Points) -> None:
        """Take other points, float64 of shape (k, 2)."""
        if np.array_equal(points, self.points, equal_nan=True):
            return
        self.points = points
        self.set_bounds(points[np.isfinite(points).all(axis=1)])
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the line, and its dots where it has some."""
        if len(self.points) == 0:
            return
        colour = self._theme.colour(self._role)
        look = {"dashes": self._dashes, "steps": self._steps}
        width = self._width * self._theme.strokes
        pixels = draw_curve(painter, transform, size, self.points, colour, width, **look)
        if self._dots or len(self.points) == 1:
            shown = pixels[np.isfinite(pixels).all(axis=1)]
            draw_points(painter, shown, colour, width + 4)


def draw_curve(
    painter: QPainter,
    transform: QTransform,
    size: QRectF,
    points: Points,
    colour: QColor,
    width: float,
    *,
    dashes: bool = False,
    steps: bool = False,
) -> Points:
    """Draw a line through at least one point, and return its corners in pixels."""
    if steps:
        points = np.column_stack([points[:, 0].repeat(2)[1:], points[:, 1].repeat(2)[:-1]])
    pixels = to_pixels(points, transform)
    pixels = np.where(np.isfinite(pixels), np.clip(pixels, -1e5, 1e5), np.nan)
    lines = dashed(pixels, size) if dashes else np.hstack([pixels[:-1], pixels[1:]])
    if len(lines):
        shown = painter.clipBoundingRect() if painter.hasClipping() else size
        draw_lines(painter, cut_to(lines, shown & size), colour, width)
    return pixels
