"""Opens the window, with a display or without. Qt is imported only after it has been checked."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.notifications import Notifications
from app.termination import leave
from app.window.qt_libraries import check_qt, platforms_here
from gpu import APPLICATION

if TYPE_CHECKING:
    from app.window.gallery_first import GalleryFirst

DEMO_SECONDS = 20.0  # how long the demonstration solves before it measures speedups


def open_window(
    path: Path | None,
    demo: bool = False,
    script: Path | None = None,
    *,
    opened: Callable[[GalleryFirst], object] = lambda _: None,
    settings_file: Path | None = None,
) -> int:
    """Open the window, stay until it is closed, and return the exit status.

    With ``demo``, a bundled instance is solved as the window opens, and then speedups are measured.
    A ``script`` is played. Otherwise ``path`` is opened, an instance or a recorded session; without
    any of them the gallery is in sight first, and then ``opened`` is called. If a thread cannot be
    ended, the process ends here. ``settings_file`` is where the window's state is kept, by default
    the user's. Raises MissingLibraryError if Qt cannot be loaded.
    """
    _prepare(platforms_here())
    import platformdirs

    from app.window.event_loop import on_termination
    from app.window.gallery_first import GalleryFirst
    from app.window.opened_files import DesktopApplication
    from app.window.qt_application import qt_application, settings_in
    from views.frame.text_size import text_size

    settings = settings_in(settings_file)
    qt = qt_application(text_size(settings))
    log = platformdirs.user_log_path(APPLICATION, appauthor=False) / f"{APPLICATION}.log"
    with Notifications(log) as notifications:
        first = GalleryFirst(settings)
        if not (demo or path or script):
            first.show()
            opened(first)
        from app.window.application import Application  # imports all views

        application = Application(notifications, first=first)
        window = application.window
        if demo or path is not None:
            window.pages.show_views()
        window.show()
        if demo:
            from app.window.demo import Demo

            Demo(application, seconds=DEMO_SECONDS).begin()
        elif script is not None:
            application.presentation.open(script)
        elif path is not None:
            application.files.open(path)
        else:
            window.guidance.offer_tour()
        if isinstance(qt, DesktopApplication):
            qt.open_files_with(application.window.open_requested.emit)
        with on_termination(window.close):
            status = qt.exec()
        ended = application.close()
        if window.starts_again:
            _start_again()
        if not ended:
            leave(status)
    return status


def _start_again() -> None:
    """Start the program anew, with the same arguments."""
    program = [sys.executable] if hasattr(sys, "frozen") else [sys.executable, "-m", "app.cli.main"]
    subprocess.Popen([*program, *sys.argv[1:]], start_new_session=True)


def run_demo(out: Path) -> int:
    """Show how a bundled instance is solved; with no display, leave pictures and a log in ``out``.

    Raises MissingLibraryError if Qt cannot be loaded.
    """
    if platforms_here() != ("offscreen",):
        return open_window(None, demo=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _prepare(("offscreen",))
    from app.window.demo import run_offscreen

    return run_offscreen(out)


def _prepare(platforms: Sequence[str]) -> None:
    """Check Qt, and make its import quick."""
    check_qt(platforms)
    gc.disable()  # it would look at all that is imported, again and again
    # PySide reads the source of each module that is imported after it.
    importlib.import_module("app.files.loading")
