from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from tests.hands import press
from tests.views.hearing import heard_badly, name_of
from views.draw.board import Board
from views.film import FilmDialog
from views.frame.dialogs import KeysDialog, about_box, ask
from views.frame.main_window import MainWindow
from views.frame.picture_dialog import PictureDialog
from views.frame.presentation import PresentationDialog
from views.frame.settings import Settings
from views.frame.values_dialog import ValuesDialog
from views.help.guide_window import GuideWindow
from views.importing.import_sheet import ImportSheet
from views.plots.convergence_view import ConvergenceView
from views.widgets.theme import DARK

_MOST_STOPS = 60  # of Tab in a dialog


def test_every_dialog_is_heard_and_left_by_keys(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    """Each is walked as the main window is: all parts have names, and Tab comes around."""

    def box(show: Callable[[], object]) -> QMessageBox:
        show()
        return window.findChildren(QMessageBox)[-1]

    made: list[Callable[[], QWidget]] = [
        lambda: FilmDialog(window, Problem.TSP, "What is filmed", dark=True),
        lambda: PresentationDialog(window),
        lambda: PictureDialog(window, settings),
        lambda: KeysDialog(window, [("F1", "Guide")], DARK),
        lambda: ImportSheet(window, "places.csv", DARK),
        lambda: Board(window, DARK),
        lambda: ValuesDialog(window, window.view(ConvergenceView), DARK),
        GuideWindow,
        lambda: box(lambda: about_box(window)),
        lambda: box(lambda: ask(window, "End the run?", "End it", "Keep it", list)),
    ]
    for make in made:
        dialog = make()
        if isinstance(dialog, GuideWindow):
            qtbot.addWidget(dialog)
        dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        kind = type(dialog).__name__
        assert heard_badly(dialog) == set(), kind
        assert dialog.windowTitle(), kind
        assert [type(one).__name__ for one in walked(dialog) if not name_of(one)] == [], kind
        if isinstance(dialog, QDialog):
            press(dialog, Qt.Key.Key_Escape)
            assert not dialog.isVisible(), kind
        else:
            dialog.close()


def walked(dialog: QWidget) -> list[QWidget]:
    """Press Tab until a part has the focus again; return all that had it."""
    met: list[QWidget] = []
    for _ in range(_MOST_STOPS):
        now = QApplication.focusWidget()
        if now is None or now in met:
            return met
        assert dialog.isAncestorOf(now)
        met.append(now)
        press(now, Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not come around in {type(dialog).__name__}")
