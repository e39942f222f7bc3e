"""Ants that walk along their tours on the map, and the lines that they leave behind."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpu.core.snapshot import Walks
from views.tour.map_layer import MapLayer
from views.walks.laid_picture import LaidPicture, eased, sharpness
from views.widgets.background_layer import Sheet
from views.widgets.cached_picture import CachedPicture
from views.widgets.canvas_view import nearest
from views.widgets.layers import Points, draw_lines, draw_points, pen, to_pixels, within
from views.widgets.stamps import Stamps
from views.widgets.theme import Theme

COLOURS = 12
"""Ants have so many colours, in turn: those of the lanes of a race, told apart by anybody."""

_WIDEST = 3.0  # pixels of the best ant's line; others are as much thinner as their tours are longer
_FAINTEST = 0.1  # opacity of a line among very many
_CHANGED = 0.8  # opacity of an edge that is not of the tour that ants change
_CLEAR = 6  # ants whose lines are opaque; those of more shine through each other
_BODY = ((-4.5, 5.0), (0.0, 4.0), (4.0, 4.5))  # parts of an ant: how far ahead, and how thick
_DOT = ((0.0, 5.0),)  # the same of one among many
_FEW = 60  # most ants that are drawn with all their parts
_RING = 11.0  # pixels from the middle of an ant that is followed to the ring around it
_RIM = 2.0  # pixels around an ant in the colour of the background


@lru_cache(maxsize=4)
def _dots(theme: Theme, ratio: float) -> Stamps:
    """Return an ant of each colour, one among many."""
    (_, thick) = _DOT[0]

    def draw(painter: QPainter, number: int, x: float, y: float) -> None:
        place, width = np.array([[x, y]]), thick * theme.scale
        draw_points(painter, place, theme.colour("panel"), width + _RIM)
        draw_points(painter, place, theme.colour(f"lane{number + 1}"), width)

    return Stamps(COLOURS, thick * theme.scale + _RIM + 2, ratio, draw)


class WalkLayer(MapLayer[Walks]):
    """The ants of one iteration, some steps after their start.

    All ants make their steps at the same time, however long these are. A line is the wider, the
    shorter the whole tour of its ant: so much more will it be worth when trails are laid.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.position = 0.0  # steps made by each ant, in [0, n]
        self.ants = 0  # how many are shown, the first ones
        self._followed = -1
        self._seen = QTransform()  # from coordinates of the map to pixels, as it was drawn last
        self._laid = LaidPicture()
        self.filmed = False  # whether what is laid is kept even where pictures are drawn anew

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread: a step is drawn at once, and then kept."""
        return False

    @property
    def steps(self) -> int:
        """Steps of a whole tour; 0 without ants."""
        return 0 if self.shown is None else self.shown.orders.shape[1]

    def show_part(self, part: Walks | None) -> None:
        """Show other ants, at their start."""
        self.position = 0.0
        self._laid.drop()
        self.ants = 0 if part is None else len(part.orders)
        super().show_part(part)

    def go_to(self, position: float) -> None:
        """Show the ants after so many steps; part of one is the way between two cities."""
        self.position = min(max(position, 0.0), float(self.steps))
        self.update()

    def show_ants(self, ants: int) -> None:
        """Show so many of the ants."""
        self.ants = ants
        self.update()

    def follow(self, ant: int) -> None:
        """Put a ring around an ant; -1 for none."""
        self._followed = ant
        self.update()

    def ant_at(self, pixel: QPointF) -> int | None:
        """Return the ant at a place of the canvas, if there is one."""
        if self.shown is None:
            return None
        places = to_pixels(self.places(), self._seen)
        return nearest(places, pixel, (1.0, 1.0))

    def places(self) -> Points:
        """Return where the ants that are shown are, (ants, 2), in coordinates of the map."""
        here, there, share = self._ways()
        places: Points = here + share * (there - here)
        return places

    def _ways(self) -> tuple[Points, Points, float]:
        """Return the ends of the edges that the ants are at, and the share that they have gone."""
        assert self.shown is not None
        step = min(int(self.position), self.steps - 1)
        tours = self.shown.orders[: self.ants]
        here, there = tours[:, step], tours[:, (step + 1) % self.steps]
        return self.cities[here], self.cities[there], eased(self.position - step)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw the finished steps from a picture that grows with them, and the ants upon it."""
        if widget is None or self.shown is None:
            return
        transform, size = painter.worldTransform(), QRectF(widget.rect())
        self._seen = transform
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if CachedPicture.in_use or self.filmed:
            sheet, of = Sheet(painter, transform, size, self._theme), (self.shown, self.ants)
            self._laid.show(sheet, sharpness(painter), of, self._finished, self._draw_steps)
            self._draw_ants(sheet)
        else:
            self.draw(painter, transform, size)
        painter.restore()

    @property
    def _finished(self) -> float:
        """Up to where ways are drawn once and kept: of many slow ants, each bit of a way.

        Of few ones, only whole edges: one could see where bits of a line meet. Of many quick ones,
        too: nobody sees the bit behind each, which takes as long to draw as an edge.
        """
        whole = float(int(self.position))
        slow = 0.0 <= self.position - self._laid.steps < 1.0
        return self.position if self.ants > _FEW and slow else whole

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw all of it anew."""
        sheet = Sheet(painter, transform, size, self._theme)
        many = self.ants > _FEW
        self._draw_steps(sheet, 0, self.position if many else float(int(self.position)))
        self._draw_ants(sheet)

    def _draw_steps(self, sheet: Sheet, first: float, end: float) -> None:
        """Draw the ways that the ants have gone from one place of their walks to another one."""
        assert self.shown is not None
        if end <= first:
            return
        tours, steps = self.shown.orders[: self.ants], np.arange(int(first), math.ceil(end))
        pixels = sheet.pixels(self.cities[tours[:, np.append(steps, steps[-1] + 1) % self.steps]])
        here, way = pixels[:, :-1], np.diff(pixels, axis=1)
        begun, gone = (eased(np.clip(at - steps, 0.0, 1.0))[:, None] for at in (first, end))
        lines = np.concatenate([here + begun * way, here + gone * way], axis=2)
        self._draw_ways(sheet, lines, steps)

    def _draw_ways(
        self, sheet: Sheet, lines: NDArray[np.float64], steps: NDArray[np.integer]
    ) -> None:
        """Draw the lines of each ant at these steps, (ants, k, 4) in pixels, as its way looks."""
        assert self.shown is not None
        changed = self.shown.changed
        if changed is not None:
            self._draw_changes(sheet, lines, changed[: self.ants, steps])
            return
        costs = np.maximum(self.shown.costs, 1)
        widths = (_WIDEST * sheet.theme.strokes * costs.min() / costs)[: self.ants]
        opacity = max(_FAINTEST, min(0.9, _CLEAR / max(self.ants, 1)))
        colours = np.arange(self.ants).repeat(lines.shape[1]) % COLOURS
        lines = lines.reshape(-1, 4)
        seen = within(lines, sheet.size)
        lines, colours = lines[seen], colours[seen]
        for colour in range(min(COLOURS, self.ants)):
            shade = sheet.theme.colour(f"lane{colour + 1}", opacity)
            width = float(widths[colour::COLOURS].mean())
            draw_lines(sheet.painter, lines[colours == colour], shade, width)

    def _draw_changes(
        self, sheet: Sheet, lines: NDArray[np.float64], changed: NDArray[np.bool_]
    ) -> None:
        """Draw the edges that an ant has not taken over wide in its colour, the others thin."""
        colours = np.arange(self.ants)[:, None] % COLOURS
        seen = within(lines.reshape(-1, 4), sheet.size).reshape(changed.shape)
        common = sheet.theme.colour("muted", _FAINTEST)
        draw_lines(sheet.painter, lines[seen & ~changed], common)
        for colour in range(min(COLOURS, self.ants)):
            own = lines[seen & changed & (colours == colour)]
            shade = sheet.theme.colour(f"lane{colour + 1}", _CHANGED)
            draw_lines(sheet.painter, own, shade, _WIDEST * sheet.theme.strokes)

    def _draw_ants(self, sheet: Sheet) -> None:
        """Draw the ants, and the way that each has gone of its present edge."""
        here, there, share = self._ways()
        begin, end = sheet.pixels(here), sheet.pixels(there)
        way = end - begin
        now = begin + share * way
        if 0 <= self._followed < self.ants:
            sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
            for role, width in (("panel", 5.0), ("text", 2.0)):
                sheet.painter.setPen(pen(sheet.theme.colour(role), width * sheet.theme.scale))
                radius = _RING * sheet.theme.scale
                sheet.painter.drawEllipse(QPointF(*now[self._followed]), radius, radius)
        if self.ants <= _FEW and int(self.position) < self.position:
            here_now = np.array([min(int(self.position), self.steps - 1)])
            self._draw_ways(sheet, np.hstack([begin, now])[:, None], here_now)
        if self.ants > _FEW and CachedPicture.in_use:
            ratio = sheet.painter.device().devicePixelRatio()
            _dots(sheet.theme, ratio).draw(sheet.painter, np.arange(self.ants) % COLOURS, now)
            return
        lengths = np.hypot(way[:, 0], way[:, 1])[:, None]
        along = way / np.maximum(lengths, 1e-9)
        scale, body = sheet.theme.scale, _BODY if self.ants <= _FEW else _DOT
        for ahead, thick in body:
            places, rim = now + along * ahead * scale, thick * scale + _RIM
            draw_points(sheet.painter, places, sheet.theme.colour("panel"), rim)
        for ahead, thick in body:
            places = now + along * ahead * scale
            for colour in range(min(COLOURS, self.ants)):
                shade = sheet.theme.colour(f"lane{colour + 1}")
                draw_points(sheet.painter, places[colour::COLOURS], shade, thick * scale)
