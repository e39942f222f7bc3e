"""Ants that walk on the map in the whole window: each is one that the colony had."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.runs.walks import TOO_MANY
from gpu.aims import Aim
from gpu.problems.bundled import bundled
from tests.app.in_window import (
    LONGEST,
    limit,
    may_compile,
    open_,
    state,
    use_aim,
    use_device,
    wait_for,
)
from tests.hands import click, press, press_stop
from views.frame.activity import Activity
from views.tour.tour_view import TourView
from views.tour.walk_layer import WalkLayer


@pytest.fixture
def view(qtbot: QtBot, opened: Application) -> TourView:
    """The map of a window with a colony that is to be watched."""
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    use_aim(opened, Aim.WATCH)
    limit(opened)
    return opened.window.view(TourView)


def layer_of(view: TourView) -> WalkLayer:
    layer = view.layers["walk"]
    assert isinstance(layer, WalkLayer)
    return layer


def walks_of_iteration(qtbot: QtBot, view: TourView, iteration: int) -> None:
    """Wait until the ants of this iteration walk."""
    text = f"Iteration {iteration}:"
    qtbot.waitUntil(lambda: text in view.walking.bar.note.text(), timeout=LONGEST)


@may_compile
def test_play_makes_one_iteration_after_the_other(
    qtbot: QtBot, opened: Application, view: TourView
) -> None:
    press(opened.window, Qt.Key.Key_N)
    wait_for(qtbot, opened, Activity.PAUSED)
    click(view.chips["walk"])
    for iteration in (1, 2, 3):
        walks_of_iteration(qtbot, view, iteration)
        wait_for(qtbot, opened, Activity.PAUSED)
        qtbot.waitUntil(lambda: state(opened).walks is not None, timeout=LONGEST)
        shot, walks = state(opened), layer_of(view).shown
        assert walks is not None
        assert shot.iteration == iteration
        assert len(walks.tours) == 10
        assert walks.costs.min() == shot.iteration_best
        assert walks.costs.mean() == pytest.approx(shot.iteration_mean)
        view.walking.bar.advance(100.0)
    click(view.walking.bar.play)
    assert not view.walking.bar.plays
    press_stop(opened.window)


@may_compile
def test_ants_are_those_of_a_run_that_goes_on(
    qtbot: QtBot, opened: Application, view: TourView
) -> None:
    click(view.chips["walk"])
    press(opened.window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: view.walking.bar.plays, timeout=LONGEST)
    first = layer_of(view).shown
    assert first is not None
    assert not np.array_equal(first.tours[0], first.tours[1])
    qtbot.waitUntil(lambda: view.walking._next is not None, timeout=LONGEST)
    view.walking.bar.advance(100.0)
    assert layer_of(view).shown is not first
    press_stop(opened.window)
    wait_for(qtbot, opened, Activity.IDLE)


def test_a_colony_whose_ants_change_tours_offers_another(
    qtbot: QtBot, opened: Application, view: TourView
) -> None:
    open_(qtbot, opened, next(one.path for one in bundled() if one.name == "clustered-500"))
    use_aim(opened, Aim.BEST)
    setup, bar = opened.window.setup, view.walking.bar
    click(view.chips["walk"])
    assert bar.refusal.isVisible()
    assert "CROSSING-SEQ change tours" in bar.refusal.text()
    click(bar.watch)
    assert setup.aim.aim is Aim.WATCH
    assert not bar.refusal.isVisible()
    open_(qtbot, opened, next(one.path for one in bundled() if one.name == "clustered-2500"))
    assert bar.refusal.isVisible()
    assert bar.watch.isHidden()
    assert bar.refusal.text() == TOO_MANY
