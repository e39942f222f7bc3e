from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.aims import Aim
from gpu.core.machine.devices import Device, Survey
from tests.views.graph_scenes import compile_pictures
from tests.views.scenes import in_sight, uniform
from views.frame.activity import Activity
from views.frame.main_window import MainWindow
from views.frame.settings import Settings
from views.tour.tour_view import TourView
from views.widgets.picture_export import make_due_layouts

GPU = Device("cuda:0", "cuda", 0, 132, "NVIDIA H100 80GB HBM3", 80 << 30, "CUDA 13.0")
CPU = Device("cpu", "cpu", 0, 2, "Some CPU", 16 << 30, "Python 3.11")
CORE = Device("cpu:1", "cpu", 0, 1, "Some CPU", 16 << 30, "Python 3.11")
AIMS = list(Aim)  # in the order in which the window lists them
WITH_GPU = Survey((GPU, CPU, CORE), "")
WITHOUT_GPU = Survey((CPU, CORE), "no CUDA GPU found")


@pytest.fixture(scope="session", autouse=True)
def compiled_pictures() -> None:
    """What draws large graphs is compiled."""
    compile_pictures()


@pytest.fixture(autouse=True)
def style(qapp: QApplication) -> None:
    """No test is drawn in the type and colours that an earlier one has left."""
    qapp.setStyleSheet("")
    qapp.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    qapp.setPalette(QPalette())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "window.json")


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> MainWindow:
    """A real window with a machine's devices and an instance, ready to start."""
    made = MainWindow(settings)
    made.setup.colony.show_survey(WITHOUT_GPU)
    made.setup.aim.aims.setCurrentIndex(AIMS.index(Aim.PAPER))
    made.show_instance(uniform(120))
    made.show_activity(Activity.IDLE)
    in_sight(qtbot, made, 1280, 800)
    qtbot.waitUntil(lambda: not made.pages.shows_gallery)  # the views come a moment later
    # A layout that is due may move anything by a pixel, at whatever event comes next.
    make_due_layouts(made.view(TourView))
    return made


@pytest.fixture(params=["window", "presentation"])
def shown_either_way(window: MainWindow, request: pytest.FixtureRequest) -> MainWindow:
    """The window, and the same as it presents, but of any size."""
    if request.param == "presentation":
        window.actions_["present"].trigger()
        window.setWindowState(Qt.WindowState.WindowNoState)
    return window
