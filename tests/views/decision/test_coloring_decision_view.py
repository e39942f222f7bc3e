"""The view of a decision about a coloring, with decisions of the real rule."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gpu.core.decisions.coloring_decision import ColoringDecision, Draw
from gpu.core.decisions.rule import Replay
from gpu.decisions.rule import InitialTrails
from gpu.drawing.draw import GraphArtist
from gpu.rlf.parameters import ColoringCpuParameters
from gpu.rlf.rule import ColoringRule
from tests.hands import click, move, press
from tests.views.graph_scenes import queens
from tests.views.scenes import in_sight
from views.decision.coloring_decision_view import ColoringDecisionView
from views.decision.coloring_words import formula, sentence
from views.decision.decision_words import power
from views.widgets.theme import DARK, LIGHT
from views.widgets.view import NOTHING, Pointed

GRAPH = queens(6)


def replay(selection: str, trials: int = 2) -> Replay:
    parameters = ColoringCpuParameters(ants=9, selection=selection, trials=trials)
    return ColoringRule(GRAPH, parameters.resolved(GRAPH.n), 4).replay(InitialTrails(GRAPH.n), 3)


def decisions(walker: Replay, ants: int = 4) -> list[ColoringDecision]:
    found = [walker.decision(ant, step) for ant in range(ants) for step in range(1, GRAPH.n + 1)]
    return [one for one in found if isinstance(one, ColoringDecision)]


@pytest.fixture
def view(qtbot: QtBot) -> ColoringDecisionView:
    """The view with an answer to each question."""
    made = ColoringDecisionView()
    walker, artist = replay("wheel"), GraphArtist(GRAPH)

    def answer(ant: int, step: int) -> None:
        decision = walker.decision(ant, step)
        assert isinstance(decision, ColoringDecision)
        made.show_decision(decision)

    made.asked.connect(answer)
    made.drawing_wanted.connect(lambda how, of: made.show_drawing(artist.draw(how, of)))
    made.show_instance(GRAPH)
    in_sight(qtbot, made, 1000, 600)
    made.offer(9, GRAPH.n, "Foretold for iteration 4", 3)
    return made


def test_steps_are_chosen_shown_and_pointed_at(qtbot: QtBot, view: ColoringDecisionView) -> None:
    assert view.graph.drawing is not None
    for key, expected in (
        (Qt.Key.Key_Right, (0, 2)),
        (Qt.Key.Key_Up, (1, 2)),
        (Qt.Key.Key_End, (1, 36)),
        (Qt.Key.Key_Home, (1, 1)),
        (Qt.Key.Key_Left, (1, 1)),
        (Qt.Key.Key_PageDown, (1, 11)),
    ):
        press(view, key)
        assert (view.decision.ant, view.decision.step) == expected
    for theme in (DARK, LIGHT):
        view.apply_theme(theme)
        assert not view.grab().isNull()
    rows = view.bars.rows
    assert sum(row.chosen for row in rows) == 1
    assert view.words.text().startswith("Ant 2, step 11: it ")
    with qtbot.waitSignal(view.pointed) as told:
        move(view.bars, QPoint(40, round(view.bars._row_height() * 1.5)))
    assert isinstance(view.decision, ColoringDecision)
    here = view.decision.here
    assert told.args == [Pointed(places=tuple(p for p in (here, rows[0].city) if p is not None))]
    view.point_out(NOTHING)
    assert view.graph.layer.lit == ()
    view.graph.box.scaleBy((0.1, 0.1))
    near = view.graph.box.viewRect().width()
    click(view.fit_button)
    assert view.graph.box.viewRect().width() > 5 * near
    view.resize(420, 500)
    assert not view.draws.isVisible()  # there is no room for it


def test_sentences_and_equations_have_the_numbers_of_the_decision() -> None:
    kinds: dict[Draw, ColoringDecision] = {}
    for one in [*decisions(replay("wheel")), *decisions(replay("trial"))]:
        if len(one.candidates) > 1:
            kinds.setdefault(one.draw, one)
    assert set(kinds) == set(Draw)
    texts = {
        Draw.FIRST: "it begins class 1. It takes any of the 36 uncolored vertices with the same",
        Draw.EVEN: "candidates has an excluded neighbour, so that all have the same chance:",
        Draw.WHEEL: f"The wheel of its {len(kinds[Draw.WHEEL].candidates)} candidates stops at 0.",
        Draw.TRIAL: "is a candidate and is accepted, as d_N decides:",
    }
    for draw, one in kinds.items():
        words = sentence(one)
        assert texts[draw] in words
        assert f"vertex {one.chosen + 1} (chance" in words
    wheel = kinds[Draw.WHEEL]
    assert wheel.here is not None
    count = wheel.counts[wheel.at]
    text = formula(wheel)
    assert text.startswith(f"f({wheel.here + 1}, {wheel.chosen + 1}) = d_N^α · τ^β = {count}² · ")
    weight, total = count**2, (wheel.counts**2).sum()
    assert f"= {weight}" in text.replace(".00", "").replace(".0", "")
    assert wheel.chances[wheel.at] == pytest.approx(weight / total, abs=1e-5)
    assert formula(kinds[Draw.FIRST]).startswith(
        f"p({kinds[Draw.FIRST].chosen + 1}) = 1 / 36 = 2.78"
    )
    alone = next(one for one in decisions(replay("wheel")) if len(one.candidates) == 1)
    assert "It takes the only" in sentence(alone)
    vain = [one for one in decisions(replay("hybrid", 1), 9) if one.draw is Draw.WHEEL]
    assert "1 draw by trails alone was in vain. The wheel" in sentence(vain[0])


def test_powers_are_short() -> None:
    assert power("3", 2.0) == "3²"
    assert power("3", 1.5) == "3^1.5"
    assert power("1.2·10⁶", 4.0) == "(1.2·10⁶)⁴"
