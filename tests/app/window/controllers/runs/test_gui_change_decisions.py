"""An ant that changes a tour, in the whole window: what was foretold comes true."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.decisions.tour_change import CROSSING_STEPS, STEPS, Fate, TourChange, Verdict
from gpu.problems.bundled import bundled
from tests.app.in_window import (
    decision_of,
    last_tour,
    limit,
    may_compile,
    open_,
    use_device,
    wait_for,
)
from tests.hands import click, move, press
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity

UNIFORM = next(one.path for one in bundled() if one.name == "uniform-100")


def use(application: Application, colony: str = "focused-seq", **parameters: object) -> None:
    setup = application.window.setup
    choices = dataclasses.replace(setup.choices(), colony=colony, parameters=parameters)
    setup.set_choices(choices)


def shown(qtbot: QtBot, application: Application, iteration: int, step: int) -> TourChange:
    """Wait until the view shows this step of this iteration."""
    return decision_of(qtbot, application, TourChange, iteration, step)


def edges_of(tour: list[int]) -> set[tuple[int, int]]:
    return edge_set(np.column_stack((tour, np.roll(tour, -1))))


def edge_set(pairs: NDArray[np.integer]) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in pairs.tolist()}


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
    assert shown(qtbot, opened, 1, 1).ant == 0
    assert view.controls.step.maximum() == STEPS
    assert view.words.text().startswith("Ant 1 draws two places of the tour")
    press(view, Qt.Key.Key_End)
    kept = 0
    for iteration in range(1, 12):
        change = shown(qtbot, opened, iteration, STEPS)
        assert f"Foretold for iteration {iteration + 1}" in view.note.text()
        press(window, Qt.Key.Key_1)
        before = edges_of(last_tour(qtbot, opened, iteration))
        press(window, Qt.Key.Key_N)
        after = edges_of(last_tour(qtbot, opened, iteration + 1))
        press(window, Qt.Key.Key_2)
        assert isinstance(change.what, Verdict)
        if change.what.fate is Fate.KEPT:
            kept += 1
            assert edge_set(change.given.cities) == before - after
            assert edge_set(change.made.cities) == after - before
        else:
            assert before == after
    assert kept
    press(window, Qt.Key.Key_Escape)
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
    shown(qtbot, opened, 4, 1)
    assert "The run has ended; this is how iteration 5 would begin." in view.note.text()
    click(view.controls.watch)  # to the last step, and no farther
    shown(qtbot, opened, 4, STEPS)
    qtbot.waitUntil(lambda: not view.controls.watch.isChecked())
    press(view, Qt.Key.Key_Home)
    press(view, Qt.Key.Key_Right)
    assert len(shown(qtbot, opened, 4, 2).given) > 0
    bars = view.changes

    def lit() -> bool:
        move(bars, QPoint(40, 3))
        move(bars, QPoint(40, round(bars._row_height() * 1.5)))
        return view.map.lit.shown is not None and len(view.map.lit.shown.places) == 2

    qtbot.waitUntil(lit)
    assert not view.bars.isVisible()
    press(view, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: view.decision is not None and view.decision.ant == 1)
    click(view.map.extent.buttons["whole"])


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
        assert opened.runs.current is not None
        merges = opened.runs.current.latest.merges
        assert merges is not None
        assert (merges.ants, merges.won) == (4 * (iteration - 1), won)
        press(view, Qt.Key.Key_End)
        for ant in range(4):
            view.controls.ant.setValue(ant + 1)
            words_of(qtbot, opened, iteration, CROSSING_STEPS)
            assert isinstance(view.decision, TourChange)
            assert view.decision.ant == ant
            won += view.decision.gain > 0
        press(view, Qt.Key.Key_Home)
        view.controls.ant.setValue(1)
    assert won
    press(window, Qt.Key.Key_Escape)
    wait_for(qtbot, opened, Activity.IDLE)


def words_of(qtbot: QtBot, application: Application, iteration: int, step: int) -> str:
    """What the view says of this step of the ant that is chosen."""
    view = application.window.view(DecisionView)

    def there() -> bool:
        found = view.decision
        if found is None or not view.words.isVisible():
            return False
        return (found.iteration, found.ant, found.step) == (iteration, *view.controls.chosen)

    qtbot.waitUntil(there, timeout=200_000)
    assert view.controls.chosen[1] == step
    return view.words.text()
