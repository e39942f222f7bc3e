"""How color classes are told apart: by color, shape, lightness and number, never by hue alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPixmap, QPolygonF

from views.kept import KeptPicture
from views.layers import Points, draw_points
from views.theme import Theme

# Okabe and Ito's, in an order in which neighbours differ in lightness too; they are told apart
# with every kind of color vision.
_HUES = {
    "orange": "#e69f00",
    "sky blue": "#56b4e9",
    "pink": "#cc79a7",
    "yellow": "#f0e442",
    "blue": "#0072b2",
    "green": "#009e73",
    "red": "#d55e00",
    "grey": "#9aa4af",
}

_TINTS = {"": "", "pale ": "#ffffff", "dark ": "#000000"}
"""What a color is mixed with in the first, second and third cycle of all shapes."""

_TINTED = 0.42

SMALLEST = 4.5
"""Pixels across from which on a shape can be seen."""


def _regular(corners: int, turn: float, radius: float = 1.0) -> Points:
    angles = 2 * np.pi * (np.arange(corners) / corners + turn)
    return radius * np.column_stack([np.sin(angles), -np.cos(angles)])


def _star(points: int) -> Points:
    corners = _regular(2 * points, 0.0, 1.25)
    corners[1::2] *= 0.48
    return corners


_SHAPES: tuple[tuple[str, Points], ...] = (
    ("circle", _regular(20, 0.0)),
    ("square", _regular(4, 0.125, 1.2)),
    ("triangle", _regular(3, 0.0, 1.3)),
    ("diamond", _regular(4, 0.0, 1.28)),
    ("star", _star(5)),
    ("inverted triangle", _regular(3, 0.5, 1.3)),
)
"""Name and outline of each shape, about as large as a circle of radius 1."""

DISTINCT = len(_HUES) * len(_SHAPES) * len(_TINTS)
"""Classes after which looks repeat, and only numbers tell them apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the vertices of one class look like.

    Attributes
    ----------
    colour, ink : QColor
        Of the mark, and of a number on it.
    name : str
        What one sees, in words: "dark green triangle".
    outline : ndarray of float64, shape (c, 2)
        Its corners, y down, about as large as a circle of radius 1.
    """

    colour: QColor
    ink: QColor
    name: str
    outline: Points


def mark_of(number: int) -> Mark:
    """Return the look of the class ``number``: first all colors, then all shapes, then tints."""
    return _mark(number % DISTINCT)


@cache
def _mark(number: int) -> Mark:
    rest, hue_at = divmod(number, len(_HUES))
    rest, shape_at = divmod(rest, len(_SHAPES))
    hue, tint = list(_HUES)[hue_at], list(_TINTS)[rest]
    colour = QColor(_HUES[hue])
    if tint:
        colour = _mixed(colour, QColor(_TINTS[tint]))
    shape, outline = _SHAPES[shape_at]
    ink = QColor("#000000" if _luminance(colour) > 0.2 else "#ffffff")
    return Mark(colour, ink, f"{tint}{hue} {shape}", outline)


def draw_marks(
    painter: QPainter, number: int, places: Points, diameter: float, theme: Theme, opacity: float
) -> None:
    """Draw the vertices of class ``number`` at ``places`` in pixels, edged against all below."""
    mark = mark_of(number)
    painter.setOpacity(opacity)
    if diameter < SMALLEST:
        draw_points(painter, places, mark.colour, diameter)
    elif KeptPicture.in_use:
        ratio = painter.device().devicePixelRatio()
        stamp = _stamp(number % DISTINCT, round(4 * diameter), theme.dark, ratio)
        half = stamp.width() / ratio / 2
        for x, y in (places - half).tolist():
            painter.drawPixmap(QPointF(x, y), stamp)
    else:
        _draw_outlines(painter, places, mark, diameter, theme.dark)
    painter.setOpacity(1.0)


def _draw_outlines(
    painter: QPainter, places: Points, mark: Mark, diameter: float, dark: bool
) -> None:
    width = 1.0 if diameter < 12 else 1.4
    edge = QColor("#11151a" if dark else "#3a4552")
    for colour, radius in ((edge, diameter / 2 + width / 2), (mark.colour, (diameter - width) / 2)):
        painter.fillPath(_path(places, radius * mark.outline), colour)


@lru_cache(maxsize=1024)
def _stamp(number: int, quarters: int, dark: bool, ratio: float) -> QPixmap:
    """Return the picture of one mark, so many quarters of a pixel across: quicker than its path."""
    diameter = quarters / 4
    size = math.ceil(1.4 * diameter + 4)
    stamp = QPixmap(math.ceil(size * ratio), math.ceil(size * ratio))
    stamp.setDevicePixelRatio(ratio)
    stamp.fill(Qt.GlobalColor.transparent)
    with QPainter(stamp) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = stamp.width() / ratio / 2
        _draw_outlines(painter, np.full((1, 2), middle), mark_of(number), diameter, dark)
    return stamp


def draw_swatch(painter: QPainter, centre: QPointF, number: int, diameter: float) -> None:
    """Draw one mark of the class ``number``, for a legend."""
    mark = mark_of(number)
    corners = [centre + QPointF(x, y) for x, y in diameter / 2 * mark.outline]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(mark.colour)
    painter.drawPolygon(QPolygonF(corners))


def _path(places: Points, outline: Points) -> QPainterPath:
    """Return all outlines as one path, which Qt fills much faster than it draws many."""
    closed = np.vstack([outline, outline[:1]])
    corners = places[:, None, :] + closed
    connect = np.ones(corners.shape[:2], np.int32)
    connect[:, -1] = 0
    x, y = np.ascontiguousarray(corners.reshape(-1, 2).T)
    path: QPainterPath = pg.arrayToQPath(x, y, connect.ravel())
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


def _mixed(colour: QColor, other: QColor) -> QColor:
    parts: list[float] = [
        (1 - _TINTED) * mine + _TINTED * theirs
        for mine, theirs in zip(colour.getRgbF()[:3], other.getRgbF()[:3], strict=True)  # type: ignore[index]
    ]
    return QColor.fromRgbF(*parts)


def _luminance(colour: QColor) -> float:
    """Return the relative luminance of sRGB, in [0, 1]."""
    shares = zip((0.2126, 0.7152, 0.0722), colour.getRgbF()[:3], strict=True)  # type: ignore[index]
    return sum(share * _linear(value) for share, value in shares)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
