"""Graphics items that draw many lines or points at once, or a picture, each one layer of a plot.

A layer draws in pixels of the viewport, and it draws separate lines with square ends: Qt fills
thousands of them in two milliseconds, but needs twenty for a path or for round ends. The result is
cached until the data or the visible range changes, so that a layer costs nothing while another one
changes. Of dashes only those in sight are made: zoomed in, a line is very long.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from views.widgets.cached_picture import PEN_REACH, CachedPicture
from views.widgets.theme import DARK, Theme

Points = NDArray[np.float64]  # (k, 2)
Segments = NDArray[np.float64]  # (k, 4): x and y of one end, then of the other
Shades = NDArray[np.uint8]
Join = Callable[[Shades, int], Shades]  # takes shades, and how many to join along each side

_MOST_SMOOTH = 20_000  # most lines that are drawn smooth; among more, a single line cannot be seen
_LINES_AT_ONCE = 1_000  # lines that Qt gets in one call, during which no other thread can work
_MOST_WIDE = 15_000  # most lines that are drawn wider than a pixel; more would fill the picture


def pen(colour: QColor, width: float = 1.0) -> QPen:
    """Return a pen with square ends, for who draws in pixels of a viewport: ``width`` of them.

    It is not cosmetic: on a screen or in a picture with several pixels for each of the viewport's,
    it would be thin.
    """
    result = QPen(colour, width)
    result.setCapStyle(Qt.PenCapStyle.SquareCap)
    return result


def draw_lines(painter: QPainter, lines: Segments, colour: QColor, width: float = 1.0) -> None:
    """Draw separate lines; very many of them are drawn thin."""
    if len(lines) == 0:
        return
    width = width if len(lines) <= _MOST_WIDE else 1.0
    painter.setPen(pen(colour, width))
    smooth = painter.testRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth and len(lines) <= _MOST_SMOOTH)
    lines = _on_image(painter, lines, width)
    for first in range(0, len(lines), _LINES_AT_ONCE):
        some = lines[first : first + _LINES_AT_ONCE]
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


# Of arrays that nobody can change, as long as they are there.
_CORNERS: dict[int, tuple[weakref.ref[Points], tuple[Points, Points]]] = {}


def corners(points: Points) -> tuple[Points, Points]:
    """Return the lowest and the highest coordinates, quickly for ten million points.

    Several views ask for those of one instance, whose points nobody can change. Whoever loads it
    asks before, in another thread.
    """
    fixed, key = not points.flags.writeable, id(points)
    if fixed and (known := _CORNERS.get(key)) is not None and known[0]() is points:
        return known[1]
    columns = points.T
    found = np.array([one.min() for one in columns]), np.array([one.max() for one in columns])
    if fixed:
        _CORNERS[key] = weakref.ref(points, lambda _: _CORNERS.pop(key, None)), found
    return found


class Layer(QGraphicsItem):
    """One layer. A subclass draws it in pixels, in :meth:`draw`."""

    margin = 0.03  # around the data, as a share of its extent
    reach = PEN_REACH  # pixels that what is drawn may reach beyond that

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
        if self.reach > PEN_REACH and (scene := self.scene()) is not None:
            for view in scene.views():  # what is drawn beyond the bounds changes, too
                view.viewport().update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the data."""
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw, or show what was drawn for the same range."""
        if widget is not None and not self.empty:
            self._cached.show(painter, widget, self._bounds, self.draw, self.reach)

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw in pixels of the viewport ``size``; ``transform`` maps the data to pixels."""
        raise NotImplementedError

    def series(self) -> Sequence[tuple[str, Points]]:
        """Return what it shows in a plot, by name: points, float64 of shape (k, 2)."""
        return ()


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
        self.shades: Shades = np.zeros((0, 0), dtype=np.uint8)

    def set_picture(self, shades: Shades | None) -> bool:
        """Show ``shades`` (rows, columns); return whether the size changed."""
        shades = np.zeros((0, 0), dtype=np.uint8) if shades is None else shades
        resized = shades.shape != self.shades.shape
        if resized:
            self.prepareGeometryChange()
            rows, columns = shades.shape
            self._bounds = QRectF(0, 0, columns, rows)
        self.shades = np.ascontiguousarray(shades)
        self.refresh()
        return resized

    def set_colours(self, colours: list[int]) -> None:
        """Use other colours."""
        self._colours = colours
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no picture."""
        return len(self.shades) == 0

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw sharp pixels if they are large, else joined ones."""
        shades = self.shades
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


ON, OFF = 5.0, 4.0  # pixels of a dash, and of the gap after it


