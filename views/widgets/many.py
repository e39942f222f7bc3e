"""Draws very many points and lines: those in sight, and as pixels where they would fill it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from views.widgets.layers import Points, draw_lines, to_pixels

MARK = 255  # in a mask: a pixel that is to be coloured
FEW = 6_000  # most lines or dots in sight that are drawn one by one


def draw_path(
    painter: QPainter,
    places: Points,
    path: NDArray[np.int32],
    transform: QTransform,
    size: QRectF,
    colour: QColor,
    width: float = 1.0,
) -> None:
    """Draw the lines of a closed path through ``places`` that are in the picture."""
    from gpu.drawing import raster  # slow to import; this is another thread than the window's

    frame, found = _frame(transform), np.empty(FEW, np.int32)
    count = raster.lines_within(places, path, frame, size.width(), size.height(), found)
    if count > FEW:
        mask = _empty_mask(size)
        raster.mark_lines(places, path, frame, mask)
        _colour_in(painter, mask, colour)
        return
    begin = found[:count]
    ends = (places[path[begin]], places[path[(begin + 1) % len(path)]])
    lines = np.hstack([to_pixels(end, transform) for end in ends])
    draw_lines(painter, lines, colour, width)


def places_in_sight(
    painter: QPainter, places: Points, transform: QTransform, size: QRectF, colour: QColor
) -> Points:
    """Return the pixels of the places in the picture; more than ``FEW`` are drawn instead."""
    from gpu.drawing import raster

    frame, found = _frame(transform), np.empty(FEW, np.int32)
    count = raster.points_within(places, frame, size.width(), size.height(), found)
    if count > FEW:
        mask = _empty_mask(size)
        raster.mark_points(places, frame, mask)
        _colour_in(painter, mask, colour)
        count = 0
    return to_pixels(places[found[:count]], transform)


def _frame(transform: QTransform) -> NDArray[np.float64]:
    return np.array(
        [getattr(transform, name)() for name in ("m11", "m12", "m21", "m22", "dx", "dy")]
    )


def _empty_mask(size: QRectF) -> NDArray[np.uint8]:
    return np.zeros((round(size.height()), round(size.width())), np.uint8)


def _colour_in(painter: QPainter, mask: NDArray[np.uint8], colour: QColor) -> None:
    height, width = mask.shape
    image = QImage(mask.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable([0] * MARK + [colour.rgba()])
    painter.drawImage(0, 0, image)
