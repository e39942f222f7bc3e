"""The view of decisions of each kind, with those of real rules, driven by keys and mouse."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from gpu.acs.parameters import AcsParameters
from gpu.acs.rule import AcsRule
from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.rule import AsRule
from gpu.core.decisions import Picture, PictureMark, Replay, Sign, Unanswered
from gpu.crossing.parameters import CROSSING_STEPS
from gpu.crossing.replay import CrossingRule
from gpu.decisions import CityDraw, InitialTrails
from gpu.drawing.draw import GraphArtist
from gpu.focused.parameters import FOCUSED_STEPS
from gpu.focused.replay import Fate, FocusedReplay, FocusedRule, Verdict
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.parameters import ColoringCpuParameters
from gpu.rlf.rule import ColoringRule
from tests.gpu.cpu import makers
from tests.gpu.crossing.test_replay import colony_of as crossing_of
from tests.gpu.focused.test_cpu import colony_of
from tests.gpu.test_decisions import CITIES, acs, first_of, walk_of
from tests.graphs import queens
from tests.hands import click, move, press, ticking, write
from tests.views.scenes import colours_in, in_sight, uniform
from views.decision.decision_view import DecisionView
from views.decision.step_canvas import StepCanvas
from views.widgets.layers import Layer
from views.widgets.picture_export import image_steps, make_due_layouts
from views.widgets.theme import DARK, LIGHT, Theme
from views.widgets.view import NOTHING, Pointed


class Answerer:
    """Answers the view at once, as a thread would soon."""

    def __init__(self, view: DecisionView, walker: Replay) -> None:
        self.view, self.walker = view, walker
        self.asked: list[tuple[int, int]] = []
        view.asked.connect(self.answer)

    def answer(self, ant: int, step: int) -> None:
        self.asked.append((ant, step))
        decision = self.walker.decision(ant, step)
        assert decision is not None
        self.view.show_decision(decision)


@pytest.fixture
def view(qtbot: QtBot) -> DecisionView:
    made = DecisionView()
    made.show_instance(CITIES)
    return in_sight(qtbot, made, 1000, 600)


@pytest.fixture
def answerer(view: DecisionView) -> Answerer:
    made = Answerer(view, acs(q0=0.5))
    view.offer(10, CITIES.n, "Foretold for iteration 5", 4)
    return made


def chosen(view: DecisionView) -> tuple[int, int]:
    return view.decision.ant, view.decision.number


def test_keys_step_back_and_forth(view: DecisionView, answerer: Answerer) -> None:
    assert chosen(view) == (0, 1)
    for key, expected in (
        (Qt.Key.Key_Right, (0, 2)),
        (Qt.Key.Key_Right, (0, 3)),
        (Qt.Key.Key_Left, (0, 2)),
        (Qt.Key.Key_Up, (1, 2)),
        (Qt.Key.Key_End, (1, 119)),
        (Qt.Key.Key_Right, (1, 119)),
        (Qt.Key.Key_PageUp, (1, 109)),
        (Qt.Key.Key_Home, (1, 1)),
        (Qt.Key.Key_Left, (1, 1)),
        (Qt.Key.Key_PageDown, (1, 11)),
        (Qt.Key.Key_Down, (0, 11)),
        (Qt.Key.Key_Down, (0, 11)),
    ):
        press(view, key)
        assert chosen(view) == expected
        assert view.controls.step.value() == view.controls.slider.value() == expected[1]
    assert answerer.asked[-1] == (0, 11)


def test_spin_boxes_and_slider_choose(view: DecisionView, answerer: Answerer) -> None:
    write(view.controls.ant, "7")
    press(view.controls.ant, Qt.Key.Key_Return)
    assert chosen(view) == (6, 1)
    write(view.controls.step, "42")
    press(view.controls.step, Qt.Key.Key_Return)
    assert chosen(view) == (6, 42)
    slider = view.controls.slider
    press(slider, Qt.Key.Key_Home)
    assert chosen(view) == (6, 1)
    click(slider, QPoint(slider.width() - 12, slider.height() // 2))
    assert chosen(view)[1] > 1
    assert "Ant 7 stands in city" in view.words.text()


def test_watching_plays_the_steps_to_the_last(
    qtbot: QtBot, view: DecisionView, answerer: Answerer
) -> None:
    press(view, Qt.Key.Key_End)
    press(view, Qt.Key.Key_Left)
    press(view, Qt.Key.Key_Left)
    click(view.controls.pace)
    click(view.controls.pace)
    assert view.controls.pace.text() == "20/s"
    click(view.controls.watch)
    qtbot.waitUntil(lambda: chosen(view) == (0, 119))
    assert not view.controls.watch.isChecked()
    assert answerer.asked[-2:] == [(0, 118), (0, 119)]
    click(view.controls.watch)  # again from the first
    qtbot.waitUntil(lambda: 3 <= chosen(view)[1] < 100)
    press(view, Qt.Key.Key_Left)  # whoever steps by hand watches no longer
    assert not view.controls.watch.isChecked()
    assert not ticking(view.controls)


def test_watching_waits_for_each_answer(qtbot: QtBot, view: DecisionView) -> None:
    asked: list[tuple[int, int]] = []
    view.asked.connect(lambda ant, step: asked.append((ant, step)))
    view.offer(10, CITIES.n, "", 4)
    press(view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert not ticking(view.controls)
    assert asked == [(0, 1), (0, 2)]
    press(view, Qt.Key.Key_W)


def test_only_the_newest_question_s_answer_is_shown(view: DecisionView) -> None:
    walker = acs()
    view.offer(10, CITIES.n, "", 4)
    press(view, Qt.Key.Key_Right)
    for step, iteration in ((1, 4), (3, 4), (2, 3)):
        decision = walker.decision(0, step)
        view.show_decision(dataclasses.replace(decision, iteration=iteration))
        assert view.decision is None
    right = walker.decision(0, 2)
    view.show_decision(right)
    assert view.decision is right
    view.refuse("Not now.")
    view.show_decision(right)
    assert view.decision is None


def test_a_view_out_of_sight_asks_nothing(
    qtbot: QtBot, view: DecisionView, answerer: Answerer
) -> None:
    view.hide()
    before = len(answerer.asked)
    view.controls.go_to(20)
    assert len(answerer.asked) == before
    with qtbot.waitSignal(view.looked_at):
        view.show()


def test_a_run_at_work_turns_the_page_only_if_it_lasts(
    qtbot: QtBot, view: DecisionView, answerer: Answerer
) -> None:
    view.wait("The colony is at work.")
    assert view.words.isVisible()
    view.offer(10, CITIES.n, "", 4)
    assert not ticking(view)
    assert view.words.isVisible()
    view.wait("The colony is at work.")
    qtbot.waitUntil(view.hint.isVisible)
    assert view.hint.text() == "The colony is at work."
    assert not view.controls.isEnabled()
    asked = len(answerer.asked)
    press(view, Qt.Key.Key_Right)
    assert len(answerer.asked) == asked


def test_the_map_is_beside_the_chances_or_above_them(view: DecisionView) -> None:
    assert view.parts.orientation() is Qt.Orientation.Horizontal
    view.resize(500, 640)
    assert view.parts.orientation() is Qt.Orientation.Vertical


def test_a_picture_has_neither_controls_nor_their_names(
    view: DecisionView, answerer: Answerer
) -> None:
    view.resize(1000, 600)
    make_due_layouts(view.controls)
    labels = [one for one in view.controls.findChildren(QLabel) if one.buddy() is not None]
    hidden = False
    assert [one.text() for one in labels if not one.isHidden()] == ["Ant", "Step"]
    for _ in image_steps(view, LIGHT):
        if view.controls.ant.isHidden():
            assert all(one.isHidden() for one in labels)
            hidden = True
    assert hidden
    assert [one.text() for one in labels if not one.isHidden()] == ["Ant", "Step"]


def test_the_map_follows_the_ant(view: DecisionView, answerer: Answerer) -> None:
    def in_sight(city: int) -> bool:
        x, y = CITIES.display[city]
        return bool(view.canvas.box.viewRect().contains(QPointF(x, y)))

    for _ in range(40):
        press(view, Qt.Key.Key_Right)
        assert all(map(in_sight, view.decision.picture.marked(Sign.ANT, Sign.CHOSEN)))
    close = view.canvas.box.viewRect().width()
    click(view.canvas.extent.buttons["whole"])
    assert view.canvas.box.viewRect().width() > close
    assert all(in_sight(city) for city in range(CITIES.n))


def test_where_a_step_changes_everything_one_change_is_seen(qtbot: QtBot) -> None:
    canvas, instance = StepCanvas(), uniform(1000)
    for part in (canvas.extent, canvas.legend):  # which a view places
        qtbot.addWidget(part)
    in_sight(qtbot, canvas, 600, 500)
    canvas.show_instance(instance)
    assert instance.optimal_tour is not None
    edges = instance.optimal_tour.reshape(-1, 2)
    marks = (PictureMark(Sign.TAKEN, edges, "made"),)
    canvas.show_picture(Picture(marks, edges[0], np.arange(1000)))
    canvas.fit()
    near = canvas.box.viewRect()
    assert all(near.contains(QPointF(*instance.display[city])) for city in edges[0])
    canvas.extent.choose("whole")
    canvas.fit()
    assert near.width() < 0.4 * canvas.box.viewRect().width()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_everything_is_drawn_in_both_themes(
    view: DecisionView, answerer: Answerer, theme: Theme
) -> None:
    view.apply_theme(theme)
    press(view, Qt.Key.Key_PageDown)
    map_colours = colours_in(view.canvas.graphics.grab().toImage())
    for role in ("best", "city", "mean", "text"):
        assert near(map_colours, theme.colour(role)), role
    assert near(colours_in(view.bars.grab().toImage()), theme.colour("best"))
    assert len(colours_in(view.scales.grab().toImage())) > 5


def near(found: set[str], wanted: QColor) -> bool:
    return any(
        abs(QColor(name).red() - wanted.red())
        + abs(QColor(name).green() - wanted.green())
        + abs(QColor(name).blue() - wanted.blue())
        < 24
        for name in found
    )


def test_cities_have_their_numbers_in_the_file(view: DecisionView) -> None:
    odd = dataclasses.replace(CITIES, ids=np.arange(120, dtype=np.int64) * 10 + 5)
    view.show_instance(odd)
    answerer = Answerer(view, walk_of(AcsRule(odd, AcsParameters().resolved(120), 1)))
    view.offer(1, 120, "", 4)
    assert answerer.asked == [(0, 1)]
    (here,) = view.decision.picture.marked(Sign.ANT)
    assert f"stands in city {here * 10 + 5} at" in view.words.text()


def test_any_decision_is_drawn(view: DecisionView) -> None:
    """Thousands of cities, one city, all at one place: nothing is an error."""
    big = uniform(3000)
    heap = dataclasses.replace(CITIES, display=np.zeros((120, 2)))
    for instance, step in ((big, 1), (big, 2999), (heap, 5)):
        rule = AsRule(instance, AsCpuParameters().resolved(instance.n), 1)
        view.show_instance(instance)
        answerer = Answerer(view, walk_of(rule))
        view.offer(1, instance.n, "", 4)
        view.controls.go_to(step)
        assert answerer.asked[-1] == (0, step)
        assert view.decision.number == step
        assert not view.grab().isNull()
        view.asked.disconnect()


def test_a_choice_without_a_wheel_is_drawn(view: DecisionView) -> None:
    decision = first_of(CityDraw.FALLBACK, acs(candidates=2))
    view.offer(20, CITIES.n, "", 4)
    view.controls.ant.setValue(decision.ant + 1)
    view.controls.go_to(decision.number)
    view.show_decision(decision)
    assert view.decision is decision
    assert [drawn.chosen for drawn in decision.drawn] == [-1]
    assert not view.grab().isNull()


def test_a_low_view_scrolls_instead_of_cutting_map_and_rows(
    qtbot: QtBot, view: DecisionView, answerer: Answerer
) -> None:
    view.resize(346, 440)
    (area,) = view.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    canvas, bars = view.canvas, view.bars
    assert canvas.graphics.height() <= canvas.height()
    assert bars.height() >= bars.minimumSizeHint().height()
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    bottom = view.note.mapTo(area.viewport(), QPoint(0, view.note.height())).y()
    assert 0 < bottom <= area.viewport().height()
    view.resize(1000, 600)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)


def test_narrow_controls_leave_out_texts_and_words_and_cut_no_button(
    view: DecisionView, answerer: Answerer
) -> None:
    controls, words = view.controls, view.controls.findChildren(QLabel)
    view.setMinimumWidth(1)  # as where the whole window has less room than its views need
    beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    for width, text, shown in ((1000, True, True), (320, False, True), (270, False, False)) * 2:
        view.resize(width, 440)
        make_due_layouts(controls)
        assert (controls.watch.toolButtonStyle() is beside) is text
        assert [word.isVisible() for word in words] == [shown, shown]
        for button in (controls.pace, controls.watch):
            assert button.width() >= button.sizeHint().width()


SCATTERED = makers.uniform(300)


@pytest.fixture(scope="module")
def focused() -> Iterator[FocusedReplay]:
    with closing(colony_of(SCATTERED, heat=3)) as colony:
        colony.iterate(4)
        made = FocusedRule(SCATTERED).replay(colony, 4)
        assert isinstance(made, FocusedReplay)
        yield made


@pytest.fixture
def changes(view: DecisionView, focused: FocusedReplay) -> Iterator[DecisionView]:
    """The view with the ants of a focused colony."""
    view.show_instance(SCATTERED)
    answerer = Answerer(view, focused)
    view.offer(SCATTERED.n, SCATTERED.n, "Foretold for iteration 5", 4, steps=FOCUSED_STEPS)
    yield view
    assert answerer.asked


def ant_of(replay: FocusedReplay, *fates: Fate) -> int:
    """The first ant whose tour has one of these fates, counted from 1."""
    for ant in range(SCATTERED.n):
        what = replay.told(ant, FOCUSED_STEPS).what
        if isinstance(what, Verdict) and what.fate in fates:
            return ant + 1
    raise AssertionError(fates)


def test_an_ant_that_changes_a_tour_is_followed_through_its_steps(
    changes: DecisionView, focused: FocusedReplay
) -> None:
    ant = ant_of(focused, Fate.KEPT)
    assert changes.controls.step.maximum() == FOCUSED_STEPS
    changes.controls.ant.setValue(ant)
    for step in range(1, FOCUSED_STEPS + 1):
        change = focused.told(ant - 1, step)
        assert chosen(changes) == (ant - 1, step)
        assert changes.words.text() == change.what.sentence(change, SCATTERED.city_words)
        assert changes.formula.text() == change.what.formula(change)
        assert not changes.scales.isVisible()
        sight = changes.canvas.box.viewRect()
        assert all(sight.contains(QPointF(*SCATTERED.display[city])) for city in change.around)
        press(changes, Qt.Key.Key_Right)
    assert chosen(changes) == (ant - 1, FOCUSED_STEPS)  # there is no other
    press(changes, Qt.Key.Key_Home)
    press(changes, Qt.Key.Key_Up)
    assert chosen(changes) == (ant, 1)


def test_an_edge_of_the_table_lights_up_on_the_map_and_back(
    changes: DecisionView, focused: FocusedReplay
) -> None:
    changes.controls.ant.setValue(ant_of(focused, Fate.KEPT))
    press(changes, Qt.Key.Key_Right)
    row = round(changes.bars.row_height * 1.5)
    move(changes.bars, QPoint(40, row + 2))
    move(changes.bars, QPoint(42, row))
    first = changes.bars.rows[0]
    assert len(first.places) == 2
    assert changes.canvas.lit.shown == Pointed(places=first.places)
    assert changes.bars.lit == [first]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_a_change_is_drawn_in_both_themes(
    changes: DecisionView, focused: FocusedReplay, theme: Theme
) -> None:
    changes.apply_theme(theme)
    changes.controls.ant.setValue(ant_of(focused, Fate.KEPT, Fate.TOO_LONG))
    for step, roles in ((1, "best mean"), (2, "best mean gap latest"), (4, "mean gap latest")):
        changes.controls.go_to(step)
        found = colours_in(changes.canvas.graphics.grab().toImage())
        for role in roles.split():
            assert near(found, theme.colour(role)), (step, role)
    for role in ("gap", "latest"):
        assert near(colours_in(changes.bars.grab().toImage()), theme.colour(role))
    assert "given&nbsp;up" in changes.canvas.legend.text()


def test_before_the_first_iteration_there_is_a_sentence(view: DecisionView) -> None:
    answer = FocusedRule(SCATTERED).replay(InitialTrails(SCATTERED.n), 0)
    view.asked.connect(lambda ant, step: view.show_decision(answer.decision(ant, step)))
    view.offer(SCATTERED.n, SCATTERED.n, "", 0, steps=FOCUSED_STEPS)
    found = answer.decision(0, 1)
    assert isinstance(found, Unanswered)
    assert view.hint.text() == found.why
    assert view.hint.isVisible()


def test_crossing_ants_are_drawn(view: DecisionView) -> None:
    """In three steps, with the marks that each has."""
    view.show_instance(SCATTERED)
    with closing(crossing_of(SCATTERED, ants=6)) as colony:
        colony.iterate(2)
        answerer = Answerer(view, CrossingRule(SCATTERED).replay(colony, 2))
        view.offer(6, SCATTERED.n, "", 2, steps=CROSSING_STEPS)
        for ant in range(6):
            for step in range(1, CROSSING_STEPS + 1):
                view.controls.go_to(step)
                assert chosen(view) == (ant, step)
                assert ("the&nbsp;other&nbsp;alone" in view.canvas.legend.text()) == (step == 1)
                assert not view.grab().isNull()
            press(view, Qt.Key.Key_Up)
    assert len(answerer.asked) == 23  # the last ant has no other above it


GRAPH = queens(6)


def test_vertices_are_chosen_shown_and_pointed_at(qtbot: QtBot, view: DecisionView) -> None:
    given = ColoringCpuParameters(ants=9, selection="wheel", trials=2)
    artist = GraphArtist(GRAPH)
    view.drawing_wanted.connect(lambda how, of: view.show_drawing(artist.draw(how, of)))
    view.show_instance(GRAPH)
    answerer = Answerer(
        view, ColoringRule(GRAPH, given.resolved(GRAPH.n), 4).replay(InitialTrails(GRAPH.n), 3)
    )
    view.offer(9, GRAPH.n, "Foretold for iteration 4", 3)
    assert view.canvas.has_places
    for key, expected in (
        (Qt.Key.Key_Right, (0, 2)),
        (Qt.Key.Key_Up, (1, 2)),
        (Qt.Key.Key_End, (1, 36)),
        (Qt.Key.Key_Home, (1, 1)),
        (Qt.Key.Key_Left, (1, 1)),
        (Qt.Key.Key_PageDown, (1, 11)),
    ):
        press(view, key)
        assert chosen(view) == answerer.asked[-1] == expected
    for theme in (DARK, LIGHT):
        view.apply_theme(theme)
        assert not view.grab().isNull()
    rows = view.bars.rows
    assert sum(row.chosen for row in rows) == 1
    assert view.words.text().startswith("Ant 2, step 11: it ")
    with qtbot.waitSignal(view.pointed) as told:
        move(view.bars, QPoint(40, round(view.bars.row_height * 1.5)))
    assert told.args == [Pointed(places=rows[0].places)]
    assert view.canvas.lit.shown == told.args[0]
    view.point_out(NOTHING)
    assert view.canvas.lit.empty
    view.canvas.box.scaleBy((0.1, 0.1))
    close = view.canvas.box.viewRect().width()
    click(view.fit_button)
    assert view.canvas.box.viewRect().width() > 5 * close


def test_a_step_may_come_before_the_places_of_the_vertices(view: DecisionView) -> None:
    given = ColoringCpuParameters(ants=9, selection="wheel", trials=2)
    rule = ColoringRule(GRAPH, given.resolved(GRAPH.n), 4)
    view.show_instance(GRAPH)
    answerer = Answerer(view, rule.replay(InitialTrails(GRAPH.n), 3))
    view.offer(9, GRAPH.n, "Foretold for iteration 4", 3)
    assert answerer.asked == [(0, 1)]
    assert view.answered
    assert not view.canvas.has_places
    assert not view.grab().isNull()
    view.show_drawing(GraphArtist(GRAPH).draw(None, None))
    assert not view.canvas.layer.empty
    assert view.canvas.layer.shown is not None
    assert not view.grab().isNull()


def test_a_large_graph_is_shown_around_the_ant_or_whole(qtbot: QtBot, view: DecisionView) -> None:
    assert view.canvas.extent.buttons["whole"].text() == "Whole map"
    view.show_instance(GRAPH)
    assert view.canvas.extent.isHidden()
    assert not view.fit_button.isHidden()
    side = 40
    place = np.arange(side * side).reshape(side, side)
    right = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    grid = GraphInstance("grid", "", side * side, unique_edges(np.vstack([right, down])))
    artist = GraphArtist(grid)
    view.drawing_wanted.connect(lambda how, of: view.show_drawing(artist.draw(how, of)))
    view.show_instance(grid)
    assert view.canvas.extent.buttons["whole"].text() == "Whole graph"
    assert not view.canvas.extent.isHidden()
    assert view.fit_button.isHidden()
    given = ColoringCpuParameters(ants=9, selection="wheel", trials=2).resolved(grid.n)
    answerer = Answerer(view, ColoringRule(grid, given, 4).replay(InitialTrails(grid.n), 3))
    view.offer(9, grid.n, "Foretold for iteration 4", 3)
    view.controls.go_to(30)
    assert answerer.asked[-1] == (0, 30)
    seen = view.canvas.box.viewRect()
    for vertex in view.decision.picture.marked(Sign.CHOSEN, Sign.STANDS, Sign.ANT):
        assert seen.contains(QPointF(*view.canvas.layer.cities[vertex]))
    click(view.canvas.extent.buttons["whole"])
    everything = view.canvas.box.viewRect()
    assert everything.width() * everything.height() > 1.2 * seen.width() * seen.height()
    assert all(everything.contains(QPointF(*at)) for at in view.canvas.layer.cities)


def test_numbers_are_not_cut_where_the_graph_ends(qtbot: QtBot) -> None:
    canvas = StepCanvas()
    for part in (canvas.legend, canvas.extent):
        part.setParent(canvas)
    layer = canvas.layer
    widest = QFontMetricsF(DARK.font(1.1, bold=True)).horizontalAdvance("1000000")
    assert layer.reach > widest > Layer.reach
    canvas.show_instance(GRAPH)
    canvas.show_drawing(GraphArtist(GRAPH).draw(None, None))
    in_sight(qtbot, canvas, 500, 500)

    def draw(painter: QPainter, transform: QTransform, size: QRectF) -> None:
        right = transform.mapRect(layer.boundingRect()).right()
        painter.fillRect(QRectF(right + widest - 9, 0, 9, size.height()), QColor("#ff00ff"))

    layer.draw = draw  # type: ignore[method-assign]
    canvas.box.setRange(xRange=(-4, 4), yRange=(-4, 4))
    assert "#ff00ff" in colours_in(canvas.graphics.grab().toImage())
