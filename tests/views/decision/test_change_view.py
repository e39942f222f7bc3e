"""The view of an ant that changes a tour, with ants of a real colony, driven by keys and mouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from gpu.core.decisions.tabu_move import Unanswered
from gpu.core.decisions.tour_change import (
    CROSSING_STEPS,
    STEPS,
    Child,
    Children,
    DoubleBridge,
    Fate,
    Partner,
    Places,
    Repair,
    TourChange,
    Verdict,
)
from gpu.crossing.replay import CrossingRule
from gpu.decisions.rule import InitialTrails
from gpu.focused.replay import FocusedReplay, FocusedRule
from gpu.tour_changes.replay import NotBegun
from tests.gpu.cpu import makers
from tests.gpu.crossing.test_replay import colony_of as crossing_of
from tests.gpu.focused.test_cpu import colony_of
from tests.hands import click, move, press
from tests.views.decision.test_decision_view import colours, near
from tests.views.scenes import in_sight
from views.decision.change_words import sentence
from views.decision.decision_view import DecisionView
from views.widgets.theme import DARK, LIGHT, Theme

CITIES = makers.uniform(300)
ITERATION = 4
IDS = CITIES.city_ids


@pytest.fixture(scope="module")
def replay() -> Iterator[FocusedReplay]:
    colony = colony_of(CITIES, heat=3)
    with closing(colony):
        colony.iterate(ITERATION)
        made = FocusedRule(CITIES).replay(colony, ITERATION)
        assert isinstance(made, FocusedReplay)
        yield made


def step_of(replay: FocusedReplay, ant: int, step: int) -> TourChange:
    found = replay.decision(ant, step)
    assert found is not None
    return found


def ant_of(replay: FocusedReplay, *fates: Fate) -> int:
    """The first ant whose tour has one of these fates."""
    for ant in range(CITIES.n):
        what = step_of(replay, ant, 4).what
        if isinstance(what, Verdict) and what.fate in fates:
            return ant
    raise AssertionError(fates)


@pytest.fixture
def view(qtbot: QtBot, replay: FocusedReplay) -> DecisionView:
    made = DecisionView()
    made.show_instance(CITIES)
    in_sight(qtbot, made, 1000, 640)
    made.asked.connect(lambda ant, step: made.show_decision(step_of(replay, ant, step)))
    made.offer(CITIES.n, CITIES.n, "Foretold for iteration 5", ITERATION, steps=STEPS)
    return made


def shown(view: DecisionView) -> TourChange:
    assert isinstance(view.decision, TourChange)
    return view.decision


def test_an_ant_is_followed_through_its_four_steps(
    view: DecisionView, replay: FocusedReplay
) -> None:
    ant = ant_of(replay, Fate.KEPT)
    assert view.controls.step.maximum() == STEPS
    view.controls.ant.setValue(ant + 1)
    kinds, beginnings = (Places, DoubleBridge, Repair, Verdict), []
    for step, kind in enumerate(kinds, 1):
        assert (shown(view).ant, shown(view).step) == (ant, step)
        assert isinstance(shown(view).what, kind)
        assert view.changes.isVisible()
        assert not view.bars.isVisible()
        beginnings.append(view.words.text())
        press(view, Qt.Key.Key_Right)
    assert shown(view).step == STEPS  # there is no other
    places, double_bridge, repair, verdict = beginnings
    assert places.startswith(f"Ant {ant + 1} draws ")
    assert f"ant {ant + 1} makes a double bridge: stretches of " in double_bridge
    assert repair.startswith("The local search exchanges ")
    assert "is kept" in verdict
    assert verdict.endswith("The next ant goes on from there.")
    press(view, Qt.Key.Key_Home)
    press(view, Qt.Key.Key_Up)
    assert (shown(view).ant, shown(view).step) == (ant + 1, 1)


def test_all_that_changes_is_in_sight_and_in_the_table(
    view: DecisionView, replay: FocusedReplay
) -> None:
    view.controls.ant.setValue(ant_of(replay, Fate.KEPT, Fate.TOO_LONG) + 1)
    for step in range(1, STEPS + 1):
        view.controls.go_to(step)
        change = shown(view)
        sight = view.map.box.viewRect()
        assert all(sight.contains(QPointF(*CITIES.display[city])) for city in change.around)
        names = [row.name for row in view.changes.rows]
        for sign, edges in (("−", change.given), ("+", change.made)):
            told = [f"{sign} {IDS[a]} – {IDS[b]}" for a, b in edges.cities]
            if len(change.given) <= 8:
                assert [name for name in names if name.startswith(sign)] == told
    assert "Δ = " in view.formula.text()


def test_an_edge_of_the_table_lights_up_on_the_map_and_back(
    view: DecisionView, replay: FocusedReplay
) -> None:
    view.controls.ant.setValue(ant_of(replay, Fate.KEPT) + 1)
    press(view, Qt.Key.Key_Right)
    row = round(view.changes._row_height() * 1.5)
    move(view.changes, QPoint(40, row + 2))
    move(view.changes, QPoint(42, row))
    edge = shown(view).given.cities[0]
    assert view.map.lit.shown.places == tuple(map(int, edge))
    assert view.changes._lit == tuple(map(int, edge))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_everything_is_drawn_in_both_themes(
    view: DecisionView, replay: FocusedReplay, theme: Theme
) -> None:
    view.apply_theme(theme)
    view.controls.ant.setValue(ant_of(replay, Fate.KEPT, Fate.TOO_LONG) + 1)
    for step, roles in ((1, "best mean"), (2, "best mean gap latest"), (4, "mean gap latest")):
        view.controls.go_to(step)
        found = colours(view.map.graphics)
        for role in roles.split():
            assert near(found, theme.colour(role)), (step, role)
    assert near(colours(view.changes), theme.colour("gap"))
    assert near(colours(view.changes), theme.colour("latest"))
    assert "given&nbsp;up" in view.map.legend.text()


def test_the_whole_map_can_be_seen(view: DecisionView, replay: FocusedReplay) -> None:
    view.controls.ant.setValue(ant_of(replay, Fate.KEPT) + 1)
    press(view, Qt.Key.Key_End)
    close = view.map.box.viewRect().width()
    click(view.map.extent.buttons["whole"])
    sight = view.map.box.viewRect()
    assert sight.width() > close
    assert all(sight.contains(QPointF(*place)) for place in CITIES.display)


def test_before_the_first_iteration_there_is_a_sentence(view: DecisionView) -> None:
    answer = FocusedRule(CITIES).replay(InitialTrails(CITIES.n), 0)
    assert isinstance(answer, NotBegun)
    view.asked.disconnect()
    view.asked.connect(lambda ant, step: view.show_decision(answer.decision(ant, step)))
    view.offer(CITIES.n, CITIES.n, "", 0, steps=STEPS)
    assert isinstance(answer.decision(0, 1), Unanswered)
    assert "In the first iteration no ant makes a double bridge" in view.hint.text()
    assert view.hint.isVisible()


def test_crossing_ants_are_drawn(qtbot: QtBot) -> None:
    """In three steps, with the marks that each has."""
    view = DecisionView()
    view.show_instance(CITIES)
    in_sight(qtbot, view, 1000, 640)
    colony = crossing_of(CITIES, ants=6)
    with closing(colony):
        colony.iterate(2)
        replay = CrossingRule(CITIES).replay(colony, 2)

        def answer(ant: int, step: int) -> None:
            decision = replay.decision(ant, step)
            assert decision is not None
            view.show_decision(decision)

        view.asked.connect(answer)
        view.offer(6, CITIES.n, "", 2, steps=CROSSING_STEPS)
        for ant in range(6):
            for step, kind in enumerate((Partner, Children, Child), 1):
                view.controls.go_to(step)
                assert (shown(view).ant, shown(view).step) == (ant, step)
                assert isinstance(shown(view).what, kind)
                assert view.words.text() == sentence(shown(view), IDS)
                assert ("the&nbsp;other&nbsp;alone" in view.map.legend.text()) == (step == 1)
                assert not view.grab().isNull()
            press(view, Qt.Key.Key_Up)
