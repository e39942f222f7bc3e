"""Graphics items that draw many lines or points at once, or a picture, each one layer of a plot.

A layer draws in pixels of the viewport, and it draws separate lines with square ends: Qt fills
thousands of them in two milliseconds, but needs twenty for a path or for round ends. The result is
cached until the data or the visible range changes, so that a layer costs nothing while another one
changes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from views.widgets.cached_picture import CachedPicture
from views.widgets.theme import DARK, Theme

Points = NDArray[np.float64]  # (k, 2)
Segments = NDArray[np.float64]  # (k, 4): x and y of one end, then of the other
Shades = NDArray[np.uint8]
Join = Callable[[Shades, int], Shades]  # takes shades, and how many to join along each side

_SMOOTH = 20_000  # most lines that are drawn smooth; among more, a single line cannot be seen
_AT_ONCE = 1_000  # lines that Qt gets in one call, during which no other thread can work
_BOLD = 15_000  # most lines that are drawn wider than a pixel; more would fill the picture


def pen(colour: QColor, width: float = 1.0) -> QPen:
    """Return a pen with square ends, ``width`` pixels of the screen wide at any zoom."""
    result = QPen(colour, width)
    result.setCosmetic(CachedPicture.in_use)  # else it would be thin in a picture of more pixels
    result.setCapStyle(Qt.PenCapStyle.SquareCap)
    return result


def draw_lines(painter: QPainter, lines: Segments, colour: QColor, width: float = 1.0) -> None:
    """Draw separate lines; very many of them are drawn thin."""
    if len(lines) == 0:
        return
    width = width if len(lines) <= _BOLD else 1.0
    painter.setPen(pen(colour, width))
    smooth = painter.testRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth and len(lines) <= _SMOOTH)
    lines = _on_image(painter, lines, width)
    for first in range(0, len(lines), _AT_ONCE):
        some = lines[first : first + _AT_ONCE]
        array = PrimitiveArray(QLineF, 4)
        array.resize(len(some))
        array.ndarray()[:] = some
        painter.drawLines(*array.drawargs())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)


def _on_image(painter: QPainter, lines: Segments, width: float) -> Segments:
    """Return the lines that may be seen where an image is painted, say a band of a picture."""
    image = painter.paintEngine().paintDevice()
    if not isinstance(image, QImage):
        return lines
    to_lines, _ = painter.deviceTransform().inverted()
    size = to_lines.mapRect(QRectF(image.rect())).adjusted(-width, -width, width, width)
    return lines[within(lines, size)]


def draw_points(painter: QPainter, points: Points, colour: QColor, diameter: float) -> None:
    """Draw round dots, or single pixels if ``diameter`` is at most one."""
    if len(points) == 0:
        return
    array = PrimitiveArray(QPointF, 2)
    array.resize(len(points))
    array.ndarray()[:] = points
    round_ends = pen(colour, max(1.0, diameter))
    round_ends.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(round_ends)
    painter.drawPoints(*array.drawargs())


def path_lines(points: Points) -> Segments:
    """Return the lines of an open path; of a long one, only those that leave their pixel."""
    if len(points) > 10_000:
        pixel = np.round(points)
        moved = np.ones(len(points), dtype=bool)
        moved[1:-1] = (pixel[1:-1] != pixel[:-2]).any(axis=1)
        points = points[moved]
    return np.hstack([points[:-1], points[1:]])


def within(lines: Segments, size: QRectF) -> NDArray[np.bool_]:
    """Return which lines may touch the rectangle ``size``."""
    x1, y1, x2, y2 = lines.T
    return np.asarray(
        (np.maximum(x1, x2) >= size.left())
        & (np.minimum(x1, x2) <= size.right())
        & (np.maximum(y1, y2) >= size.top())
        & (np.minimum(y1, y2) <= size.bottom())
    )


def parts_in_sight(
    lines: Segments, size: QRectF
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return which lines cross ``size``, and from which to which share of its length each does."""
    start, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    low = np.array([size.left(), size.top()]) - start
    high = np.array([size.right(), size.bottom()]) - start
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = low / way, high / way
    beside = (way == 0) & ((low > 0) | (high < 0))  # parallel to an edge of the picture, outside
    first = np.where(way == 0, -np.inf, np.minimum(one, other)).max(axis=1)
    last = np.where(way == 0, np.inf, np.maximum(one, other)).min(axis=1)
    begin, end = np.maximum(first, 0.0), np.minimum(last, 1.0)
    seen = np.flatnonzero((begin < end) & ~beside.any(axis=1))
    return seen, begin[seen], end[seen]


