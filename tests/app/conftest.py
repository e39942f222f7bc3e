from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui import close_window, make_window
from app.notifications import Notifications
from app.recorder import free_path, stem
from app.window_controller import WindowController


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Iterator[WindowController]:
    """The window as it opens, its devices known: nothing loaded, logs in a folder of the test's."""
    made = make_window(Notifications(), tmp_path / "window.ini")
    made.log_path = lambda session: free_path(tmp_path, stem(session), ".jsonl")
    qtbot.addWidget(made.window)
    made.window.resize(1280, 800)
    made.window.show()
    qtbot.waitUntil(lambda: made.window.setup.colony.device is not None, timeout=30_000)
    yield made
    assert close_window(made)
