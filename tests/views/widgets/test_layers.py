"""Layers of plots and maps: what is drawn of lines, dashes and dots."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.widgets.cached_picture import BackgroundPicture
from views.widgets.layers import (
    cut_to,
    dashed,
    dashed_lines,
    draw_curve,
    draw_lines,
    draw_points,
    path_lines,
    to_pixels,
    within,
)

WHITE = QColor("white")


def image(width: int = 60, height: int = 60) -> QImage:
    made = QImage(width, height, QImage.Format.Format_RGB32)
    made.fill(Qt.GlobalColor.black)
    return made


def lit(picture: QImage) -> int:
    """Pixels that are not black."""
    pixels = np.frombuffer(picture.constBits(), dtype=np.uint32) & 0xFFFFFF
    return int((pixels != 0).sum())


@pytest.mark.parametrize("width", [1.0, 2.2])
@pytest.mark.parametrize("count", [1, 900, 7000, 30_000])
def test_lines_are_drawn_in_every_way_there_is(qapp: object, count: int, width: float) -> None:
    picture = image()
    lines = np.tile([10.0, 30.0, 50.0, 30.0], (count, 1))
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_lines(painter, lines, WHITE, width)
        assert painter.testRenderHint(QPainter.RenderHint.Antialiasing)
    assert picture.pixelColor(30, 30).value() > 60
    assert picture.pixelColor(30, 10) == QColor("black")
    assert 35 <= lit(picture) <= 300


def test_lines_are_as_wide_on_a_screen_with_more_pixels(qapp: object) -> None:
    for ratio in (1, 2, 3):
        picture = QImage(40 * ratio, 40 * ratio, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor("black"))
        with QPainter(picture) as painter:
            draw_lines(painter, np.array([[20.0, -10.0, 20.0, 50.0]]), WHITE, 4.0)
        across = [picture.pixelColor(x, 20 * ratio).value() > 127 for x in range(40 * ratio)]
        assert sum(across) == 4 * ratio


def test_points_have_their_diameter_and_nothing_is_drawn_of_none(qapp: object) -> None:
    small, large = image(), image()
    for picture, diameter in ((small, 1.0), (large, 9.0)):
        with QPainter(picture) as painter:
            draw_points(painter, np.array([[30.0, 30.0]]), WHITE, diameter)
    assert lit(small) <= 4
    assert 45 <= lit(large) <= 90
    picture = image()
    with QPainter(picture) as painter:
        draw_lines(painter, np.empty((0, 4)), WHITE)
        draw_points(painter, np.empty((0, 2)), WHITE, 3)
    assert lit(picture) == 0


def test_a_dense_path_loses_only_what_stays_within_a_pixel() -> None:
    place = np.linspace(0, 300, 40_000)
    lines = path_lines(np.column_stack([place, place]))
    assert len(lines) < 1000
    assert lines[0, :2].tolist() == [0, 0]
    assert lines[-1, 2:].tolist() == [300, 300]
    assert np.array_equal(lines[1:, :2], lines[:-1, 2:])


def test_lines_beside_the_picture_are_left_out() -> None:
    lines = np.array([[-5.0, -5, 5, 5], [200, 0, 300, 9], [0, 90, 300, 95], [0, 300, 9, 400]])
    assert within(lines, QRectF(0, 0, 100, 100)).tolist() == [True, False, True, False]


def test_pixels_are_where_qt_puts_them() -> None:
    transform = QTransform().translate(7, -3).rotate(30).scale(2, -1.5)
    points = np.random.default_rng(1).random((20, 2)) * 100
    mapped = to_pixels(points, transform)
    for point, pixel in zip(points, mapped, strict=True):
        assert pixel == pytest.approx(transform.map(*point))


def test_lines_are_cut_where_they_leave_a_rectangle() -> None:
    size = QRectF(0, 0, 100, 50)
    lines = np.array(
        [
            [10.0, 10.0, 90.0, 40.0],  # within
            [-50.0, 20.0, 250.0, 20.0],  # across
            [60.0, -10.0, 160.0, 40.0],  # in above, out at the right
            [-10.0, 30.0, 20.0, 60.0],  # in at the left, out below
            [-30.0, 40.0, 20.0, 90.0],  # past a corner
            [0.0, 50.0, 100.0, 50.0],  # along a side
            [200.0, 0.0, 300.0, 50.0],  # outside
        ]
    )
    np.testing.assert_allclose(
        cut_to(lines, size),
        [[10, 10, 90, 40], [0, 20, 100, 20], [80, 0, 100, 10], [0, 40, 10, 50], [0, 50, 100, 50]],
    )
    assert cut_to(np.empty((0, 4)), size).shape == (0, 4)


def test_a_curve_in_a_file_of_vectors_ends_where_the_painter_s_clip_does(qapp: object) -> None:
    """Such a file has the lines alone, not the clip."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setViewBox(QRectF(0, 0, 100, 50))
    with QPainter(generator) as painter:
        painter.setClipRect(QRectF(20, 0, 60, 50))
        far = np.array([[-1e9, 25.0], [1e9, 25.0]])
        for dashes in (False, True):
            draw_curve(painter, QTransform(), QRectF(0, 0, 100, 50), far, WHITE, 1.0, dashes=dashes)
    lines = re.findall(rb'points="([-0-9.]+),25 ([-0-9.]+),25', buffer.data().data())
    assert len(lines) > 5
    assert all(20 <= float(x) <= 80 for line in lines for x in line)


