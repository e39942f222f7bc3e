"""The garbage collector waits until the window has imported and compiled what it needs."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window.application import Application
from gpu.core.errors import DeviceError
from gpu.core.machine import devices
from gpu.core.machine.devices import Survey


def test_garbage_is_looked_for_once_the_window_is_warm(
    qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    gc.disable()
    try:
        request.getfixturevalue("opened")
        qtbot.waitUntil(gc.isenabled, timeout=250_000)
        assert gc.get_freeze_count() > 10_000  # and not in what has been imported
    finally:
        gc.enable()
        gc.unfreeze()


def test_garbage_is_looked_for_where_no_device_can_be_found(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def survey() -> Survey:
        raise DeviceError("the driver does not answer")

    monkeypatch.setattr(devices, "survey", survey)
    gc.disable()
    try:
        application = Application(Notifications(), tmp_path / "window.json")
        qtbot.addWidget(application.window)
        qtbot.waitUntil(lambda: "driver" in application.window.banner.text)
        assert gc.isenabled()
        assert application.close()
    finally:
        gc.enable()
        gc.unfreeze()
