"""Stalls of the event loop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.window.process import stall_meter
from app.window.process.stall_meter import TICK, StallMeter
from tests.clock import Clock


@pytest.mark.parametrize("how", ["sleep", "work"])
def test_a_stall_is_measured_and_work_is_told_from_waiting(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    clock, meter = Clock(monkeypatch, stall_meter), StallMeter()
    meter.start()
    QTimer.singleShot(20, lambda: getattr(clock, how)(0.12))
    qtbot.waitUntil(lambda: 0 < meter.share_above(0.1) < 1)
    meter.stop()
    assert meter.longest == pytest.approx(0.12 - TICK / 1000)
    assert meter.share_above(meter.longest) == 0
    assert meter.most_work == pytest.approx(0.12 if how == "work" else 0)
    meter.start()
    assert meter.longest == 0  # forgotten
    meter.stop()
