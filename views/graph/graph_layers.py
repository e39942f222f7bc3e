"""The layers of a graph: edges, conflicts, the edges of one vertex, vertices in their classes.

Where there are very many, they are drawn in another thread. Then vertices are pixels in the color
of their class, and edges, of which there may be too many for the eye or for the machine, are a
sample of those in sight, as a picture of their density.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QTransform

from gpu.drawing.drawing import Arrangement, GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.graph.class_marks import COLORS, SMALLEST, draw_marks, mark_of
from views.widgets import layers
from views.widgets.background_layer import BackgroundLayer, Sheet
from views.widgets.cached_picture import CachedPicture, Draw
from views.widgets.layers import (
    MOST_IN_WINDOW,
    MOST_SINGLE,
    Points,
    Segments,
    as_pixels,
    draw_lines,
    draw_points,
    frame_of,
    to_pixels,
)
from views.widgets.theme import Theme

if TYPE_CHECKING:
    from gpu.drawing.density import EdgeSample

_VERTEX_DIAMETERS = 2.5, 26.0  # least and largest diameter of a vertex in pixels
_ROOM_FOR_SHAPE = 7.0  # least diameter in pixels of a vertex whose shape must be seen
_ROOM_FOR_NUMBER = 12.5  # least diameter in pixels of a vertex with the number of its class
_NUMBERED = 700  # most visible vertices that have numbers
_NAMED = 300  # most visible vertices that have their names beside them
_NAME_WIDEST = 120.0  # most pixels of a name
_RINGED = 1_000  # most ends of conflicts with a ring
_NAME_ROOM = 40.0  # least distance in pixels between numbers of classes; else only a few are shown
_EDGES_IN_WINDOW = 1_000  # most edges that are drawn in the window's thread, always as lines
_EDGE_LINES = 12_000  # most edges that are drawn as lines
_LENGTH = 300_000.0  # largest total length of the lines in pixels; Qt draws that in some 20 ms
_EDGES_INK = 0.14  # share of the picture that all edges may cover before they are drawn paler
_PALEST, _PLAINEST = 0.05, 0.6
_PALE_CLASS = 0.16  # opacity of classes while another one stands out


class GraphLayer(BackgroundLayer):
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
        if graph is not self._graph or drawing is None:
            self._beside.clear()
        self._graph, self._drawing = graph, drawing
        self.set_bounds(np.empty((0, 2)) if drawing is None else drawing.bounds)
        self.refresh()

    def draw_part(self, graph: GraphInstance, drawing: GraphDrawing, sheet: Sheet) -> None:
        """Draw ``drawing``; any thread may call this, and the layer may show another one by now."""
        raise NotImplementedError

    @property
    def _draws(self) -> Draw:
        """What draws the layer, in any thread, as it is now."""
        graph, drawing, theme = self._graph, self._drawing, self._theme
        assert graph is not None
        assert drawing is not None
        return lambda painter, transform, size: self.draw_part(
            graph, drawing, Sheet(painter, transform, size, theme)
        )


class EdgesLayer(GraphLayer):
    """All edges as lines, the paler the more there are; or as a picture of their density.

    Of very many edges in sight, a sample is drawn.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.sampled: tuple[int, int] | None = None  # of the edges in sight, if not all are drawn
        self.told: Callable[[], object] = lambda: None  # called when ``sampled`` may have changed
        self._whole: tuple[object, QImage, QPointF] | None = None  # see :meth:`draw_part`

    @property
    def many(self) -> bool:
        """Whether they are drawn in another thread."""
        return self._graph is not None and len(self._graph.edges) > _EDGES_IN_WINDOW

    def show_drawing(self, graph: GraphInstance | None, drawing: GraphDrawing | None) -> None:
        """Show other places, unless they are the same."""
        shown, self._whole = self._drawing, None
        if drawing is None or shown is None or drawing.places is not shown.places:
            self.sampled = None
            super().show_drawing(graph, drawing)

    def draw_part(self, graph: GraphInstance, drawing: GraphDrawing, sheet: Sheet) -> None:
        """Draw the visible edges."""
        edges, places = graph.edges, drawing.places
        if len(edges) <= _EDGES_IN_WINDOW:
            self._draw_lines(sheet, sheet.edges(places, edges))
            return
        whole = None if CachedPicture.in_use else self._whole
        if whole is not None and whole[0] == _look(drawing, sheet):
            sheet.painter.drawImage(_origin(sheet) - whole[2], whole[1])
            return
        look, origin, sharpness = _look(drawing, sheet), _origin(sheet), _pixels(sheet)
        if (due := CachedPicture.due()) is not None:
            unseen = Sheet(QPainter(), sheet.transform, sheet.size, sheet.theme)

            def rehearse() -> None:
                _, image, _ = _dense(graph, drawing, unseen, sharpness)
                self._whole = None if image is None else (look, image, origin)

            due.append(rehearse)
            return
        sample, image, lines = _dense(graph, drawing, sheet, sharpness)
        if image is None:
            self._draw_lines(sheet, lines)
            self._note(None)
            return
        sheet.painter.drawImage(QPointF(0, 0), image)
        self._note(None if sample.drawn == sample.in_sight else (sample.drawn, sample.in_sight))
        # A picture sharper than the screen is painted band by band, each from elsewhere. What was
        # made before the first band is for all of them, so that the same edges are everywhere.
        if not CachedPicture.in_use:
            self._whole = look, image, origin

    def _note(self, sampled: tuple[int, int] | None) -> None:
        """Remember what is drawn on the screen."""
        if CachedPicture.in_use:
            self.sampled, self._whole = sampled, None

    def _draw_lines(self, sheet: Sheet, lines: Segments) -> None:
        size = sheet.size
        ink = _length(lines, size) / max(1.0, size.width() * size.height())
        opacity = min(_PLAINEST, max(_PALEST, (_EDGES_INK / max(ink, 1e-9)) ** 0.75))
        draw_lines(sheet.painter, lines, sheet.theme.colour("mean", opacity))

    def _update(self) -> None:
        super()._update()
        self.told()