def dashed(points: Points, size: QRectF, on: float = ON, off: float = OFF) -> Segments:
    """Return the dashes of an open path in ``size``, which go around its corners.

    Parameters
    ----------
    points : numpy.ndarray
        Corners of the path in pixels, shape (k, 2), k ≥ 1.
    size : QRectF
        What can be seen, in pixels.
    on, off : float
        Length of a dash and of the gap after it, in pixels.
    """
    lines = np.hstack([points[:-1], points[1:]])
    before = np.concatenate([[0.0], np.cumsum(_lengths(lines))])[:-1]
    every = np.full(len(lines), on + off)
    return _dashes(lines, size, on * np.ones(len(lines)), every, before)


def dashed_lines(lines: Segments, size: QRectF, on: float = ON, off: float = OFF) -> Segments:
    """Return the dashes of separate lines in ``size``, with one at both ends of each line.

    They are about as long as in :func:`dashed`.
    """
    lengths = _lengths(lines)
    counts = np.maximum(1.0, np.round((lengths + off) / (on + off)))
    every = lengths / (counts - off / (on + off))  # there is no gap after the last dash
    return _dashes(lines, size, every * on / (on + off), every, np.zeros(len(lines)))


def _lengths(lines: Segments) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return lengths


def _dashes(
    lines: Segments,
    size: QRectF,
    on: NDArray[np.float64],
    every: NDArray[np.float64],
    before: NDArray[np.float64],
) -> Segments:
    """Return the dashes in sight: of each line ``on`` pixels, ``every`` so many.

    The pattern begins ``before`` pixels before the line does.
    """
    seen, begin, end = parts_in_sight(lines, size)
    lines, on, every, before = lines[seen], on[seen], every[seen], before[seen]
    lengths = np.maximum(_lengths(lines), 1e-9)
    begin, end, every = before + begin * lengths, before + end * lengths, np.maximum(every, 1e-9)
    first = np.floor(begin / every)
    counts = (np.floor(end / every) - first + 1).astype(int)
    which = np.repeat(np.arange(len(lines)), counts)
    number = first[which] + np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = np.maximum(number * every[which], begin[which])
    stop = np.minimum(number * every[which] + on[which], end[which])
    drawn = start < stop
    which, start, stop = which[drawn], start[drawn], stop[drawn]
    origin, way = lines[which, :2], lines[which, 2:] - lines[which, :2]
    one, other = (
        origin + way * ((place - before[which]) / lengths[which])[:, None]
        for place in (start, stop)
    )
    return np.hstack([one, other])


