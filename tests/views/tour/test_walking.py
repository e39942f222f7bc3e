"""Ants that walk on the map: where they are, what is held back, and when the timer rests."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import RunState, Trails, Walks, Wanted
from tests.hands import click, ticking
from tests.views.scenes import in_sight, show_state, snapshot, uniform
from tests.views.tour.test_tour_view import AROUND, SQUARE, near, square
from views.tour.tour_layers import TourLayer
from views.tour.tour_view import TourView
from views.tour.walk_layer import WalkLayer
from views.walks.walk_bar import LAYING
from views.widgets.background_layer import Sheet
from views.widgets.theme import DARK

CROSSED = np.array([0, 2, 1, 3], dtype=np.int32)
BEFORE = Trails(np.array([[1, 3]], np.int32), np.ones(1, np.float32))
AFTER = Trails(np.array([[0, 1]], np.int32), np.ones(1, np.float32))


def state_of(iteration: int, trails: Trails) -> RunState:
    """A state after an iteration of two ants."""
    walks = Walks(np.array([AROUND, CROSSED]), np.array([40, 48]), 2)
    plain = snapshot(square(), iteration, wanted=Wanted.NUMBERS)
    return dataclasses.replace(
        plain, best_solution=AROUND, trails=trails, walks=walks, solutions_each=2
    )


@pytest.fixture
def view(qtbot: QtBot) -> TourView:
    made = TourView()
    made.show_instance(square())
    in_sight(qtbot, made, 600, 500)
    click(made.chips["walk"])
    return made


def layer_of(view: TourView) -> WalkLayer:
    layer = view.layers["walk"]
    assert isinstance(layer, WalkLayer)
    return layer


def test_every_ant_makes_its_steps_at_the_same_time_and_comes_home(view: TourView) -> None:
    assert Wanted.WALKS in view.wanted
    show_state(view, state_of(1, BEFORE))
    bar, layer = view.walking.bar, layer_of(view)
    bar.stop()
    np.testing.assert_array_equal(layer.places(), SQUARE[[0, 0]])
    bar.advance(0.5 / bar._pace)
    np.testing.assert_allclose(layer.places(), [[5, 0], [5, 5]])  # halfway, however far it is
    for _ in range(3):
        click(bar.step)
    np.testing.assert_array_equal(layer.places(), SQUARE[[3, 3]])
    click(bar.step)
    np.testing.assert_array_equal(layer.places(), SQUARE[[0, 0]])
    assert "trails" in bar.note.text()


def test_where_motion_is_reduced_ants_do_not_glide_and_trails_do_not_fade(view: TourView) -> None:
    view.apply_theme(replace(DARK, still=True))
    show_state(view, state_of(1, BEFORE))
    bar, layer = view.walking.bar, layer_of(view)
    bar.stop()
    bar.advance(0.5 / bar._pace)
    np.testing.assert_array_equal(layer.places(), SQUARE[[0, 0]])
    bar.advance(0.6 / bar._pace)
    np.testing.assert_array_equal(layer.places(), SQUARE[[1, 2]])
    bar.advance(3.0 / bar._pace + LAYING / 2)
    np.testing.assert_array_equal(layer.places(), SQUARE[[0, 0]])
    assert layer.opacity() == 1.0  # until it is over
    bar.advance(LAYING)
    assert layer.opacity() == 0.0


def test_what_the_ants_found_is_shown_when_they_are_home(view: TourView) -> None:
    bar = view.walking.bar
    show_state(view, dataclasses.replace(state_of(1, BEFORE), walks=None))
    show_state(view, state_of(2, AFTER))
    assert "Iteration 2: step 1 of 4" in bar.note.text()
    assert view.layers["trails"].shown is BEFORE
    bar.advance(4 / bar._pace + LAYING / 2)
    coming = view.layers["coming"]
    assert coming.isVisible()
    assert coming.shown is AFTER
    assert coming.opacity() == pytest.approx(0.5)
    assert view.layers["trails"].opacity() == pytest.approx(0.5)
    bar.stop()
    bar.advance(LAYING)
    assert view.layers["trails"].shown is AFTER
    assert view.layers["trails"].opacity() == 1.0
    assert not coming.isVisible()


def test_the_newest_iteration_follows_or_is_asked_for(qtbot: QtBot, view: TourView) -> None:
    bar, whole = view.walking.bar, 10.0
    show_state(view, state_of(1, BEFORE))
    for iteration in (2, 3):
        show_state(view, state_of(iteration, AFTER))
    bar.advance(whole)
    assert "Iteration 3: step 1" in bar.note.text()
    with qtbot.waitSignal(view.walking.iteration_wanted) as asked:
        bar.advance(whole)
    assert asked.args == [False]
    click(bar.play)  # a pause
    show_state(view, state_of(4, BEFORE))
    assert "Iteration 3" in bar.note.text()
    assert view.layers["trails"].shown is BEFORE  # nothing is held back
    with qtbot.assertNotEmitted(view.walking.iteration_wanted):
        click(bar.play)
    assert "Iteration 4: step 1" in bar.note.text()


def test_to_show_ants_asks_for_no_iteration_but_play_does(qtbot: QtBot) -> None:
    view = TourView()
    view.show_instance(square())
    in_sight(qtbot, view, 600, 500)
    with qtbot.assertNotEmitted(view.walking.iteration_wanted):
        click(view.chips["walk"])
    click(view.walking.bar.play)
    with qtbot.waitSignal(view.walking.iteration_wanted) as asked:
        click(view.walking.bar.play)
    assert asked.args == [True]


def test_ants_of_the_end_walk_when_they_are_asked_for_later(qtbot: QtBot) -> None:
    view = TourView()
    view.show_instance(square())
    in_sight(qtbot, view, 600, 500)
    bar = view.walking.bar
    show_state(view, state_of(7, AFTER))
    assert not bar.under_way
    click(view.chips["walk"])
    assert "Iteration 7: step 1 of 4" in bar.note.text()
    bar.advance(10.0)
    assert view.walking.repeat()  # once more
    assert "Iteration 7: step 1 of 4" in bar.note.text()
    click(view.chips["walk"])
    show_state(view, dataclasses.replace(state_of(8, AFTER), walks=None))
    click(view.chips["walk"])  # those of an earlier iteration are not shown
    assert not bar.under_way
    assert not view.walking.repeat()


def test_edges_that_ants_have_changed_stand_out(view: TourView) -> None:
    state = state_of(1, BEFORE)
    changed = np.array([[False] * 4, [True, False, True, False]])  # the diagonals
    walks = Walks(np.array([AROUND, CROSSED]), np.array([40, 48]), 2, changed=changed)
    show_state(view, dataclasses.replace(state, walks=walks))
    bar = view.walking.bar
    assert "2 ants, each with 1 new edges (wide)" in bar.note.text()
    bar.stop()
    for name in ("cities", "best", "trails"):
        click(view.chips[name])
    for _ in range(3):
        click(bar.step)
    picture = view.graphics.grab().toImage()

    def has(role: str, x: float, y: float) -> bool:
        at = view.graphics.mapFromScene(view.box.mapViewToScene(QPointF(x, y)))
        around = [(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3)]
        return any(near(picture.pixelColor(at.x() + dx, at.y() + dy), role) for dx, dy in around)

    drawn = [has("lane2", *at) for at in ((3.0, 3.0), (7.0, 3.0), (10.0, 5.0))]
    assert drawn == [True, True, False]
    assert not view.walking.follow_at(QPointF(300, 250))


def test_the_timer_runs_only_while_somebody_sees_ants_walk(view: TourView) -> None:
    bar = view.walking.bar
    assert not ticking(bar)
    show_state(view, state_of(1, BEFORE))
    assert bar.plays
    view.hide()
    assert not ticking(bar)
    view.show()
    assert bar.plays
    view.walking.bar.refuse("They do not walk.", "Watch it work")
    assert bar.watch.isVisible()
    assert not ticking(bar)
    view.walking.bar.refuse("")
    click(view.chips["walk"])
    assert not ticking(bar)
    assert not bar.isVisible()
    assert Wanted.WALKS not in view.wanted
    assert view.layers["best"].shown is not None  # what was held back


def test_ants_and_their_lines_are_drawn(view: TourView) -> None:
    show_state(view, state_of(1, BEFORE))
    bar, layer = view.walking.bar, layer_of(view)
    bar.stop()
    click(view.chips["cities"])
    click(view.chips["optimum"])
    for _ in range(2):
        click(bar.step)

    def colours() -> set[str]:
        picture = view.graphics.grab().toImage()
        middle = view.graphics.mapFromScene(view.box.mapViewToScene(QPointF(5, 5)))
        found = [
            picture.pixelColor(middle.x() + dx, middle.y() + dy)
            for dx in (-2, 0, 2)
            for dy in (-2, 0, 2)
        ]
        return {role for role in ("lane1", "lane2") for one in found if near(one, role)}

    assert colours() == {"lane2"}  # which came that way
    bar.ants.setValue(1)
    assert layer.ants == 1
    assert not colours()


def test_what_a_run_began_with_is_dashed_until_ants_find_better(view: TourView) -> None:
    layer = view.layers["best"]
    assert isinstance(layer, TourLayer)
    for iteration, begun in ((0, True), (3, False), (0, True)):
        click(view.chips["walk"])
        show_state(view, dataclasses.replace(state_of(3, BEFORE), best_iteration=iteration))
        click(view.chips["walk"])
        assert layer.begun is begun
    view.show_plan(on=True)
    assert not layer.begun  # on paper, a route is a route
    view.show_plan(on=False)
    assert layer.begun


def test_lines_of_finished_steps_are_drawn_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, instance = TourView(), uniform(40)
    view.show_instance(instance)
    in_sight(qtbot, view, 900, 700)
    click(view.chips["walk"])
    random = np.random.default_rng(1)
    tours = np.array([random.permutation(40) for _ in range(256)], np.int32)
    state = dataclasses.replace(
        snapshot(instance, 1, wanted=Wanted.NUMBERS),
        walks=Walks(tours, np.full(256, 9), 300),
        solutions_each=300,
    )
    show_state(view, state)
    bar, layer = view.walking.bar, layer_of(view)
    bar.stop()
    assert "the first 256 of 300 ants" in bar.note.text()
    drawn: list[tuple[float, float]] = []
    draw = layer._draw_steps

    def noted(sheet: Sheet, first: float, end: float) -> None:
        drawn.append((first, end))
        draw(sheet, first, end)

    monkeypatch.setattr(layer, "_draw_steps", noted)
    for position in (3.2, 3.7, 4.1, 40.0, 7.5):
        layer.go_to(position)
        view.graphics.grab()
    # bits of many ants, unless they are quick
    assert drawn == [(0, 3), (3, 3.7), (3.7, 4.1), (4.1, 40), (0, 7)]
    drawn.clear()
    bar.ants.setValue(5)
    for position in (7.8, 8.5, 8.7):
        layer.go_to(position)
        view.graphics.grab()
    assert drawn == [(0, 7), (7, 8)]  # whole edges of a few
