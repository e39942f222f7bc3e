"""Small pictures of instances. Any thread may draw them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QTransform

from gpu.drawing.drawing import GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.gallery.instances_page import THUMBNAIL_SIZE
from views.graph.class_marks import mark_of
from views.widgets.layers import (
    Points,
    as_pixels,
    corners,
    draw_lines,
    draw_path,
    draw_points,
    frame_of,
    indexed,
    path_lines,
    places_in_sight,
    to_pixels,
)
from views.widgets.theme import Theme

_PICTURE_MARGIN = 9  # pixels around what is drawn
_DOT_SIZES = (
    (60, 4.5),
    (150, 3.5),
    (600, 2.4),
    (2_500, 1.6),
)  # most places, and the diameter of a dot
_BESIDE_TOUR = 250  # most cities that are drawn as dots on their tour
_MATRIX_SIDE = 512  # most rows and columns of a matrix that are drawn; of more, every second, …
_THUMBNAIL_LINES = 12_000  # most edges that are drawn as lines
_THUMBNAIL_INK = 0.10  # share of the picture that edges may cover before they are drawn paler


def draw_places(
    places: Points,
    path: NDArray[np.integer] | None,
    theme: Theme,
    ratio: float = 1.0,
    size: QSize = THUMBNAIL_SIZE,
) -> QImage:
    """Draw cities, y up, and the ``path`` of a route through them if there is one.

    A closed route ends in the city where it begins.

    ``size`` is in pixels of the window, each of which has ``ratio`` pixels of the screen.
    """
    image, painter = _begin(size, ratio)
    area = QRectF(0, 0, size.width(), size.height())
    transform = _fitting(places, area)
    many = as_pixels(painter, len(places))
    if path is not None:
        colour, width = theme.colour("best"), 1.6 if len(path) <= 1_000 else 1.0
        if many and path[0] == path[-1]:
            around = path[:-1].astype(np.int32)
            draw_path(painter, places, around, transform, area, colour, ratio)
        else:
            lines = path_lines(to_pixels(places[path], transform))
            draw_lines(painter, lines, colour, width * ratio)  # of the screen
    if path is None or len(places) <= _BESIDE_TOUR:
        colour = theme.colour("city", 0.9)
        seen = (
            places_in_sight(painter, places, transform, area, colour)
            if many
            else to_pixels(places, transform)
        )
        draw_points(painter, seen, colour, _dot(len(places), size) * ratio)
    painter.end()
    return image


def draw_graph(
    graph: GraphInstance,
    drawing: GraphDrawing,
    theme: Theme,
    ratio: float = 1.0,
    size: QSize = THUMBNAIL_SIZE,
) -> QImage:
    """Draw a graph in its arrangement: edges pale, vertices in the colors of their classes."""
    image, painter = _begin(size, ratio)
    area = QRectF(0, 0, size.width(), size.height())
    transform = _fitting(drawing.places, area)
    pixels = to_pixels(drawing.places, transform)
    if len(graph.edges) > _THUMBNAIL_LINES:
        _draw_density(painter, graph, drawing, transform, area, theme)
    else:
        lines = pixels[graph.edges].reshape(-1, 4)
        length = float(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]).sum())
        ink = length / (area.width() * area.height())
        opacity = min(0.6, max(0.05, (_THUMBNAIL_INK / max(ink, 1e-9)) ** 0.75))
        draw_lines(painter, lines, theme.colour("mean", opacity), ratio)
    fitting = 0.85 * drawing.spacing * abs(transform.m11())
    least = 2.2 if graph.n <= _DOT_SIZES[-1][0] else 1.0
    diameter = min(9.0, max(least, fitting)) * ratio
    coloring = drawing.coloring
    if coloring is None:
        draw_points(painter, pixels, theme.colour("city"), diameter)
    else:
        for color in range(int(coloring.max()) + 1):
            draw_points(painter, pixels[coloring == color], mark_of(color).colour, diameter)
    painter.end()
    return image


def draw_matrix(
    matrix: NDArray[np.integer],
    barred: NDArray[np.bool_] | None,
    theme: Theme,
    ratio: float,
    size: QSize,
) -> QImage:
    """Draw distances, row to column: the longer, the brighter; what is ``barred`` stays empty."""
    image, painter = _begin(size, ratio)
    step = max(1, -(-len(matrix) // _MATRIX_SIDE))
    values = matrix[::step, ::step].astype(np.float64)
    gone = np.eye(len(values), dtype=bool)
    if barred is not None:
        gone |= barred[::step, ::step]
    there = values[~gone]
    low, high = np.quantile(there, (0.0, 0.98)) if there.size else (0.0, 1.0)
    levels = 40 + 214 * np.clip((values - low) / max(high - low, 1e-9), 0.0, 1.0)
    levels = np.where(gone, 0, levels).astype(np.uint8)
    colours = [theme.colour("accent", level / 255) for level in range(256)]
    picture = indexed(np.ascontiguousarray(levels), colours, 1.0)
    side = min(size.width(), size.height()) - 2 * _PICTURE_MARGIN
    place = QRectF((size.width() - side) / 2, (size.height() - side) / 2, side, side)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=step > 1)
    painter.drawImage(place, picture)
    painter.setPen(theme.colour("border"))
    painter.drawRect(place)
    painter.end()
    return image


def draw_invitation(theme: Theme, ratio: float = 1.0) -> QImage:
    """Draw what a user might draw: a heart."""
    turn = np.linspace(0.0, 2.0 * np.pi, 26, endpoint=False)
    y = 13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)
    places = np.column_stack([16 * np.sin(turn) ** 3, y])
    return draw_places(places, np.arange(len(turn), dtype=np.int32), theme, ratio)


def _begin(size: QSize, ratio: float) -> tuple[QImage, QPainter]:
    image = QImage(size * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return image, painter


def _fitting(places: Points, area: QRectF) -> QTransform:
    """Return what maps ``places``, y up, into the middle of ``area``."""
    low, high = corners(places)
    width, height = np.maximum(high - low, 1e-12 + 1e-9 * np.abs(high))
    inner = area.adjusted(_PICTURE_MARGIN, _PICTURE_MARGIN, -_PICTURE_MARGIN, -_PICTURE_MARGIN)
    scale = min(inner.width() / width, inner.height() / height)
    middle = (low + high) / 2
    across = area.center().x() - scale * middle[0]
    down = area.center().y() + scale * middle[1]
    return QTransform(scale, 0, 0, -scale, across, down)


def _dot(count: int, size: QSize) -> float:
    """Return the diameter of a dot: larger pictures have larger ones."""
    usual = next((diameter for most, diameter in _DOT_SIZES if count <= most), 1.0)
    return (
        usual * max(1.0, size.height() / THUMBNAIL_SIZE.height()) ** 0.5 if usual > 1.0 else usual
    )


def _draw_density(
    painter: QPainter,
    graph: GraphInstance,
    drawing: GraphDrawing,
    transform: QTransform,
    area: QRectF,
    theme: Theme,
) -> None:
    from gpu.drawing import density  # slow to import; this is mostly another thread

    ratio, frame = painter.device().devicePixelRatio(), frame_of(transform)
    shape = round(area.height() * ratio), round(area.width() * ratio)
    sample = density.sample_of(
        drawing.places, graph.edges, frame, area.width(), area.height(), first=0
    )
    levels = density.levels_of(drawing.places, graph.edges, frame * ratio, shape, sample)
    colours = [theme.colour("mean", 0.5 * level / 255) for level in range(256)]
    painter.drawImage(QPointF(0, 0), indexed(levels, colours, ratio))
