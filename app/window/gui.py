"""The window from first to last, with a display or without."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.notifications import Notifications
from app.window.process import garbage_collection as garbage
from app.window.process.qt_libraries import check_qt, platforms_here
from gpu import APPLICATION

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.window.controller import WindowController

DEMO_INSTANCE = "map-1000"
"""The bundled instance that the demonstration solves."""

SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread may keep Python's lock while another wants it. With Python's own 5 ms
a painting window keeps the solver, and with it a GPU, waiting many times a second."""

DEMO_SECONDS = 20.0
"""How long the demonstration solves before it measures speedups."""


def open_window(path: Path | None, demo: bool = False) -> int:
    """Open the window and stay until it is closed.

    Parameters
    ----------
    path : Path or None
        An instance, or a recorded session, to open.
    demo : bool
        Solve a bundled instance as the window opens, then measure speedups.

    Returns
    -------
    int
        The exit status. If a thread cannot be ended, the process ends here.

    Raises
    ------
    MissingLibraryError
        If Qt cannot be loaded.
    """
    check_qt(platforms_here())
    from app.window.process.termination_signals import hearing

    app = application()
    with Notifications(_log_file()) as notifications:
        controller = make_window(notifications)
        window = controller.window
        window.show()
        if demo:
            from app.window.demo import Demo

            show = Demo(controller, seconds=DEMO_SECONDS)
            show.begin()
        elif path is not None:
            controller.open(path)
        with hearing(window.close):
            status = app.exec()
        if not close_window(controller):
            leave(status)
    return status


def run_demo(out: Path) -> int:
    """Show a bundled instance being solved; with no display, leave pictures and the log in ``out``.

    Raises
    ------
    MissingLibraryError
        If Qt cannot be loaded.
    """
    if platforms_here() != ("offscreen",):
        return open_window(None, demo=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    check_qt(("offscreen",))
    from app.window.demo import run_offscreen

    return run_offscreen(out)


def application() -> QApplication:
    """Return the one application object, made and dressed at the first call."""
    from PySide6.QtWidgets import QApplication

    from views.widgets.icons import application_icon

    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication([APPLICATION])
    sys.setswitchinterval(SWITCH_INTERVAL)
    garbage.put_off()  # until what a window needs is there
    app.setApplicationName(APPLICATION)
    app.setApplicationDisplayName("Formicarium")
    app.setDesktopFileName(APPLICATION)
    app.setStyle("Fusion")
    app.setWindowIcon(application_icon())
    return app


def make_window(
    notifications: Notifications, settings_file: Path | None = None
) -> WindowController:
    """Make the window and what serves it.

    Parameters
    ----------
    notifications : Notifications
        Whose sentences the window shows.
    settings_file : Path, optional
        Where the window's state is kept; by default in the user's settings.
    """
    from PySide6.QtCore import QSettings

    from app.files.presets import presets
    from app.window.controller import WindowController
    from gpu.core.problem import Problem
    from gpu.problems.bundled import bundled
    from views.frame.main_window import MainWindow
    from views.widgets.formats import whole

    form = QSettings.Format.IniFormat
    settings = (
        QSettings(form, QSettings.Scope.UserScope, APPLICATION, "window")
        if settings_file is None
        else QSettings(str(settings_file), form)
    )
    window = MainWindow(settings)
    window.setup.show_presets(presets())
    window.setup.instance.show_bundled(
        [
            (f"{one.name}:  {whole(one.n)} {one.problem.words.places}. {one.kind}", one.path)
            for one in sorted(bundled(), key=lambda one: (one.problem is not Problem.TSP, one.n))
        ]
    )
    controller = WindowController(window)
    controller.listen_to(notifications)
    return controller


def close_window(controller: WindowController) -> bool:
    """End all that is under way; return whether every thread has ended."""
    ended = controller.shutdown()
    controller.window.close()
    return ended


def leave(status: int) -> None:
    """End the process although a thread is still at work: its log is complete, as files are."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _log_file() -> Path:
    import platformdirs

    return platformdirs.user_log_path(APPLICATION, appauthor=False) / f"{APPLICATION}.log"
