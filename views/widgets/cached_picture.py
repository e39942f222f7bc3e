"""What an item has drawn: kept until it changes, or made in another thread and moved with it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import ClassVar, TypeVar
from weakref import WeakSet

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, QSizeF, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPixmap, QTransform
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from gpu.core.machine.processes import lower_priority

# Draws in pixels. Takes the painter, the transform from the coordinates of the item to pixels, and
# the rectangle of the viewport.
Draw = Callable[[QPainter, QTransform, QRectF], None]

PEN_REACH = 8.0  # pixels that lines and dots may reach beyond their bounds: a dot's have no size


class CachedPicture:
    """What one item has drawn, in pixels of the viewport."""

    in_use: ClassVar[bool] = True  # whether items use their caches now; see :meth:`exact`
    _due: ClassVar[tuple[int, list[Callable[[], object]]] | None] = None  # see :meth:`due`

    _all: ClassVar[WeakSet[CachedPicture]] = WeakSet()

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._drawn_for: object = None
        self._viewport: QWidget | None = None  # where it was shown last
        self._all.add(self)

    @classmethod
    def free(cls, hidden: QWidget) -> None:
        """Give back the memory of all pictures in a widget that nobody sees now."""
        for one in cls._all:
            place = one._viewport
            if place is not None and (not isValid(place) or hidden.isAncestorOf(place)):
                one.drop()
                one._pixmap, one._viewport = QPixmap(), None

    @classmethod
    @contextmanager
    def exact(cls) -> Iterator[None]:
        """Let all items draw instead of using pixels, for pictures sharper than the screen."""
        cls.in_use = False
        try:
            yield
        finally:
            cls.in_use = True

    @classmethod
    @contextmanager
    def rehearsed(cls) -> Iterator[list[Callable[[], object]]]:
        """Let items say what takes long of what they are to draw; any thread may make it."""
        due: list[Callable[[], object]] = []
        cls._due = threading.get_ident(), due
        try:
            yield due
        finally:
            cls._due = None

    @classmethod
    def due(cls) -> list[Callable[[], object]] | None:
        """Return where an item says so instead of drawing; None if this thread does not rehearse.

        See :meth:`rehearsed`.
        """
        due = cls._due
        return due[1] if due is not None and due[0] == threading.get_ident() else None

    def drop(self) -> None:
        """Draw again the next time."""
        self._drawn_for = None

    def show(
        self,
        painter: QPainter,
        widget: QWidget,
        bounds: QRectF,
        draw: Draw,
        reach: float = PEN_REACH,
    ) -> None:
        """Show what was drawn for the same range in the viewport ``widget``, else ``draw`` it.

        ``painter`` is what an item's ``paint`` gets. ``bounds`` says where the item draws, in its
        coordinates; pens and texts may ``reach`` so many pixels beyond.
        """
        transform = painter.worldTransform()
        size = QRectF(widget.rect())
        painter.save()
        painter.resetTransform()
        if self.in_use:
            self._viewport = widget
            ratio = widget.devicePixelRatioF()
            wanted_for = (transform, widget.size(), ratio)
            if self._drawn_for != wanted_for:
                self._drawn_for = wanted_for
                if self._pixmap.size() != widget.size() * ratio:
                    self._pixmap = QPixmap(widget.size() * ratio)
                self._pixmap.setDevicePixelRatio(ratio)
                self._pixmap.fill(Qt.GlobalColor.transparent)
                with QPainter(self._pixmap) as inner:
                    inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                    draw(inner, transform, size)
            # Copies only the part that was drawn: five layers of a large window are many pixels.
            drawn = transform.mapRect(bounds).adjusted(-reach, -reach, reach, reach)
            part = drawn.intersected(size).toAlignedRect()
            source = QRectF(part.topLeft() * ratio, QSizeF(part.size() * ratio))
            painter.drawPixmap(QRectF(part), self._pixmap, source)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(painter, transform, size)
        painter.restore()


_PAINTER_NICENESS = 5  # more than the window's, and less than a colony's
_ORDER_PATIENCE = 0.1  # seconds that the thread waits for an order
_THREAD_REST = 0.04  # seconds after each picture: the window and the colony need cores, too
_LOOK = 0.005  # seconds for which somebody waits who looks whether something is made
_DRAWN_BEYOND = 0.2  # of width and height, beyond each edge: the picture can be moved there

PictureKey = tuple[int, QTransform, QSize, float]  # version, map to pixels, viewport, ratio
PictureOrder = tuple[PictureKey, Draw]
MadePicture = tuple[PictureKey, QImage]
T = TypeVar("T")


class BackgroundPicture:
    """The picture of one item, for a viewport; ``update`` is called when a new one is there.

    Pictures are made one after the other. Of those that an item asks for meanwhile, only the last
    one is.
    """

    def __init__(self, update: Callable[[], object]) -> None:
        self._update = update
        self._version = 0
        self.order: PictureOrder | None = None  # for the other thread: what to draw, and how
        self._bounds = QRectF()
        self._at_work = False
        self._made: MadePicture | None = None
        self._whole: MadePicture | None = None  # the last picture with the whole item

    def drop(self) -> None:
        """Draw again the next time; the former picture is shown until that is done."""
        self._version += 1

    def clear(self) -> None:
        """Draw again the next time, and show nothing until then."""
        self.drop()
        self._made = self._whole = None

    @property
    def ready(self) -> bool:
        """Whether what is shown is what was asked for last."""
        return bool(self._made and self.order and self._made[0] == self.order[0])

    def show(
        self,
        painter: QPainter,
        widget: QWidget,
        bounds: QRectF,
        draw: Draw,
        reach: float = PEN_REACH,
    ) -> None:
        """Show the last picture where it belongs now; have another one made if it is not exact.

        Around it, the last picture with everything in ``bounds`` is shown. An exact picture may
        ``reach`` so many pixels beyond them, one of before may not: when the exact one comes, Qt
        does not draw over what the item has left there.
        ``painter`` is what an item's ``paint`` gets. ``draw`` is called in another thread.
        """
        self._bounds = bounds
        transform = painter.worldTransform()
        wanted = self._version, transform, widget.size(), widget.devicePixelRatioF()
        if self.order is None or wanted != self.order[0]:
            self.order = wanted, draw
            self._begin()
        if self._made is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        painter.resetTransform()
        beyond = reach if self.ready else 0.0
        painter.setClipRect(
            transform.mapRect(bounds).adjusted(-beyond, -beyond, beyond, beyond),
            Qt.ClipOperation.IntersectClip,
        )
        there = _moved(self._made[0], transform).mapRect(_frame(self._made[0]))
        seen = QRectF(widget.rect())
        if self._whole is not None and not there.contains(
            seen.intersected(transform.mapRect(bounds))
        ):
            around = QPainterPath()
            around.addRect(seen)
            around.addRect(there.toAlignedRect())  # the odd-even rule leaves it out
            painter.save()
            painter.setClipPath(around, Qt.ClipOperation.IntersectClip)
            _put(painter, self._whole, transform)
            painter.restore()
        _put(painter, self._made, transform)
        painter.restore()

    def needs(self, wanted: PictureKey) -> bool:
        """Whether a picture made for ``wanted`` still shows what there is."""
        return wanted[0] == self._version

    def take(self, wanted: PictureKey, image: QImage) -> None:
        """Show ``image``, and begin with the next one if something else is wanted by now."""
        self._at_work = False
        if self.needs(wanted) or self._made is not None:
            self._made = wanted, image
            if _frame(wanted).contains(wanted[1].mapRect(self._bounds)):
                self._whole = self._made
        self._begin()
        self._update()

    def _begin(self) -> None:
        if not self._at_work and not self.ready and self.order is not None:
            self._at_work = True
            _workshop().order(partial(_make, self, _workshop().made))


def have_made(make: Callable[[], T], take: Callable[[T], object]) -> None:
    """Have something for a picture made in another thread; this one gets it, by ``take``."""
    shop = _workshop()
    shop.order(lambda: shop.found.emit(take, make()))


def made_beside(make: Callable[[], object]) -> Iterator[None]:
    """Have something made in another thread; this one looks, step by step, whether it is."""
    done = threading.Event()

    def work() -> None:
        try:
            make()
        finally:
            done.set()

    _workshop().order(work)
    while not done.wait(_LOOK):
        yield


class _Workshop(QObject):
    """A thread that makes pictures, and ends when there have been none to make for a while.

    To start one for each picture would take the window's time: whoever starts a thread waits until
    it has got a core.
    """

    made = Signal(object, object, object)
    found = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.made.connect(self._bring, Qt.ConnectionType.QueuedConnection)
        self.found.connect(self._hand, Qt.ConnectionType.QueuedConnection)
        self._change = threading.Condition()
        # Guarded by _change:
        self._orders: deque[Callable[[], object]] = deque()
        self._open = False  # whether there is a thread that will make what is ordered

    def order(self, make: Callable[[], object]) -> None:
        """Have a picture made after those that were ordered before."""
        with self._change:
            self._orders.append(make)
            self._change.notify()
            if self._open:
                return
            self._open = True
        threading.Thread(target=self._work, name="pictures").start()

    def _work(self) -> None:
        lower_priority(_PAINTER_NICENESS)
        while (make := self._next()) is not None:
            try:
                make()
            except Exception as error:  # told as if it ended the thread, which others need
                what = type(error), error, error.__traceback__, threading.current_thread()
                threading.excepthook(threading.ExceptHookArgs(what))
            time.sleep(_THREAD_REST)

    def _next(self) -> Callable[[], object] | None:
        """Wait for an order; None closes the workshop."""
        with self._change:
            self._open = self._change.wait_for(lambda: bool(self._orders), _ORDER_PATIENCE)
            return self._orders.popleft() if self._open else None

    @Slot(object, object, object)
    def _bring(self, picture: BackgroundPicture, wanted: PictureKey, image: QImage) -> None:
        picture.take(wanted, image)

    @Slot(object, object)
    def _hand(self, take: Callable[[object], object], what: object) -> None:
        take(what)


@cache
def _workshop() -> _Workshop:
    return _Workshop()


def _make(picture: BackgroundPicture, made: SignalInstance) -> None:
    """Make what is wanted by now: the map may have been moved since the picture was ordered."""
    assert picture.order is not None
    wanted, draw = picture.order
    _, transform, size, ratio = wanted
    margin = _margin(size)
    whole = size + QSize(2 * int(margin.x()), 2 * int(margin.y()))
    image = QImage(whole * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    try:
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            shifted = transform * QTransform.fromTranslate(margin.x(), margin.y())
            draw(painter, shifted, QRectF(0, 0, whole.width(), whole.height()))
    finally:  # what has failed once is not tried again
        made.emit(picture, wanted, image)


def _put(painter: QPainter, made: MadePicture, transform: QTransform) -> None:
    wanted, image = made
    painter.setTransform(_moved(wanted, transform))
    painter.drawImage(_frame(wanted).topLeft(), image)


def _moved(wanted: PictureKey, transform: QTransform) -> QTransform:
    """Return what maps the pixels of a picture to those of a viewport."""
    return wanted[1].inverted()[0] * transform


def _frame(wanted: PictureKey) -> QRectF:
    """Return what a picture has, in pixels of the viewport that it was made for."""
    margin = _margin(wanted[2])
    return QRectF(QPointF(0, 0), wanted[2]).adjusted(
        -margin.x(), -margin.y(), margin.x(), margin.y()
    )


def _margin(size: QSize) -> QPointF:
    return QPointF(int(size.width() * _DRAWN_BEYOND), int(size.height() * _DRAWN_BEYOND))
