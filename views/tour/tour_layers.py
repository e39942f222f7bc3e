"""The layers of the map: cities, tours and trails."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF

from gpu.core.snapshot import Trails
from gpu.problems.tsp.instance import RouteOrder, TspInstance
from views.tour.map_layer import MapLayer, diameter_for
from views.widgets.background_layer import Sheet
from views.widgets.cached_picture import CachedPicture, Draw
from views.widgets.canvas_view import nearest
from views.widgets.layers import (
    Points,
    Segments,
    as_pixels,
    dashed,
    dashed_lines,
    draw_lines,
    draw_path,
    draw_points,
    parts_in_sight,
    path_lines,
    places_in_sight,
    within,
)
from views.widgets.theme import Theme
from views.widgets.view import NOTHING, Pointed

Edges = NDArray[np.int32]  # city pairs, shape (k, 2)
Tour = NDArray[np.int32]  # shape (n,)
Changes = tuple[Edges, Edges, Edges]  # those that two tours have, only the first, the second

_MANY_WIDE = 1000
_BINS = 8
_MOST_STRONG = 2.0  # strong trails a city, where some tours have them: in more, none can be seen
_LEAST_PRESENCE = 0.3  # of all trails, however many are strong
_MOST_TRAILS = 3  # a city, that are drawn
_USUAL_EDGE = 3.0  # length of trails with all their ink, in distances of evenly spread cities
_FAINTEST_TRAIL = 0.06  # √(τ/τmax) of trails that are drawn; fainter ones only dim the picture
_MOST_HEADS = 2_000  # most heads in sight; more would hide the tour
_HEAD_ROOM = 2.6  # least length of an edge in sight, in lengths of a head
_EDGE_NEAR = 6.0  # pixels from the mouse to an edge that it points at, at most


class CitiesLayer(MapLayer[None]):
    """A dot for each city; the more cities, the smaller the dots."""

    empty = False

    def __init__(self, depth: float, role: str = "city", larger: float = 0.0) -> None:
        """Make the dots ``larger`` than usual by so many pixels; no less than one is left."""
        super().__init__(depth)
        self._role, self._larger = role, larger

    def draw_part(self, cities: Points, part: None, sheet: Sheet) -> None:
        """Draw the visible dots."""
        painter, size = sheet.painter, sheet.size
        if as_pixels(painter, len(cities)):
            colour = sheet.theme.colour(self._role, 0.75)
            seen = places_in_sight(painter, cities, sheet.transform, size, colour)
        else:
            pixels = sheet.pixels(cities)
            inside = (pixels >= 0) & (pixels <= [size.width(), size.height()])
            seen = pixels[inside.all(axis=1)]
        usual = diameter_for(len(seen), ((150, 7.0), (600, 5.0), (2500, 3.4), (8000, 2.0)))
        diameter = max(1.0, usual + self._larger)
        if diameter == 1.0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        opacity = 0.9 if diameter > 2 else 0.75
        draw_points(painter, seen, sheet.theme.colour(self._role, opacity), diameter)


class TourLayer(MapLayer[Tour]):
    """One tour, or an open route, with heads of arrows where it has a direction."""

    def __init__(
        self, depth: float, role: str, *, bold: bool = False, dashes: bool = False
    ) -> None:
        super().__init__(depth)
        self._role, self._bold, self._dashes = role, bold, dashes
        self.begun = False  # whether a run began with the tour: it is dashed and thin then
        self.directed = False
        # what of a tour is drawn: that of the instance, see TspInstance.route_of()
        self.route_of: Callable[[Tour], RouteOrder] = _all_around

    def show_part(self, part: Tour | None) -> None:
        """Show another tour, unless it is the same."""
        shown = self.shown
        if part is None or shown is None or not np.array_equal(part, shown):
            super().show_part(part)

    @property
    def _draws(self) -> Draw:
        """What draws the route; its order is found here, in the thread of the window."""
        assert self.shown is not None
        cities, order, theme = self.cities, self.route_of(self.shown), self._theme
        return lambda painter, transform, size: self.draw_part(
            cities, order, Sheet(painter, transform, size, theme)
        )

    def draw_part(self, cities: Points, part: Tour | RouteOrder | None, sheet: Sheet) -> None:
        """Draw the visible edges of a route."""
        assert isinstance(part, RouteOrder)
        order = part
        painter, strokes = sheet.painter, sheet.theme.strokes
        colour = sheet.theme.colour(self._role)
        if order.closed and as_pixels(painter, len(cities)):
            width, around = (
                strokes * (2.2 if self._bold else 1.0),
                order.cities.astype(np.int32, copy=False),
            )
            draw_path(painter, cities, around, sheet.transform, sheet.size, colour, width)
            return
        pixels = sheet.pixels(cities[order.path])
        dashes, bold = self._dashes or self.begun, self._bold and not self.begun
        lines = dashed(pixels, sheet.size) if dashes else sheet.in_sight(path_lines(pixels))
        width = 2.6 if len(lines) <= 200 else 2.2
        draw_lines(painter, lines, colour, strokes * (width if bold else 1.0))
        if self.directed:
            edges = np.hstack([pixels[:-1], pixels[1:]])
            draw_heads(painter, edges, sheet.size, colour, strokes * (13 if self._bold else 9))


def _all_around(tour: Tour) -> RouteOrder:
    return RouteOrder(tour, closed=True)


class ImprovementLayer(MapLayer[Changes]):
    """What local search changed: removed edges dashed, new ones bold, all others thin."""

    def draw_part(self, cities: Points, part: Changes | None, sheet: Sheet) -> None:
        """Draw the visible edges, the new ones last."""
        assert part is not None
        painter, theme = sheet.painter, sheet.theme
        kept, lost, gained = (sheet.edges(cities, pairs) for pairs in part)
        lost = dashed_lines(lost, sheet.size)
        draw_lines(painter, kept, theme.colour("mean"), 1.2 * theme.strokes)
        draw_lines(painter, lost, theme.colour("gap"), 1.6 * theme.strokes)
        draw_lines(painter, gained, theme.colour("latest"), 3.2 * theme.strokes)


def changes(before: RouteOrder, after: RouteOrder) -> Changes:
    """Return which edges local search has kept, removed and added."""
    old, new = edges_of(before), edges_of(after)
    kept = np.isin(_numbers(old), _numbers(new))
    return old[kept], old[~kept], new[~np.isin(_numbers(new), _numbers(old))]


def edges_of(order: RouteOrder) -> Edges:
    """Return the edges of a route, each with its lower city first."""
    path = order.path
    return np.sort(np.column_stack([path[:-1], path[1:]]), axis=1).astype(np.int32, copy=False)


def _numbers(edges: Edges) -> NDArray[np.int64]:
    return edges[:, 0].astype(np.int64) << 32 | edges[:, 1]


class TrailsLayer(MapLayer[Trails]):
    """The strongest trails; width and opacity grow with √(τ/τmax)."""

    # Takes edges (k, 2), returns which of them a route can have: no others are drawn.
    on_route: Callable[[Edges], NDArray[np.bool_]] | None = None

    @property
    def many(self) -> bool:
        """Whether they are drawn in another thread: wide lines take far longer than thin ones."""
        return super().many or (self.shown is not None and len(self.shown.edges) > _MANY_WIDE)

    def draw_part(self, cities: Points, part: Trails | None, sheet: Sheet) -> None:
        """Draw the visible trails, the strongest last."""
        if part is None or len(part.edges) == 0:
            return
        painter, size, theme = sheet.painter, sheet.size, sheet.theme
        force = np.sqrt(part.strength)
        strong = force >= _FAINTEST_TRAIL
        strong[_MOST_TRAILS * len(cities) :] = False  # the strongest come first
        if self.on_route is not None:
            strong &= self.on_route(part.edges)
        lines = sheet.pixels(cities[part.edges[strong].ravel()]).reshape(-1, 4)
        seen = within(lines, size)
        ink = force[strong][seen] * _presence(part.strength, len(cities))
        shown = _Shown(lines[seen], ink * _paleness(lines[seen], sheet.pixels(cities)))
        if not CachedPicture.in_use:
            _draw_trails(painter, theme, shown, 1.0)
            return
        # Drawn at half the size and enlarged, wide lines take a tenth of the time.
        half = QImage(size.size().toSize() / 2, QImage.Format.Format_ARGB32_Premultiplied)
        half.fill(Qt.GlobalColor.transparent)
        with QPainter(half) as inner:
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_trails(inner, theme, shown._replace(lines=shown.lines / 2), 0.5)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(0, 0, half.width() * 2, half.height() * 2), half)


class _Shown(NamedTuple):
    """Trails that are drawn."""

    lines: Segments
    ink: NDArray[np.floating]  # of each, up to 1, from √(τ/τmax)


def _presence(strength: NDArray[np.float32], cities: int) -> float:
    """Return how much ink trails get: less if more of them are strong than tours can have.

    While a colony has just begun, all trails are about equal: they say nothing yet, and would hide
    the tour. As many trails of one strength would weigh as much as these: (Σ τ)² / Σ τ².
    """
    weight = float(strength.sum(dtype=float)) ** 2 / float((strength.astype(float) ** 2).sum())
    return max(_LEAST_PRESENCE, min(1.0, _MOST_STRONG * cities / weight))


def _paleness(lines: Segments, places: Points) -> NDArray[np.floating]:
    """Return how much less ink long trails get: what ants have laid there is spread out.

    The edges of good tours are short, those of the first ants are not, and hide what is below.
    """
    size = np.ptp(places, axis=0)
    usual = _USUAL_EDGE * float(np.sqrt(max(size[0] * size[1], 1.0) / len(places)))
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return np.minimum(1.0, usual / np.maximum(lengths, 1e-9))


def _draw_trails(painter: QPainter, theme: Theme, shown: _Shown, scale: float) -> None:
    shade = np.minimum((shown.ink * _BINS).astype(int), _BINS - 1)
    for bin_ in range(_BINS):
        level = (bin_ + 0.5) / _BINS
        colour = theme.colour("trail", min(0.06 + 0.7 * level, 0.7))
        # as wide in an exact picture as on the screen, where the lines are half as wide at first
        width = 2 * scale * max(1.0, round((1 + 5 * level) / 2))
        draw_lines(painter, shown.lines[shade == bin_], colour, width)


def draw_heads(
    painter: QPainter, lines: Segments, size: QRectF, colour: QColor, head: float
) -> None:
    """Draw a head, ``head`` pixels long, in the middle of what is seen of each edge.

    Edges that are too short for it have none. If there would be too many heads, none is drawn.
    """
    seen, begin, end = parts_in_sight(lines, size)
    start, way = lines[seen, :2], lines[seen, 2:] - lines[seen, :2]
    lengths = np.hypot(way[:, 0], way[:, 1])
    long = lengths * (end - begin) >= _HEAD_ROOM * head
    if not 0 < np.count_nonzero(long) <= _MOST_HEADS:
        return
    middle = (start + way * ((begin + end) / 2)[:, None])[long]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for corners in arrow_heads(middle, (way / np.maximum(lengths, 1e-9)[:, None])[long], head):
        painter.drawPolygon(QPolygonF([QPointF(*at) for at in corners]))


def arrow_heads(middle: Points, along: Points, head: float) -> NDArray[np.float64]:
    """Return the three corners of each head, (k, 3, 2): its tip, and its back at both sides.

    ``along`` are the directions, of length 1.
    """
    across = np.column_stack([-along[:, 1], along[:, 0]]) * head * 0.45
    tip, back = middle + along * head / 2, middle - along * head / 2
    return np.stack([tip, back + across, back - across], axis=1)


def places_of(instance: TspInstance | None) -> Points:
    """Return where cities are drawn: those of the user."""
    if instance is None:
        return np.empty((0, 2))
    whole = instance.real_n == instance.n  # then the array itself, whose corners are known
    return instance.display if whole else instance.display[: instance.real_n]


def what_is_at(
    cities: Points, order: RouteOrder | None, place: QPointF, pixel: tuple[float, float]
) -> Pointed:
    """Return the city that is nearest to ``place``, else an edge of a route there."""
    city = nearest(cities, place, pixel)
    if city is not None:
        return Pointed(places=(city,))
    return NOTHING if order is None else near_edge(cities, order, place, pixel)


def near_edge(
    cities: Points, order: RouteOrder, place: QPointF, pixel: tuple[float, float]
) -> Pointed:
    """Return the edge of a route that is nearest to ``place``, where a pixel is so large."""
    scale, at = np.array(pixel), np.array([place.x(), place.y()])
    left, low = at - _EDGE_NEAR * scale
    right, high = at + _EDGE_NEAR * scale
    x, y = cities.T
    # A bit for each side of the place that a city reaches. The ends of an edge nearby reach all.
    reached = (x <= right) * np.uint8(1)
    reached |= (x >= left) * np.uint8(2)
    reached |= (y <= high) * np.uint8(4)
    reached |= (y >= low) * np.uint8(8)
    path = order.path
    of_ends = reached[path]
    edges = np.flatnonzero((of_ends[:-1] | of_ends[1:]) == 15)
    if not len(edges):
        return NOTHING
    first, last = path[edges], path[edges + 1]
    start, way = (cities[first] - at) / scale, (cities[last] - cities[first]) / scale
    square = np.maximum((way * way).sum(axis=1), 1e-12)
    along = np.clip(-(start * way).sum(axis=1) / square, 0.0, 1.0)
    distances = np.hypot(*(start + along[:, None] * way).T)
    best = int(distances.argmin())
    if distances[best] > _EDGE_NEAR:
        return NOTHING
    return Pointed(places=(int(first[best]), int(last[best])))
