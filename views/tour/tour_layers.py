"""The layers of the map: cities, tours and trails."""

from __future__ import annotations

from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from shiboken6 import isValid

from gpu.core.snapshot import Trails
from views.tour.arrows import draw_heads
from views.widgets import layers
from views.widgets.background_picture import BackgroundPicture
from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import Points, Segments, draw_lines, draw_points, to_pixels, within
from views.widgets.many import MANY, as_pixels, draw_path, places_in_sight
from views.widgets.theme import Theme

Edges = NDArray[np.int32]  # city pairs, shape (k, 2)
Tour = NDArray[np.int32]  # shape (n,)
Changes = tuple[Edges, Edges, Edges]  # those that two tours have, only the first, the second
T = TypeVar("T")

_MANY_TRAILS = 1000
_BINS = 8
_FAINTEST = 0.06  # trails with a smaller √(τ/τmax) are not drawn; they would only dim the picture


def diameter_for(count: int, sizes: tuple[tuple[int, float], ...]) -> float:
    """Return the diameter of ``count`` dots from ``sizes``, pairs of a limit and its diameter."""
    return next((diameter for most, diameter in sizes if count <= most), 1.0)


class MapLayer(layers.Layer, Generic[T]):
    """A layer that draws a ``T``, if it has one, at or between cities.

    Where cities are very many, it is drawn in another thread, and the window shows what there is
    until then, moved with the map.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.cities: Points = np.empty((0, 2))
        self.shown: T | None = None
        self._beside = BackgroundPicture(self._update)

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread."""
        return len(self.cities) > MANY

    @property
    def ready(self) -> bool:
        """Whether what can be seen is what there is."""
        return self.empty or not self.many or self._beside.ready

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self.shown is None

    def set_cities(self, cities: Points, around: Points | None = None) -> None:
        """Take other cities, and show nothing there yet; ``around`` has the same bounds."""
        self.cities, self.shown = cities, None
        self.set_bounds(cities if around is None else around)
        self._beside.clear()
        self.refresh()

    def show_part(self, part: T | None) -> None:
        """Show ``part`` instead of the former one."""
        self.shown = part
        self.refresh()

    def refresh(self) -> None:
        """Draw again, after the data or the colours have changed."""
        self._beside.drop()
        super().refresh()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw, or show what was drawn."""
        if widget is None or self.empty or not (self.many and CachedPicture.in_use):
            super().paint(painter, option, widget)
            return
        draw = partial(self.draw_part, self.cities, self.shown, self._theme)
        self._beside.show(painter, widget, self._bounds, draw)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw what can be seen of the part."""
        self.draw_part(self.cities, self.shown, self._theme, painter, transform, size)

    def draw_part(
        self,
        cities: Points,
        part: T | None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw ``part``; any thread may call this, and the layer may show something else by now."""
        raise NotImplementedError

    def _update(self) -> None:
        if isValid(self):  # a window may be closed before a picture is there
            self.update()


class CitiesLayer(MapLayer[None]):
    """A dot for each city; the more cities, the smaller the dots."""

    empty = False

    def __init__(self, depth: float, role: str = "city", larger: float = 0.0) -> None:
        """Make the dots ``larger`` than usual by so many pixels; no less than one is left."""
        super().__init__(depth)
        self._role, self._larger = role, larger

    def draw_part(
        self,
        cities: Points,
        part: None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw the visible dots."""
        if as_pixels(painter, len(cities)):
            seen = places_in_sight(painter, cities, transform, size, theme.colour(self._role, 0.75))
        else:
            pixels = to_pixels(cities, transform)
            inside = (pixels >= 0) & (pixels <= [size.width(), size.height()])
            seen = pixels[inside.all(axis=1)]
        usual = diameter_for(len(seen), ((150, 7.0), (600, 5.0), (2500, 3.4), (8000, 2.0)))
        diameter = max(1.0, usual + self._larger)
        if diameter == 1.0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        opacity = 0.9 if diameter > 2 else 0.75
        draw_points(painter, seen, theme.colour(self._role, opacity), diameter)


class TourLayer(MapLayer[Tour]):
    """One closed tour, with heads of arrows where it has a direction."""

    def __init__(
        self, depth: float, role: str, *, bold: bool = False, dashes: bool = False
    ) -> None:
        super().__init__(depth)
        self._role, self._bold, self._dashes = role, bold, dashes
        self.directed = False

    def show_part(self, part: Tour | None) -> None:
        """Show another tour, unless it is the same."""
        shown = self.shown
        if part is None or shown is None or not np.array_equal(part, shown):
            super().show_part(part)

    def draw_part(
        self,
        cities: Points,
        part: Tour | None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw the visible edges."""
        assert part is not None
        colour = theme.colour(self._role)
        if as_pixels(painter, len(cities)):
            width = theme.strokes * (2.2 if self._bold else 1.0)
            draw_path(painter, cities, part, transform, size, colour, width)
            return
        pixels = to_pixels(cities[np.append(part, part[0])], transform)
        lines = layers.dashed(pixels) if self._dashes else layers.path_lines(pixels)
        lines = lines[within(lines, size)]
        width = 2.6 if len(lines) <= 200 else 2.2
        draw_lines(painter, lines, colour, theme.strokes * (width if self._bold else 1.0))
        if self.directed:
            edges = np.hstack([pixels[:-1], pixels[1:]])
            head = (13.0 if self._bold else 9.0) * theme.strokes
            draw_heads(painter, edges, size, colour, head)


class ImprovementLayer(MapLayer[Changes]):
    """What local search changed: removed edges dashed, new ones bold, all others thin."""

    def draw_part(
        self,
        cities: Points,
        part: Changes | None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw the visible edges, the new ones last."""
        assert part is not None
        draw_changes(cities, part, theme, painter, transform, size)


def draw_changes(
    cities: Points,
    edges: Changes,
    theme: Theme,
    painter: QPainter,
    transform: QTransform,
    size: QRectF,
) -> None:
    """Draw the visible edges that were kept, removed and added."""
    seen = (to_pixels(cities[pairs.ravel()], transform).reshape(-1, 4) for pairs in edges)
    kept, lost, gained = (lines[within(lines, size)] for lines in seen)
    draw_lines(painter, kept, theme.colour("mean"), 1.2 * theme.strokes)
    draw_lines(painter, layers.dashed_lines(lost), theme.colour("gap"), 1.6 * theme.strokes)
    draw_lines(painter, gained, theme.colour("latest"), 3.2 * theme.strokes)


def changes(before: Tour, after: Tour) -> Changes:
    """Return which edges local search has kept, removed and added."""
    old, new = edges_of(before), edges_of(after)
    kept = np.isin(_numbers(old), _numbers(new))
    return old[kept], old[~kept], new[~np.isin(_numbers(new), _numbers(old))]


def edges_of(tour: Tour) -> Edges:
    """Return the edges of a tour, each with its lower city first."""
    edges: Edges = np.sort(np.column_stack([tour, np.roll(tour, -1)]), axis=1)
    return edges


def _numbers(edges: Edges) -> NDArray[np.int64]:
    return edges[:, 0].astype(np.int64) << 32 | edges[:, 1]


class TrailsLayer(MapLayer[Trails]):
    """The strongest trails; width and opacity grow with √(τ/τmax)."""

    @property
    def many(self) -> bool:
        """Whether they are drawn in another thread: wide lines take far longer than thin ones."""
        return super().many or (self.shown is not None and len(self.shown.edges) > _MANY_TRAILS)

    def draw_part(
        self,
        cities: Points,
        part: Trails | None,
        theme: Theme,
        painter: QPainter,
        transform: QTransform,
        size: QRectF,
    ) -> None:
        """Draw the visible trails, the strongest last."""
        trails = part
        if trails is None or len(trails.edges) == 0:
            return
        force = np.sqrt(trails.strength)
        strong = force >= _FAINTEST
        ends = cities[trails.edges[strong].ravel()]
        lines = to_pixels(ends, transform).reshape(-1, 4)
        seen = within(lines, size)
        lines, force = lines[seen], force[strong][seen]
        if not CachedPicture.in_use:
            _draw_trails(painter, theme, lines, force, 1.0)
            return
        # Drawn at half the size and enlarged, wide lines take a tenth of the time.
        half = QImage(size.size().toSize() / 2, QImage.Format.Format_ARGB32_Premultiplied)
        half.fill(Qt.GlobalColor.transparent)
        with QPainter(half) as inner:
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_trails(inner, theme, lines / 2, force, 0.5)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(0, 0, half.width() * 2, half.height() * 2), half)


def _draw_trails(
    painter: QPainter, theme: Theme, lines: Segments, force: NDArray[np.float32], scale: float
) -> None:
    shade = np.minimum((force * _BINS).astype(int), _BINS - 1)
    for bin_ in range(_BINS):
        level = (bin_ + 0.5) / _BINS
        colour = theme.colour("trail", 0.12 + 0.6 * level)
        width = max(1.0, round((1 + 5 * level) * scale))
        draw_lines(painter, lines[shade == bin_], colour, width)
