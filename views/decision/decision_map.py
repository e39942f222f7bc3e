"""The map around an ant: its path, its city, and the cities that it considers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gpu.core.decisions.decision import Decision
from gpu.core.decisions.tour_change import TourChange
from gpu.problems.tsp.instance import TspInstance
from views.decision.change_layer import ChangeLayer, marks_of
from views.decision.decision_canvas import DecisionCanvas, draw_arrow, width_of, write_names
from views.tour.lit_layer import LitLayer
from views.tour.map_layer import MapLayer, Sheet, diameter_for
from views.widgets.controls import OptionButtons
from views.widgets.layers import Points, corners, draw_lines, draw_points, path_lines, pen
from views.widgets.theme import DARK, Theme

_EDGES = 200  # most edges to considered cities that are drawn, the likeliest ones
_NAMED = 14  # most considered cities with a number on the map
_MARKS = (
    ("□", "mean", "start"),
    ("●", "mean", "visited"),
    ("●", "text", "the ant"),
    ("━", "latest", "considered"),
    ("◉", "best", "taken"),
)
_NEAR = 9, 24  # least and most considered cities that the near view shows


class DecisionLayer(MapLayer[Decision]):
    """One decision on the map."""

    margin = 1.0  # room for numbers beside the cities
    empty = False
    ids: NDArray[np.int64]  # numbers of the cities in the file

    def draw_part(self, cities: Points, part: Decision | None, sheet: Sheet) -> None:
        """Draw the cities, the path of the ant, and the edges that it considers."""
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        pixels = sheet.pixels(cities)
        visited = np.zeros(len(pixels), np.bool_)
        if part is not None:
            visited[part.tour] = True
        seen = (pixels >= -9).all(axis=1) & (pixels <= [size.width() + 9, size.height() + 9]).all(1)
        sizes = ((80, 8.0), (400, 6.0), (2500, 4.0), (8000, 2.0))
        diameter = diameter_for(int(seen.sum()), sizes) * theme.scale
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, diameter >= 2)
        draw_points(painter, pixels[seen & ~visited], theme.colour("city", 0.9), diameter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if part is None:
            return
        lines = sheet.in_sight(path_lines(pixels[part.tour]))
        draw_lines(painter, lines, theme.colour("mean"), 2.0)
        draw_points(painter, pixels[seen & visited], theme.colour("mean"), diameter)
        self._draw_edges(sheet, pixels, part)
        self._draw_marks(sheet, pixels, part, diameter)
        self._write_names(sheet, pixels, part)

    def _draw_edges(self, sheet: Sheet, pixels: Points, decision: Decision) -> None:
        painter, theme = sheet.painter, sheet.theme
        choice, here = decision.choice, pixels[decision.city]
        faintest = 0.22 if len(choice.cities) <= 40 else 0.1  # many make a haze
        for at in np.argsort(decision.probabilities)[-_EDGES:]:
            city, chance = int(choice.cities[at]), float(decision.probabilities[at])
            if city != choice.chosen:
                colour = theme.colour("latest", faintest + 0.7 * math.sqrt(chance))
                painter.setPen(pen(colour, width_of(chance)))
                painter.drawLine(QPointF(*here), QPointF(*pixels[city]))
        width = width_of(float(decision.probabilities[choice.cities == choice.chosen][0]))
        draw_arrow(painter, here, pixels[choice.chosen], theme.colour("best"), width)

    def _draw_marks(
        self, sheet: Sheet, pixels: Points, decision: Decision, diameter: float
    ) -> None:
        """Mark the start, the ant's city and the chosen city, each in another way."""
        painter, theme = sheet.painter, sheet.theme
        radius = diameter / 2 + 3.5 * theme.scale
        start, here = QPointF(*pixels[decision.tour[0]]), QPointF(*pixels[decision.city])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("mean"), 2))
        painter.drawRect(QRectF(start.x() - radius, start.y() - radius, 2 * radius, 2 * radius))
        painter.setPen(QPen(theme.colour("best"), 2.5))
        painter.drawEllipse(QPointF(*pixels[decision.choice.chosen]), radius, radius)
        painter.setPen(QPen(theme.colour("panel"), 2))
        painter.setBrush(theme.colour("text"))
        painter.drawEllipse(here, radius + 2, radius + 2)

    def _write_names(self, sheet: Sheet, pixels: Points, decision: Decision) -> None:
        """Write the numbers of the ant's city, of the chosen one, and of likely ones."""
        choice = decision.choice
        likely = choice.cities[np.argsort(-decision.probabilities, kind="stable")[:_NAMED]]
        marked = decision.city, choice.chosen
        names = [
            (pixels[city], str(self.ids[city]), city in marked, city == choice.chosen)
            for city in dict.fromkeys([*marked, *map(int, likely)])
        ]
        write_names(sheet.painter, sheet.theme, names, sheet.size)


