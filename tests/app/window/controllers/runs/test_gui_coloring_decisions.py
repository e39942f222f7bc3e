"""The decisions of ants that color a graph, in the whole window: before and during a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.decisions.coloring_decision import ColoringDecision
from gpu.core.decisions.tabu_move import TabuMove
from gpu.problems.bundled import bundled
from tests.app.in_window import LONGEST, limit, may_compile, open_, use_device, wait_for
from tests.hands import click, move, press, write
from views.decision.coloring_decision_view import ColoringDecisionView
from views.frame.activity import Activity
from views.graph.graph_view import GraphView

GRAPH = next(one.path for one in bundled() if one.name == "mycielski-47")


@may_compile
def test_step_by_step_what_was_foretold_is_colored(qtbot: QtBot, opened: Application) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, GRAPH)
    window = opened.window
    view = window.view(ColoringDecisionView)
    write(window.setup.parameters.fields["ants"].entry, "1")
    limit(opened)
    press(window, Qt.Key.Key_2)

    def shown(iteration: int, step: int) -> ColoringDecision:
        def there() -> bool:
            found = view.decision
            return found is not None and (found.iteration, found.step) == (iteration, step)

        qtbot.waitUntil(there, timeout=LONGEST)
        assert isinstance(view.decision, ColoringDecision)
        return view.decision

    first = shown(0, 1)
    qtbot.waitUntil(lambda: view.graph.drawing is not None)
    assert "it begins class 1" in view.words.text()
    assert view.formula.text().startswith(f"p({first.chosen + 1}) = 1 / 47 = ")
    press(view, Qt.Key.Key_Right)
    second = shown(0, 2)
    assert f"stands at vertex {first.chosen + 1} in class 1" in view.words.text()
    assert second.chances.sum() == pytest.approx(1)

    def lit() -> bool:
        move(view.bars, QPoint(40, 3))
        move(view.bars, QPoint(40, round(view.bars._row_height() * 1.5)))
        return view.graph.layer.lit == (first.chosen, view.bars.rows[0].city)

    qtbot.waitUntil(lit)
    assert "vertex" in window.view(GraphView).hover.text()  # the other views light up, too
    press(view, Qt.Key.Key_End)
    last = shown(0, 47)
    press(window, Qt.Key.Key_N)
    shown(1, 47)
    found = opened.runs.current.latest.best_solution
    expected = last.colors.copy()
    expected[last.chosen] = last.color
    if opened.runs.current.latest.best_iteration == 1:  # else a greedy coloring is better
        assert found.tolist() == expected.tolist()
    # a colony with tabu searches shows their moves, too
    press(window, Qt.Key.Key_Escape)
    wait_for(qtbot, opened, Activity.IDLE)
    setup = window.setup
    values = {"ants": 2, "searches": 2, "moves": 30}
    setup.set_choices(replace(setup.choices(), colony="aco-rlf-tabu", parameters=values))
    press(window, Qt.Key.Key_N)
    qtbot.waitUntil(view.who.isVisible, timeout=LONGEST)
    click(view.who.buttons["searches"])

    def moved() -> bool:
        return isinstance(view.decision, TabuMove) and view.decision.iteration == 1

    qtbot.waitUntil(moved, timeout=LONGEST)
    assert view.words.text().startswith("Search 1, move 30: with ")
    press(view, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: "Search 1, move 1: with " in view.words.text())
    click(view.who.buttons["ants"])
    qtbot.waitUntil(lambda: "Ant 1, step 1: " in view.words.text())
    press(window, Qt.Key.Key_Escape)
    wait_for(qtbot, opened, Activity.IDLE)
