"""The past of a run in the window: recorded, moved through and shown again from its log."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import limit, log_of, open_, state, use_colony, use_device
from tests.colonies import RandomColony
from tests.hands import click, press
from views.plots.convergence_view import ConvergenceView
from views.tour.tour_view import TourView

SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_the_past_of_a_run_that_goes_on_and_of_its_log(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, replay = opened.window, opened.replay
    bar, tours = window.dashboard.replay, window.view(TourView)
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    use_colony(opened, monkeypatch, RandomColony)
    assert bar.isHidden()
    assert not window.actions_["past-back"].isEnabled()
    limit(opened)  # it goes on until it is stopped
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(bar.moments.improvements) > 2, timeout=30_000)
    first = bar.moments.improvements[0]

    def shows(length: int) -> bool:
        window.dashboard.queue.finish()
        assert tours._instance is not None
        shown = tours.layers["best"].shown
        return isinstance(shown, np.ndarray) and tours._instance.tour_length(shown) == length

    press(bar.slider, Qt.Key.Key_Home)
    assert replay.past is not None
    begin = replay.past.at(first)
    qtbot.waitUntil(lambda: shows(begin.best_cost))
    assert tours.moment == bar.moment.text()
    assert len(window.view(ConvergenceView).curves["moment"].points) == 2
    assert not bar.live.isChecked()
    press(window, Qt.Key.Key_Period)
    second = replay.past.at(bar.moments.improvements[1])
    qtbot.waitUntil(lambda: shows(second.best_cost))
    press(window, Qt.Key.Key_Comma)
    qtbot.waitUntil(lambda: shows(begin.best_cost))
    before = state(opened).iteration
    qtbot.waitUntil(lambda: state(opened).iteration > before)  # the run goes on
    assert shows(begin.best_cost)
    press(window, Qt.Key.Key_L, SHIFT)
    qtbot.waitUntil(lambda: shows(state(opened).best_cost))
    assert bar.live.isChecked()
    with qtbot.waitSignal(opened.runs.ended, timeout=20_000):
        press(window, Qt.Key.Key_Escape)

    log, end = log_of(opened), state(opened)
    open_(qtbot, opened, log)
    qtbot.waitUntil(lambda: not bar.isHidden())
    assert shows(end.best_cost)
    click(bar.play)
    assert replay.seconds == first
    qtbot.waitUntil(lambda: (replay.seconds or 0.0) > first)
    press(window, Qt.Key.Key_P, SHIFT)
    rest = replay.seconds
    assert not replay._play_timer.isActive()
    click(bar.back)
    assert replay.seconds is not None
    assert rest is not None
    assert replay.seconds <= rest
    click(bar.live)
    qtbot.waitUntil(lambda: shows(end.best_cost))