def _dense(
    graph: GraphInstance,
    drawing: GraphDrawing,
    sheet: Sheet,
    pixels: tuple[float, tuple[int, int]],
) -> tuple[EdgeSample, QImage | None, Segments]:
    """Return which edges are drawn, and as what: a picture of their density, or few lines."""
    from gpu.drawing import density  # slow to import; this is mostly another thread

    edges, places, size = graph.edges, drawing.places, sheet.size
    frame = frame_of(sheet.transform)
    sample = density.sample_of(places, edges, frame, size.width(), size.height(), _EDGE_LINES)
    lines = np.empty((0, 4))
    if sample.in_sight <= _EDGE_LINES:
        lines = sheet.edges(places, edges[sample.first])
        if _length(lines, size) <= _LENGTH:
            return sample, None, lines
    sharpness, shape = pixels
    levels = density.levels_of(places, edges, frame * sharpness, shape, sample)
    strongest = 0.55 if sheet.theme.dark else 0.5
    colours = [sheet.theme.colour("mean", strongest * level / 255) for level in range(256)]
    return sample, layers.indexed(levels, colours, sharpness), lines


def _look(drawing: GraphDrawing, sheet: Sheet) -> object:
    """Return what the look of all edges depends on, wherever the map is."""
    transform = sheet.transform
    scale = transform.m11(), transform.m12(), transform.m21(), transform.m22()
    return drawing, sheet.theme, sheet.size, _pixels(sheet), scale


def _origin(sheet: Sheet) -> QPointF:
    return QPointF(sheet.transform.dx(), sheet.transform.dy())


def _pixels(sheet: Sheet) -> tuple[float, tuple[int, int]]:
    """Return how many pixels are as long as one of a sheet, and its height and width in pixels."""
    sharpness = sheet.painter.device().devicePixelRatio()
    return sharpness, (
        round(sheet.size.height() * sharpness),
        round(sheet.size.width() * sharpness),
    )


def _length(lines: Segments, size: QRectF) -> float:
    """Return the length of ``lines`` in pixels; of one that reaches far beyond ``size``, less."""
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return float(np.minimum(lengths, size.width() + size.height()).sum())


class ConflictsLayer(GraphLayer):
    """Edges with the same color at both ends; they are never hidden, and all are drawn."""

    @property
    def empty(self) -> bool:
        """Whether there is no conflict."""
        return self._drawing is None or len(self._drawing.conflicts) == 0

    @property
    def many(self) -> bool:
        """Whether they are drawn in another thread."""
        return self._drawing is not None and len(self._drawing.conflicts) > _EDGES_IN_WINDOW

    def draw_part(self, graph: GraphInstance, drawing: GraphDrawing, sheet: Sheet) -> None:
        """Draw them in front, with an outline and a ring at both ends."""
        conflicts, painter, theme = drawing.conflicts, sheet.painter, sheet.theme
        if len(conflicts) > _EDGE_LINES:
            _draw_pixels(conflicts, drawing, sheet)
            return
        lines = sheet.edges(drawing.places, conflicts)
        ends = sheet.pixels(drawing.places[np.unique(conflicts)])
        radius = diameter_of(drawing, sheet.transform, theme) / 2 + 2.5
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, width in (("text", 6.0), ("danger", 3.0)):
            draw_lines(painter, lines, theme.colour(role), width)
            painter.setPen(layers.pen(theme.colour(role), width * 0.7))
            for x, y in ends[:_RINGED]:
                painter.drawEllipse(QPointF(x, y), radius, radius)


