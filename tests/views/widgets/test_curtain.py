"""A window is painted again when nobody wants it held back any more."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.steps import Curtain


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


class Painted(QWidget):
    """Counts how often it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.times += 1


def test_what_was_to_be_painted_when_the_curtain_closed_is_painted_when_it_opens(
    qtbot: QtBot,
) -> None:
    window = Painted()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    QApplication.processEvents()
    before, curtain = window.times, Curtain(window)
    window.update()
    curtain.close("it")
    QApplication.processEvents()
    assert window.times == before
    curtain.open("it")
    QApplication.processEvents()
    assert window.times == before + 1
