"""Draws very many points and lines: those in sight, and as pixels where they would fill it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QTransform

from views.widgets.canvas.layers import Points, draw_lines, to_pixels

MARK = 255  # in a mask: a pixel that is to be coloured
MANY = 12_000  # most places of what is drawn in the thread of the window
MOST_LINES = 100_000  # most places of what is drawn line by line in a drawing of lines
FEW = 6_000  # most lines or dots in sight that are drawn one by one


def as_pixels(painter: QPainter, places: int) -> bool:
    """Whether so many places are too many to be drawn one by one: a file of lines may have more."""
    lines = painter.paintEngine().type() in (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
    return places > (MOST_LINES if lines else MANY)


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
    from gpu.drawing import raster  # slow to import; this is mostly another thread

    frame, found = _frame(transform), np.empty(FEW, np.int32)
    count = raster.lines_within(places, path, frame, size.width(), size.height(), found)
    if count > FEW:
        with _coloured(painter, size, colour) as (mask, sharpness):
            raster.mark_lines(places, path, frame * sharpness, mask)
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
        with _coloured(painter, size, colour) as (mask, sharpness):
            raster.mark_points(places, frame * sharpness, mask)
        count = 0
    return to_pixels(places[found[:count]], transform)


def _frame(transform: QTransform) -> NDArray[np.float64]:
    return np.array(
        [getattr(transform, name)() for name in ("m11", "m12", "m21", "m22", "dx", "dy")]
    )


@contextmanager
def _coloured(
    painter: QPainter, size: QRectF, colour: QColor
) -> Iterator[tuple[NDArray[np.uint8], float]]:
    """Give a mask and how many of its pixels are as long as one of ``size``; draw what it has."""
    sharpness = painter.device().devicePixelRatio()
    height, width = round(size.height() * sharpness), round(size.width() * sharpness)
    mask = np.zeros((height, width), np.uint8)
    yield mask, sharpness
    image = QImage(mask.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable([0] * MARK + [colour.rgba()])
    image.setDevicePixelRatio(sharpness)
    painter.drawImage(QPointF(0, 0), image)
