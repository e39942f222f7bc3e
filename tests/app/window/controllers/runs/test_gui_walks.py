"""Ants that walk on the map in the whole window: each is one that the colony had."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.runs.walks import TOO_MANY
from gpu.aims import Aim
from gpu.core.decisions import Sign
from gpu.core.formats import whole
from gpu.problems.bundled import bundled
from tests.app.in_window import (
    LONGEST,
    limit,
    log_of,
    may_compile,
    open_,
    state,
    use_aim,
    use_colony,
    use_device,
    wait_for,
)
from tests.colonies import RandomColony
from tests.hands import NONE, click, press, press_stop
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity
from views.graph.graph_view import GraphView
from views.tour.tour_view import TourView
from views.tour.walk_layer import WalkLayer
from views.widgets.layers import to_pixels


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
        assert len(walks.orders) == 10
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
    bar = view.walking.bar
    click(view.chips["walk"])
    press(opened.window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bar.plays, timeout=LONGEST)
    first = layer_of(view).shown
    assert first is not None
    assert not np.array_equal(first.orders[0], first.orders[1])
    qtbot.waitUntil(lambda: view.walking._next is not None, timeout=LONGEST)
    view.walking.bar.advance(100.0)
    assert layer_of(view).shown is not first
    click(view.chips["walk"])
    press_stop(opened.window)
    wait_for(qtbot, opened, Activity.IDLE)
    click(view.chips["walk"])  # the last iteration's ants walk after the end, too
    last, run = state(opened).iteration, opened.runs.current
    assert f"Iteration {whole(last)}: step 1" in bar.note.text()
    for _ in range(2):
        bar.advance(100.0)
        click(bar.play)  # and once more
        assert f"Iteration {whole(last)}: step 1" in bar.note.text()
    assert opened.runs.current is run

    seen = layer_of(view).shown
    open_(qtbot, opened, log_of(opened))  # where no ants are: the iteration is made again
    qtbot.waitUntil(bar.refusal.isVisible)
    assert f"iteration {whole(last)} are not recorded" in bar.refusal.text()
    assert layer_of(view).shown is None
    click(bar.watch)
    walks_of_iteration(qtbot, view, last)
    made = layer_of(view).shown
    assert made is not None
    assert seen is not None
    np.testing.assert_array_equal(made.orders, seen.orders)


@may_compile
def test_a_colony_whose_ants_change_tours_offers_one_that_can_be_watched(
    qtbot: QtBot, opened: Application, view: TourView, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_colony(opened, monkeypatch, RandomColony)
    setup, bar = opened.window.setup, view.walking.bar
    opened.window.resize(1000, 700)
    qtbot.waitUntil(view.chips["walk"].isVisible)  # even there
    click(view.chips["walk"])
    qtbot.waitUntil(bar.refusal.isVisible)
    assert bar.refusal.height() >= bar.refusal.heightForWidth(bar.refusal.width())
    assert bar.watch.width() >= bar.watch.sizeHint().width()
    assert "change tours" in bar.refusal.text()
    assert bar.watch.text() == "Watch it work"
    press(opened.window, Qt.Key.Key_Space)
    wait_for(qtbot, opened, Activity.RUNNING)
    assert bar.watch.text() == "Stop, and watch it work"
    former = opened.runs.current
    click(bar.watch)
    walks_of_iteration(qtbot, view, 1)
    assert opened.runs.current is not former
    assert setup.aim.aim is Aim.WATCH
    assert not bar.refusal.isVisible()
    wait_for(qtbot, opened, Activity.PAUSED)
    press_stop(opened.window)
    wait_for(qtbot, opened, Activity.IDLE)
    open_(qtbot, opened, next(one.path for one in bundled() if one.name == "clustered-2500"))
    assert bar.refusal.isVisible()
    assert bar.watch.isHidden()
    assert bar.refusal.text() == TOO_MANY.format("cities")


@may_compile
def test_ants_color_a_graph_vertex_by_vertex(qtbot: QtBot, opened: Application) -> None:
    use_device(opened, "cpu:1")
    open_(qtbot, opened, next(one.path for one in bundled() if one.name == "queens-49"))
    use_aim(opened, Aim.BEST)
    view = opened.window.view(GraphView)
    bar = view.walking.bar
    click(view.chips["walk"])
    assert "no ants that color the graph vertex by vertex" in bar.refusal.text()
    click(bar.watch)
    qtbot.waitUntil(lambda: "Iteration 1:" in bar.note.text(), timeout=LONGEST)
    wait_for(qtbot, opened, Activity.PAUSED)
    walks = state(opened).walks
    assert walks is not None
    assert walks.costs.min() == state(opened).iteration_best
    assert bar.ants.maximum() == len(walks.orders) == 5
    bar.advance(100.0)
    wait_for(qtbot, opened, Activity.PAUSED)
    qtbot.waitUntil(lambda: "Iteration 2:" in bar.note.text(), timeout=LONGEST)
    press_stop(opened.window)
    wait_for(qtbot, opened, Activity.IDLE)


@may_compile
def test_an_ant_that_is_clicked_is_followed_choice_by_choice(
    qtbot: QtBot, opened: Application, view: TourView
) -> None:
    decision = opened.window.view(DecisionView)
    bar, layer = view.walking.bar, layer_of(view)
    click(view.chips["walk"])
    click(bar.play)
    click(bar.play)  # makes an iteration
    walks_of_iteration(qtbot, view, 1)
    wait_for(qtbot, opened, Activity.PAUSED)
    bar.stop()
    bar.slider.setValue(1950)  # halfway to the 21st city
    view.graphics.grab()
    walks = layer.shown
    assert walks is not None
    places = to_pixels(layer.places(), layer._seen)
    far = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) + 1e9 * np.eye(len(places))
    ant = int(far.min(axis=1).argmax())  # the one that is farthest from all others
    place = QPoint(*places[ant].astype(int))
    QTest.mouseClick(view.graphics.viewport(), Qt.MouseButton.LeftButton, NONE, place)
    assert decision.isVisible()

    def shows(step: int) -> Callable[[], bool]:
        def shown() -> bool:
            told = decision.decision
            return told is not None and (told.ant, told.number, told.iteration) == (ant, step, 0)

        return shown

    for step in (20, 21):
        qtbot.waitUntil(shows(step), timeout=LONGEST)
        told = decision.decision
        assert told is not None
        assert told.picture.marked(Sign.VISITED) == walks.orders[ant, :step].tolist()
        assert told.picture.marked(Sign.CHOSEN) == [walks.orders[ant, step]] or told.caveat
        assert "As it was in iteration 1" in decision.note.text()
        click(bar.step)
    press(opened.window, Qt.Key.Key_N)  # another iteration, which is not shown yet
    qtbot.waitUntil(lambda: decision._iteration == 2, timeout=LONGEST)
    assert "Foretold for iteration 3" in decision._when
    press_stop(opened.window)
    wait_for(qtbot, opened, Activity.IDLE)
