"""A focused colony goes on from the best tour that another colony has found."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import (
    LONGEST,
    limit,
    lines,
    log_of,
    may_compile,
    open_,
    run_to_the_end,
    state,
    use_colony,
)
from tests.app.in_window import use_device as choose_device
from tests.colonies import RandomColony
from tests.hands import press, rest

MAP = next(one.path for one in bundled() if one.name == "map-1000")
GRAPH = next(one.path for one in bundled() if one.path.suffix == ".col")
CONTROL = Qt.KeyboardModifier.ControlModifier


@may_compile
def test_the_best_tour_is_improved(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened.window
    choose_device(opened, "cpu:1")
    improve = window.actions_["improve"]
    assert not improve.isEnabled()
    open_(qtbot, opened, MAP)
    assert not improve.isEnabled()  # no run yet
    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=5)
    run_to_the_end(qtbot, opened)
    before, log = state(opened), log_of(opened)
    assert improve.isEnabled()
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        press(window, Qt.Key.Key_I, CONTROL)
        qtbot.waitUntil(lambda: opened.runs.busy)
        assert not improve.isEnabled()
    rest(1)
    run = opened.runs.current
    assert run.session.colony == "crossing-seq"
    assert run.session.start.path == str(log.with_suffix(".tour"))
    assert isinstance(run.instance, TspInstance)
    start = run.instance.load_solution(run.session.start.path)
    assert start.tolist() == before.best_solution.tolist()
    assert lines(opened)[1]["best"] == before.best_cost
    assert state(opened).cost < before.cost
    assert state(opened).iteration == 5
    assert improve.isEnabled()


def test_a_coloring_is_not_offered_to_be_improved(qtbot: QtBot, opened: Application) -> None:
    choose_device(opened, "cpu:1")
    for path, offered in ((MAP, True), (GRAPH, False)):
        open_(qtbot, opened, path)
        opened.window.control.show_state_of("run")  # as after a run
        assert opened.window.actions_["improve"].isEnabled() == offered
