"""Stalls of the event loop."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.window.process.stall_meter import StallMeter


def test_a_stall_is_measured(qtbot: QtBot) -> None:
    meter = StallMeter()
    meter.start()
    qtbot.wait(100)
    meter.start()
    QTimer.singleShot(20, lambda: time.sleep(0.12))
    qtbot.wait(300)
    meter.stop()
    assert 0.11 < meter.longest < 0.3
    assert 0 < meter.share_above(0.1) < 0.2
