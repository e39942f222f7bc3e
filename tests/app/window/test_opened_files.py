"""Files that come as events, as on macOS."""

from __future__ import annotations

import subprocess
import sys

from tests.processes import environment

CODE = """if True:
    from pathlib import Path
    from PySide6.QtCore import QCoreApplication, QUrl
    from PySide6.QtGui import QFileOpenEvent
    from app.window.qt_application import qt_application
    app, opened = qt_application(), []
    for name in ("a.tsp", "b.tsp"):  # before there is a window: the last one is shown
        QCoreApplication.sendEvent(app, QFileOpenEvent(QUrl.fromLocalFile(f"/x/{name}")))
    app.open_files_with(opened.append)
    QCoreApplication.sendEvent(app, QFileOpenEvent(QUrl.fromLocalFile("/x/c.tsp")))
    assert opened == [Path("/x/b.tsp"), Path("/x/c.tsp")], opened
    print("both")
"""


def test_a_file_is_opened_even_if_it_comes_before_the_window() -> None:
    """A process of its own: there is one application of Qt in each."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=False,
        env={**environment(), "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.stdout == "both\n", done.stderr
