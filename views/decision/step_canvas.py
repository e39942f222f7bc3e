"""The map, or the graph, around an ant: what a step shows there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpu.core.decisions import Picture, PictureMark, Sign
from gpu.core.instance import Instance
from gpu.drawing.drawing import GraphDrawing
from views.graph.class_marks import draw_marks
from views.graph.graph_layers import EdgesLayer, diameter_of, fitting_diameter
from views.problem_display import display_of
from views.tour.map_layer import LitLayer, MapLayer, diameter_for
from views.tour.tour_layers import arrow_heads, what_is_at
from views.widgets.background_layer import Sheet
from views.widgets.controls import OptionButtons
from views.widgets.graphics import Box, graphics_in
from views.widgets.labels import make_label
from views.widgets.layers import (
    Points,
    as_pixels,
    corners,
    dashed_lines,
    draw_lines,
    draw_points,
    path_lines,
    pen,
    places_in_sight,
)
from views.widgets.layouts import fill
from views.widgets.pointing import Pointing
from views.widgets.theme import DARK, Theme
from views.widgets.view import NOTHING

_RAYS = 200  # most lines to places considered that are drawn, the likeliest ones
_WIDEST_RAY = 11.0  # width in pixels of a certain choice. Widths grow with the root of the chance
_LEAST_VERTEX = 7.0  # least diameter in pixels of a vertex
_NEAR_FROM = 1_000  # least vertices or cities of which only the surroundings are shown
_FADED = 0.38  # opacity of colored vertices that are not what the step is about
_CITY_DIAMETERS = (80, 8.0), (400, 6.0), (2500, 4.0), (8000, 2.0)  # of cities, so many in sight


class MarkLook(NamedTuple):
    """How a mark looks."""

    symbol: str  # in the legend
    role: str  # its colour
    width: float = 0.0  # of lines between places; 0 for a mark of places
    dashed: bool = False


MARK_LOOKS: Mapping[Sign, MarkLook] = {  # lines are drawn in this order
    Sign.SUBJECT: MarkLook("━", "best", 5.0),
    Sign.KEPT: MarkLook("━", "mean", 1.2),
    Sign.GIVEN_UP: MarkLook("╌", "gap", 1.6, dashed=True),
    Sign.TAKEN: MarkLook("━", "latest", 3.2),
    Sign.CONFLICT: MarkLook("━", "danger", 2.5),
    Sign.VISITED: MarkLook("●", "mean"),
    Sign.START: MarkLook("□", "mean"),
    Sign.ANT: MarkLook("●", "text"),
    Sign.STANDS: MarkLook("◎", "text"),
    Sign.CONSIDERED: MarkLook("━", "latest"),
    Sign.CHOSEN: MarkLook("◉", "best"),
    Sign.CANDIDATE: MarkLook("○", "latest"),
    Sign.EXCLUDED: MarkLook("✕", "danger"),
    Sign.COLORED: MarkLook("■", "muted"),
}


_MOST_AROUND = 40  # places to look at: where a step changes more, those around one of its edges
_CHANGED = Sign.TAKEN, Sign.GIVEN_UP  # edges
_AROUND = Sign.ANT, Sign.STANDS, Sign.CHOSEN, Sign.START  # what is looked at in a large graph


class StepLayer(MapLayer[Picture]):
    """The picture of a step, and a dot at each place that has no mark in it."""

    reach = 80.0  # of the numbers beside places
    named: Callable[[int], str] = str  # what a place (from 0) is called, as short as it can be
    drawing: GraphDrawing | None = None  # of the graph whose vertices these are

    @property
    def empty(self) -> bool:
        """Whether no places are known; a step may come before those of a graph's vertices."""
        return len(self.cities) == 0

    def diameter(self, sheet: Sheet, seen: int = 0) -> float:
        """Return the diameter in pixels of a dot, where so many are ``seen``."""
        if self.drawing is None:
            return diameter_for(seen, _CITY_DIAMETERS) * sheet.theme.scale
        if self.many:  # smaller dots, so that not all of the map is covered
            return max(1.0, min(_LEAST_VERTEX, fitting_diameter(self.drawing, sheet.transform)))
        usual = diameter_of(self.drawing, sheet.transform, sheet.theme)
        return max(_LEAST_VERTEX * sheet.theme.scale, usual)

    def draw_part(self, cities: Points, part: Picture | None, sheet: Sheet) -> None:
        """Draw edges, then where the ant may go, then places, marks and numbers."""
        painter, size = sheet.painter, sheet.size
        pixels = sheet.pixels(cities)
        inside = (pixels >= -9) & (pixels <= [size.width() + 9, size.height() + 9])
        seen = np.asarray(inside.all(axis=1))
        diameter = self.diameter(sheet, int(seen.sum()))
        marks = {} if part is None else {mark.sign: mark for mark in part.marks}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _draw_edges(sheet, cities, pixels, marks)
        _draw_rays(sheet, pixels, marks)
        for sign in (Sign.VISITED, Sign.COLORED, Sign.CANDIDATE, Sign.EXCLUDED):
            if sign in marks:
                seen[marks[sign].places] = False
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, diameter >= 2)
        dots, colour = pixels[seen], sheet.theme.colour("city", 0.9)
        if as_pixels(painter, len(dots)):
            dots = places_in_sight(painter, dots, QTransform(), size, colour)
        draw_points(painter, dots, colour, diameter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if part is not None:
            _draw_vertices(sheet, pixels, part, marks, diameter)
            _draw_marks(sheet, pixels, marks, diameter / 2 + 3.5 * sheet.theme.scale)
            self._write_names(sheet, pixels, part)

    def _write_names(self, sheet: Sheet, pixels: Points, part: Picture) -> None:
        chosen = part.marked(Sign.CHOSEN)
        marked = {*chosen, *part.marked(Sign.ANT, Sign.STANDS)}
        names = [
            (pixels[place], self.named(place), place in marked, place in chosen)
            for place in dict.fromkeys(part.named.tolist())
        ]
        write_names(sheet.painter, sheet.theme, names, sheet.size)


def _draw_edges(
    sheet: Sheet, cities: Points, pixels: Points, marks: Mapping[Sign, PictureMark]
) -> None:
    """Draw edges, and the way along what is visited."""
    for sign, look in MARK_LOOKS.items():
        if sign in marks and look.width:
            lines = sheet.edges(cities, marks[sign].places)
            lines = dashed_lines(lines, sheet.size) if look.dashed else lines
            width = look.width * sheet.theme.strokes
            draw_lines(sheet.painter, lines, sheet.theme.colour(look.role), width)
    if Sign.VISITED in marks:
        way = sheet.in_sight(path_lines(pixels[marks[Sign.VISITED].places]))
        draw_lines(sheet.painter, way, sheet.theme.colour("mean"), 2.0)


def _draw_rays(sheet: Sheet, pixels: Points, marks: Mapping[Sign, PictureMark]) -> None:
    """Draw from the ant to what it considers: the wider the line, the larger the chance."""
    considered, ant = marks.get(Sign.CONSIDERED), marks.get(Sign.ANT, marks.get(Sign.STANDS))
    if considered is None or considered.chances is None or ant is None:
        return
    here, chosen = pixels[ant.places[0]], int(marks[Sign.CHOSEN].places[0])
    faintest = 0.2 if len(considered.places) <= 40 else 0.08  # many make a haze
    for at in np.argsort(considered.chances)[-_RAYS:]:
        place, chance = int(considered.places[at]), float(considered.chances[at])
        if place != chosen and chance > 0:
            colour = sheet.theme.colour("latest", faintest + 0.65 * math.sqrt(chance))
            sheet.painter.setPen(pen(colour, _width_of(chance)))
            sheet.painter.drawLine(QPointF(*here), QPointF(*pixels[place]))
    chance = float(considered.chances[considered.places == chosen][0])
    colour = sheet.theme.colour("best")
    _draw_arrow(sheet.painter, here, pixels[chosen], colour, _width_of(chance))


def _beside_change(cities: Points, picture: Picture, around: NDArray[np.integer]) -> Points:
    """Return the places to look ``around``; of many on a large map, those near one change."""
    changed, places = picture.marked(*_CHANGED), around
    if len(cities) >= _NEAR_FROM and len(around) > _MOST_AROUND and changed:
        away = cities[around] - cities[changed[0]]
        nearest = np.argsort(np.hypot(away[:, 0], away[:, 1]), kind="stable")
        places = around[nearest[:_MOST_AROUND]]
    beside: Points = cities[places]
    return beside


def _width_of(chance: float) -> float:
    return 1.0 + (_WIDEST_RAY - 1.0) * math.sqrt(chance)


def _draw_arrow(
    painter: QPainter, start: Points, end: Points, colour: QColor, width: float
) -> None:
    """Draw the chosen edge with an arrow head in its middle, where no mark hides it."""
    width = max(width, 4.0)
    painter.setPen(pen(colour, width))
    painter.drawLine(QPointF(*start), QPointF(*end))
    way = end - start
    length = float(np.hypot(*way))
    head = 2.2 * width + 4
    if length < 2 * head:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    (points,) = arrow_heads((start + way * 0.5)[None], (way / length)[None], head)
    painter.drawPolygon(QPolygonF([QPointF(*at) for at in points]))


def _draw_vertices(
    sheet: Sheet, pixels: Points, part: Picture, marks: Mapping[Sign, PictureMark], diameter: float
) -> None:
    """Draw dots for what is visited, crosses, marks of classes, and candidates."""
    painter, theme = sheet.painter, sheet.theme
    if Sign.VISITED in marks:
        visited = pixels[marks[Sign.VISITED].places]
        draw_points(painter, visited, theme.colour("mean"), diameter)
    if Sign.EXCLUDED in marks:
        x, y = pixels[marks[Sign.EXCLUDED].places].T
        half = diameter * 0.36
        crosses = [
            np.column_stack([x - half, y - half, x + half, y + half]),
            np.column_stack([x - half, y + half, x + half, y - half]),
        ]
        draw_lines(painter, np.vstack(crosses), theme.colour("danger", 0.85), 1.6 * theme.scale)
    if Sign.COLORED in marks and part.colors is not None and part.plain is not None:
        colored = marks[Sign.COLORED].places
        colored = colored[np.argsort(part.colors[colored], kind="stable")]
        plain, colors = part.plain[colored], part.colors[colored].astype(np.int64)
        opacity, diameters = np.where(plain, 1.0, _FADED), np.where(plain, 2.0, 0.0) + diameter
        draw_marks(painter, colors, pixels[colored], diameters, opacity, theme)
    if Sign.CANDIDATE in marks:  # hollow, so that none looks like a mark of a class
        candidates = pixels[marks[Sign.CANDIDATE].places]
        draw_points(painter, candidates, theme.colour("latest"), diameter)
        draw_points(painter, candidates, theme.colour("panel"), diameter - 4.0 * theme.scale)


def _draw_marks(
    sheet: Sheet, pixels: Points, marks: Mapping[Sign, PictureMark], radius: float
) -> None:
    """Mark the start, the chosen places and the ant's, each in another way."""
    painter, theme = sheet.painter, sheet.theme
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for sign, wider in ((Sign.START, 0.0), (Sign.CHOSEN, 0.0), (Sign.STANDS, 1.0)):
        painter.setPen(QPen(theme.colour(MARK_LOOKS[sign].role), 2.5 * theme.scale))
        for x, y in pixels[marks[sign].places] if sign in marks else ():
            side = 2 * (radius + wider)
            place = QRectF(x - side / 2, y - side / 2, side, side)
            if sign is Sign.START:
                painter.drawRect(place)
            else:
                painter.drawEllipse(place)
    if Sign.ANT in marks:
        painter.setPen(QPen(theme.colour("panel"), 2))
        painter.setBrush(theme.colour("text"))
        (here,) = pixels[marks[Sign.ANT].places]
        painter.drawEllipse(QPointF(*here), radius + 2, radius + 2)


def write_names(
    painter: QPainter,
    theme: Theme,
    names: Sequence[tuple[Points, str, bool, bool]],  # place, text, whether it is marked, chosen
    size: QRectF,
) -> None:
    """Write numbers beside places if there is room, the most important first."""
    mark = 8.0 * theme.scale
    taken = [
        QRectF(float(x - mark), float(y - mark), 2 * mark, 2 * mark)
        for (x, y), _, marked, _ in names
        if marked
    ]
    for (x, y), text, marked, chosen in names:
        painter.setFont(theme.font(1.1 if marked else 0.9, bold=marked))
        metrics = QFontMetricsF(painter.font())
        width, height = metrics.horizontalAdvance(text) + 6, metrics.height()
        away = mark + 1
        sides = product((y - height - 2, y + 2), (x + away, x - away - width))
        places = (QRectF(left, top, width, height) for top, left in sides)
        free = [at for at in places if size.contains(at) and not any(map(at.intersects, taken))]
        if not free:
            continue
        place = free[0]
        taken.append(place)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("panel", 0.8))
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(theme.colour("best" if chosen else "text"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


class StepCanvas(QWidget):
    """The map or the graph, near the ant or whole, with the same scale on both axes.

    It follows the ant unless the user moves it.
    """

    pointed = Signal(object)  # the :class:`Pointed` place under the mouse

    def __init__(self) -> None:
        super().__init__()
        self._follows = True
        self._theme = DARK
        self._instance: Instance | None = None
        # pyqtgraph has no type hints; its objects are Any.
        self.graphics = graphics_in(self)
        self.box: Any = Box(1e-6, lockAspect=True, defaultPadding=0.0)
        self.graphics.setAccessibleName("Picture of the step")
        self.graphics.setCentralItem(self.box)
        self.graphics.setMinimumSize(180, 110)
        self.graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.graphics.viewport().installEventFilter(self)
        self.edges, self.layer, self.lit = EdgesLayer(0), StepLayer(1), LitLayer(2)
        self._layers = self.edges, self.layer, self.lit
        self._pointing = Pointing(self)
        for layer in self._layers:
            self.box.addItem(layer, ignoreBounds=True)
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.box.sigResized.connect(self._resized)
        # The view places the legend, and the choice how much to show.
        self.legend = make_label("note", wrap=True, markup=True)
        choices = {"near": "Near", "whole": "Whole map"}
        self.extent = OptionButtons(choices, "How much of the map to show")
        self.extent.chosen.connect(lambda _: self.fit())
        fill(QVBoxLayout(self), (self.graphics, 1))

    @property
    def has_places(self) -> bool:
        """Whether it is known where the cities or vertices are."""
        return len(self.layer.cities) > 0

    @property
    def can_be_near(self) -> bool:
        """Whether there is so much to see that the surroundings of the ant can be shown alone."""
        instance = self._instance
        return instance is None or instance.map_places is not None or instance.n >= _NEAR_FROM

    def show_instance(self, instance: Instance | None) -> None:
        """Show other cities, or another graph as soon as its vertices have places."""
        self._instance = instance
        self._pointing.forget()
        has_map = instance is None or instance.map_places is not None
        self.extent.buttons["whole"].setText("Whole map" if has_map else "Whole graph")
        self.extent.setVisible(self.can_be_near)
        self._set_places(None if instance is None else instance.map_places, None)
        self.layer.named = str if instance is None else display_of(instance).short(instance)

    def show_drawing(self, drawing: GraphDrawing) -> None:
        """Give the vertices their places."""
        picture = self.layer.shown
        self._set_places(drawing.places, drawing)
        self.show_picture(picture)

    def _set_places(self, places: Points | None, drawing: GraphDrawing | None) -> None:
        graph: Any = self._instance
        self.edges.show_drawing(None if drawing is None else graph, drawing)
        self.layer.drawing = drawing
        self.layer.set_cities(np.empty((0, 2)) if places is None else places)
        self.lit.set_cities(self.layer.cities)
        self.lit.diameter = None if drawing is None else self.layer.diameter
        self.fit()

    def show_picture(self, picture: Picture | None) -> None:
        """Show the picture of a step, and follow the ant."""
        self.layer.show_part(picture)
        self._explain()
        if self._follows:
            self._follow()

    def fit(self) -> None:
        """Follow the ant again."""
        self._follows = True
        self._follow(at_once=True)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.graphics.setBackground(theme.colour("panel"))
        for layer in self._layers:
            layer.set_theme(theme)
        self._explain()

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Tell which place is under the mouse."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            position = event.position().toPoint()
            at = self.box.mapSceneToView(self.graphics.mapToScene(position))
            cities, pixel = self.layer.cities, self.box.viewPixelSize()
            look = partial(what_is_at, cities, None, at, pixel)
            self._pointing.ask(len(cities), look, self.pointed.emit)
        elif event.type() == QEvent.Type.Leave:
            self._pointing.forget()
            self.pointed.emit(NOTHING)
        return super().eventFilter(watched, event)

    def _explain(self) -> None:
        """Say what the marks mean."""
        marks = () if self.layer.shown is None else self.layer.shown.marks
        self.legend.setText(
            " &nbsp; ".join(
                f'<span style="color: {self._theme[MARK_LOOKS[mark.sign].role]}">'
                # No-break spaces keep each mark beside its name.
                f"{MARK_LOOKS[mark.sign].symbol}</span>&nbsp;{mark.name.replace(' ', '&nbsp;')}"
                for mark in marks
                if mark.name
            )
        )

    def _follow(self, *, at_once: bool = False) -> None:
        """Show what matters; do not move while it is visible and large enough."""
        cities, picture = self.layer.cities, self.layer.shown
        if len(cities) == 0:
            return
        places = cities
        if self.extent.value == "near" and picture is not None and self.can_be_near:
            around = picture.around
            if around is None and self.layer.drawing is not None:  # in a graph
                around = np.array([*picture.named, *picture.marked(*_AROUND)], np.int64)
            if around is not None and len(around):
                places = _beside_change(cities, picture, around)
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
            padding=0.07 if places is cities else 0.14,
        )

    def _resized(self, _: object) -> None:
        if self._follows:
            self._follow()

    def _moved_by_user(self, _: object) -> None:
        self._follows = False
