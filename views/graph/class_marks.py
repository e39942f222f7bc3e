"""Marks of color classes. They differ in color, shape, lightness and number, not in hue alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPolygonF

from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import Points, draw_points
from views.widgets.stamps import Stamps
from views.widgets.theme import Theme

# Okabe and Ito's colors, which differ with every kind of color vision. They are in an order in
# which neighbours differ in lightness too.
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

# What to mix into a color.
_TINTS = {"": "", "pale ": "#ffffff", "dark ": "#000000"}
_TINTED = 0.42
_SHEET_ROW = 24  # marks that are made at once; a divisor of the number of all marks
COLORS = len(_HUES) * len(_TINTS)  # among so many classes, no two have the same color
SMALLEST = 4.5  # least diameter in pixels of a mark whose shape can be seen


def _regular(corners: int, turn: float, radius: float = 1.0) -> Points:
    angles = 2 * np.pi * (np.arange(corners) / corners + turn)
    return radius * np.column_stack([np.sin(angles), -np.cos(angles)])


def _star(points: int) -> Points:
    corners = _regular(2 * points, 0.0, 1.25)
    corners[1::2] *= 0.48
    return corners


# Name and outline of each shape, about as large as a circle of radius 1.
_MARK_SHAPES: tuple[tuple[str, Points], ...] = (
    ("circle", _regular(20, 0.0)),
    ("square", _regular(4, 0.125, 1.2)),
    ("triangle", _regular(3, 0.0, 1.3)),
    ("diamond", _regular(4, 0.0, 1.28)),
    ("star", _star(5)),
    ("inverted triangle", _regular(3, 0.5, 1.3)),
)
# Number of different marks. With more classes, only numbers tell them apart.
DISTINCT = len(_HUES) * len(_MARK_SHAPES) * len(_TINTS)


@dataclass(frozen=True, slots=True)
class ClassMark:
    """The look of the vertices of one class."""

    colour: QColor  # of the mark, and of a number on it
    ink: QColor
    name: str  # the look in words: "dark green triangle"
    outline: Points  # its corners, y down, about as large as a circle of radius 1


_own_colours: dict[int, QColor] = {}  # that the user has chosen for classes of what is shown


def use_own_colours(colours: Mapping[int, QColor]) -> None:
    """Have the user's own ``colours`` for these classes, and the usual ones for all others."""
    if dict(colours) != _own_colours:
        _own_colours.clear()
        _own_colours.update(colours)
        mark_of.cache_clear()
        _stamps.cache_clear()


@cache
def mark_of(number: int) -> ClassMark:
    """Return the mark of the class ``number``: in the user's own colour, if there is one.

    Hues change first; each cycle of them has another shape and another tint. So the first 24 marks
    differ in color, and can be told apart where they are too small for a shape.
    """
    cycle, hue_at = divmod(number % DISTINCT, len(_HUES))
    turn, shape_at = divmod(cycle, len(_MARK_SHAPES))
    hue, tint = list(_HUES)[hue_at], list(_TINTS)[(cycle + turn) % len(_TINTS)]
    colour = QColor(_HUES[hue])
    if tint:
        mixed = (1 - _TINTED) * _parts(colour) + _TINTED * _parts(QColor(_TINTS[tint]))
        colour = QColor.fromRgbF(*mixed)
    shape, outline = _MARK_SHAPES[shape_at]
    name = f"{tint}{hue} {shape}"
    if (own := _own_colours.get(number % DISTINCT)) is not None:
        colour, name = own, f"{own.name()} {shape}"
    ink = QColor("#000000" if _luminance(colour) > 0.2 else "#ffffff")
    return ClassMark(colour, ink, name, outline)


def draw_marks(
    painter: QPainter,
    numbers: NDArray[np.int64],  # (k,): the class of each
    places: Points,  # (k, 2), in pixels
    diameters: NDArray[np.float64],  # (k,), in pixels
    opacity: NDArray[np.float64],  # (k,)
    theme: Theme,
) -> None:
    """Draw vertices in their order, each with the mark of its class and an edge."""
    if len(numbers) == 0:
        return
    if CachedPicture.in_use and diameters[0] >= SMALLEST:
        looks, usual = numbers % DISTINCT, round(2 * float(np.median(diameters))) / 2
        rows, ratio = int(looks.max()) // _SHEET_ROW + 1, painter.device().devicePixelRatio()
        sheet = _stamps(rows, usual, theme.dark, ratio)
        sheet.draw(painter, looks, places, diameters / usual, opacity)
        return
    changes = np.flatnonzero(np.diff(numbers)) + 1
    for among in np.split(np.arange(len(numbers)), changes):
        mark, diameter = mark_of(int(numbers[among[0]])), float(diameters[among[0]])
        painter.setOpacity(float(opacity[among[0]]))
        if diameter < SMALLEST:
            draw_points(painter, places[among], mark.colour, diameter)
        else:
            for x, y in places[among].tolist():
                _draw_mark(painter, x, y, mark, diameter, theme.dark)
    painter.setOpacity(1.0)


def _draw_mark(
    painter: QPainter, x: float, y: float, mark: ClassMark, diameter: float, dark: bool
) -> None:
    width = 1.0 if diameter < 12 else 1.4
    edge = QColor("#11151a" if dark else "#3a4552")
    path = _path_of(mark.outline.tobytes())
    for colour, radius in ((edge, diameter / 2 + width / 2), (mark.colour, (diameter - width) / 2)):
        painter.save()
        painter.translate(x, y)
        painter.scale(radius, radius)
        painter.fillPath(path, colour)
        painter.restore()


@cache
def _path_of(outline: bytes) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(_polygon(np.frombuffer(outline).reshape(-1, 2)))
    path.closeSubpath()
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


def _polygon(corners: Points) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in corners])


@lru_cache(maxsize=64)
def _stamps(rows: int, diameter: float, dark: bool, ratio: float) -> Stamps:
    """Return a sheet with the first marks, some rows of ``_SHEET_ROW``."""

    def draw(painter: QPainter, look: int, x: float, y: float) -> None:
        _draw_mark(painter, x, y, mark_of(look), diameter, dark)

    return Stamps(rows * _SHEET_ROW, 1.4 * diameter + 4, ratio, draw)


def draw_swatch(painter: QPainter, centre: QPointF, number: int, diameter: float) -> None:
    """Draw one mark of the class ``number``, for a legend."""
    mark = mark_of(number)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(mark.colour)
    painter.drawPolygon(_polygon(diameter / 2 * mark.outline + [centre.x(), centre.y()]))


def _luminance(colour: QColor) -> float:
    """Return the relative luminance of sRGB, in [0, 1]."""
    parts = _parts(colour)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def _parts(colour: QColor) -> NDArray[np.float64]:
    """Return red, green and blue, in [0, 1]."""
    return np.array([colour.redF(), colour.greenF(), colour.blueF()])
