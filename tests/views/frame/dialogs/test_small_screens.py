"""Dialogs on a small screen: 640 × 400, as of 1280 × 800 pixels where all is twice as large."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QDialog
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from tests.hands import press
from tests.views.cut_texts import cut_texts
from views.draw.board import Board
from views.film.film_dialog import FilmDialog
from views.frame.dialogs.picture_dialog import PictureDialog
from views.frame.main_window import MainWindow

SMALL = QSize(600, 360)  # the rest is for frame and title
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(params=["board", "picture", "film"])
def dialog(qtbot: QtBot, window: MainWindow, request: pytest.FixtureRequest) -> QDialog:
    makers: dict[str, Callable[[], QDialog]] = {
        "board": lambda: Board(window, window.theme),
        "picture": lambda: PictureDialog(window, window._settings),
        "film": lambda: FilmDialog(window, Problem.TSP, "instance, colony and log " * 3, dark=True),
    }
    made = makers[request.param]()
    qtbot.addWidget(made)
    made.resize(SMALL)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_a_dialog_fits_and_cuts_no_text(dialog: QDialog) -> None:
    assert dialog.size() == SMALL
    assert cut_texts(dialog) == []


@pytest.mark.parametrize("back", [False, True])
def test_tab_brings_each_control_into_sight(dialog: QDialog, back: bool) -> None:
    first = QApplication.focusWidget()
    assert first is not None
    seen = []
    while (now := QApplication.focusWidget()) is not None and now not in seen:
        seen.append(now)
        if not isinstance(now, QAbstractScrollArea):  # what it shows covers it
            assert now.visibleRegion().boundingRect().height() == now.height(), now
        press(now, Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab, SHIFT if back else NONE)
    assert len(seen) > 8
