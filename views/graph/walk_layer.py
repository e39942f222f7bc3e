"""Ants that color a graph, each in a picture of its own: vertices take their class in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpu.core.formats import number_of
from gpu.core.snapshot import MOST_COLORERS, RunState, Walks
from gpu.drawing.drawing import GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.graph.class_marks import draw_marks, mark_of
from views.graph.graph_layers import EdgesLayer, GraphLayer, diameter_of
from views.walks.laid_picture import LaidPicture, eased, sharpness
from views.widgets.background_layer import Sheet
from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import Points, draw_lines, draw_points, pen

_ANT = 7.0  # pixels of an ant,
_RIM = 2.5  # and around it, in the colour of the background
_HALO = 1.9  # how many times as wide as a vertex is what tells that it may join the class
_MOST_MARKS = 24_000  # most vertices of all pictures together
_GAP = 6.0  # pixels between two pictures


@dataclass(frozen=True, slots=True)
class AntTile:
    """The picture of one ant."""

    place: QRectF  # in pixels of the canvas
    transform: QTransform  # maps places of vertices to pixels


def tiles_of(count: int, transform: QTransform, size: QRectF, head: float) -> list[AntTile]:
    """Return the pictures of ``count`` ants, as large as they can be, with a ``head`` above each.

    Each shows what the whole canvas would show, smaller; one alone shows just that.
    """
    if count == 1:
        return [AntTile(size, transform)]

    def side(columns: int) -> float:
        rows = math.ceil(count / columns)
        return min(size.width() / columns, size.height() / rows - head) - _GAP

    columns = max(range(1, count + 1), key=side)
    rows = math.ceil(count / columns)
    wide, high = size.width() / columns, size.height() / rows
    lacking = (rows * columns - count) / 2  # pictures at each side of the last row
    share = max(side(columns), 1.0) / max(1.0, min(size.width(), size.height()))
    tiles = []
    for number in range(count):
        row, column = divmod(number, columns)
        aside = lacking if row == rows - 1 else 0.0
        place = QRectF((column + aside) * wide, row * high + head, wide, high - head)
        inner = place.adjusted(_GAP / 2, 0, -_GAP / 2, -_GAP)
        middle = inner.center()
        moved = QTransform.fromTranslate(middle.x(), middle.y()).scale(share, share)
        moved.translate(-size.center().x(), -size.center().y())
        tiles.append(AntTile(inner, transform * moved))
    return tiles


class ColoringWalkLayer(GraphLayer):
    """The ants of one iteration, some steps after their start.

    Vertices that may still join the class that an ant fills have a halo in its color: between these
    it chooses. The ant goes from the vertex that it colored last to the next one.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.walks: Walks | None = None
        self.position = 0.0  # vertices that each ant has colored, in [0, n]
        self.ants = 0  # how many are shown, the first ones
        self._followed = -1
        self._shown_tiles: list[AntTile] = []  # as they were drawn last
        self._laid = LaidPicture()
        self.filmed = False  # whether what is laid is kept even where pictures are drawn anew
        self._edges = EdgesLayer(depth)  # draws them, and is never shown itself
        self._adjacent: NDArray[np.bool_] | None = None  # (n, n), of the graph in sight
        # Of the ants at one step: the vertices that may join their classes.
        self._open: tuple[int, list[NDArray[np.intp]]] = (-1, [])

    @property
    def steps(self) -> int:
        """Steps of a whole coloring; 0 without ants."""
        return 0 if self.walks is None else self.walks.orders.shape[1]

    def show_walks(self, walks: Walks | None) -> None:
        """Show other ants, at their start."""
        self.walks, self.position, self._open = walks, 0.0, (-1, [])
        self.ants = 0 if walks is None else len(walks.orders)
        self._laid.drop()
        self.refresh()

    def show_drawing(self, graph: GraphInstance | None, drawing: GraphDrawing | None) -> None:
        """Show another graph, or other places."""
        if graph is not self._graph:
            self._adjacent = None
            self.show_walks(None)
        super().show_drawing(graph, drawing)

    def go_to(self, position: float) -> None:
        """Show the ants after so many steps."""
        self.position = min(max(position, 0.0), float(self.steps))
        self.update()

    def show_ants(self, ants: int) -> None:
        """Show so many of the ants, and no more than there is room for."""
        most = max(1, min(MOST_COLORERS, _MOST_MARKS // max(1, self.steps)))
        self.ants = min(ants, most)
        self._open = (-1, [])
        self.update()

    def follow(self, ant: int) -> None:
        """Put a frame around the picture of an ant; -1 for none."""
        self._followed = ant
        self.update()

    def ant_at(self, pixel: QPointF) -> int | None:
        """Return the ant whose picture is at a place of the canvas."""
        places = [tile.place for tile in self._shown_tiles[: self.ants]]
        return next((ant for ant, place in enumerate(places) if place.contains(pixel)), None)

    def candidates(self, step: int) -> list[NDArray[np.intp]]:
        """Return the vertices between which each ant that is shown chooses in that step, from 0."""
        if self._open[0] != step or len(self._open[1]) != self.ants:
            self._open = step, [self._candidates(ant, step) for ant in range(self.ants)]
        return self._open[1]

    def _candidates(self, ant: int, step: int) -> NDArray[np.intp]:
        assert self.walks is not None
        assert self.walks.colors is not None
        assert self._graph is not None
        if self._adjacent is None:
            near = np.zeros((self._graph.n, self._graph.n), np.bool_)
            near[tuple(self._graph.edges.T)] = True
            self._adjacent = near | near.T
        order, colors = self.walks.orders[ant], self.walks.colors[ant]
        before = order[:step]
        members = before[colors[before] == colors[order[step]]]
        free = ~self._adjacent[members].any(axis=0)
        free[before] = False
        return np.flatnonzero(free)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw colored vertices from a picture that grows with them, and the ants upon it."""
        if widget is None or self.walks is None or self._drawing is None:
            return
        transform, size = painter.worldTransform(), QRectF(widget.rect())
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if CachedPicture.in_use or self.filmed:
            sheet, of = Sheet(painter, transform, size, self._theme), (self.walks, self.ants)
            seen = (*of, self._drawing)
            ratio = sharpness(painter)
            self._laid.show(sheet, ratio, seen, int(self.position), self._draw_steps)
            self._draw_ants(sheet)
        else:
            self.draw(painter, transform, size)
        painter.restore()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw all of it anew."""
        sheet = Sheet(painter, transform, size, self._theme)
        self._draw_steps(sheet, 0, int(self.position))
        self._draw_ants(sheet)

    @property
    def _head(self) -> float:
        """Height of the line above each picture, in pixels."""
        return QFontMetricsF(self._theme.font(0.9)).height() + 2

    def _tiles(self, sheet: Sheet) -> list[AntTile]:
        return tiles_of(self.ants, sheet.transform, sheet.size, self._head)

    def _draw_steps(self, sheet: Sheet, first: float, end: float) -> None:
        """Draw the vertices that got a class in these steps; from 0 on, the bare graph too."""
        assert self.walks is not None
        assert self.walks.colors is not None
        assert self._drawing is not None
        tiles, painter = self._tiles(sheet), sheet.painter
        diameter = diameter_of(self._drawing, tiles[0].transform, sheet.theme)
        if first == 0:
            self._draw_ground(sheet, tiles, diameter)
        if end <= first:
            return
        for ant, tile in enumerate(tiles):
            vertices = self.walks.orders[ant, int(first) : int(end)]
            classes = self.walks.colors[ant, vertices].astype(np.int64)
            pixels = self._pixels(tile, vertices)
            painter.setClipRect(tile.place)
            some = np.ones(len(vertices))
            draw_marks(painter, classes, pixels, diameter * some, some, sheet.theme)
        painter.setClipping(False)

    def _pixels(self, tile: AntTile, vertices: NDArray[np.integer]) -> Points:
        assert self._drawing is not None
        sheet = Sheet(QPainter(), tile.transform, tile.place, self._theme)
        return sheet.pixels(self._drawing.places[vertices])

    def _draw_ground(self, sheet: Sheet, tiles: list[AntTile], diameter: float) -> None:
        """Draw edges and vertices without colors; edges once for all pictures."""
        assert self._drawing is not None
        assert self._graph is not None
        painter, first = sheet.painter, tiles[0]
        ratio = painter.device().devicePixelRatio()
        place = first.place
        ground = QImage(
            math.ceil(place.width() * ratio),
            math.ceil(place.height() * ratio),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        ground.setDevicePixelRatio(ratio)
        ground.fill(Qt.GlobalColor.transparent)
        corner = QTransform.fromTranslate(-place.x(), -place.y())
        with QPainter(ground) as inner:
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            there = QRectF(0, 0, place.width(), place.height())
            own = Sheet(inner, first.transform * corner, there, sheet.theme)
            self._edges.draw_part(self._graph, self._drawing, own)
            pixels = own.pixels(self._drawing.places)
            draw_points(inner, pixels, sheet.theme.colour("muted"), max(2.5, 0.55 * diameter))
        for tile in tiles:
            painter.drawImage(tile.place.topLeft(), ground)

    def _draw_ants(self, sheet: Sheet) -> None:
        """Draw what each ant does now, and say how many colors it has."""
        assert self.walks is not None
        assert self.walks.colors is not None
        assert self._drawing is not None
        tiles, step = self._tiles(sheet), int(self.position)
        self._shown_tiles = tiles
        diameter = diameter_of(self._drawing, tiles[0].transform, sheet.theme)
        for ant, tile in enumerate(tiles):
            sheet.painter.setClipRect(tile.place)
            if step < self.steps:
                self._draw_choice(sheet, ant, tile, diameter)
            sheet.painter.setClipping(False)
            if ant == self._followed and self.ants > 1:
                sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
                sheet.painter.setPen(pen(sheet.theme.colour("muted")))
                sheet.painter.drawRect(tile.place)
            done = self.walks.orders[ant, : max(1, step)]
            colors = int(self.walks.colors[ant, done].max()) + 1 if step else 0
            self._write_head(sheet, tile, ant, colors)

    def _draw_choice(self, sheet: Sheet, ant: int, tile: AntTile, diameter: float) -> None:
        """Draw the candidates of an ant's class, the vertex that it takes, and its way there."""
        assert self.walks is not None
        assert self.walks.colors is not None
        painter, theme, step = sheet.painter, sheet.theme, int(self.position)
        order, colors = self.walks.orders[ant], self.walks.colors[ant]
        color = int(colors[order[step]])
        shade, share = mark_of(color).colour, eased(self.position - step)
        free = self._pixels(tile, self.candidates(step)[ant])
        halo = theme.colour("panel")
        halo.setRgbF(shade.redF(), shade.greenF(), shade.blueF(), 0.55)
        draw_points(painter, free, halo, max(5.0, _HALO * diameter * 0.6))
        draw_points(painter, free, theme.colour("muted"), max(2.5, 0.55 * diameter))
        now = there = self._pixels(tile, order[step : step + 1])
        if step and colors[order[step - 1]] == color:
            here = self._pixels(tile, order[step - 1 : step])
            now = here + share * (there - here)
            draw_lines(painter, np.hstack([here, now]), theme.colour("text", 0.8), 1.6)
        if share > 0.5:
            grown = np.array([diameter * (2 * share - 1)])
            draw_marks(painter, np.array([color]), there, grown, np.ones(1), theme)
        draw_points(painter, now, theme.colour("panel"), _ANT * theme.scale + _RIM)
        draw_points(painter, now, theme.colour("text"), _ANT * theme.scale)

    def _write_head(self, sheet: Sheet, tile: AntTile, ant: int, colors: int) -> None:
        """Write which ant it is, and how many colors it has used."""
        assert self.walks is not None
        painter, theme, home = sheet.painter, sheet.theme, self.position == self.steps
        best = home and self.walks.costs[ant] == self.walks.costs[: self.ants].min()
        painter.setFont(theme.font(0.9, bold=bool(best)))
        painter.setPen(theme.colour("text" if home else "muted"))
        text = f"Ant {ant + 1}:  {number_of(colors, 'color')}"
        at = tile.place.topLeft()
        if self.ants == 1:
            line = QRectF(at.x() + 6, at.y() + 2, tile.place.width() - 12, self._head)
        else:
            line = QRectF(at.x(), at.y() - self._head, tile.place.width(), self._head)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)


class ColoringScene:
    """Shows ants instead of the best coloring; see :class:`views.walks.walking.WalkScene`."""

    usual = 6

    def __init__(self, walk: ColoringWalkLayer, others: tuple[GraphLayer, ...]) -> None:
        self._walk, self._others = walk, others

    @property
    def steps(self) -> int:
        """Steps of a whole coloring; 0 without ants."""
        return self._walk.steps

    def switch(self, *, on: bool) -> None:
        """Show ants from now on, or none."""
        self._walk.setVisible(on)

    def note(self, state: RunState) -> None:
        """Nothing of a state is shown but its ants."""

    def begin(self, state: RunState) -> None:
        """Show the ants at their start."""
        self._walk.show_walks(state.walks)

    def go_to(self, position: float, laid: float) -> None:
        """Show the ants after so many steps; then the best coloring comes as they fade."""
        self._walk.go_to(position)
        self._fade(laid)

    def show_ants(self, ants: int) -> None:
        """Show so many of them."""
        self._walk.show_ants(ants)

    def ant_at(self, pixel: QPointF) -> int | None:
        """Return the ant at a place of the canvas, if there is one."""
        return self._walk.ant_at(pixel)

    def follow(self, ant: int) -> None:
        """Let an ant stand out; -1 for none."""
        self._walk.follow(ant)

    def be_filmed(self) -> None:
        """Keep what finished steps have left even where pictures are drawn anew."""
        self._walk.filmed = True

    def end(self) -> None:
        """Show the best coloring alone."""
        self._fade(1.0)

    def forget(self) -> None:
        """Have no ants."""
        self._walk.show_walks(None)

    def _fade(self, laid: float) -> None:
        self._walk.setOpacity(1.0 - laid)
        for layer in self._others:
            layer.setOpacity(laid)
