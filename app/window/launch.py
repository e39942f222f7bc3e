"""Opens the window, with a display or without. Qt is imported only after it has been checked."""

from __future__ import annotations

import os
from pathlib import Path

from app.notifications import Notifications
from app.window.process.qt_libraries import check_qt, platforms_here
from gpu import APPLICATION

DEMO_SECONDS = 20.0
"""How long the demonstration solves before it measures speedups."""


def open_window(path: Path | None, demo: bool = False) -> int:
    """Open the window and stay until it is closed.

    Parameters
    ----------
    path : Path or None
        An instance, or a recorded session, to open.
    demo : bool
        Whether to solve a bundled instance as the window opens, and then measure speedups.

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
    from app.window.application import leave, make_application, qt_application
    from app.window.process.termination_signals import on_termination

    qt = qt_application()
    with Notifications(_log_file()) as notifications:
        application = make_application(notifications)
        window = application.window
        window.show()
        if demo:
            from app.window.demo import Demo

            show = Demo(application, seconds=DEMO_SECONDS)
            show.begin()
        elif path is not None:
            application.files.open(path)
        with on_termination(window.close):
            status = qt.exec()
        if not application.close():
            leave(status)
    return status


def run_demo(out: Path) -> int:
    """Show how a bundled instance is solved; with no display, leave pictures and a log in ``out``.

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


def _log_file() -> Path:
    import platformdirs

    return platformdirs.user_log_path(APPLICATION, appauthor=False) / f"{APPLICATION}.log"
