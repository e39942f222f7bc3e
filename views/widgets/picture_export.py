"""Pictures of widgets as the screen shows them, but twice as sharp, and without buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QRegion, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QSlider,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid

from views.widgets.cached_picture import CachedPicture, made_beside
from views.widgets.controls import Chip
from views.widgets.graphics import take_sizes
from views.widgets.steps import Steps, finished
from views.widgets.theme import Theme
from views.widgets.view import View

_BAND_PIXELS = 250_000  # pixels that are painted at a time


def in_bands(
    pixels: QSize,
    ratio: float,
    draw: Callable[[QPainter], object],
    kind: QImage.Format = QImage.Format.Format_RGB32,
) -> Steps[QImage]:
    """Make an image of ``pixels``, a band a step.

    ``draw`` paints all of it, once a band, in units of ``ratio`` pixels; no unit of the image is
    transparent. What takes long is made before, in another thread.
    """
    with CachedPicture.rehearsed() as due:
        corner = QImage(1, 1, kind)
        corner.setDevicePixelRatio(ratio)
        with QPainter(corner) as painter:
            draw(painter)
    for make in due:
        yield from made_beside(make)
    image, rows = QImage(pixels, kind), max(1, _BAND_PIXELS // pixels.width())
    for top in range(0, pixels.height(), rows):
        band = QImage(pixels.width(), min(rows, pixels.height() - top), kind)
        band.setDevicePixelRatio(ratio)
        with QPainter(band) as painter:
            painter.translate(0, -top / ratio)
            draw(painter)
        band.setDevicePixelRatio(1.0)
        with QPainter(image) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(0, top, band)
        yield
    return image


T = TypeVar("T")

SHARPNESS = 2  # pixels of the picture for one pixel of the screen, along each side

_CAPTION_MARGIN = 8
_TOLD_AT_ONCE = 50
_TELLING_ROUNDS = 2
_UNTOLD = Qt.WidgetAttribute.WA_PendingResizeEvent
_NO_MOUSE = Qt.WidgetAttribute.WA_TransparentForMouseEvents
_CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QProgressBar, QSlider)


def as_image(widget: QWidget, theme: Theme, caption: str = "") -> QImage:
    """Return ``widget`` as an image, with ``caption`` below it."""
    return finished(image_steps(widget, theme, caption))


def image_steps(widget: QWidget, theme: Theme, caption: str = "") -> Steps[QImage]:
    """Make the image that :func:`as_image` returns, step by step."""

    def draw() -> Steps[QImage]:
        size = _size(widget, theme, caption)

        def draw_all(painter: QPainter) -> None:
            painter.fillRect(QRect(QPoint(), size), theme.colour("panel"))
            paint(painter, widget)
            if caption:
                painter.setFont(theme.font(0.92))
                painter.setPen(theme.colour("muted"))
                below = QRectF(0, widget.height(), size.width(), size.height() - widget.height())
                place = below.adjusted(_CAPTION_MARGIN, 0, -_CAPTION_MARGIN, 0)
                flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(place, flags, caption)

        image = yield from in_bands(size * SHARPNESS, SHARPNESS, draw_all)
        image.setDevicePixelRatio(SHARPNESS)
        return image

    return (yield from settled(widget, draw))


def make_due_layouts(widget: QWidget) -> None:
    """Make the layouts of the window that are due, else they resize ``widget`` later."""
    above: QWidget | None = widget
    while above is not None:  # a layout that has changed asks the one above it
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        above = above.parentWidget()
    take_sizes(widget)  # they wait for their turn


def settled(
    widget: QWidget,
    draw: Callable[[], Steps[T]],
    fit: Callable[[View], object] | None = None,
    *,
    without: Sequence[QWidget] = (),
) -> Steps[T]:
    """Give a view the size that it has as the front tab, or that it needs to show everything.

    Then ``draw`` it, give it its former size, and return what was drawn. What can be pressed is
    hidden, but for the chips of what is drawn: they are its legend. Parts ``without`` are hidden
    too. If there is ``fit``, it gives the view its size.
    """
    make_due_layouts(widget)
    stack = widget.parentWidget()
    if isinstance(stack, QStackedWidget) and fit is None:
        widget.resize(stack.size())
    lay_out(widget)
    size, focused = widget.size(), widget.window().focusWidget()
    controls = controls_of(widget) if isinstance(widget, View) else []
    controls += [part for part in without if not part.isHidden() and part not in controls]
    chips = widget.findChildren(Chip) if isinstance(widget, View) else []
    areas = widget.findChildren(QAbstractScrollArea) if isinstance(widget, View) else []
    bars = [(one, one.horizontalScrollBarPolicy(), one.verticalScrollBarPolicy()) for one in areas]
    for control in controls:
        control.hide()
    if isinstance(widget, View):
        widget.in_picture(on=True)
        widget.setAttribute(_NO_MOUSE)  # else what the user points at would change in its midst
    for area in areas:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    for chip in chips:
        chip.setStyleSheet("QToolButton { border: none; background: none }")
    try:
        yield
        if isinstance(widget, View):
            (fit or _grow)(widget)
            lay_out(widget)
            yield
        yield from _tell_sizes(widget.window())
        if widget.size().isEmpty():  # its pane is closed
            room = widget.sizeHint().expandedTo(QSize(1, 1))
            widget.resize(room)
            lay_out(widget)
            widget.resize(room)  # a layout that was due may have closed it again
        drawn = yield from draw()
        yield
    finally:
        if isinstance(widget, View):
            widget.in_picture(on=False)
            widget.setAttribute(_NO_MOUSE, False)
        # A part may be gone meanwhile: another study or instance was opened.
        for chip in filter(isValid, chips):
            chip.setStyleSheet("")
        for control in filter(isValid, controls):
            control.show()
        for area, across, down in bars:
            if isValid(area):
                area.setHorizontalScrollBarPolicy(across)
                area.setVerticalScrollBarPolicy(down)
        if focused is not None and isValid(focused):
            focused.setFocus()
        widget.resize(size)
        lay_out(widget)
    return drawn


def _tell_sizes(window: QWidget) -> Steps[None]:
    """Let parts of the window know their size that have not been in sight since they got it.

    Qt tells all of them at once as any part of the window is rendered: in a window whose views were
    not all seen yet, that would take most of the time of a picture.
    """
    for _ in range(_TELLING_ROUNDS):  # a layout may give another size to parts that know theirs
        left = [part for part in window.findChildren(QWidget) if part.testAttribute(_UNTOLD)]
        left = [part for part in left if part.window() is window]
        for place, part in enumerate(left):
            if place % _TOLD_AT_ONCE == 0:
                yield
            if isValid(part) and part.testAttribute(_UNTOLD):
                part.setAttribute(_UNTOLD, False)
                QCoreApplication.sendEvent(part, QResizeEvent(part.size(), QSize()))
    yield


def _grow(view: View) -> None:
    """Let ``view`` have room for all that it shows."""
    for _ in range(2):  # a wider view may be a lower one
        lay_out(view)
        view.resize(view.size() + view.overflow)


def controls_of(view: View) -> list[QWidget]:
    """Return what can be pressed or moved in a view, and the labels of that."""
    shown = [part for part in view.findChildren(QWidget) if not part.isHidden()]
    return [
        part
        for part in shown
        if (isinstance(part, QLabel) and part.buddy() is not None)
        or (isinstance(part, _CONTROLS) and not (isinstance(part, Chip) and part.is_on))
    ]


def lay_out(widget: QWidget) -> None:
    """Make all layouts in ``widget``, visible or not."""
    make_due_layouts(widget)
    layout = widget.layout()
    if layout is not None:
        layout.activate()
    take_sizes(widget)
    if not widget.isVisible():
        widget.grab(QRect(0, 0, 1, 1))


def _size(widget: QWidget, theme: Theme, caption: str) -> QSize:
    """Return the size of a picture, whose caption has as many lines as it needs."""
    if not caption:
        return widget.size()
    metrics = QFontMetrics(theme.font(0.92))
    # Letters are up to a twentieth wider in a sharper picture, which does not fit them to pixels.
    room = QRect(0, 0, round(0.95 * (widget.width() - 2 * _CAPTION_MARGIN)), 1 << 16)
    lines = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, caption).height()
    return widget.size() + QSize(0, round(theme.points(0.92) * 2.4) + lines - metrics.height())


def paint(painter: QPainter, widget: QWidget) -> None:
    """Draw ``widget`` with lines and texts instead of the pixels of the screen."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    window = widget.window()
    held = not window.updatesEnabled()  # else what is in sight would be left out
    if held:
        window.setUpdatesEnabled(True)
    try:
        with CachedPicture.exact():
            widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    finally:
        if held:
            window.setUpdatesEnabled(False)