WIDE = QRectF(-1e6, -1e6, 2e6, 2e6)


def test_dashes_cover_their_share_of_the_path_and_go_around_corners() -> None:
    corners = np.array([[0.0, 0.0], [90.0, 0.0], [90.0, 90.0], [0.0, 90.0]])
    pieces = dashed(corners, WIDE, on=5, off=4)
    lengths = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1])
    assert lengths.sum() == pytest.approx(270 * 5 / 9)
    assert lengths.max() <= 5 + 1e-9
    on_path = (pieces[:, 1] == 0) | (pieces[:, 0] == 90) | (pieces[:, 1] == 90)
    assert on_path.all()
    corners = np.array([[0.0, 0.0], [11.0, 0.0], [11.0, 50.0]])
    np.testing.assert_allclose(
        dashed(corners, WIDE, on=5, off=4)[:4],
        [[0, 0, 5, 0], [9, 0, 11, 0], [11, 0, 11, 3], [11, 7, 11, 12]],
    )


def test_dashed_lines_begin_and_end_with_a_dash() -> None:
    lines = np.array([[0.0, 0.0, 41.0, 0.0], [7.0, 7.0, 7.0, 8.0], [3.0, 3.0, 3.0, 3.0]])
    pieces = dashed_lines(lines, WIDE, on=5, off=4)
    np.testing.assert_allclose(pieces[:5, 0], [0, 9, 18, 27, 36])
    np.testing.assert_allclose(pieces[:5, 2], [5, 14, 23, 32, 41])
    np.testing.assert_allclose(pieces[5:], lines[1:2])  # and none on a line of no length
    assert dashed_lines(np.empty((0, 4)), WIDE).shape == (0, 4)


def test_dashes_stay_where_they_are_if_less_is_seen() -> None:
    """What is in sight has the same dashes whether more is seen or not."""
    path = np.random.default_rng(3).uniform(0, 300, (40, 2))
    separate = np.hstack([path[:-1], path[1:]])
    sight = QRectF(100, 80, 90, 120)
    for all_of_them, seen in (
        (dashed(path, WIDE), dashed(path, sight)),
        (dashed_lines(separate, WIDE), dashed_lines(separate, sight)),
    ):
        x, y = all_of_them[:, 0::2], all_of_them[:, 1::2]
        inside = ((x > 100) & (x < 190) & (y > 80) & (y < 200)).all(axis=1)
        shown = np.array([np.abs(seen - dash).max(axis=1).min() < 1e-6 for dash in all_of_them])
        assert inside.any()
        assert (shown == inside).all()
        assert seen[:, 0::2].min() > 99.9
        assert seen[:, 0::2].max() < 190.1
        assert len(seen) < len(all_of_them)


def test_the_longest_lines_have_as_many_dashes_as_there_is_room_for() -> None:
    """Zoomed in, an edge can be longer than memory has room for its dashes."""
    sight = QRectF(0, 0, 900, 600)
    path = np.array([[-3e13, -2e13], [3e13 + 900, 2e13 + 600], [1e13, 2e13], [450.0, 300.0]])
    for pieces in (dashed(path, sight), dashed_lines(np.hstack([path[:-1], path[1:]]), sight)):
        assert 100 < len(pieces) < 2 * (900 + 600) / 9


def test_what_another_thread_has_drawn_is_not_left_beyond_the_bounds(qtbot: QtBot) -> None:
    """The place of a larger picture, which the window does not draw over, would keep it."""
    viewport = QWidget()
    qtbot.addWidget(viewport)
    viewport.resize(100, 100)
    made = BackgroundPicture(lambda: None)

    def shown(bounds: QRectF) -> QImage:
        image = QImage(100, 100, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.white)
        with QPainter(image) as painter:
            made.show(painter, viewport, bounds, fill)
        return image

    def fill(painter: QPainter, transform: QTransform, size: QRectF) -> None:
        painter.fillRect(size, Qt.GlobalColor.red)

    whole, lower = QRectF(0, 0, 100, 100), QRectF(0, 50, 100, 50)
    shown(whole)
    qtbot.waitUntil(lambda: made.ready)
    red, white = QColor(Qt.GlobalColor.red), QColor(Qt.GlobalColor.white)
    assert shown(whole).pixelColor(50, 10) == red
    assert [shown(lower).pixelColor(50, y) for y in (10, 40, 60)] == [white, white, red]
    made.drop()  # the picture of before is shown no farther than Qt will draw over it
    assert [shown(lower).pixelColor(50, y) for y in (45, 60)] == [white, red]
    qtbot.waitUntil(lambda: made.ready)
    assert shown(lower).pixelColor(50, 45) == red  # pens may reach so far
