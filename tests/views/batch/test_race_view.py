from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from gpu.core.bounds import LowerBound
from gpu.races.race import LANES_MOST
from gpu.races.race_standings import LaneRecord, lead_of, standings_of
from gpu.run.outcome import Ending
from tests.graphs import queens
from tests.hands import choose, click, press, settle, write
from tests.views.scenes import cut_texts, snake, uniform
from views.batch.lane_card import LANE_ROLES, LaneTitle
from views.batch.race_view import RaceView
from views.frame.main_window import MainWindow
from views.widgets.picture_export import as_image, controls_of

INSTANCE = uniform(60)


def titled(lanes: int) -> list[LaneTitle]:
    """Titles of so many lanes."""
    every = range(lanes)
    return [LaneTitle(f"Family {at}", f"Colony {at}", "cpu:1", at, f"colony-{at}") for at in every]


TITLES = titled(4)


def add(record: LaneRecord, *row: float) -> None:
    """Note an improvement: iteration, solutions, seconds and cost."""
    iteration, solutions, seconds, cost = row
    record.curve = record.curve.improved([(iteration, solutions, seconds, cost)], 100)


def records(solution: NDArray[np.int32]) -> list[LaneRecord]:
    """Four lanes; the later, the faster and the better."""
    found = []
    for lane in range(4):
        numbers = {"iterations": 10, "solutions": 100, "seconds": 4.0 - lane, "spent": 4.0 - lane}
        one = LaneRecord(**numbers, cost=1000 - lane, solution=solution)  # type: ignore[arg-type]
        for at in range(3):
            add(one, at, 10 * at, at * (4.0 - lane) / 4, 1000 - lane + 2 - at)
        found.append(one)
    return found


@pytest.fixture
def view(window: MainWindow) -> RaceView:
    window.show_instance(INSTANCE)
    window.dashboard.show_view("race")
    return window.view(RaceView)


def two_lanes(view: RaceView) -> list[LaneRecord]:
    """Show the first two of them, and return these."""
    found = records(snake(INSTANCE.display))[:2]
    view.show_lanes(TITLES[:2], found)
    return found


def test_lanes_are_seen_side_by_side_and_compared(window: MainWindow, view: RaceView) -> None:
    assert view.hint.isVisible()
    assert not view.curves.isVisible()
    found = records(snake(INSTANCE.display))
    found[1].ending, found[1].reason = Ending.FAILED, "cuda:0 stopped answering"
    view.show_lanes(TITLES, found)
    view.take_comparison(standings_of(found, INSTANCE))
    view.draw_all()
    assert not view.hint.isVisible()
    assert all(card.isVisible() for card in view.cards)
    assert view.cards[1].ending.text() == "cuda:0 stopped answering"
    assert view.cards[2].map.tour.shown is found[2].solution
    assert view.cards[0].y() == view.cards[1].y() < view.cards[2].y()
    rows = [view.table.table.texts(row) for row in range(4)]
    assert [row[0] for row in rows] == [f"{at + 1}  Colony {at}, cpu:1" for at in range(4)]
    assert [row[-1] for row in rows] == ["1.00 ×", "1.33 ×", "2.00 ×", "4.00 ×"]
    assert "All lanes have reached 1" in view.table.equal.text()
    click(view.cards[3].chip)
    assert not view.curves.curves[3].isVisible()
    for size in ((1000, 700), (1600, 1000)):
        window.resize(*size)
        QApplication.sendPostedEvents()
        assert cut_texts(window) == []
    assert view.cards[0].y() == view.cards[3].y()  # there is room for all of them
    view.apply_theme(window.theme.presented)  # the type is larger while a presentation goes on
    QApplication.sendPostedEvents()
    assert view.cards[0].y() < view.cards[3].y()
    assert view.table.table.overflow.height() == 0
    view.apply_theme(window.theme)
    QApplication.sendPostedEvents()
    assert view.cards[0].y() == view.cards[3].y()
    picture = as_image(view, window.theme, "four lanes")
    assert picture.height() > 2 * view.height()  # with what must be scrolled to


