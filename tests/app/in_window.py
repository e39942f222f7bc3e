"""What a user does in the whole window, and what there is to see then."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.controller import WindowController
from gpu.core.snapshot import Snapshot
from gpu.problems.bundled import bundled
from gpu.run.outcome import Outcome
from tests import colonies
from tests.colonies import RandomColony
from tests.hands import press
from views.frame.activity import Activity

RING = next(one.path for one in bundled() if one.name == "ring-50")
GRID = next(one.path for one in bundled() if one.name == "grid-100")


def open_(qtbot: QtBot, controller: WindowController, path: Path = RING) -> None:
    """Open an instance or a session, and wait until it is there."""
    with qtbot.waitSignal(controller.ready, timeout=30_000):
        controller.open(path)


def use_device(controller: WindowController, name: str) -> None:
    """Choose another device."""
    devices = controller.window.setup.colony.devices
    devices.setCurrentIndex(devices.findData(name))
    devices.activated.emit(devices.currentIndex())


def use_colony(
    controller: WindowController, monkeypatch: pytest.MonkeyPatch, kind: type[RandomColony]
) -> None:
    """Put a colony of ``kind`` into the catalog, and choose it."""
    name = colonies.install(monkeypatch, kind)
    setup = controller.window.setup
    setup.colony._device_changed()
    setup.set_choices(dataclasses.replace(setup.choices(), colony=name))


def limit(controller: WindowController, **values: float) -> None:
    """Set these limits, and no others."""
    controller.window.setup.stop.set_values(values)


def wait_for(qtbot: QtBot, controller: WindowController, activity: Activity) -> None:
    """Wait until the window says that it is at ``activity``."""
    qtbot.waitUntil(lambda: controller.window.activity is activity, timeout=60_000)


def run_to_the_end(qtbot: QtBot, controller: WindowController) -> Outcome:
    """Start by the space bar, and wait for the end."""
    with qtbot.waitSignal(controller.run_ended, timeout=60_000) as ended:
        press(controller.window, Qt.Key.Key_Space)
    assert ended.args is not None
    outcome = ended.args[0]
    assert isinstance(outcome, Outcome)
    controller.window.dashboard.settle()
    return outcome


def state(controller: WindowController) -> Snapshot:
    """The newest state that the window has been shown."""
    assert controller.run is not None
    assert controller.run.snapshot is not None
    return controller.run.snapshot


def log_of(controller: WindowController) -> Path:
    """The log of the run in sight."""
    assert controller.run is not None
    return controller.run.recorder.path


def lines(controller: WindowController) -> list[dict[str, object]]:
    """The lines of that log."""
    text = log_of(controller).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written(qtbot: QtBot, controller: WindowController, path: Path) -> Path:
    """Wait until the window says that ``path`` is written."""
    qtbot.waitUntil(lambda: path.name in controller.window.banner.text, timeout=20_000)
    assert controller.window.banner.text == f"{path.name} is written"
    return path
