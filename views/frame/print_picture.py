"""Pictures of views for print: of a size on paper, in colours and type of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QBuffer, QMarginsF, QPoint, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from views.frame.picture_look import CM_PER_INCH, PictureLook
from views.plots.trail_table import ColourBar
from views.widgets.canvas_view import CanvasView
from views.widgets.controls import Chip
from views.widgets.picture_export import in_bands, lay_out, paint, settled
from views.widgets.steps import Steps
from views.widgets.styling import sheet_of, sheet_steps
from views.widgets.theme import Theme
from views.widgets.view import View

T = TypeVar("T")

_TITLE_MARGIN = 8  # pixels of the screen around the title
_SIZES_TRIED = 4  # most tries to find a size with room for everything


@dataclass(frozen=True, slots=True)
class PicturedView:
    """What a picture is of."""

    view: View
    title: str  # a line that says what is shown
    theme: Theme  # that the view has in the window


@dataclass(frozen=True, slots=True)
class _Page:
    size: QSizeF  # of the picture, in pixels of the screen
    scale: float  # by which the view is made smaller to have room for everything
    head: int  # height of the title, in pixels of the view


def as_image(of: PicturedView, look: PictureLook) -> Steps[QImage]:
    """Make a picture as pixels."""
    image, _ = yield from _image_of(of, look, look.pixels)
    metre = round(look.dpi * 100 / CM_PER_INCH)
    image.setDotsPerMeterX(metre)
    image.setDotsPerMeterY(metre)
    return image


def preview(of: PicturedView, look: PictureLook, room: QSize) -> Steps[tuple[QImage, float]]:
    """Make the largest picture that fits ``room``; tell the size of its type on paper, too."""
    pixels = look.pixels.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
    image, page = yield from _image_of(of, look, pixels.expandedTo(QSize(1, 1)))
    return image, look.points * page.scale


def _image_of(of: PicturedView, look: PictureLook, pixels: QSize) -> Steps[tuple[QImage, _Page]]:
    def draw(page: _Page) -> Steps[tuple[QImage, _Page]]:
        ratio = pixels.width() / page.size.width()
        image = yield from in_bands(pixels, ratio, lambda painter: _paint(painter, of, look, page))
        return image, page

    return (yield from _dressed(of, look, draw))


def as_svg(of: PicturedView, look: PictureLook) -> Steps[bytes]:
    """Make a picture as an SVG document."""
    buffer, generator = QBuffer(), QSvgGenerator()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(buffer)
    generator.setTitle(f"{of.view.title}: {of.title}" if look.title else "")
    generator.setDescription(of.title if look.title else "")

    def draw(page: _Page) -> Steps[None]:
        yield
        generator.setResolution(of.view.logicalDpiX())
        generator.setSize(page.size.toSize())
        generator.setViewBox(QRectF(0, 0, page.size.width(), page.size.height()))
        with QPainter(generator) as painter:
            _paint(painter, of, look, page)

    yield from _dressed(of, look, draw)
    return bytes(buffer.data().data())


def as_pdf(of: PicturedView, look: PictureLook) -> Steps[bytes]:
    """Make a picture as a PDF of one page, which has the size of the picture."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(f"{of.view.title}: {of.title}" if look.title else "")
    writer.setCreator("Formicarium")

    def draw(page: _Page) -> Steps[None]:
        yield
        writer.setResolution(of.view.logicalDpiX())
        inches = QSizeF(*look.inches)
        size = QPageSize(inches, QPageSize.Unit.Inch, "", QPageSize.SizeMatchPolicy.ExactMatch)
        writer.setPageSize(size)
        writer.setPageMargins(QMarginsF())
        with QPainter(writer) as painter:
            _paint(painter, of, look, page)

    yield from _dressed(of, look, draw)
    return bytes(buffer.data().data())


def onto(painter: QPainter, of: PicturedView, look: PictureLook, place: QRectF) -> Steps[None]:
    """Draw a picture with ``painter`` at ``place``, whose shape is that of ``look``."""

    def draw(page: _Page) -> Steps[None]:
        yield
        painter.save()
        painter.translate(place.topLeft())
        painter.scale(place.width() / page.size.width(), place.height() / page.size.height())
        painter.setClipRect(QRectF(QPoint(), page.size))
        _paint(painter, of, look, page)
        painter.restore()

    yield from _dressed(of, look, draw)


