"""A small graph in the whole window, and how it is colored there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.files.loading import use_once, warm_up
from app.window.application import Application
from gpu import catalog
from gpu.core.machine import devices
from tests.app import in_window
from tests.app.in_window import use_device
from tests.graphs import queens
from tests.hands import press

QUEENS = queens(6)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile what the window warms up with and what colors graphs: closing cannot wait for it."""
    warm_up(devices.survey().devices[0])
    core = devices.find("cpu:1")
    use_once(catalog.find("coloring", core), core)


def write_graph(folder: Path) -> Path:
    """Write the graph to a file."""
    path = folder / "queen6_6.col"
    lines = [
        f"p edge {QUEENS.n} {len(QUEENS.edges)}",
        *(f"e {u + 1} {v + 1}" for u, v in QUEENS.edges),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def open_(qtbot: QtBot, application: Application, path: Path) -> None:
    """Open a graph or a session, and wait until it is drawn."""
    in_window.open_(qtbot, application, path)
    drawn(qtbot, application)


def drawn(qtbot: QtBot, application: Application) -> None:
    """Wait until nothing is drawn in the background."""
    qtbot.waitUntil(lambda: application.background.idle)


def color(qtbot: QtBot, application: Application, path: Path) -> None:
    """Open the graph, and color it by a short run on one core."""
    use_device(application, "cpu:1")
    open_(qtbot, application, path)
    application.window.setup.stop.set_values({"iterations": 6, "go_on": True})
    with qtbot.waitSignal(application.runs.ended, timeout=250_000):  # it may compile
        press(application.window, Qt.Key.Key_Space)
    application.window.dashboard.queue.finish()
    drawn(qtbot, application)
