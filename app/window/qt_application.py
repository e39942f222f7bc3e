"""The one application object of Qt, and the settings, which say how large its text is."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from PySide6.QtWidgets import QApplication

from app.window.opened_files import DesktopApplication
from app.window.process import give_memory_back, paint_alone
from gpu import APPLICATION
from views.frame.settings import Settings
from views.widgets.theme import application_icon

SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread may keep Python's lock while another one wants it. With Python's own
5 ms a window that paints holds up the solver, and with it a GPU, many times a second."""


def qt_application(text_size: int = 100) -> QApplication:
    """Return the one application object of Qt; the first call makes it.

    All has ``text_size`` percent of its usual size, unless Qt's own variable says otherwise.
    """
    paint_alone()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        with _scaled(text_size / 100):
            app = DesktopApplication([APPLICATION])
    sys.setswitchinterval(SWITCH_INTERVAL)
    give_memory_back()
    gc.disable()  # until all that a window needs is there; see resume_garbage_collection
    app.setApplicationName(APPLICATION)
    app.setApplicationDisplayName("Formicarium")
    app.setDesktopFileName(APPLICATION)
    app.setStyle("Fusion")
    app.setWindowIcon(application_icon())
    return app


@contextmanager
def _scaled(factor: float) -> Iterator[None]:
    """Let Qt begin with this factor on all sizes; processes that are started do not get it."""
    name = "QT_SCALE_FACTOR"
    if factor == 1.0 or name in os.environ:
        yield
        return
    os.environ[name] = str(factor)
    try:
        yield
    finally:
        del os.environ[name]


def settings_in(file: Path | None = None) -> Settings:
    """Return what a window has kept in ``file``, by default the user's."""
    if file is None:
        file = platformdirs.user_config_path(APPLICATION, appauthor=False) / "window.json"
    return Settings(file)