PICTURE_MAKERS: dict[str, Callable[[PicturedView, PictureLook], Steps[QImage | bytes]]] = {
    "png": as_image,
    "svg": as_svg,
    "pdf": as_pdf,
}


def _dressed(of: PicturedView, look: PictureLook, draw: Callable[[_Page], Steps[T]]) -> Steps[T]:
    """Give the view the colours, the type and the size of a picture, draw it, and undo all that."""
    view, colours = of.view, look.colours
    wanted = QSizeF(*(view.logicalDpiX() * side for side in look.inches))
    without: list[QWidget] = []
    if not look.legend:
        without += [*view.findChildren(Chip), *view.findChildren(ColourBar)]
    if not look.title and isinstance(view, CanvasView):
        without.append(view.caption)
    page = _Page(wanted, 1.0, 0)

    def fit(_: View) -> None:
        nonlocal page
        page = _page_for(of, look, wanted)

    yield from view.theme_steps()
    view.draw_all()
    yield
    stack = view.parentWidget()
    around = None if stack is None else stack.layout()
    undo: list[Callable[[], object]] = [
        *sheet_steps(view, "", Chip),
        lambda: view.apply_theme(of.theme),
        lambda: lay_out(view),
    ]
    if around is not None:
        around.setEnabled(False)  # else the window would give the view its own size again
        undo.append(lambda: around.setEnabled(True))
    try:
        for step in sheet_steps(view, sheet_of(colours), Chip):
            step()
            yield
        view.apply_theme(colours)
        yield
        drawn = yield from settled(view, lambda: draw(page), fit, without=without)
        while len(undo) > 1:
            yield
            undo.pop(0)()
    finally:
        for step in undo:
            step()
    return drawn


def _page_for(of: PicturedView, look: PictureLook, wanted: QSizeF) -> _Page:
    """Give the view the least size of the picture's shape that has room for everything."""
    view, factor = of.view, 1.0
    for _ in range(_SIZES_TRIED):
        width = math.ceil(wanted.width() * factor)
        head = _head(of, look, width)
        size = QSize(width, math.ceil(wanted.height() * factor) - head)
        view.resize(size.expandedTo(QSize(1, 1)))
        lay_out(view)
        lacks, least = view.overflow, view.minimumSizeHint()
        needs = least.expandedTo(size + lacks)
        layout = view.layout()
        if layout is not None and layout.hasHeightForWidth():
            needs = needs.expandedTo(QSize(0, layout.totalMinimumHeightForWidth(width)))
        more = max(needs.width() / width, (needs.height() + head) / (size.height() + head))
        if more <= 1.0:
            break
        factor *= more
    return _Page(wanted, 1.0 / factor, head)


def _head(of: PicturedView, look: PictureLook, width: int) -> int:
    """Return the height of the title above the view."""
    if not look.title:
        return 0
    room = QRect(0, 0, round(0.95 * (width - 2 * _TITLE_MARGIN)), 1 << 16)
    metrics = QFontMetrics(look.colours.font(1.05, bold=True))
    lines = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, _title(of))
    return lines.height() + _TITLE_MARGIN


def _title(of: PicturedView) -> str:
    return f"{of.view.title}: {of.title}" if of.title else of.view.title


def _paint(painter: QPainter, of: PicturedView, look: PictureLook, page: _Page) -> None:
    colours, view = look.colours, of.view
    painter.fillRect(QRectF(QPoint(), page.size), colours.colour("panel"))
    painter.scale(page.scale, page.scale)
    if page.head:
        painter.setFont(colours.font(1.05, bold=True))
        painter.setPen(colours.colour("text"))
        band = QRectF(
            _TITLE_MARGIN,
            _TITLE_MARGIN,
            view.width() - 2 * _TITLE_MARGIN,
            page.head - _TITLE_MARGIN,
        )
        painter.drawText(band, Qt.TextFlag.TextWordWrap, _title(of))
        painter.translate(0, page.head)
    paint(painter, view)