def cut_to(lines: Segments, size: QRectF) -> Segments:
    """Return what lies in the rectangle ``size`` of the lines that cross it.

    A painter that writes vectors does not keep to it by itself.
    """
    seen, begin, end = parts_in_sight(lines, size)
    start, way = lines[seen, :2], lines[seen, 2:] - lines[seen, :2]
    return np.hstack([start + begin[:, None] * way, start + end[:, None] * way])


_CORNERS: dict[int, tuple[weakref.ref[Points], tuple[Points, Points]]] = {}  # the last ones


def corners(points: Points) -> tuple[Points, Points]:
    """Return the lowest and the highest coordinates, quickly for a million points.

    Several views ask for those of one instance, whose points nobody can change.
    """
    fixed = not points.flags.writeable
    if fixed and (known := _CORNERS.get(id(points))) is not None and known[0]() is points:
        return known[1]
    columns = points.T
    found = np.array([one.min() for one in columns]), np.array([one.max() for one in columns])
    if fixed:
        _CORNERS.clear()
        _CORNERS[id(points)] = weakref.ref(points), found
    return found


class Layer(QGraphicsItem):
    """One layer. A subclass draws it in pixels, in :meth:`draw`."""

    margin = 0.03  # around the data, as a share of its extent

    def __init__(self, depth: float) -> None:
        super().__init__()
        self.setZValue(depth)
        self._bounds = QRectF()
        self._theme = DARK
        self._cached = CachedPicture()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return False

    def set_bounds(self, points: Points) -> None:
        """Set the bounds to those of ``points``, with the margin."""
        self.prepareGeometryChange()
        self._bounds = QRectF()
        if len(points):
            low, high = corners(points)
            margin = self.margin * max(float((high - low).max()), 1e-9)
            self._bounds = QRectF(QPointF(*(low - margin)), QPointF(*(high + margin)))

    def set_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Draw again, after the data or the colours have changed."""
        self._cached.drop()
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the data."""
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw, or show what was drawn for the same range."""
        if widget is not None and not self.empty:
            self._cached.show(painter, widget, self._bounds, self.draw)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw in pixels of the viewport ``size``; ``transform`` maps the data to pixels."""
        raise NotImplementedError


def to_pixels(points: Points, transform: QTransform) -> Points:
    """Map ``points`` by ``transform``."""
    matrix = np.array([[transform.m11(), transform.m12()], [transform.m21(), transform.m22()]])
    pixels: Points = points @ matrix + np.array([transform.dx(), transform.dy()])
    return pixels


def brightest(shades: Shades, factor: int) -> Shades:
    """Join ``factor`` × ``factor`` shades to their largest; a mean would lose thin bands."""
    starts = np.arange(0, len(shades), factor)
    joined: Shades = np.maximum.reduceat(np.maximum.reduceat(shades, starts, 0), starts, 1)
    return joined


class PictureItem(Layer):
    """Shows shades 0 to 255 in the colours of a table: 256 of them, 0xAARRGGBB.

    A pixel is one unit wide. If the screen has fewer pixels, ``joined`` joins the shades, so that
    no wrong values are shown.
    """

    def __init__(self, colours: list[int], joined: Join = brightest) -> None:
        super().__init__(depth=0)
        self._colours, self._joined = colours, joined
        self._shades: Shades = np.zeros((0, 0), dtype=np.uint8)

    def set_picture(self, shades: Shades | None) -> bool:
        """Show ``shades`` (rows, columns); return whether the size changed."""
        shades = np.zeros((0, 0), dtype=np.uint8) if shades is None else shades
        resized = shades.shape != self._shades.shape
        if resized:
            self.prepareGeometryChange()
            rows, columns = shades.shape
            self._bounds = QRectF(0, 0, columns, rows)
        self._shades = np.ascontiguousarray(shades)
        self.refresh()
        return resized

    def set_colours(self, colours: list[int]) -> None:
        """Use other colours."""
        self._colours = colours
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no picture."""
        return len(self._shades) == 0

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw sharp pixels if they are large, else joined ones."""
        shades = self._shades
        scale = abs(transform.m11())
        if scale < 1:
            shades = np.ascontiguousarray(self._joined(shades, int(np.ceil(1 / scale - 1e-6))))
        height, width = shades.shape
        image = QImage(shades.data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(self._colours)
        painter.setTransform(transform)
        # A smoothed picture would show values that do not exist.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        painter.drawImage(self._bounds, image)
