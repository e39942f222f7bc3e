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


def test_work_is_told_from_waiting(qtbot: QtBot) -> None:
    meter = StallMeter()

    def wait() -> None:
        time.sleep(0.15)

    def work() -> None:
        begun = time.thread_time()
        while time.thread_time() - begun < 0.1:
            pass

    for do, least, most in ((wait, 0.0, 0.05), (work, 0.1, 0.15)):
        meter.start()
        QTimer.singleShot(20, do)
        qtbot.wait(300)
        meter.stop()
        assert meter.longest > 0.09
        assert least <= meter.most_work < most
