"""Pictures of views and of the window, in bands, twice as sharp."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QLineEdit, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from tests.views.scenes import snapshot, uniform
from views.frame.main_window import MainWindow
from views.frame.picture_look import PictureLook
from views.tour.tour_view import TourView
from views.widgets import layers, picture_export
from views.widgets.cached_picture import CachedPicture
from views.widgets.layers import Segments, draw_lines
from views.widgets.picture_export import as_image, image_steps, make_due_layouts
from views.widgets.steps import finished
from views.widgets.theme import DARK


def kept(view: TourView) -> int:
    """Pixels that the pictures of a view have."""
    pictures = (one for one in gc.get_objects() if isinstance(one, CachedPicture))
    pixmaps = [
        one._pixmap
        for one in pictures
        if one._viewport is not None and view.isAncestorOf(one._viewport)
    ]
    return sum(pixmap.width() * pixmap.height() for pixmap in pixmaps)


def shown(view: TourView) -> QImage:
    return view.grab().toImage()


def test_a_hidden_view_keeps_no_pixels_and_is_drawn_again(qtbot: QtBot) -> None:
    instance, view = uniform(30), TourView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show_instance(instance)
    view.take_in(snapshot(instance, 5))
    with qtbot.waitExposed(view):
        view.show()
    before = shown(view)
    assert kept(view) > 100_000
    view.hide()
    assert kept(view) == 0
    with qtbot.waitExposed(view):
        view.show()
    assert shown(view) == before
    assert kept(view) > 100_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"dpi": 300', '"dpi": 9999999'),
        ('"width": 17.0', '"width": 1e999'),
        ('"width": 17.0', '"width": -1'),
        ('"width": 17.0', f'"width": {"9" * 400}'),
        ('"dpi": 300', f'"dpi": {"9" * 400}'),
        ('"unit": "cm"', '"unit": "mile"'),
        ('"theme": "print"', '"theme": 3'),
        ('"title": true', '"titel": true'),
        ("{", "["),
    ],
)
def test_a_text_that_is_no_look_counts_as_none(old: str, new: str) -> None:
    text = PictureLook().to_text()
    assert old in text
    assert PictureLook.from_text(text.replace(old, new, 1)) == PictureLook()


def test_a_look_has_a_size_in_both_units_and_is_kept_as_text() -> None:
    look = PictureLook(width=25.4, height=12.7, dpi=100)
    assert (look.pixels.width(), look.pixels.height()) == (1000, 500)
    assert look.in_unit("px").pixels == look.pixels
    assert look.in_unit("px").in_unit("cm") == look
    look = PictureLook(width=1920.0, height=1080.0, unit="px", dpi=96, theme="dark", title=False)
    assert PictureLook.from_text(look.to_text()) == look
    assert PictureLook().problem == ""
    assert "fewer dpi" in PictureLook(width=100, height=100, dpi=1200).problem
    assert "another size" in PictureLook(width=64, height=64, unit="px", dpi=1200).problem


VIEWS = ("tour", "convergence", "hit-rates", "device", "pheromone", "speedup", "log")


@pytest.fixture
def running(window: MainWindow) -> Iterator[MainWindow]:
    for iteration in range(1, 12):
        window.show_snapshot(snapshot(uniform(120), iteration, memory=True))
    window.dashboard.queue.finish()
    yield window
    assert CachedPicture.in_use


def test_a_picture_is_twice_as_sharp_and_has_its_caption(running: MainWindow) -> None:
    for key in VIEWS:
        view = running.dashboard.views[key]
        plain = as_image(view, running.theme)
        image = as_image(view, running.theme, "uniform120, seed 1")
        width, height = image.width(), image.height()
        assert image.devicePixelRatio() == 2
        assert width == 2 * view.width()
        assert height > plain.height() == 2 * view.height()
        assert view.width() > 200
        colours = {image.pixel(x, y) for x in range(0, width, 7) for y in range(0, height, 7)}
        assert len(colours) > 3, key
        caption = {image.pixel(x, height - 12) for x in range(10, 200)}
        assert len(caption) > 1, key


def test_a_caption_wider_than_the_view_has_more_lines(running: MainWindow) -> None:
    view = running.dashboard.views["convergence"]
    short, long = (as_image(view, running.theme, "word " * count) for count in (1, 60))
    assert long.width() == short.width()
    for y in range(short.height() - 10, long.height() - 60, 20):  # a line is some 30 high
        assert len({long.pixel(x, y + dy) for x in range(16, 200) for dy in range(20)}) > 1
    assert long.height() > short.height() + 40


def test_a_layout_that_is_due_is_made_first(running: MainWindow) -> None:
    room = running.readout.layout()
    for key, top in (("tour", 41), ("hit-rates", 81)):
        view = running.dashboard.views[key]
        before = as_image(view, running.theme).height()
        room.setContentsMargins(14, top, 14, 7)
        image = as_image(view, running.theme)
        QApplication.sendPostedEvents()
        assert image.height() == as_image(view, running.theme).height() < before, key


def test_the_screen_is_drawn_from_kept_pixmaps_afterwards(
    qtbot: QtBot, running: MainWindow
) -> None:
    tour = running.view(TourView)
    make_due_layouts(tour)
    before = tour.graphics.grab().toImage()
    as_image(tour, running.theme)
    assert tour.graphics.grab().toImage() == before


def test_parts_never_in_sight_hear_their_size_in_several_steps(running: MainWindow) -> None:
    view, untold = running.dashboard.front, Qt.WidgetAttribute.WA_PendingResizeEvent

    def waiting() -> int:
        parts = running.findChildren(QWidget)
        return sum(one.testAttribute(untold) for one in parts if one.window() is running)

    assert view.isVisible()
    left = [waiting(), *(waiting() for _ in image_steps(view, running.theme))]
    assert left[0] > 200
    assert left[-1] < 10  # some get another size as the picture is drawn
    assert max(before - after for before, after in pairwise(left)) <= 60


def test_a_view_whose_pane_is_closed_has_a_picture(running: MainWindow) -> None:
    view = running.view(TourView)
    stack = view.parentWidget()
    assert isinstance(stack, QStackedWidget)
    stack.setFixedWidth(0)
    make_due_layouts(stack)
    assert stack.width() == 0
    assert not as_image(view, running.theme).isNull()


def test_a_part_may_go_while_its_picture_is_made(running: MainWindow) -> None:
    view = running.view(TourView)
    going, staying = QLineEdit(view), QLineEdit(view)
    for entry in (going, staying):
        entry.show()
    going.setFocus()
    steps = image_steps(view, running.theme)
    next(steps)
    assert staying.isHidden()
    delete(going)
    assert len(list(steps)) > 1
    assert not staying.isHidden()


@pytest.mark.parametrize("after", range(8))
def test_a_pane_may_be_closed_while_a_picture_is_made(running: MainWindow, after: int) -> None:
    view = running.view(TourView)
    stack = view.parentWidget()
    assert isinstance(stack, QStackedWidget)
    steps = image_steps(view, running.theme)
    for _ in range(after):
        next(steps)
    stack.setFixedWidth(0)
    assert not finished(steps).isNull()


WIDTH, HEIGHT, LINES, RATIO = 120, 90, 400, 1.5


class Lines(QWidget):
    """Smooth lines all over, and beyond the edges."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw them."""
        ends = np.random.default_rng(1).uniform(-20, WIDTH + 20, (LINES, 4))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_lines(painter, ends, DARK.colour("best", 0.5), 1.7)


