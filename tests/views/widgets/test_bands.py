"""Pictures in bands: the same pixels as at once, and lines of other bands cost nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.widgets import layers, picture_export
from views.widgets.layers import Segments, draw_lines
from views.widgets.steps import finished
from views.widgets.theme import DARK

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
    assert tested == [100]
    assert image.size() == QSize(50, 100)
    band = QImage(50, 10, QImage.Format.Format_RGB32)
    with QPainter(band) as painter:
        painter.translate(0, -20)
        left = layers._on_image(painter, lines, 1.0)
    assert list(left[:, 1]) == list(range(19, 32))
