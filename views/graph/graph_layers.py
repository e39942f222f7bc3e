"""The layers of a graph: edges, conflicts, the edges of one vertex, vertices in their classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QTransform

from gpu.drawing.drawing import Arrangement, GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.graph.class_marks import COLORS, SMALLEST, draw_marks, mark_of
from views.widgets import layers
from views.widgets.layers import Points, Segments, draw_lines, draw_points, to_pixels, within
from views.widgets.theme import Theme

_VERTEX_DIAMETERS = 2.5, 26.0  # least and largest diameter of a vertex in pixels
_ROOM_FOR_SHAPE = 7.0  # least diameter in pixels of a vertex whose shape must be seen
_ROOM_FOR_NUMBER = 12.5  # least diameter in pixels of a vertex with the number of its class
_NUMBERED = 700  # most visible vertices that have numbers
_RINGED = 1_000  # most ends of conflicts with a ring
_NAME_ROOM = 40.0  # least distance in pixels between numbers of classes; else only a few are shown
_NO_EDGES = np.empty((0, 2), np.int32)
_EDGE_LINES = 12_000  # most edges that are drawn as lines
_LENGTH = 300_000.0  # largest total length of the lines in pixels; Qt draws that in some 20 ms
_EDGES_INK = 0.14  # share of the picture that all edges may cover before they are drawn paler
_PALEST, _PLAINEST = 0.05, 0.6


class GraphLayer(layers.Layer):
    """A layer of a graph whose vertices have places."""

    margin = 0.07  # room for the outermost vertices and the numbers beside them

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._graph: GraphInstance | None = None
        self._drawing: GraphDrawing | None = None

    @property
    def empty(self) -> bool:
        """Whether there are no places."""
        return self._drawing is None

    def show_drawing(self, graph: GraphInstance | None, drawing: GraphDrawing | None) -> None:
        """Show another graph, other places, or another coloring."""
        self._graph, self._drawing = graph, drawing
        empty = np.empty((0, 2))
        self.set_bounds(empty if drawing is None else np.vstack([drawing.places, drawing.names]))
        self.refresh()

    def _lines(self, edges: NDArray[np.integer], transform: QTransform, size: QRectF) -> Segments:
        """Return the lines of those ``edges`` that may be visible, in pixels."""
        assert self._drawing is not None
        lines: Segments = to_pixels(self._drawing.places, transform)[edges].reshape(-1, 4)
        return lines[within(lines, size)]


class EdgesLayer(GraphLayer):
    """All edges as lines, the paler the more there are; or as a picture of their density."""

    def show_drawing(self, graph: GraphInstance | None, drawing: GraphDrawing | None) -> None:
        """Show other places, unless they are the same."""
        shown = self._drawing
        if drawing is None or shown is None or drawing.places is not shown.places:
            super().show_drawing(graph, drawing)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible edges."""
        graph, drawing = self._graph, self._drawing
        if graph is None or drawing is None:
            return
        shades = drawing.shades
        lines = self._lines(
            graph.edges if len(graph.edges) <= _EDGE_LINES else _NO_EDGES, transform, size
        )
        lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
        length = float(np.minimum(lengths, size.width() + size.height()).sum())
        if shades is not None and (len(graph.edges) > _EDGE_LINES or length > _LENGTH):
            self._draw_shades(painter, shades, transform)
            return
        ink = length / max(1.0, size.width() * size.height())
        opacity = min(_PLAINEST, max(_PALEST, (_EDGES_INK / max(ink, 1e-9)) ** 0.75))
        draw_lines(painter, lines, self._theme.colour("mean", opacity))

    def _draw_shades(
        self, painter: QPainter, shades: NDArray[np.uint8], transform: QTransform
    ) -> None:
        rows = len(shades)
        picture = QImage(shades.data, rows, rows, rows, QImage.Format.Format_Indexed8)
        strongest = 0.55 if self._theme.dark else 0.5
        table = [self._theme.colour("mean", strongest * level / 255).rgba() for level in range(256)]
        picture.setColorTable(table)
        half = rows / (rows - 1)  # the centres of the outermost pixels are at -1 and 1
        target = transform.mapRect(QRectF(-half, -half, 2 * half, 2 * half))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        smooth = picture.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(target, smooth)


