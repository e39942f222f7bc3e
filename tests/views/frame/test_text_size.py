from __future__ import annotations

import subprocess
import sys

from PySide6.QtCore import Qt

from tests.hands import click, press
from tests.processes import environment
from views.frame.main_window import MainWindow
from views.frame.settings import Settings
from views.frame.text_size import text_size

_SIZE = """
import os
from app.window.qt_application import qt_application
from PySide6.QtWidgets import QWidget
qt = qt_application(200)
print(QWidget().devicePixelRatioF(), "QT_SCALE_FACTOR" in os.environ)
"""


def test_a_size_is_kept_for_the_next_start_which_is_offered(
    window: MainWindow, settings: Settings
) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    assert text_size(settings) == 100
    for _ in range(6):
        press(window, Qt.Key.Key_Plus, control)
    assert text_size(settings) == 200
    assert "200 %" in window.banner.text
    press(window, Qt.Key.Key_Minus, control)
    assert text_size(settings) == 175
    assert window.actions_.text_menu.actions()[-2].isChecked()
    click(window.banner.offers[0])
    assert window.starts_again
    assert not window.isVisible()


def test_a_size_that_is_none_counts_as_the_usual_one(settings: Settings) -> None:
    settings.put({"text-size": 1000})
    assert text_size(settings) == 100


def test_all_is_as_large_as_was_chosen_and_other_processes_are_not() -> None:
    env = {**environment(), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", _SIZE], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["2.0", "False"]