class PlotCurve(Layer):
    """A line through points; NaN breaks it."""

    def __init__(
        self,
        depth: float,
        role: str,
        width: float,
        *,
        dashes: bool = False,
        dots: bool = False,
        steps: bool = False,  # whether a value stays until the next point, instead of a slope
        name: str = "",  # what it shows, for a table of the plot; without one it is not in it
    ) -> None:
        super().__init__(depth)
        self.name = name
        self._role, self._width, self._dashes, self._dots = role, width, dashes, dots
        self._steps = steps
        self.points: Points = np.empty((0, 2))

    def set_points(self, points: Points) -> None:
        """Take other points, float64 of shape (k, 2)."""
        if np.array_equal(points, self.points, equal_nan=True):
            return
        self.points = points
        self.set_bounds(points[np.isfinite(points).all(axis=1)])
        self.refresh()

    def series(self) -> Sequence[tuple[str, Points]]:
        """Return its points under its name."""
        return [(self.name, self.points)] if self.name else ()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the line, and its dots where it has some."""
        if len(self.points) == 0:
            return
        colour = self._theme.colour(self._role)
        look = {"dashes": self._dashes, "steps": self._steps}
        width = self._width * self._theme.strokes
        pixels = draw_curve(painter, transform, size, self.points, colour, width, **look)
        if self._dots or len(self.points) == 1:
            shown = pixels[np.isfinite(pixels).all(axis=1)]
            draw_points(painter, shown, colour, width + 4)


def draw_curve(
    painter: QPainter,
    transform: QTransform,
    size: QRectF,
    points: Points,
    colour: QColor,
    width: float,
    *,
    dashes: bool = False,
    steps: bool = False,
) -> Points:
    """Draw a line through at least one point, and return its corners in pixels."""
    if steps:
        points = np.column_stack([points[:, 0].repeat(2)[1:], points[:, 1].repeat(2)[:-1]])
    pixels = to_pixels(points, transform)
    pixels = np.where(np.isfinite(pixels), np.clip(pixels, -1e5, 1e5), np.nan)
    lines = dashed(pixels, size) if dashes else np.hstack([pixels[:-1], pixels[1:]])
    if len(lines):
        shown = painter.clipBoundingRect() if painter.hasClipping() else size
        draw_lines(painter, cut_to(lines, shown & size), colour, width)
    return pixels


_LEAST_MARK = 5.0  # pixels: smaller marks would hide between the pixels of a picture


class MarksLayer(Layer):
    """Outlines around rectangles, light in dark and dark in light: seen on every colour."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.marks: tuple[QRectF, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there are no marks."""
        return not self.marks

    def show_marks(self, marks: Sequence[QRectF], around: QRectF) -> None:
        """Mark these rectangles in a picture that takes the place ``around``."""
        if tuple(marks) == self.marks and around == self._bounds:
            return
        self.prepareGeometryChange()
        self.marks, self._bounds = tuple(marks), around
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the outlines."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        sight = size.adjusted(-_LEAST_MARK, -_LEAST_MARK, _LEAST_MARK, _LEAST_MARK)
        for mark in self.marks:
            box = transform.mapRect(mark)
            wider = max(0.0, (_LEAST_MARK - box.width()) / 2)
            higher = max(0.0, (_LEAST_MARK - box.height()) / 2)
            box = box.adjusted(-wider, -higher, wider, higher).intersected(sight)
            for colour, width in ((Qt.GlobalColor.black, 3.5), (Qt.GlobalColor.white, 1.5)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(box)


MASKED = 255  # in a mask: a pixel that is to be coloured
MOST_IN_WINDOW = 12_000  # most places of what is drawn in the thread of the window
MOST_LINES = 100_000  # most places of what is drawn line by line in a drawing of lines
MOST_SINGLE = 6_000  # most lines or dots in sight that are drawn one by one


def as_pixels(painter: QPainter, places: int) -> bool:
    """Whether so many places are too many to be drawn one by one: a file of lines may have more."""
    lines = painter.paintEngine().type() in (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
    return places > (MOST_LINES if lines else MOST_IN_WINDOW)


def draw_path(
    painter: QPainter,
    places: Points,
    path: NDArray[np.int32],
    transform: QTransform,
    size: QRectF,
    colour: QColor,
    width: float = 1.0,
) -> None:
    """Draw the lines of a closed path through ``places`` that are in the picture."""
    from gpu.drawing import raster  # slow to import; this is mostly another thread

    frame, found = frame_of(transform), np.empty(MOST_SINGLE, np.int32)
    count = raster.lines_within(places, path, frame, size.width(), size.height(), found)
    if count > MOST_SINGLE:
        with _coloured(painter, size, colour) as (mask, sharpness):
            raster.mark_lines(places, path, frame * sharpness, mask)
        return
    begin = found[:count]
    ends = (places[path[begin]], places[path[(begin + 1) % len(path)]])
    lines = np.hstack([to_pixels(end, transform) for end in ends])
    draw_lines(painter, lines, colour, width)


def places_in_sight(
    painter: QPainter, places: Points, transform: QTransform, size: QRectF, colour: QColor
) -> Points:
    """Return the pixels of the places in the picture; draw more than ``MOST_SINGLE``."""
    from gpu.drawing import raster

    frame, found = frame_of(transform), np.empty(MOST_SINGLE, np.int32)
    count = raster.points_within(places, frame, size.width(), size.height(), found)
    if count > MOST_SINGLE:
        with _coloured(painter, size, colour) as (mask, sharpness):
            raster.mark_points(places, frame * sharpness, mask)
        count = 0
    return to_pixels(places[found[:count]], transform)


def frame_of(transform: QTransform) -> NDArray[np.float64]:
    """Return the six numbers of ``transform`` that :mod:`gpu.drawing.raster` takes."""
    return np.array(
        [getattr(transform, name)() for name in ("m11", "m12", "m21", "m22", "dx", "dy")]
    )


_CLEAR = QColor(0, 0, 0, 0)


@contextmanager
def _coloured(
    painter: QPainter, size: QRectF, colour: QColor
) -> Iterator[tuple[NDArray[np.uint8], float]]:
    """Give a mask and how many of its pixels are as long as one of ``size``; draw what it has."""
    sharpness = painter.device().devicePixelRatio()
    height, width = round(size.height() * sharpness), round(size.width() * sharpness)
    mask = np.zeros((height, width), np.uint8)
    yield mask, sharpness
    painter.drawImage(QPointF(0, 0), indexed(mask, [_CLEAR] * MASKED + [colour], sharpness))


def indexed(levels: Shades, colours: Sequence[QColor], sharpness: float) -> QImage:
    """Return a picture whose ``levels``, (height, width), are indices of 256 ``colours``."""
    height, width = levels.shape
    image = QImage(levels.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable([colour.rgba() for colour in colours])
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(sharpness)
    return image
