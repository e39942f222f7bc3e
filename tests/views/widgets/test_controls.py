"""Small parts of the window: sliders, icons, rows of widgets, numbers as people read them."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from gpu.core import formats
from tests.hands import click
from tests.views.scenes import in_sight
from views.widgets.controls import Slider, indented
from views.widgets.layouts import FlowLayout
from views.widgets.styling import sheet_of
from views.widgets.theme import DARK, LIGHT, application_icon, icon


@pytest.mark.parametrize("sheet", ["", sheet_of(DARK)])
def test_a_slider_goes_to_where_it_is_clicked_and_on_from_there(
    qtbot: QtBot, qapp: QApplication, sheet: str
) -> None:
    qapp.setStyleSheet(sheet)
    slider = Slider()
    qtbot.addWidget(slider)
    slider.setMaximum(1000)
    slider.resize(412, 20)
    slider.show()
    qtbot.waitExposed(slider)
    for share in (0.5, 0.9, 0.1):
        click(slider, QPoint(round(6 + 400 * share), 10))
        assert slider.value() == pytest.approx(1000 * share, abs=15)
    at = QPoint(46, 10)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=at)  # the handle is here now
    QTest.mouseMove(slider, at + QPoint(100, 0))
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=at + QPoint(100, 0))
    assert slider.value() == pytest.approx(350, abs=20)
    QTest.mouseClick(slider, Qt.MouseButton.RightButton, pos=QPoint(300, 10))
    assert slider.value() == pytest.approx(350, abs=20)
    slider.setEnabled(False)
    click(slider, QPoint(300, 10))
    assert slider.value() == pytest.approx(350, abs=20)


def test_numbers_begin_away_from_the_border(qtbot: QtBot) -> None:
    box = indented(QSpinBox())
    qtbot.addWidget(box)
    assert box.lineEdit().textMargins().left() > 0


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (formats.whole(1234567), "1 234 567"),
        (formats.whole(-999.6), "-1 000"),
        (formats.compact(99.4), "99.4"),
        (formats.compact(1234), "1 234"),
        (formats.compact(123456), "123 k"),
        (formats.compact(9_990_000), "9.99 M"),
        (formats.compact(math.nan), "–"),
        (formats.significant(0.01234), "0.0123"),
        (formats.significant(1.234e-6), "1.23e-06"),
        (formats.significant(0), "0"),
        (formats.percent(None), "–"),
        (formats.percent(0.791), "0.79 %"),
        (formats.duration(5.25), "5.2 s"),
        (formats.duration(245), "4:05"),
        (formats.duration(3723), "1:02:03"),
        (formats.duration(math.inf), "–"),
        (formats.byte_size(80 * 2**30), "80.0 GiB"),
        (formats.byte_size(512), "512 B"),
        (formats.milliseconds(0.2), "0.200 ms"),
    ],
)
def test_numbers_as_people_read_them(made: str, expected: str) -> None:
    assert made.replace(formats.THIN, " ") == expected


def colours(of: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> set[str]:
    """The names of the colours of all pixels that are not transparent at all."""
    image = of.pixmap(32, 32, mode).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = (image.pixelColor(x, y) for x in range(32) for y in range(32))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


def test_an_icon_has_the_colour_of_its_role(qapp: QApplication) -> None:
    for theme in (DARK, LIGHT):
        assert colours(icon("close", theme, "danger")) == {QColor(theme["danger"]).name()}
        assert colours(icon("close", theme), QIcon.Mode.Disabled) == set()  # half transparent


def test_the_ant_keeps_its_own_colours(qapp: QApplication) -> None:
    assert len(colours(application_icon())) > 1


def test_widgets_of_a_row_have_their_middle_at_one_height(qtbot: QtBot) -> None:
    page, parts = QWidget(), [QWidget() for _ in range(3)]
    for part, height in zip(parts, (20, 30, 24), strict=True):
        part.setFixedSize(100, height)
    layout = FlowLayout(*parts)
    page.setLayout(layout)
    in_sight(qtbot, page, 220, 100)
    assert layout.heightForWidth(220) == 30 + 5 + 24
    assert [part.pos().toTuple() for part in parts] == [(0, 5), (105, 0), (0, 35)]
    parts[1].hide()
    QApplication.sendPostedEvents()
    assert layout.heightForWidth(220) == 24
    assert [parts[at].pos().toTuple() for at in (0, 2)] == [(0, 2), (105, 0)]
    assert FlowLayout().heightForWidth(50) == 0
