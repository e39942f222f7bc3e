"""The layers of the map: cities, tours and trails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTransform

from gpu.core.snapshot import Trails
from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import (
    Layer,
    Points,
    Segments,
    dashed,
    dashed_lines,
    draw_lines,
    draw_points,
    path_lines,
    to_pixels,
    within,
)

Edges = NDArray[np.int32]
"""City pairs, shape (k, 2)."""

_BINS = 8
_FAINTEST = 0.06
"""Trails with a smaller √(τ/τmax) are not drawn; they would only dim the picture."""


class MapLayer(Layer):
    """A layer that draws cities, or lines between them."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._cities: Points = np.empty((0, 2))

    def set_cities(self, cities: Points) -> None:
        """Show other cities, float64 of shape (n, 2)."""
        self._cities = cities
        self.set_bounds(cities)
        self.refresh()


class CitiesLayer(MapLayer):
    """A dot for each city; the more cities, the smaller the dots."""

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible dots."""
        pixels = to_pixels(self._cities, transform)
        seen = pixels[(pixels >= 0).all(axis=1) & (pixels <= [size.width(), size.height()]).all(1)]
        count = len(seen)
        diameter = next(
            (
                d
                for limit, d in ((150, 7.0), (600, 5.0), (2500, 3.4), (8000, 2.0))
                if count <= limit
            ),
            1.0,
        )
        if diameter == 1.0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        opacity = 0.9 if diameter > 2 else 0.75
        draw_points(painter, seen, self._theme.colour("city", opacity), diameter)


class TourLayer(MapLayer):
    """One closed tour."""

    def __init__(
        self, depth: float, role: str, *, bold: bool = False, dashes: bool = False
    ) -> None:
        super().__init__(depth)
        self._role, self._bold, self._dashes = role, bold, dashes
        self._tour: NDArray[np.int32] | None = None

    def set_cities(self, cities: Points) -> None:
        """Show other cities, and forget the tour."""
        self._tour = None
        super().set_cities(cities)

    def set_tour(self, tour: NDArray[np.int32] | None) -> None:
        """Show another tour, int32 of shape (n,), or None."""
        same = (
            tour is self._tour
            if tour is None or self._tour is None
            else np.array_equal(tour, self._tour)
        )
        self._tour = tour
        if not same:
            self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no tour."""
        return self._tour is None

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible edges."""
        if self._tour is None:
            return
        pixels = to_pixels(self._cities[np.append(self._tour, self._tour[0])], transform)
        lines = dashed(pixels) if self._dashes else path_lines(pixels)
        lines = lines[within(lines, size)]
        width = 2.6 if len(lines) <= 200 else 2.2
        draw_lines(painter, lines, self._theme.colour(self._role), width if self._bold else 1.0)


class ImprovementLayer(MapLayer):
    """What local search changed: removed edges dashed, new ones bold, all others thin."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._edges: tuple[Edges, Edges, Edges] | None = None

    def set_cities(self, cities: Points) -> None:
        """Show other cities, and forget the tours."""
        self._edges = None
        super().set_cities(cities)

    def set_tours(self, before: NDArray[np.int32] | None, after: NDArray[np.int32] | None) -> None:
        """Show the change from one tour to another, int32 of shape (n,); None shows nothing."""
        self._edges = None
        if before is not None and after is not None:
            old, new = edges_of(before), edges_of(after)
            kept = np.isin(_numbers(old), _numbers(new))
            gained = ~np.isin(_numbers(new), _numbers(old))
            self._edges = old[kept], old[~kept], new[gained]
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there are no tours."""
        return self._edges is None

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible edges, the new ones last."""
        if self._edges is None:
            return
        pixels = to_pixels(self._cities, transform)
        seen = (pixels[edges].reshape(-1, 4) for edges in self._edges)
        kept, lost, gained = (lines[within(lines, size)] for lines in seen)
        draw_lines(painter, kept, self._theme.colour("mean"), 1.2)
        draw_lines(painter, dashed_lines(lost), self._theme.colour("gap"), 1.6)
        draw_lines(painter, gained, self._theme.colour("latest"), 3.2)


def edges_of(tour: NDArray[np.int32]) -> Edges:
    """Return the edges of a tour, each with its lower city first."""
    edges: Edges = np.sort(np.column_stack([tour, np.roll(tour, -1)]), axis=1)
    return edges


def _numbers(edges: Edges) -> NDArray[np.int64]:
    return edges[:, 0].astype(np.int64) << 32 | edges[:, 1]


class TrailsLayer(MapLayer):
    """The strongest trails; width and opacity grow with √(τ/τmax)."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._trails: Trails | None = None

    def set_cities(self, cities: Points) -> None:
        """Show other cities, and forget the trails."""
        self._trails = None
        super().set_cities(cities)

    def set_trails(self, trails: Trails | None) -> None:
        """Show other trails, or None."""
        self._trails = trails
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there are no trails."""
        return self._trails is None

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible trails, the strongest last."""
        trails = self._trails
        if trails is None or len(trails.edges) == 0:
            return
        force = np.sqrt(trails.strength)
        strong = force >= _FAINTEST
        pixels = to_pixels(self._cities, transform)
        lines = pixels[trails.edges[strong]].reshape(-1, 4)
        seen = within(lines, size)
        lines, force = lines[seen], force[strong][seen]
        if not CachedPicture.in_use:
            self._draw_trails(painter, lines, force, 1.0)
            return
        # Drawn at half the size and enlarged, wide lines take a tenth of the time.
        half = QImage(size.size().toSize() / 2, QImage.Format.Format_ARGB32_Premultiplied)
        half.fill(Qt.GlobalColor.transparent)
        with QPainter(half) as inner:
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw_trails(inner, lines / 2, force, 0.5)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(0, 0, half.width() * 2, half.height() * 2), half)

    def _draw_trails(
        self, painter: QPainter, lines: Segments, force: NDArray[np.float32], scale: float
    ) -> None:
        shade = np.minimum((force * _BINS).astype(int), _BINS - 1)
        for bin_ in range(_BINS):
            level = (bin_ + 0.5) / _BINS
            colour = self._theme.colour("trail", 0.12 + 0.6 * level)
            width = max(1.0, round((1 + 5 * level) * scale))
            draw_lines(painter, lines[shade == bin_], colour, width)
