"""A layer of maps of the globe: lines of latitude and longitude, and a scale bar."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gpu.core.formats import THIN
from views.tour.map_layer import MapLayer
from views.widgets.background_layer import Sheet
from views.widgets.layers import MOST_IN_WINDOW, Points, draw_lines
from views.widgets.theme import Theme

_STEPS = (  # seconds of arc between two lines
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(hours * 3600 for hours in (1, 2, 5, 10, 15, 30, 45)),
)
_APART = 90.0  # pixels between two lines, at least
_BAR_LONGEST = 120.0  # pixels
_BAR_AWAY = 10.0  # pixels from the bar to the edge of its room
_TYPE = 0.78  # size of the type
_DEGREE = 2 * math.pi * 6371.0088 / 360  # km, on a globe of the Earth's mean radius
EVERYWHERE = QRectF(-1080.0, -270.0, 2160.0, 540.0)


class GlobeLayer(MapLayer[bool]):
    """The graticule, whose lines are named at the edges, and a bar for the middle latitude."""

    many = False

    def set_bounds(self, points: Points) -> None:
        """Fill the map, wherever the cities are."""
        self.prepareGeometryChange()
        self._bounds = EVERYWHERE

    def draw_part(self, cities: Points, part: bool | None, sheet: Sheet) -> None:
        """Draw the lines in sight, their names, and the bar."""
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        to_degrees, possible = sheet.transform.inverted()
        if not possible:
            return
        seen = to_degrees.mapRect(size)
        font = theme.font(_TYPE)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        meridians, step_x = _lines(seen.left(), seen.right(), size.width(), theme)
        parallels, step_y = _lines(
            max(-90.0, seen.top()), min(90.0, seen.bottom()), abs(sheet.transform.m22()), theme, 1.0
        )
        x = sheet.pixels(np.column_stack([meridians, np.zeros(len(meridians))]))[:, 0]
        y = sheet.pixels(np.column_stack([np.zeros(len(parallels)), parallels]))[:, 1]
        top, bottom = (float(sheet.pixels(np.array([[0.0, at]]))[0, 1]) for at in (90.0, -90.0))
        top, bottom = max(0.0, top), min(size.height(), bottom)
        upright = np.column_stack([x, np.full(len(x), top), x, np.full(len(x), bottom)])
        level = np.column_stack([np.zeros(len(y)), y, np.full(len(y), size.width()), y])
        colour = theme.colour("muted", 0.35)
        draw_lines(painter, np.concatenate([upright, level]), colour, theme.strokes)
        for at, degrees in zip(x.tolist(), meridians.tolist(), strict=True):
            text = angle(_around(degrees), step_x, "E", "W")
            wide = metrics.horizontalAdvance(text)
            box = QRectF(at - wide / 2, 2.0, wide, metrics.height())
            if box.left() > 0 and box.right() < size.width():
                _write(painter, box, text, theme, metrics)
        for at, degrees in zip(y.tolist(), parallels.tolist(), strict=True):
            text = angle(degrees, step_y, "N", "S")
            wide, high = metrics.horizontalAdvance(text), metrics.height()
            # From the edge: what is left of the line there would be read as a minus.
            box = QRectF(0.0, at - high / 2, 3.0 + wide, high)
            if box.top() > high + 4 and box.bottom() < size.height():
                _write(painter, box, text, theme, metrics)
        self._draw_bar(sheet, cities, seen, metrics)

    def _draw_bar(self, sheet: Sheet, cities: Points, seen: QRectF, metrics: QFontMetricsF) -> None:
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        middle = min(89.0, abs(seen.center().y()))
        pixel = seen.width() * _DEGREE * math.cos(math.radians(middle)) / size.width()  # km
        if not 0 < pixel < math.inf:
            return
        room = bar_room(sheet, cities)
        length = _round_below(pixel * (room.width() - 2 * _BAR_AWAY))
        around = QColor(theme["panel"])
        around.setAlphaF(0.75)
        painter.fillRect(room, around)
        right, low, wide = room.right() - _BAR_AWAY, room.bottom() - _BAR_AWAY, length / pixel
        left = right - wide
        lines = [[left, low, right, low], [left, low - 5, left, low], [right, low - 5, right, low]]
        draw_lines(painter, np.array(lines), theme.colour("text"), 1.6 * theme.strokes)
        painter.setPen(theme.colour("text"))
        text, high = kilometres(length), metrics.height()
        middle_of_bar = QRectF(room.x(), low - high - 5, 2 * (right - wide / 2 - room.x()), high)
        painter.drawText(middle_of_bar, Qt.AlignmentFlag.AlignCenter, text)


def bar_room(sheet: Sheet, cities: Points) -> QRectF:
    """Return where the scale bar is: in a corner with few cities. No label is written there."""
    size, theme = sheet.size, sheet.theme
    wide = min(_BAR_LONGEST * theme.scale, size.width() / 3) + 2 * _BAR_AWAY
    high = QFontMetricsF(theme.font(_TYPE)).height() + 2 * _BAR_AWAY
    low = size.bottom() - high
    corners = [QRectF(left, low, wide, high) for left in (size.right() - wide, size.left() + 50)]
    if len(cities) > MOST_IN_WINDOW:
        return corners[0]
    pixels = sheet.pixels(cities)
    return min(corners, key=lambda room: _count_in(room, pixels))


def _count_in(room: QRectF, pixels: Points) -> int:
    low, high = [room.left(), room.top()], [room.right(), room.bottom()]
    return int(np.count_nonzero(((pixels >= low) & (pixels <= high)).all(axis=1)))


def _lines(
    low: float, high: float, pixels: float, theme: Theme, degrees: float | None = None
) -> tuple[Points, float]:
    """Return where lines are between two angles, and the step between them, in degrees.

    ``pixels`` are those between both angles, or else of so many ``degrees``.
    """
    if not low < high or not pixels > 0:
        return np.empty(0), 1.0
    one = (high - low if degrees is None else degrees) / pixels  # degrees of a pixel
    least = one * _APART * theme.scale * 3600
    step = next((step for step in _STEPS if step >= least), None)
    if step is None or least < _STEPS[0] / 20:
        return np.empty(0), 1.0
    first, last = math.ceil(low * 3600 / step), math.floor(high * 3600 / step)
    return np.arange(first, last + 1) * step / 3600, step / 3600


def _around(degrees: float) -> float:
    """Return a longitude from -180 to 180."""
    return (degrees + 180.0) % 360.0 - 180.0 if abs(degrees) > 180.0 else degrees


def angle(degrees: float, step: float, positive: str, negative: str) -> str:
    """Return a latitude or longitude as maps have it, as exact as the ``step`` of lines needs."""
    seconds = round(abs(degrees) * 3600)
    whole, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    text = f"{whole}°"
    if step < 1:
        text += f"{minutes:02}′"
    if step < 1 / 60:
        text += f"{rest:02}″"
    side = "" if seconds == 0 else positive if degrees > 0 else negative
    return f"{text}{THIN}{side}" if side else text


def _round_below(length: float) -> float:
    """Return the largest of 1, 2, 5, 10, … that is not longer."""
    power = 10.0 ** math.floor(math.log10(length))
    return next(factor for factor in (5, 2, 1) if factor * power <= length * (1 + 1e-9)) * power


def kilometres(length: float) -> str:
    """Return a round length of so many kilometres, in metres if it is short."""
    if length >= 1:
        return f"{length:.0f}{THIN}km"
    metres = length * 1000
    return f"{metres:.0f}{THIN}m" if metres >= 1 else f"{metres:g}{THIN}m"


def _write(painter: QPainter, box: QRectF, text: str, theme: Theme, metrics: QFontMetricsF) -> None:
    around = QColor(theme["panel"])
    around.setAlphaF(0.75)
    painter.fillRect(box, around)
    painter.setPen(theme.colour("muted"))
    left = box.right() - metrics.horizontalAdvance(text)
    painter.drawText(QPointF(left, box.bottom() - metrics.descent()), text)
