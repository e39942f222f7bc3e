"""A window is painted again when nobody wants it held back any more."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.widgets.curtain import Curtain


def test_a_curtain_is_open_when_all_have_opened_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    curtain = Curtain(window)
    for who in ("a", "b", "a"):
        curtain.close(who)
        assert not window.updatesEnabled()
    curtain.open("a")
    assert not window.updatesEnabled()
    curtain.open("c")  # has never closed it
    assert not window.updatesEnabled()
    curtain.open("b")
    assert window.updatesEnabled()