def test_tab_goes_through_the_lanes_and_leaves_the_table(view: RaceView) -> None:
    found = two_lanes(view)
    view.take_comparison(standings_of(found, INSTANCE))
    view.draw_all()
    form, cards, window = view.form, view.cards, view.window()
    form.add.setFocus()
    passed = []
    for _ in range(14):
        press(window.focusWidget(), Qt.Key.Key_Tab)
        passed.append(window.focusWidget())
    first = passed.index(cards[0].chip)
    assert passed[first - 1] in form.mode.buttons.values()
    chosen = [one for card in cards[:2] for one in card.order if one.isEnabled()]
    end = first + len(chosen)
    assert passed[first:end] == chosen
    assert passed[end] is view.table.table
    assert passed[end + 1] is not view.table.table


def test_curves_have_three_axes_and_a_gap_where_the_best_is_known(
    window: MainWindow, view: RaceView
) -> None:
    found = two_lanes(view)
    view.draw_all()
    optimum = INSTANCE.optimum
    assert optimum
    points = view.curves.curves[0].points
    assert points[:, 0].tolist() == [0.0, 1.0, 2.0, 4.0]  # seconds: no curve begins in mid-air
    assert points[-1, 1] == pytest.approx(100 * (1000 / optimum - 1))
    click(view.curves.across.buttons["solutions"])
    click(view.curves.up.buttons["cost"])
    points = view.curves.curves[0].points
    assert points.tolist() == [[0, 1002], [10, 1001], [20, 1000], [100, 1000]]
    window.show_instance(uniform(60, known=False))
    view.show_lanes(TITLES[:2], found)
    assert not view.curves.up.isVisible()
    assert view.curves.up.value == "cost"


def test_what_a_lane_begins_with_does_not_flatten_its_curve(view: RaceView) -> None:
    begun, better = LaneRecord(cost=9000, spent=3.0), LaneRecord(cost=9000, spent=3.0)
    for one in (begun, better):
        add(one, 0, 0, 0.0, 9000)
    view.show_lanes(TITLES[:2], [begun, better])
    click(view.curves.up.buttons["cost"])
    view.draw_all()
    (_, highest) = view.curves.plot.box.viewRange()[1]
    assert highest > 9000
    for lane, found in enumerate((begun, better)):
        add(found, 1, 10, 2.0, 1000 + lane)
        found.iterations, found.cost = 1, 1000 + lane
    view.show_records([begun, better])
    view.draw_all()
    (_, highest) = view.curves.plot.box.viewRange()[1]
    assert highest < 1200  # each curve comes from above, where it was until the second second
    assert [curve.points[0].tolist() for curve in view.curves.curves[:2]] == [[0.0, 9000]] * 2


def test_a_coloring_is_shown_by_its_classes(window: MainWindow) -> None:
    graph = queens(5)
    window.show_instance(graph)
    window.dashboard.show_view("race")
    view = window.view(RaceView)
    found = records(np.arange(graph.n, dtype=np.int32))
    view.show_lanes(TITLES[:3], found[:3])
    view.draw_all()
    assert view.cards[0].classes.isVisible()
    assert not view.cards[0].map.isVisible()
    assert len(view.cards[0].classes.sizes) == graph.n
    assert "1\u202f000 colors" in view.cards[0].best.text()
    assert view.form.kind.itemText(2) == "colorings"
    assert not view.grab().isNull()


def test_a_proved_coloring_and_the_bound_are_told(window: MainWindow) -> None:
    graph = replace(queens(5), optimum=None)
    window.show_instance(graph)
    window.dashboard.show_view("race")
    view = window.view(RaceView)
    chips, rows = view.curves.chips, view.table.table
    found = [LaneRecord(cost=cost, spent=1.0, iterations=1) for cost in (5, 6)]
    for one in found:
        add(one, 0, 0, 0.0, 9)
        add(one, 1, 10, 0.5, one.cost)
    view.show_lanes(TITLES[:2], found)
    view.draw_all()
    assert not any(chip.isVisibleTo(view) for chip in chips.values())
    assert not view.curves.up.isVisibleTo(view)
    for one in found:
        one.bound = LowerBound(5, "a clique of 5 vertices", np.arange(5))
    view.show_records(found)
    view.take_comparison(standings_of(found, graph))
    view.draw_all()
    assert chips["bound"].isVisibleTo(view)
    assert "a clique of 5 vertices" in chips["bound"].toolTip()
    assert not chips["optimum"].isVisibleTo(view)
    assert view.curves.up.value == "gap"
    assert view.curves.plot.axes["left"].labelText == "gap to the bound in %"
    assert view.curves.curves[1].points[-1, 1] == pytest.approx(20)
    assert view.curves.plot.bound.points[0, 1] == 0
    assert [card.best.text() for card in view.cards[:2]] == [
        "5 colors   proved",
        "6 colors   +1 color",
    ]
    assert "above the lower bound" in view.cards[1].best.toolTip()
    assert [rows.texts(row)[2] for row in range(2)] == ["proved", "+1 color"]
    window.readout.show_race(5, found[0].bound, lead_of(found), 1.0)
    readout = window.readout
    assert (readout.headings["gap"].text(), readout.values["gap"].text()) == ("PROVED", "optimal")
    click(chips["bound"])
    assert not view.curves.plot.bound.isVisible()


