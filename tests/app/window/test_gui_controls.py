"""Start, pause, step, stop and close, with real colonies and threads, by mouse and keys."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.controller import WindowController
from app.window.controllers.run_display import FRAME, FRAME_BESIDE_ALL_CORES, SHARE_BESIDE_ALL_CORES
from app.window.gui import close_window
from app.window.threads.solver import RunState
from tests.app.in_window import limit, lines, open_, state, use_colony, use_device, wait_for
from tests.colonies import RandomColony, Slow
from tests.hands import click, press
from views.frame.activity import Activity


@pytest.fixture
def controller(opened: WindowController) -> WindowController:
    """The window with one core chosen."""
    use_device(opened, "cpu:1")
    return opened


def test_the_window_draws_less_beside_a_colony_on_all_cores(
    qtbot: QtBot, controller: WindowController
) -> None:
    open_(qtbot, controller)
    throttle, timer = controller.window.dashboard.queue.throttle, controller.display.timer
    for device, share, interval in (
        ("cpu:1", math.inf, FRAME),
        ("cpu", SHARE_BESIDE_ALL_CORES, FRAME_BESIDE_ALL_CORES),
    ):
        use_device(controller, device)
        press(controller.window, Qt.Key.Key_Space)
        wait_for(qtbot, controller, Activity.RUNNING)
        assert throttle.share == share
        assert timer.interval() == interval
        press(controller.window, Qt.Key.Key_Space)
        wait_for(qtbot, controller, Activity.PAUSED)
        assert throttle.share == math.inf  # what rests is drawn at once
        press(controller.window, Qt.Key.Key_Space)
        wait_for(qtbot, controller, Activity.RUNNING)
        with qtbot.waitSignal(controller.run_ended, timeout=60_000):
            controller.stop()
        assert throttle.share == math.inf
        assert timer.interval() == FRAME


def test_pause_step_resume_and_stop_are_real(qtbot: QtBot, controller: WindowController) -> None:
    window = controller.window
    open_(qtbot, controller)
    limit(controller)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.RUNNING)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.PAUSED)
    qtbot.wait(100)
    paused = state(controller).iteration
    qtbot.wait(300)
    assert state(controller).iteration == paused
    assert window.readout.values["iteration"].text().replace("\u202f", "") == str(paused)
    press(window, Qt.Key.Key_N)
    press(window, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: state(controller).iteration == paused + 2)
    qtbot.wait(100)
    assert state(controller).iteration == paused + 2
    click(window.run_bar.pause)
    qtbot.waitUntil(lambda: state(controller).iteration > paused + 5)
    with qtbot.waitSignal(controller.run_ended):
        press(window, Qt.Key.Key_Escape)
    assert lines(controller)[-1]["ending"] == "cancelled"
    assert window.run_bar.start.isEnabled()


def test_step_begins_a_run_that_rests(qtbot: QtBot, controller: WindowController) -> None:
    open_(qtbot, controller)
    press(controller.window, Qt.Key.Key_N)
    wait_for(qtbot, controller, Activity.PAUSED)
    qtbot.waitUntil(lambda: controller.run is not None and controller.run.snapshot is not None)
    assert state(controller).iteration == 1
    controller.stop()
    wait_for(qtbot, controller, Activity.IDLE)


def test_stop_before_the_colony_is_built(qtbot: QtBot, controller: WindowController) -> None:
    open_(qtbot, controller)
    with qtbot.waitSignal(controller.run_ended, timeout=30_000):
        press(controller.window, Qt.Key.Key_Space)
        press(controller.window, Qt.Key.Key_Escape)
    assert lines(controller)[-1]["ending"] == "cancelled"
    assert controller.window.activity is Activity.IDLE


def test_a_pause_asked_for_while_the_colony_is_built_comes_before_the_first_iteration(
    qtbot: QtBot, controller: WindowController, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, controller)
    use_colony(controller, monkeypatch, Slow)
    window = controller.window
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.BUILDING)
    click(window.run_bar.pause)
    assert window.activity is Activity.BUILDING_TO_PAUSE
    assert window.run_bar.pause.text() == "Resume"
    wait_for(qtbot, controller, Activity.PAUSED)
    qtbot.wait(50)  # nothing goes on
    window.dashboard.settle()
    slow = RandomColony.built[0]
    assert slow.iteration == 0
    assert not window.actions_.exports["tour"].isEnabled()
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: slow.iteration > 0, timeout=10_000)
    with qtbot.waitSignal(controller.run_ended, timeout=60_000):
        controller.stop()


def test_a_pause_asked_for_while_the_colony_is_built_can_be_taken_back(
    qtbot: QtBot, controller: WindowController, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, controller)
    use_colony(controller, monkeypatch, Slow)
    press(controller.window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.BUILDING)
    press(controller.window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.BUILDING_TO_PAUSE)
    qtbot.waitUntil(lambda: controller.solver is not None, timeout=10_000)
    assert controller.solver is not None
    states: list[RunState] = []
    controller.solver.state_changed.connect(states.append)
    press(controller.window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.BUILDING)
    wait_for(qtbot, controller, Activity.RUNNING)
    assert RunState.PAUSED not in states
    with qtbot.waitSignal(controller.run_ended, timeout=60_000):
        controller.stop()


def test_closing_in_mid_run_is_soon_done(
    qtbot: QtBot, controller: WindowController, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, controller)
    use_colony(controller, monkeypatch, Slow)
    limit(controller)
    press(controller.window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.RUNNING)
    qtbot.waitUntil(lambda: not controller.background._tasks, timeout=60_000)  # it may compile
    slow = RandomColony.built[0]
    before = slow.iteration
    controller.window.close()
    assert not controller.window.isVisible()
    assert close_window(controller)
    assert slow.iteration <= before + 2  # what was under way, not all that there was to come
    assert lines(controller)[-1]["ending"] == "cancelled"
    assert slow.closed == 1
