"""An ant's decision in the whole window: before, during and after a real run."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.aims import Aim
from gpu.core.decisions.decision import Decision
from gpu.core.machine.compiling import COMPILING
from gpu.decisions.replay import WalkReplay
from tests.app.in_window import (
    GRID,
    decision_of,
    last_tour,
    limit,
    open_,
    use_aim,
    use_colony,
    use_device,
    wait_for,
)
from tests.colonies import RandomColony
from tests.hands import click, press, write
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity

Cancelled = Callable[[], bool]


@pytest.fixture
def application(qtbot: QtBot, opened: Application) -> Application:
    """A window with an instance, a colony of one ant, and the decision in sight."""
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    write(opened.window.setup.parameters.fields["ants"].entry, "1")
    limit(opened)
    press(opened.window, Qt.Key.Key_2)
    return opened


def shown(qtbot: QtBot, application: Application, iteration: int, step: int) -> Decision:
    """Wait until the view shows this step of this iteration."""
    found = decision_of(qtbot, application, Decision, iteration, step)
    view = application.window.view(DecisionView)
    assert f"at step {step}" in view.words.text()
    return found


def foretold(decision: Decision) -> list[int]:
    return [*map(int, decision.tour), decision.choice.chosen]


def test_step_by_step_what_was_foretold_comes_true(qtbot: QtBot, application: Application) -> None:
    window = application.window
    view = window.view(DecisionView)
    shown(qtbot, application, 0, 1)
    assert "first iteration of a run with these choices" in view.note.text()
    press(view, Qt.Key.Key_End)
    expected = foretold(shown(qtbot, application, 0, 49))
    for iteration in (1, 2, 3):
        press(window, Qt.Key.Key_N)
        decision = shown(qtbot, application, iteration, 49)
        assert f"Foretold for iteration {iteration + 1}" in view.note.text()
        press(window, Qt.Key.Key_1)
        assert last_tour(qtbot, application, iteration) == expected
        press(window, Qt.Key.Key_2)
        expected = foretold(decision)
    application.run_controller.stop()
    wait_for(qtbot, application, Activity.IDLE)


def test_a_run_at_work_is_waited_for(qtbot: QtBot, application: Application) -> None:
    window = application.window
    view = window.view(DecisionView)
    shown(qtbot, application, 0, 1)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    qtbot.waitUntil(view.hint.isVisible)
    assert "Pause it (Space)" in view.hint.text()
    assert not view.controls.isEnabled()
    run = application.runs.active
    qtbot.waitUntil(lambda: run.latest.iteration > 0)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.PAUSED)
    iteration = run.latest.iteration
    shown(qtbot, application, iteration, 1)
    press(view, Qt.Key.Key_Right)
    shown(qtbot, application, iteration, 2)
    press(window, Qt.Key.Key_Escape)
    wait_for(qtbot, application, Activity.IDLE)


def test_an_ended_run_is_looked_into_until_the_next(qtbot: QtBot, application: Application) -> None:
    window = application.window
    view = window.view(DecisionView)
    window.setup.stop.set_values({"iterations": 20, "go_on": True})
    with qtbot.waitSignal(application.runs.ended):
        press(window, Qt.Key.Key_Space)
    shown(qtbot, application, 20, 1)
    assert "The run has ended; this is how iteration 21 would begin." in view.note.text()
    press(view, Qt.Key.Key_End)
    strong = shown(qtbot, application, 20, 49)
    assert strong.choice.trails.max() > 1
    with qtbot.waitSignal(application.runs.ended):
        press(window, Qt.Key.Key_Space)
    again = shown(qtbot, application, 20, 49)
    assert foretold(again) == foretold(strong)  # the same seed
    with qtbot.waitSignal(application.files.ready):
        application.files.open(GRID)
    shown(qtbot, application, 0, 49)
    assert view.controls.step.maximum() == 99


def test_other_choices_are_foretold_at_once_and_watching_ends_where_the_run_goes_on(
    qtbot: QtBot, application: Application
) -> None:
    window = application.window
    shown(qtbot, application, 0, 1)
    fields = window.setup.parameters.fields
    write(fields["q0"].entry, "0")
    qtbot.waitUntil(lambda: "so it spins the wheel" in window.view(DecisionView).words.text())
    write(fields["q0"].entry, "1")
    qtbot.waitUntil(lambda: "so it takes the heaviest" in window.view(DecisionView).words.text())
    write(fields["q0"].entry, "2")
    qtbot.waitUntil(window.view(DecisionView).hint.isVisible)
    assert "q0 = 2 must be in [0, 1]" in window.view(DecisionView).hint.text()
    write(fields["q0"].entry, "")
    shown(qtbot, application, 0, 1)
    view = window.view(DecisionView)
    click(view.controls.pace)
    click(view.controls.pace)
    click(view.controls.watch)
    qtbot.waitUntil(lambda: view.controls.step.value() >= 4)
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not view.controls.watch.isChecked())
    press(window, Qt.Key.Key_Escape)
    wait_for(qtbot, application, Activity.IDLE)


def test_compiling_is_told_and_does_not_hold_up_the_run(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, decide = threading.Event(), WalkReplay.decision

    def compile_first(replay: WalkReplay, ant: int, step: int, cancelled: Cancelled) -> object:
        COMPILING.begin(["a", "b"])
        COMPILING.note_part("a")
        while not compiled.wait(0.01):
            COMPILING.check()
        COMPILING.end()
        return decide(replay, ant, step, cancelled)

    monkeypatch.setattr(WalkReplay, "decision", compile_first)
    monkeypatch.setattr(COMPILING, "_done", 0)
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    limit(opened)
    window = opened.window
    view = window.view(DecisionView)
    press(window, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: "once on this machine: 1 of 3 functions are done" in view.hint.text())
    assert view.hint.isVisible()
    for iteration in (1, 2):
        press(window, Qt.Key.Key_N)
        qtbot.waitUntil(lambda made=iteration: iterations(opened) == made)  # type: ignore[misc]
        wait_for(qtbot, opened, Activity.PAUSED)  # else it would not be ready for the next step
        qtbot.waitUntil(lambda: "functions are done" in view.hint.text())
    compiled.set()
    shown(qtbot, opened, 2, 1)
    opened.run_controller.stop()
    wait_for(qtbot, opened, Activity.IDLE)


def iterations(application: Application) -> int:
    """How many iterations the run in sight has made."""
    run = application.runs.current
    return 0 if run is None else run.latest.iteration


def test_a_colony_without_a_rule_says_so(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_colony(application, monkeypatch, RandomColony)
    view = application.window.view(DecisionView)
    qtbot.waitUntil(lambda: "RandomColony cannot be replayed" in view.hint.text())
    press(application.window, Qt.Key.Key_N)
    wait_for(qtbot, application, Activity.PAUSED)
    assert "RandomColony cannot be replayed" in view.hint.text()
    press(application.window, Qt.Key.Key_Escape)
    wait_for(qtbot, application, Activity.IDLE)


def test_a_measurement_has_the_machine_to_itself(qtbot: QtBot, application: Application) -> None:
    window = application.window
    window.setup.stop.set_values({"iterations": 5, "go_on": True})
    with qtbot.waitSignal(application.runs.ended):
        press(window, Qt.Key.Key_Space)
    shown(qtbot, application, 5, 1)
    with qtbot.waitSignal(application.runs.batch.ended):
        application.measurements.speedups(thorough=False)
    run = application.runs.current
    assert run.isFinished()


def test_a_picture_of_a_decision_and_a_colony_without_any(
    qtbot: QtBot, application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown(qtbot, application, 0, 1)
    for form, begin in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        path = tmp_path / f"decision.{form}"
        application.pictures.export_picture("decision", form, path)
        qtbot.waitUntil(path.exists)
        content = path.read_bytes()
        assert content.startswith(begin)
    assert b"stands in city" in content
    use_colony(application, monkeypatch, RandomColony)
    view = application.window.view(DecisionView)
    why = "RandomColony cannot be replayed"
    qtbot.waitUntil(lambda: why in view.hint.text())
    assert "With the aim Watch it work" in view.hint.text()
    assert not view.words.isVisible()
    use_aim(application, Aim.WATCH)  # it does what the sentence says
    shown(qtbot, application, 0, 1)
    assert view.controls.isEnabled()
    setup = application.window.setup
    setup.set_choices(dataclasses.replace(setup.choices(), colony="test-randomcolony"))
    qtbot.waitUntil(lambda: why in view.hint.text())
    assert not view.controls.isEnabled()
