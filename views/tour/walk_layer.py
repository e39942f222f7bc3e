"""Ants that walk along their tours on the map, and the lines that they leave behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpu.core.snapshot import Walks
from views.tour.map_layer import MapLayer
from views.widgets.background_layer import Sheet
from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import Points, draw_lines, draw_points
from views.widgets.theme import Theme

COLOURS = 12
"""Ants have so many colours, in turn: those of the lanes of a race, told apart by anybody."""

_WIDEST = 3.0  # pixels of the best ant's line; others are as much thinner as their tours are longer
_FAINTEST = 0.1  # opacity of a line among very many
_CLEAR = 6  # ants whose lines are opaque; those of more shine through each other
_BODY = ((-4.5, 5.0), (0.0, 4.0), (4.0, 4.5))  # parts of an ant: how far ahead, and how thick
_DOT = ((0.0, 5.0),)  # the same of one among many
_FEW = 60  # most ants that are drawn with all their parts
_RIM = 2.0  # pixels around an ant in the colour of the background


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """What a picture of finished steps was drawn for."""

    walks: Walks
    ants: int
    transform: QTransform
    size: tuple[int, int]
    ratio: float
    theme: Theme


class WalkLayer(MapLayer[Walks]):
    """The ants of one iteration, some steps after their start.

    All ants make their steps at the same time, however long these are. A line is the wider, the
    shorter the whole tour of its ant: so much more will it be worth when trails are laid.
    """

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.position = 0.0  # steps made by each ant, in [0, n]
        self.ants = 0  # how many are shown, the first ones
        self._laid: tuple[_Laid, int] | None = None  # what the picture has, and how many steps
        self._picture = QImage()

    @property
    def many(self) -> bool:
        """Whether it is drawn in another thread: a step is drawn at once, and then kept."""
        return False

    @property
    def steps(self) -> int:
        """Steps of a whole tour; 0 without ants."""
        return 0 if self.shown is None else self.shown.tours.shape[1]

    def show_part(self, part: Walks | None) -> None:
        """Show other ants, at their start."""
        self.position, self._laid = 0.0, None
        self.ants = 0 if part is None else len(part.tours)
        super().show_part(part)

    def go_to(self, position: float) -> None:
        """Show the ants after so many steps; part of one is the way between two cities."""
        self.position = min(max(position, 0.0), float(self.steps))
        self.update()

    def show_ants(self, ants: int) -> None:
        """Show so many of the ants."""
        self.ants = ants
        self.update()

    def places(self) -> Points:
        """Return where the ants that are shown are, (ants, 2), in coordinates of the map."""
        here, there, share = self._ways()
        places: Points = here + share * (there - here)
        return places

    def _ways(self) -> tuple[Points, Points, float]:
        """Return the ends of the edges that the ants are at, and the share that they have gone."""
        assert self.shown is not None
        step = min(int(self.position), self.steps - 1)
        tours = self.shown.tours[: self.ants]
        here, there = tours[:, step], tours[:, (step + 1) % self.steps]
        return self.cities[here], self.cities[there], _eased(self.position - step)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw the finished steps from a picture that grows with them, and the ants upon it."""
        if widget is None or self.shown is None:
            return
        transform, size, ratio = (
            painter.worldTransform(),
            QRectF(widget.rect()),
            widget.devicePixelRatioF(),
        )
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if CachedPicture.in_use:
            self._lay(transform, size, ratio)
            painter.drawImage(0, 0, self._picture)
            self._draw_ants(Sheet(painter, transform, size, self._theme))
        else:
            self.draw(painter, transform, size)
        painter.restore()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw all of it anew."""
        sheet = Sheet(painter, transform, size, self._theme)
        self._draw_steps(sheet, 0, int(self.position))
        self._draw_ants(sheet)

    def _lay(self, transform: QTransform, size: QRectF, ratio: float) -> None:
        """Bring the picture of finished steps up to date."""
        assert self.shown is not None
        pixels = round(size.width() * ratio), round(size.height() * ratio)
        wanted = self.shown, self.ants, transform, pixels, ratio, self._theme
        steps, done = int(self.position), 0
        laid = self._laid
        if laid is not None:
            of = laid[0]
            known = of.walks, of.ants, of.transform, of.size, of.ratio, of.theme
            if known[0] is wanted[0] and known[1:] == wanted[1:] and laid[1] <= steps:
                done = laid[1]
        if not done:
            self._picture = QImage(*pixels, QImage.Format.Format_ARGB32_Premultiplied)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
        if steps > done:
            with QPainter(self._picture) as inner:
                inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._draw_steps(Sheet(inner, transform, size, self._theme), done, steps)
        self._laid = _Laid(*wanted), steps

    def _draw_steps(self, sheet: Sheet, first: int, end: int) -> None:
        """Draw the edges that the ants have gone in their steps ``first`` to ``end - 1``."""
        assert self.shown is not None
        if end <= first:
            return
        tours = self.shown.tours[: self.ants]
        ends = np.arange(first, end + 1) % self.steps
        pixels = sheet.pixels(self.cities[tours[:, ends].ravel()]).reshape(self.ants, -1, 2)
        self._draw_ways(sheet, np.concatenate([pixels[:, :-1], pixels[:, 1:]], axis=2))

    def _draw_ways(self, sheet: Sheet, lines: NDArray[np.float64]) -> None:
        """Draw the lines of each ant, (ants, k, 4) in pixels, in its colour and width."""
        assert self.shown is not None
        costs = np.maximum(self.shown.costs, 1)
        widths = _WIDEST * sheet.theme.strokes * costs.min() / costs
        opacity = max(_FAINTEST, min(0.9, _CLEAR / max(self.ants, 1)))
        for colour in range(min(COLOURS, self.ants)):
            own = lines[colour::COLOURS]
            shade = sheet.theme.colour(f"lane{colour + 1}", opacity)
            if self.ants <= COLOURS:
                draw_lines(sheet.painter, sheet.in_sight(own[0]), shade, float(widths[colour]))
                continue
            width = float(widths[: self.ants][colour::COLOURS].mean())
            draw_lines(sheet.painter, sheet.in_sight(own.reshape(-1, 4)), shade, width)

    def _draw_ants(self, sheet: Sheet) -> None:
        """Draw the ants, and the way that each has gone of its present edge."""
        here, there, share = self._ways()
        begin, end = sheet.pixels(here), sheet.pixels(there)
        way = end - begin
        now = begin + share * way
        if self.position < self.steps:
            self._draw_ways(sheet, np.hstack([begin, now])[:, None])
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


def _eased(share: float) -> float:
    """Return how far an ant is after a ``share`` of a step: it begins and ends slowly."""
    return share * share * (3.0 - 2.0 * share)
