"""Panes with views as tabs."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout
from pytestqt.qtbot import QtBot

from views.frame.dashboard.pane import Pane
from views.widgets.theme import DARK
from views.widgets.view import View


class _Texts(View):
    """A view with a text that is higher where there is less room for it."""

    asked = 0  # how often somebody wanted to know its height

    def __init__(self) -> None:
        super().__init__()
        QVBoxLayout(self).addWidget(QLabel("ants " * 100, wordWrap=True))

    def heightForWidth(self, width: int) -> int:
        self.asked += 1
        return super().heightForWidth(width)


def test_a_hidden_view_is_not_laid_out_when_the_pane_changes_its_size(qtbot: QtBot) -> None:
    pane, front, hidden = Pane(), _Texts(), _Texts()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.show_views([front, hidden])
    pane.resize(400, 300)
    with qtbot.waitExposed(pane):
        pane.show()
    hidden.asked = 0
    for width in (420, 440, 460):
        pane.resize(width, 300)
        qtbot.wait(10)
    assert front.width() > 440
    assert hidden.asked == 0