def test_lanes_are_drawn_one_at_a_time(
    qtbot: QtBot, window: MainWindow, view: RaceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []  # pieces of each event
    draw = RaceView.draw

    def note(view: RaceView) -> None:
        drawn[-1] += 1
        draw(view)

    monkeypatch.setattr(RaceView, "draw", note)
    view.show_lanes(TITLES, records(snake(INSTANCE.display)))
    window.dashboard.queue.add([view])
    assert view.behind  # the event that sets lanes up has work of its own
    ticks = QTimer(interval=0)
    ticks.timeout.connect(lambda: drawn.append(0))
    drawn.append(0)
    ticks.start()
    qtbot.waitUntil(lambda: not view.behind)
    ticks.stop()
    assert max(drawn) == 1
    assert sum(drawn) == 5  # four lanes and the curves


def test_a_wrong_budget_is_said_where_it_is_written(window: MainWindow, view: RaceView) -> None:
    view.show_lanes(TITLES[:2], [LaneRecord(), LaneRecord()])
    choose(view.form.kind, "iterations")
    view.form.kind.activated.emit(1)
    write(view.form.amount.entry, "2.5")
    assert view.form.problem == "must be a whole number"
    assert not window.actions_["start"].isEnabled()
    assert window.run_bar.state.text() == "The budget must be a whole number"
    write(view.form.amount.entry, "25")
    assert window.actions_["start"].isEnabled()
    assert view.form.budget == ("iterations", 25)


def test_a_picture_leaves_out_what_is_chosen_and_its_labels(view: RaceView) -> None:
    left_out = controls_of(view)
    assert view.form.amount.entry in left_out
    texts = [part.text() for part in left_out if isinstance(part, QLabel)]
    assert texts == ["Each lane has", "Speedups over"]
    assert [entry for entry in view.findChildren(QLineEdit) if entry not in left_out] == []


def test_a_race_has_as_many_lanes_as_a_paper_has_variants(
    window: MainWindow, view: RaceView
) -> None:
    assert len(LANE_ROLES) == LANES_MOST == 12
    assert len({window.theme[role] for role in LANE_ROLES}) == LANES_MOST
    found = [replace(one) for _ in range(3) for one in records(snake(INSTANCE.display))]
    view.show_lanes(titled(LANES_MOST), found)
    view.take_comparison(standings_of(found, INSTANCE))
    view.draw_all()
    assert len(view.cards) == LANES_MOST
    assert all(card.isVisible() for card in view.cards)
    assert view.table.table.texts(11)[0] == "12  Colony 11, cpu:1"
    assert not view.form.add.isEnabled()
    assert view.form.add.toolTip().endswith("A race has 12 lanes at most")
    for size in ((1000, 700), (1600, 1000)):
        window.resize(*size)
        QApplication.sendPostedEvents()
        assert cut_texts(window) == []
        rows = {card.y() for card in view.cards}
        assert len([card for card in view.cards if card.y() == min(rows)]) * len(rows) == 12
    click(view.cards[11].chip)
    assert not view.curves.curves[11].isVisible()
    view.show_lanes(TITLES[:2], found[:2])
    assert [card.isVisible() for card in view.cards] == [True] * 2 + [False] * 10


def test_twelve_lanes_are_not_cut_in_a_small_window(window: MainWindow, view: RaceView) -> None:
    found = [*records(snake(INSTANCE.display))] * 3
    for size, across in (((1000, 700), 1), ((1400, 900), 3)):  # the offscreen type is wide
        window.resize(*size)
        view.show_lanes(titled(12), found)
        view.draw_all()
        settle()
        assert sum(card.y() == view.cards[0].y() for card in view.cards) >= across
        page, room = view._area.widget(), view._area.viewport()
        assert page.width() <= room.width(), size
        for card in view.cards:
            assert card.map.height() > 0.4 * card.map.width()  # the tour has the room