def picture(widget: QWidget) -> tuple[NDArray[np.uint8], int]:
    """Return the pixels of ``widget`` in the middle of a larger one, and how many steps it took."""
    pixels = QSize(round(WIDTH * RATIO), round(HEIGHT * RATIO))

    def draw(painter: QPainter) -> None:
        painter.fillRect(-1, -1, WIDTH + 2, HEIGHT + 2, Qt.GlobalColor.black)
        widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)

    steps, count = picture_export.in_bands(pixels, RATIO, draw), 0
    while True:
        try:
            next(steps)
            count += 1
        except StopIteration as end:
            image: QImage = end.value
            break
    found = np.frombuffer(image.constBits(), np.uint8)
    return found.reshape(image.height(), image.width(), 4)[..., :3].copy(), count


def test_a_picture_in_bands_has_the_same_pixels(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    whole.resize(WIDTH, HEIGHT)
    part = Lines(whole)
    part.setGeometry(10, 7, WIDTH - 20, HEIGHT - 14)
    at_once, steps = picture(whole)
    assert steps == 1
    assert at_once.any()
    monkeypatch.setattr(picture_export, "_BAND_PIXELS", 3000)
    banded, steps = picture(whole)
    assert steps == 9
    # Where 400 half transparent lines lie over each other, each may be rounded otherwise.
    assert np.abs(banded.astype(int) - at_once).max() <= 8


def test_lines_that_no_band_shows_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = np.array([[0.0, y, 50.0, y] for y in range(100)])
    tested: list[int] = []

    def within(lines: Segments, size: object) -> NDArray[np.bool_]:
        tested.append(len(lines))
        return plain(lines, size)  # type: ignore[arg-type]

    plain = layers.within
    monkeypatch.setattr(layers, "within", within)
    image = finished(
        picture_export.in_bands(
            QSize(50, 100), 1.0, lambda painter: draw_lines(painter, lines, DARK.colour("best"))
        )
    )
    assert tested == [100, 100]  # to hear what takes long, and in the only band
    assert image.size() == QSize(50, 100)
    band = QImage(50, 10, QImage.Format.Format_RGB32)
    with QPainter(band) as painter:
        painter.translate(0, -20)
        left = layers._on_image(painter, lines, 1.0)
    assert list(left[:, 1]) == list(range(19, 32))
