"""A colony goes on from the best tour or coloring that another colony has found."""

from __future__ import annotations

from pathlib import Path

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
from tests.app.window.graph_window import color, compiled, drawn, write_graph
from tests.colonies import RandomColony
from tests.hands import click, press, rest

MAP = next(one.path for one in bundled() if one.name == "map-1000")
__all__ = ["compiled"]

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


@may_compile
def test_what_was_found_before_is_offered_and_improved(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the next day: nothing of the run is left but its log."""
    banner = opened.window.banner
    choose_device(opened, "cpu:1")
    open_(qtbot, opened, MAP)
    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=5)
    run_to_the_end(qtbot, opened)
    before = state(opened)
    open_(qtbot, opened, MAP)
    qtbot.waitUntil(lambda: "Your best until now is" in banner.text)
    click(banner.offers[0])
    qtbot.waitUntil(lambda: banner.text.startswith("Recorded: best"))
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        click(banner.offers[0])
    rest(1)
    run = opened.runs.current
    assert isinstance(run.instance, TspInstance)
    start = run.instance.load_solution(run.session.start.path)
    assert start.tolist() == before.best_solution.tolist()
    assert state(opened).cost < before.cost


@may_compile
def test_the_best_coloring_is_begun_with(qtbot: QtBot, opened: Application, tmp_path: Path) -> None:
    color(qtbot, opened, write_graph(tmp_path))
    before, improve = state(opened), opened.window.actions_["improve"]
    assert improve.isEnabled()
    opened.window.setup.stop.set_values({"iterations": 2, "go_on": True})
    for begun, best in ((before.best_cost, 7), (7, 7)):  # of which no coloring has fewer
        with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
            press(opened.window, Qt.Key.Key_I, CONTROL)
        drawn(qtbot, opened)
        run = opened.runs.current
        assert run.session.colony == "gpx-seq"
        assert run.session.start.path.endswith(".sol")
        assert lines(opened)[1]["best"] == begun
        assert (state(opened).iteration, state(opened).best_cost) == (2, best)
    assert state(opened).best_iteration == 0
    assert ", with which the run began" in opened.window.banner.text
