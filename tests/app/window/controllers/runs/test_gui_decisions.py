"""Decisions in the whole window, before, during and after a run: what is foretold comes true."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.aims import Aim
from gpu.core.decisions import Sign, Step
from gpu.core.machine.compiling import COMPILING
from gpu.crossing.parameters import CROSSING_STEPS
from gpu.decisions import WalkReplay
from gpu.focused.parameters import FOCUSED_STEPS
from gpu.problems.bundled import bundled
from tests.app.in_window import (
    GRID,
    LONGEST,
    decision_of,
    last_tour,
    limit,
    may_compile,
    open_,
    use_aim,
    use_colony,
    use_device,
    wait_for,
)
from tests.colonies import RandomColony
from tests.hands import click, move, press, press_stop, write
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity
from views.graph.graph_view import GraphView
from views.widgets.view import Pointed

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


def shown(qtbot: QtBot, application: Application, iteration: int, step: int) -> Step:
    """Wait until the view shows this step of this iteration."""
    found = decision_of(qtbot, application, iteration, step)
    view = application.window.view(DecisionView)
    assert f"at step {step}" in view.words.text()
    return found


def foretold(decision: Step) -> list[int]:
    return decision.picture.marked(Sign.VISITED) + decision.picture.marked(Sign.CHOSEN)


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
    press_stop(window)
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
    assert max(float(row.cells[1]) for row in strong.options.told) > 1  # its trail
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
    press_stop(window)
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
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    limit(opened)
    window = opened.window
    view = window.view(DecisionView)
    press(window, Qt.Key.Key_2)
    qtbot.waitUntil(
        lambda: "once on this machine: 33 % of its functions are done" in view.hint.text()
    )
    assert view.hint.isVisible()
    for iteration in (1, 2):
        press(window, Qt.Key.Key_N)
        qtbot.waitUntil(lambda made=iteration: iterations(opened) == made)  # type: ignore[misc]
        wait_for(qtbot, opened, Activity.PAUSED)  # else it would not be ready for the next step
        qtbot.waitUntil(lambda: "of its functions are done" in view.hint.text())
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
    press_stop(application.window)
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


UNIFORM = next(one.path for one in bundled() if one.name == "uniform-100")


def use(application: Application, colony: str = "focused-seq", **parameters: object) -> None:
    setup = application.window.setup
    choices = dataclasses.replace(setup.choices(), colony=colony, parameters=parameters)
    setup.set_choices(choices)


def edges_of(tour: list[int]) -> set[tuple[int, int]]:
    return edge_set(np.column_stack((tour, np.roll(tour, -1))))


def edge_set(pairs: NDArray[np.integer]) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in pairs.tolist()}


def edges(step: Step, sign: Sign) -> set[tuple[int, int]]:
    """The edges that have this sign on the map."""
    (mark,) = (mark for mark in step.picture.marks if mark.sign is sign)
    return edge_set(mark.places)


@may_compile
def test_what_an_ant_changes_is_foretold(qtbot: QtBot, opened: Application) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, UNIFORM)
    limit(opened)
    use(opened, ants=1, heat=30)
    window = opened.window
    view = window.view(DecisionView)
    press(window, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: "no ant makes a double bridge" in view.hint.text())
    press(window, Qt.Key.Key_N)
    assert decision_of(qtbot, opened, 1, 1).ant == 0
    assert view.controls.step.maximum() == FOCUSED_STEPS
    assert view.words.text().startswith("Ant 1 draws two places of the tour")
    press(view, Qt.Key.Key_End)
    kept = 0
    for iteration in range(1, 12):
        change = decision_of(qtbot, opened, iteration, FOCUSED_STEPS)
        assert f"Foretold for iteration {iteration + 1}" in view.note.text()
        press(window, Qt.Key.Key_1)
        before = edges_of(last_tour(qtbot, opened, iteration))
        press(window, Qt.Key.Key_N)
        after = edges_of(last_tour(qtbot, opened, iteration + 1))
        press(window, Qt.Key.Key_2)
        if "is kept" in change.sentence:
            kept += 1
            assert edges(change, Sign.GIVEN_UP) == before - after
            assert edges(change, Sign.TAKEN) == after - before
        else:
            assert before == after
    assert kept
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)


@may_compile
def test_the_ants_of_an_ended_run_are_walked_through_by_mouse(
    qtbot: QtBot, opened: Application
) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, UNIFORM)
    limit(opened, iterations=4)
    use(opened, heat=2)
    window = opened.window
    view = window.view(DecisionView)
    press(window, Qt.Key.Key_2)
    with qtbot.waitSignal(opened.runs.ended, timeout=800_000):
        press(window, Qt.Key.Key_Space)
    decision_of(qtbot, opened, 4, 1)
    assert "The run has ended; this is how iteration 5 would begin." in view.note.text()
    click(view.controls.watch)  # to the last step, and no farther
    decision_of(qtbot, opened, 4, FOCUSED_STEPS)
    qtbot.waitUntil(lambda: not view.controls.watch.isChecked())
    press(view, Qt.Key.Key_Home)
    press(view, Qt.Key.Key_Right)
    assert edges(decision_of(qtbot, opened, 4, 2), Sign.GIVEN_UP)
    bars = view.bars

    def lit() -> bool:
        move(bars, QPoint(40, 3))
        move(bars, QPoint(40, round(bars.row_height * 1.5)))
        return view.canvas.lit.shown is not None and len(view.canvas.lit.shown.places) == 2

    qtbot.waitUntil(lit)
    assert not view.scales.isVisible()
    press(view, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: view.decision is not None and view.decision.ant == 1)
    click(view.canvas.extent.buttons["whole"])


@may_compile
def test_which_crossing_ants_win_is_foretold(qtbot: QtBot, opened: Application) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, UNIFORM)
    limit(opened)
    use(opened, "crossing-seq", ants=4)
    window = opened.window
    view = window.view(DecisionView)
    press(window, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: "first tours of a population" in view.hint.text())
    won = 0
    for iteration in range(1, 4):
        press(window, Qt.Key.Key_N)
        assert "crosses it with tour" in words_of(qtbot, opened, iteration, 1)
        assert view.controls.step.maximum() == CROSSING_STEPS
        merges = opened.runs.current.latest.merges
        assert (merges.ants, merges.won) == (4 * (iteration - 1), won)
        press(view, Qt.Key.Key_End)
        for ant in range(4):
            view.controls.ant.setValue(ant + 1)
            words_of(qtbot, opened, iteration, CROSSING_STEPS)
            assert view.decision.ant == ant
            won += bool(edges(view.decision, Sign.TAKEN))
        press(view, Qt.Key.Key_Home)
        view.controls.ant.setValue(1)
    assert won
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)


def words_of(qtbot: QtBot, application: Application, iteration: int, step: int) -> str:
    """What the view says of this step of the ant that is chosen."""
    view = application.window.view(DecisionView)

    def there() -> bool:
        found = view.decision
        if found is None or not view.words.isVisible():
            return False
        return (found.iteration, found.ant, found.number) == (iteration, *view.controls.chosen)

    qtbot.waitUntil(there, timeout=200_000)
    assert view.controls.chosen[1] == step
    return view.words.text()


GRAPH = next(one.path for one in bundled() if one.name == "mycielski-47")


@may_compile
def test_step_by_step_what_was_foretold_is_colored(qtbot: QtBot, opened: Application) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, GRAPH)
    window = opened.window
    view = window.view(DecisionView)
    write(window.setup.parameters.fields["ants"].entry, "1")
    limit(opened)
    press(window, Qt.Key.Key_2)

    (first,) = decision_of(qtbot, opened, 0, 1).picture.marked(Sign.CHOSEN)
    qtbot.waitUntil(lambda: view.canvas.has_places)
    assert "it begins class 1" in view.words.text()
    assert view.formula.text().startswith(f"p({first + 1}) = 1 / 47 = ")
    press(view, Qt.Key.Key_Right)
    second = decision_of(qtbot, opened, 0, 2)
    assert f"stands at vertex {first + 1} in class 1" in view.words.text()
    chances = (mark.chances for mark in second.picture.marks if mark.sign is Sign.CONSIDERED)
    assert next(chances).sum() == pytest.approx(1)

    def lit() -> bool:
        move(view.bars, QPoint(40, 3))
        move(view.bars, QPoint(40, round(view.bars.row_height * 1.5)))
        return view.canvas.lit.shown == Pointed(places=view.bars.rows[0].places)

    qtbot.waitUntil(lit)
    assert "vertex" in window.view(GraphView).hover.text()  # the other views light up, too
    press(view, Qt.Key.Key_End)
    last = decision_of(qtbot, opened, 0, 47)
    press(window, Qt.Key.Key_N)
    decision_of(qtbot, opened, 1, 47)
    found = opened.runs.current.latest.best_solution
    before = last.picture.colors >= 0
    assert before.sum() == 46
    if opened.runs.current.latest.best_iteration == 1:  # else a greedy coloring is better
        assert found[before].tolist() == last.picture.colors[before].tolist()
    # a colony with tabu searches shows their moves, too
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)
    values = {"ants": 2, "searches": 2, "moves": 30}
    use(opened, "aco-rlf-tabu", **values)
    press(window, Qt.Key.Key_N)
    qtbot.waitUntil(view.who.isVisible, timeout=LONGEST)
    click(view.who.buttons["searches"])

    def moved() -> bool:
        step = view.decision
        return step is not None and step.iteration == 1 and "Search 1" in step.sentence

    qtbot.waitUntil(moved, timeout=LONGEST)
    assert view.words.text().startswith("Search 1, move 30: with ")
    press(view, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: "Search 1, move 1: with " in view.words.text())
    click(view.who.buttons["ants"])
    qtbot.waitUntil(lambda: "Ant 1, step 1: " in view.words.text())
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)
