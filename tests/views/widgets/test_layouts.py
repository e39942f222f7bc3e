"""A row that breaks where there is no room."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.views.sight import in_sight
from views.widgets.layouts import FlowLayout


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
