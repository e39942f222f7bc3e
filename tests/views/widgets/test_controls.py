"""Small parts of the window: sliders, icons, rows of widgets, numbers as people read them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

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
