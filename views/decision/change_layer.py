"""What an ant changes of a tour, on the map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPen

from gpu.core.decisions.tour_change import DoubleBridge, Partner, Places, TourChange
from views.decision.decision_canvas import write_names
from views.tour.map_layer import MapLayer, Sheet
from views.tour.tour_layers import draw_changes
from views.widgets.layers import Points, draw_lines, path_lines

_DRAWN = (("━", "best", "drawn"), ("◉", "best", "begins here"))
_COMPARED = (
    ("━", "mean", "in both tours"),
    ("╌", "gap", "its own alone"),
    ("━", "latest", "the other alone"),
)
_CHANGED = (("╌", "gap", "given up"), ("━", "latest", "taken"))
_MOVED = (("━", "best", "moved"), ("◉", "best", "begins here"))

_NAMED = 24  # most cities with a number
_RADIUS = 7.0


class ChangeLayer(MapLayer[TourChange]):
    """One step of an ant that changes a tour: under the dots of the cities."""

    ids: NDArray[np.int64]  # numbers of the cities in the file

    def draw_part(self, cities: Points, part: TourChange | None, sheet: Sheet) -> None:
        """Draw the tour, what is given up and taken, and what the step is about."""
        assert part is not None
        painter, theme = sheet.painter, sheet.theme
        edges = part.kept, part.given.cities, part.made.cities
        what, begin, role = part.what, -1, theme.colour("best")
        if isinstance(what, DoubleBridge):
            for stretch in what.stretches:
                lines = sheet.in_sight(path_lines(sheet.pixels(cities[stretch])))
                draw_lines(painter, lines, role, 5.0 * theme.strokes)
            begin = what.start
        elif isinstance(what, Places):
            lines = sheet.edges(cities, what.behind.cities)
            draw_lines(painter, lines, role, 5.0 * theme.strokes)
            begin = what.taken
        draw_changes(cities, edges, sheet)
        named = list(dict.fromkeys(map(int, _ends(part))))
        pixels = sheet.pixels(cities[named])
        if begin >= 0:
            at = QPointF(*sheet.pixels(cities[[begin]])[0])
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(role, 2.5 * theme.scale))
            painter.drawEllipse(at, _RADIUS * theme.scale, _RADIUS * theme.scale)
        names = [
            (pixel, str(self.ids[city]), city == begin, city == begin)
            for city, pixel in zip(named[:_NAMED], pixels, strict=False)
        ]
        write_names(painter, theme, names, sheet.size)


def marks_of(change: TourChange) -> tuple[tuple[str, str, str], ...]:
    """Return what the marks of a step mean: a sign, its colour and its name."""
    if isinstance(change.what, Partner):
        return _COMPARED
    tour = (("━", "mean", "tour"),)
    if isinstance(change.what, Places):
        return tour + _DRAWN
    return tour + _CHANGED + (_MOVED if isinstance(change.what, DoubleBridge) else ())


def _ends(change: TourChange) -> NDArray[np.int32]:
    """Return the cities that a step is about, the most important first."""
    pairs = [change.given.cities.ravel(), change.made.cities.ravel()]
    if isinstance(change.what, Places):
        pairs = [change.what.cities, change.what.behind.cities.ravel()]
    elif isinstance(change.what, DoubleBridge):
        pairs.insert(0, np.array([change.what.start], np.int32))
    return np.concatenate(pairs)
