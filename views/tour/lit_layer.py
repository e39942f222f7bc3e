"""What is pointed at in another view, on the map."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt

from views.tour.map_layer import MapLayer, Sheet
from views.widgets.layers import Points, pen
from views.widgets.view import Pointed

_RADII = {1: 8.0, 2: 4.5}  # pixels of the ring around a city, and of those at both ends of an edge


class LitLayer(MapLayer[Pointed]):
    """A ring around each city, and a bold line between two. So little is drawn at once."""

    many = False

    def draw_part(self, cities: Points, part: Pointed | None, sheet: Sheet) -> None:
        """Draw the city or the edge, with an outline that parts it from all else."""
        assert part is not None
        painter, theme = sheet.painter, sheet.theme
        ends = [QPointF(*at) for at in sheet.pixels(cities[list(part.places)])]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = _RADII[len(ends)] * theme.scale
        for role, width in (("panel", 7.0), ("text", 3.5)):
            painter.setPen(pen(theme.colour(role), width * theme.scale))
            if len(ends) == 2:
                painter.drawLine(*ends)
            for end in ends:
                painter.drawEllipse(end, radius, radius)

    def light(self, part: Pointed) -> None:
        """Show the cities of ``part``, if it has some that are on this map."""
        there = part.places and max(part.places) < len(self.cities)
        shown = part if there else None
        if shown != self.shown:
            self.show_part(shown)