class ConflictsLayer(GraphLayer):
    """Edges with the same color at both ends; they are never hidden."""

    @property
    def empty(self) -> bool:
        """Whether there is no conflict."""
        return self._drawing is None or len(self._drawing.conflicts) == 0

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw them in front, with an outline and a ring at both ends."""
        assert self._drawing is not None
        conflicts = self._drawing.conflicts
        lines = self._lines(conflicts, transform, size)
        ends = to_pixels(self._drawing.places[np.unique(conflicts)], transform)
        radius = diameter_of(self._drawing, transform, self._theme) / 2 + 2.5
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, width in (("text", 6.0), ("danger", 3.0)):
            draw_lines(painter, lines, self._theme.colour(role), width)
            painter.setPen(layers.pen(self._theme.colour(role), width * 0.7))
            for x, y in ends[:_RINGED]:
                painter.drawEllipse(QPointF(x, y), radius, radius)


class VerticesLayer(GraphLayer):
    """Vertices with the marks of their classes; one vertex or class may stand out."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._class = -1
        self._vertices: tuple[int, ...] = ()
        self.numbered = True

    def point_out(self, color: int, vertices: tuple[int, ...] = ()) -> None:
        """Let the class ``color`` (-1 for none), and ``vertices`` with their edges, stand out."""
        if (color, vertices) != (self._class, self._vertices):
            self._class, self._vertices = color, vertices
            self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the visible vertices, with numbers if there is room."""
        graph, drawing = self._graph, self._drawing
        if graph is None or drawing is None:
            return
        pixels = to_pixels(drawing.places, transform)
        diameter = diameter_of(drawing, transform, self._theme)
        for vertex in (one for one in self._vertices if one < graph.n):
            others = graph.neighbours(vertex)
            ends = np.column_stack([np.full_like(others, vertex), others])
            colour = self._theme.colour("latest", 0.75 if len(ends) < 100 else 0.4)
            draw_lines(painter, self._lines(ends, transform, size), colour, 1.4)
        corner = [size.width(), size.height()]
        inside = (pixels >= -diameter) & (pixels - diameter <= corner)
        seen = inside[:, 0] & inside[:, 1]
        if drawing.coloring is None:
            draw_points(painter, pixels[seen], self._theme.colour("muted"), diameter)
            return
        self._draw_classes(painter, pixels, seen, drawing.coloring, diameter)
        if self.numbered:
            self._write_names(painter, drawing, transform)

    def _draw_classes(
        self,
        painter: QPainter,
        pixels: Points,
        seen: NDArray[np.bool_],
        coloring: NDArray[np.int32],
        diameter: float,
    ) -> None:
        numbers = self.numbered and diameter >= _ROOM_FOR_NUMBER and seen.sum() <= _NUMBERED
        font = self._theme.font(1.0, bold=True)
        font.setPixelSize(max(7, round(diameter * 0.5)))
        painter.setFont(font)
        vertices = np.flatnonzero(seen)
        vertices = vertices[np.argsort(coloring[vertices], kind="stable")]
        marked = coloring[vertices] == self._class
        # The class that stands out is drawn last, in front of all others.
        vertices = np.concatenate([vertices[~marked], vertices[marked]])
        classes, marked = coloring[vertices].astype(np.int64), np.sort(marked)
        pale = 0.16 if self._class >= 0 else 1.0
        opacity, diameters = np.where(marked, 1.0, pale), diameter + 2.0 * marked
        draw_marks(painter, classes, pixels[vertices], diameters, opacity, self._theme)
        if not numbers:
            vertices = vertices[:0]
        elif self._class >= 0:
            vertices = vertices[marked]
        for color, (x, y) in zip(coloring[vertices], pixels[vertices], strict=True):
            painter.setPen(mark_of(int(color)).ink)
            spot = QRectF(x - diameter, y - diameter, 2 * diameter, 2 * diameter)
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, str(color + 1))
        for vertex in (one for one in self._vertices if one < len(pixels)):
            painter.setPen(self._theme.colour("text"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = diameter / 2 + 4
            painter.drawEllipse(QPointF(*pixels[vertex]), radius, radius)

    def _write_names(self, painter: QPainter, drawing: GraphDrawing, transform: QTransform) -> None:
        """Write the number of each class where the drawing has a place for it."""
        places = to_pixels(drawing.names, transform)
        named = self._named(places, drawing.arrangement)
        heads = drawing.arrangement is Arrangement.CLASSES and len(named) < len(places)
        painter.setFont(self._theme.font(0.82, bold=True))
        metrics = QFontMetricsF(painter.font())
        for color in named:
            x, y = places[color]
            shown = self._class in (-1, color)
            painter.setPen(self._theme.colour("muted", 1.0 if shown else 0.3))
            text = str(color + 1)
            width = metrics.horizontalAdvance(text)
            if heads and color != self._class:  # the number stands left of its row
                x = float(places[:, 0].min()) - width / 2 - 3
            box = QRectF(x - width / 2, y - metrics.height() / 2, width, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _named(self, places: Points, arrangement: Arrangement) -> list[int]:
        """Return the classes whose numbers fit at ``places``, and the one that stands out."""
        room, count = _NAME_ROOM * self._theme.scale, len(places)
        steps = np.hypot(*np.diff(places, axis=0).T)
        if count < 2 or steps[0] >= room:
            named = list(range(count))
        elif arrangement is Arrangement.CLASSES:  # the first of each row
            back = np.diff(places[:, 0]) < 0
            named = [0, *(np.flatnonzero(back) + 1).tolist()]
        else:
            along = np.concatenate([[0], np.cumsum(steps)]) // room
            named = np.unique(along, return_index=True)[1].tolist()
        marked = self._class
        return [*named, *([marked] if 0 <= marked < count and marked not in named else [])]


def diameter_of(drawing: GraphDrawing, transform: QTransform, theme: Theme) -> float:
    """Return the diameter of a vertex in pixels: less than its distance to the next one.

    For marks it is a whole number, so that they seldom have to be made again.
    """
    least, most = _VERTEX_DIAMETERS
    if drawing.coloring is not None and int(drawing.coloring.max()) >= COLORS:
        least = _ROOM_FOR_SHAPE  # colors alone do not tell so many classes apart
    fitting = 0.8 * drawing.spacing * abs(transform.m11())
    diameter = min(most, max(least, fitting)) * math.sqrt(theme.scale)
    return float(math.floor(diameter)) if diameter >= SMALLEST + 1 else diameter
