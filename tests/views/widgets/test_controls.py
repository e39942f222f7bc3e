from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox
from pytestqt.qtbot import QtBot

from tests.hands import click
from views.widgets.controls import Slider, indented
from views.widgets.styling import sheet_of
from views.widgets.theme import DARK


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
