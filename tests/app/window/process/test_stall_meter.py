"""Stalls of the event loop."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.window.process.stall_meter import TICK, StallMeter


def test_a_stall_is_measured(qtbot: QtBot) -> None:
    meter = StallMeter()
    taken: list[float] = []

    def hold_up() -> None:
        begun = time.perf_counter()
        time.sleep(0.12)
        taken.append(time.perf_counter() - begun)

    meter.start()
    QTimer.singleShot(20, hold_up)
    qtbot.waitUntil(lambda: bool(taken) and meter.longest > taken[0] - 2 * TICK / 1000)
    qtbot.wait(100)
    meter.stop()
    assert 0 < meter.share_above(0.1) < 1
    assert meter.share_above(meter.longest) == 0
    meter.start()
    assert meter.longest == 0  # forgotten
    meter.stop()


def test_work_is_told_from_waiting(qtbot: QtBot) -> None:
    meter = StallMeter()

    done: list[str] = []

    def wait() -> None:
        time.sleep(0.15)
        done.append("waited")

    def work() -> None:
        begun = time.thread_time()
        while time.thread_time() - begun < 0.1:
            pass
        done.append("worked")

    for do, least, most in ((wait, 0.0, 0.1), (work, 0.1, math.inf)):
        done.clear()
        meter.start()
        QTimer.singleShot(20, do)
        qtbot.waitUntil(lambda: bool(done))
        qtbot.wait(50)
        meter.stop()
        assert meter.longest > 0.09
        assert least <= meter.most_work < most