class DecisionMap(DecisionCanvas):
    """The map, near the ant or whole. It follows the ant unless the user moves it."""

    def __init__(self) -> None:
        super().__init__()
        self._follows = True
        self._theme = DARK
        self.layer = DecisionLayer(0)
        self.box.addItem(self.layer, ignoreBounds=True)
        self.changes = ChangeLayer(-1)
        self.box.addItem(self.changes, ignoreBounds=True)
        self.lit = LitLayer(1)
        self.box.addItem(self.lit, ignoreBounds=True)
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.box.sigResized.connect(self._resized)
        # How much to show; the view places it.
        choices = {"near": "Near", "whole": "Whole map"}
        self.extent = OptionButtons(choices, "How much of the map to show")
        self.extent.chosen.connect(lambda _: self.fit())

    @property
    def places(self) -> Points:
        """Where cities are."""
        return self.layer.cities

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show other cities."""
        self.layer.set_cities(np.empty((0, 2)) if instance is None else instance.display)
        self.lit.set_cities(self.layer.cities)
        self.changes.set_cities(self.layer.cities)
        ids = np.empty(0, np.int64) if instance is None else instance.city_ids
        self.layer.ids = self.changes.ids = ids
        self.fit()

    def show_decision(self, decision: Decision | TourChange) -> None:
        """Show a decision, and follow the ant."""
        self.layer.show_part(None if isinstance(decision, TourChange) else decision)
        self.changes.show_part(decision if isinstance(decision, TourChange) else None)
        self._say_marks()
        if self._follows:
            self._follow()

    def fit(self) -> None:
        """Follow the ant again."""
        self._follows = True
        self._follow(at_once=True)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.graphics.setBackground(theme.colour("panel"))
        for layer in (self.changes, self.layer, self.lit):
            layer.set_theme(theme)
        self._theme = theme
        self._say_marks()

    def _say_marks(self) -> None:
        """Say what the marks mean."""
        change = self.changes.shown
        marks = _MARKS if change is None else marks_of(change)
        self._explain([(mark, self._theme[role], name) for mark, role, name in marks])

    def _follow(self, *, at_once: bool = False) -> None:
        """Show what matters; do not move while it is visible and large enough."""
        cities, decision = self.layer.cities, self.layer.shown
        change = self.changes.shown
        if len(cities) == 0:
            return
        places = cities
        if self.extent.value == "near" and decision is not None:
            places = cities[_around(decision)]
        elif self.extent.value == "near" and change is not None:
            places = cities[change.around]
        low, high = corners(places)
        wanted = QRectF(QPointF(*low), QPointF(*high))
        now = self.box.viewRect()
        tight = max(wanted.width() / max(now.width(), 1e-9), wanted.height() / now.height())
        if not at_once and now.contains(wanted) and tight > 0.35:
            return
        least = 1e-6 * max(float(np.abs(corners(cities)).max()), 1.0)
        self.box.setRange(
            xRange=(low[0], max(high[0], low[0] + least)),
            yRange=(low[1], max(high[1], low[1] + least)),
            padding=0.05 if places is cities else 0.14,
        )

    def _resized(self, _: object) -> None:
        if self._follows:
            self._follow()

    def _moved_by_user(self, _: object) -> None:
        self._follows = False


def _around(decision: Decision) -> NDArray[np.int32]:
    """Return the cities to show: the likeliest, the chosen one, and the last of the path."""
    fewest, most = _NEAR
    likely = np.argsort(-decision.probabilities, kind="stable")[:most]
    shares = decision.probabilities[likely]
    needed = np.cumsum(shares) - shares < 0.995
    needed[:fewest] = True
    enough = likely[needed]
    last = decision.tour[-3:]  # shows where the ant came from
    return np.concatenate([decision.choice.cities[enough], [decision.choice.chosen], last])