def _draw_pixels(conflicts: NDArray[np.int32], drawing: GraphDrawing, sheet: Sheet) -> None:
    """Draw very many conflicts, a pixel wide."""
    from gpu.drawing import density

    sharpness, shape = _pixels(sheet)
    frame = frame_of(sheet.transform) * sharpness
    levels = density.levels_of(drawing.places, conflicts, frame, shape, density.EVERY_EDGE)
    colours = [sheet.theme.colour("danger", 1.0 if level else 0.0) for level in range(256)]
    sheet.painter.drawImage(QPointF(0, 0), layers.indexed(levels, colours, sharpness))


class VerticesLayer(GraphLayer):
    """Vertices with the marks of their classes; one vertex or class may stand out."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._class = -1
        self._vertices: tuple[int, ...] = ()
        self.numbered = True  # with the numbers of classes
        self.named = True  # with the names of vertices

    @property
    def many(self) -> bool:
        """Whether they are drawn in another thread."""
        return self._graph is not None and self._graph.n > MOST_IN_WINDOW

    def point_out(self, color: int, vertices: tuple[int, ...] = ()) -> None:
        """Let the class ``color`` (-1 for none), and ``vertices`` with their edges, stand out."""
        if (color, vertices) != (self._class, self._vertices):
            self._class, self._vertices = color, vertices
            self.refresh()

    def draw_part(self, graph: GraphInstance, drawing: GraphDrawing, sheet: Sheet) -> None:
        """Draw the visible vertices, with numbers if there is room."""
        painter, transform, theme = sheet.painter, sheet.transform, sheet.theme
        diameter = diameter_of(drawing, transform, theme)
        lit = [one for one in self._vertices if one < graph.n]
        for vertex in lit:
            others = graph.neighbours(vertex)
            ends = np.column_stack([np.full_like(others, vertex), others])
            colour = theme.colour("latest", 0.75 if len(ends) < 100 else 0.4)
            draw_lines(painter, sheet.edges(drawing.places, ends), colour, 1.4)
        vertices = self._in_sight(drawing, sheet, diameter)
        if vertices is None:
            self._draw_pixels(drawing, sheet)
        elif drawing.coloring is None:
            pixels = sheet.pixels(drawing.places[vertices])
            draw_points(painter, pixels, theme.colour("muted"), diameter)
        else:
            self._draw_classes(sheet, drawing, drawing.coloring, vertices, diameter)
        if drawing.coloring is not None:
            self._draw_rings(sheet, sheet.pixels(drawing.places[lit]), diameter)
            if self.numbered:
                self._write_names(painter, drawing, transform)
        if self.named and graph.names and vertices is not None and len(vertices) <= _NAMED:
            self._write_vertices(sheet, graph, drawing, vertices, diameter)

    def _in_sight(
        self, drawing: GraphDrawing, sheet: Sheet, diameter: float
    ) -> NDArray[np.intp] | None:
        """Return the vertices in sight, or None if they are too many to be drawn one by one."""
        places, size = drawing.places, sheet.size
        if not as_pixels(sheet.painter, len(places)):
            pixels = sheet.pixels(places)
            corner = [size.width(), size.height()]
            inside = (pixels >= -diameter) & (pixels - diameter <= corner)
            return np.flatnonzero(inside[:, 0] & inside[:, 1])
        from gpu.drawing import raster

        frame, found = frame_of(sheet.transform), np.empty(MOST_SINGLE, np.int32)
        frame[4:] += diameter
        wide, high = size.width() + 2 * diameter, size.height() + 2 * diameter
        count = raster.points_within(places, frame, wide, high, found)
        return None if count > MOST_SINGLE else found[:count].astype(np.intp)

    def _draw_pixels(self, drawing: GraphDrawing, sheet: Sheet) -> None:
        """Draw very many vertices as small dots in the colors of their classes."""
        from gpu.drawing import raster

        theme, marked = sheet.theme, self._class
        sharpness, shape = _pixels(sheet)
        picture = np.zeros(shape, np.uint32)
        if drawing.coloring is None:
            looks, colours = np.zeros(len(drawing.places), np.int32), [theme.colour("muted")]
        else:
            looks = drawing.coloring
            colours = [QColor(mark_of(color).colour) for color in range(int(looks.max()) + 1)]
            for color, colour in enumerate(colours):
                colour.setAlphaF(1.0 if marked in (-1, color) else _PALE_CLASS)
        raster.paint_points(
            drawing.places,
            looks,
            np.array([colour.rgba() for colour in colours], np.uint32),
            frame_of(sheet.transform) * sharpness,
            _disc(fitting_diameter(drawing, sheet.transform) * sharpness),
            marked,
            picture,
        )
        image = QImage(picture.data, shape[1], shape[0], QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(sharpness)
        sheet.painter.drawImage(QPointF(0, 0), image)

    def _draw_classes(
        self,
        sheet: Sheet,
        drawing: GraphDrawing,
        coloring: NDArray[np.int32],
        vertices: NDArray[np.intp],
        diameter: float,
    ) -> None:
        painter, theme, marked_class = sheet.painter, sheet.theme, self._class
        numbers = self.numbered and diameter >= _ROOM_FOR_NUMBER and len(vertices) <= _NUMBERED
        font = theme.font(1.0, bold=True)
        font.setPixelSize(max(7, round(diameter * 0.5)))
        painter.setFont(font)
        vertices = vertices[np.argsort(coloring[vertices], kind="stable")]
        marked = coloring[vertices] == marked_class
        # The class that stands out is drawn last, in front of all others.
        vertices = np.concatenate([vertices[~marked], vertices[marked]])
        pixels = sheet.pixels(drawing.places[vertices])
        classes, marked = coloring[vertices].astype(np.int64), np.sort(marked)
        pale = _PALE_CLASS if marked_class >= 0 else 1.0
        opacity, diameters = np.where(marked, 1.0, pale), diameter + 2.0 * marked
        draw_marks(painter, classes, pixels, diameters, opacity, theme)
        if not numbers:
            return
        if marked_class >= 0:
            classes, pixels = classes[marked], pixels[marked]
        for color, (x, y) in zip(classes.tolist(), pixels, strict=True):
            painter.setPen(mark_of(color).ink)
            spot = QRectF(x - diameter, y - diameter, 2 * diameter, 2 * diameter)
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, str(color + 1))

    def _draw_rings(self, sheet: Sheet, pixels: Points, diameter: float) -> None:
        """Draw a ring around each vertex that stands out."""
        for x, y in pixels:
            sheet.painter.setPen(sheet.theme.colour("text"))
            sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = diameter / 2 + 4
            sheet.painter.drawEllipse(QPointF(x, y), radius, radius)

    def _write_vertices(
        self,
        sheet: Sheet,
        graph: GraphInstance,
        drawing: GraphDrawing,
        vertices: NDArray[np.intp],
        diameter: float,
    ) -> None:
        """Write the names of vertices below their marks, unless one is there already."""
        painter = sheet.painter
        painter.setFont(sheet.theme.font(0.82))
        metrics = QFontMetricsF(painter.font())
        taken: list[QRectF] = []
        pixels = sheet.pixels(drawing.places[vertices])
        for vertex, (x, y) in zip(vertices.tolist(), pixels, strict=True):
            text = metrics.elidedText(
                graph.names[vertex], Qt.TextElideMode.ElideRight, _NAME_WIDEST * sheet.theme.scale
            )
            width = metrics.horizontalAdvance(text) + 2
            box = QRectF(x - width / 2, y + diameter / 2 + 1, width, metrics.height())
            if any(box.intersects(other) for other in taken):
                continue
            taken.append(box)
            lit = self._class < 0 or drawing.coloring is None
            shown = lit or (
                drawing.coloring is not None and drawing.coloring[vertex] == self._class
            )
            painter.setPen(sheet.theme.colour("text", 0.9 if shown else 0.25))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

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
    diameter = min(most, max(least, fitting_diameter(drawing, transform))) * math.sqrt(theme.scale)
    return float(math.floor(diameter)) if diameter >= SMALLEST + 1 else diameter


def fitting_diameter(drawing: GraphDrawing, transform: QTransform) -> float:
    """Return the diameter with which neighbouring vertices do not touch, in pixels."""
    return 0.8 * drawing.spacing * abs(transform.m11())


def _disc(diameter: float) -> NDArray[np.bool_]:
    """Return the pixels of a dot, as wide as a vertex may be, or a single one."""
    across = max(1, round(min(diameter, _VERTEX_DIAMETERS[1])))
    steps = np.arange(across) - (across - 1) / 2
    found: NDArray[np.bool_] = steps[:, None] ** 2 + steps**2 <= (across / 2) ** 2
    return found
