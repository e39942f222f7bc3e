"""Pictures of widgets for export: twice as sharp as the screen, or as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QProgressBar,
    QSlider,
    QStackedWidget,
    QWidget,
)

from views.widgets.cached_picture import CachedPicture
from views.widgets.chips import Chip
from views.widgets.theme import Theme
from views.widgets.view import View

SHARPNESS = 2  # pixels of the picture for one pixel of the screen, along each side

_MARGIN = 8
_CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QProgressBar, QSlider)


def as_image(widget: QWidget, theme: Theme, caption: str = "") -> QImage:
    """Return ``widget`` as an image, with ``caption`` below it."""
    with _settled(widget):
        size = _size(widget, theme, caption)
        image = QImage(size * SHARPNESS, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(SHARPNESS)
        with QPainter(image) as painter:
            _paint(painter, widget, theme, caption, size)
    return image


def as_svg(widget: QWidget, theme: Theme, title: str, caption: str = "") -> bytes:
    """Return ``widget`` as an SVG document, with ``caption`` below it."""
    buffer, generator = QBuffer(), QSvgGenerator()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(buffer)
    generator.setTitle(title)
    generator.setDescription(caption)
    with _settled(widget):
        size = _size(widget, theme, caption)
        generator.setSize(size)
        generator.setViewBox(QRect(QPoint(), size))
        with QPainter(generator) as painter:
            _paint(painter, widget, theme, caption, size)
    return bytes(buffer.data().data())


def make_due_layouts(widget: QWidget) -> None:
    """Make the layouts of the window that are due, else they resize ``widget`` later."""
    above: QWidget | None = widget
    while above is not None:  # a layout that has changed asks the one above it
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        above = above.parentWidget()


@contextmanager
def _settled(widget: QWidget) -> Iterator[None]:
    """Give a view the size that it has as the front tab, or that it needs to show everything.

    What can be pressed is hidden, but for the chips of what is drawn: they are its legend.
    """
    make_due_layouts(widget)
    stack = widget.parentWidget()
    if isinstance(stack, QStackedWidget):
        widget.resize(stack.size())
    _lay_out(widget)
    size, focused = widget.size(), widget.window().focusWidget()
    controls = controls_of(widget) if isinstance(widget, View) else []
    chips = widget.findChildren(Chip) if isinstance(widget, View) else []
    areas = widget.findChildren(QAbstractScrollArea) if isinstance(widget, View) else []
    bars = [(one.horizontalScrollBarPolicy(), one.verticalScrollBarPolicy()) for one in areas]
    for control in controls:
        control.hide()
    for area in areas:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    for chip in chips:
        chip.setStyleSheet("QToolButton { border: none; background: none }")
    if isinstance(widget, View):
        for _ in range(2):  # a wider view may be a lower one
            _lay_out(widget)
            widget.resize(widget.size() + widget.overflow)
        _lay_out(widget)
    try:
        yield
    finally:
        for chip in chips:
            chip.setStyleSheet("")
        for control in controls:
            control.show()
        for area, (across, down) in zip(areas, bars, strict=True):
            area.setHorizontalScrollBarPolicy(across)
            area.setVerticalScrollBarPolicy(down)
        if focused is not None:
            focused.setFocus()
        widget.resize(size)
        _lay_out(widget)


def controls_of(view: View) -> list[QWidget]:
    """Return what can be pressed or moved in a view, and the labels of that."""
    shown = [part for part in view.findChildren(QWidget) if not part.isHidden()]
    return [
        part
        for part in shown
        if (isinstance(part, QLabel) and part.buddy() is not None)
        or (isinstance(part, _CONTROLS) and not (isinstance(part, Chip) and part.is_on))
    ]


def _lay_out(widget: QWidget) -> None:
    """Make all layouts in ``widget``, visible or not."""
    make_due_layouts(widget)
    layout = widget.layout()
    if layout is not None:
        layout.activate()
    if not widget.isVisible():
        widget.grab(QRect(0, 0, 1, 1))


def _size(widget: QWidget, theme: Theme, caption: str) -> QSize:
    """Return the size of a picture, whose caption has as many lines as it needs."""
    if not caption:
        return widget.size()
    metrics = QFontMetrics(theme.font(0.92))
    # Letters are up to a twentieth wider in a sharper picture, which does not fit them to pixels.
    room = QRect(0, 0, round(0.95 * (widget.width() - 2 * _MARGIN)), 1 << 16)
    lines = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, caption).height()
    return widget.size() + QSize(0, round(theme.points(0.92) * 2.4) + lines - metrics.height())


def _paint(painter: QPainter, widget: QWidget, theme: Theme, caption: str, size: QSize) -> None:
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.fillRect(QRect(QPoint(), size), theme.colour("panel"))
    with CachedPicture.exact():
        widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    if caption:
        painter.setFont(theme.font(0.92))
        painter.setPen(theme.colour("muted"))
        below = size.height() - widget.height()
        band = QRectF(_MARGIN, widget.height(), size.width() - 2 * _MARGIN, below)
        painter.drawText(band, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, caption)
