"""Start, pause, step, stop and close, with real colonies and threads, by mouse and keys."""

from __future__ import annotations

import math
import threading
from functools import partial

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.controller import SHARE_BESIDE_ALL_CORES
from app.window.models.run import LOOK_EVERY, LOOK_EVERY_ON_ALL_CORES, RunModel
from app.window.threads.solver import SolverState
from tests.app.in_window import limit, lines, open_, state, use_colony, use_device, wait_for
from tests.colonies import Awaited, RandomColony, Slow
from tests.hands import click, press, press_stop, settle
from views.frame.activity import Activity


def _looks_every(run: RunModel, interval: int) -> bool:
    return run.timer.interval() == interval


def test_the_window_draws_less_beside_a_colony_on_all_cores(
    qtbot: QtBot, application: Application
) -> None:
    open_(qtbot, application)
    throttle = application.window.dashboard.queue.throttle
    for device, share, interval in (
        ("cpu:1", math.inf, LOOK_EVERY),
        ("cpu", SHARE_BESIDE_ALL_CORES, LOOK_EVERY_ON_ALL_CORES),
    ):
        use_device(application, device)
        press(application.window, Qt.Key.Key_Space)
        wait_for(qtbot, application, Activity.RUNNING)
        assert throttle.share == share
        run = application.runs.active
        asked = partial(_looks_every, run, interval)  # from its next look on
        qtbot.waitUntil(asked)
        press(application.window, Qt.Key.Key_Space)
        wait_for(qtbot, application, Activity.PAUSED)
        assert throttle.share == math.inf  # what rests is drawn at once
        press(application.window, Qt.Key.Key_Space)
        wait_for(qtbot, application, Activity.RUNNING)
        with qtbot.waitSignal(application.runs.ended):
            application.run_controller.stop()
        assert throttle.share == math.inf
        assert run.timer.interval() == LOOK_EVERY


def test_pause_step_resume_and_stop_are_real(qtbot: QtBot, application: Application) -> None:
    window = application.window
    open_(qtbot, application)
    limit(application)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.PAUSED)
    run = application.runs.active
    paused = run.latest.iteration
    qtbot.waitUntil(lambda: state(application).iteration == paused)
    assert window.readout.values["iteration"].text().replace("\u202f", "") == str(paused)
    press(window, Qt.Key.Key_N)
    press(window, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: state(application).iteration == paused + 2)
    wait_for(qtbot, application, Activity.PAUSED)
    assert state(application).iteration == paused + 2  # nothing was made in the pause
    click(window.run_bar.pause)
    qtbot.waitUntil(lambda: state(application).iteration > paused + 5)
    with qtbot.waitSignal(application.runs.ended):
        press_stop(window)
    assert lines(application)[-1]["ending"] == "cancelled"
    assert window.run_bar.start.isEnabled()


def test_stop_before_the_colony_is_built(qtbot: QtBot, application: Application) -> None:
    open_(qtbot, application)
    with qtbot.waitSignal(application.runs.ended):
        press(application.window, Qt.Key.Key_Space)
        press_stop(application.window)
    assert lines(application)[-1]["ending"] == "cancelled"
    assert application.window.activity is Activity.IDLE
    assert state(application).best_solution is not None  # the tour that it would have begun with
    assert application.window.actions_.exports["tour"].isEnabled()


@pytest.fixture
def awaited(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> threading.Event:
    """Choose a colony that is not built before this is set."""
    open_(qtbot, application)
    use_colony(application, monkeypatch, Awaited)
    return Awaited.released


def test_a_pause_asked_for_while_the_colony_is_built_comes_before_the_first_iteration(
    qtbot: QtBot, application: Application, awaited: threading.Event
) -> None:
    window = application.window
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.BUILDING)
    click(window.run_bar.pause)
    assert window.activity is Activity.BUILDING_TO_PAUSE
    assert window.run_bar.pause.text() == "Resume"
    awaited.set()
    wait_for(qtbot, application, Activity.PAUSED)
    settle()  # nothing goes on
    window.dashboard.queue.finish()
    colony = RandomColony.built[0]
    assert colony.iteration == 0
    assert not window.actions_.exports["tour"].isEnabled()
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: colony.iteration > 0)
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()


def test_a_pause_asked_for_while_the_colony_is_built_can_be_taken_back(
    qtbot: QtBot, application: Application, awaited: threading.Event
) -> None:
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.BUILDING)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.BUILDING_TO_PAUSE)
    qtbot.waitUntil(lambda: application.runs.active is not None)
    states: list[SolverState] = []
    application.runs.active.state_changed.connect(states.append)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.BUILDING)
    awaited.set()
    wait_for(qtbot, application, Activity.RUNNING)
    assert SolverState.PAUSED not in states
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()


def test_closing_in_mid_run_is_soon_done(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, application)
    use_colony(application, monkeypatch, Slow)
    limit(application)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    qtbot.waitUntil(lambda: application.background.idle)  # it may compile
    slow = RandomColony.built[0]
    before = slow.iteration
    application.window.close()
    assert not application.window.isVisible()
    assert application.close()
    assert slow.iteration <= before + 2  # what was under way, not all that there was to come
    assert lines(application)[-1]["ending"] == "cancelled"
    assert slow.closed == 1
