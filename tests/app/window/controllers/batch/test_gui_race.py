"""A race in the whole window: set up, run, saved and opened again, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.threads.solver import SolverState
from gpu.core.formats import whole
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from tests.app.in_window import (
    RING,
    answer,
    limit,
    open_,
    run_to_the_end,
    use_colony,
    use_device,
    wait_for,
    written,
)
from tests.colonies import Failing, Patient, RandomColony, Slow
from tests.hands import choose, click, press, press_stop, settle, write
from views.batch.race_view import RaceView
from views.batch.speedup_view import SpeedupView
from views.frame.activity import Activity
from views.plots.convergence_view import ConvergenceView
from views.widgets.steps import Steps

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def application(qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch) -> Application:
    """The window of a machine with two cores: an instance, one core, and the race in sight."""
    monkeypatch.setattr(opened.races, "_cores", 2)
    use_device(opened, "cpu:1")
    open_(qtbot, opened, RING)
    press(opened.window, Qt.Key.Key_R, CONTROL)
    return opened


def view_of(application: Application) -> RaceView:
    view = application.window.view(RaceView)
    assert view.isVisible()
    return view


def add_lane(qtbot: QtBot, application: Application, seed: int | None = None) -> None:
    """Add what is set up, with this seed."""
    view = view_of(application)
    if seed is not None:
        write(application.window.setup.seed_field.entry, str(seed))
    before = view.lanes
    click(view.form.add)
    qtbot.waitUntil(lambda: view.lanes == before + 1)


def add_two_lanes(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, *seeds: int
) -> None:
    """Add two of random tours, with these seeds."""
    use_colony(application, monkeypatch, RandomColony)
    for seed in seeds:
        add_lane(qtbot, application, seed)


def set_budget(application: Application, kind: str, amount: float) -> None:
    form = view_of(application).form
    choose(form.kind, kind)
    form.kind.activated.emit(form.kind.currentIndex())
    write(form.amount.entry, f"{amount:g}")


def race_to_the_end(qtbot: QtBot, application: Application) -> None:
    """Start by the space bar, and wait for the end of all lanes."""
    with qtbot.waitSignal(application.runs.race.ended):
        press(application.window, Qt.Key.Key_Space)
    application.window.dashboard.queue.finish()


def test_a_race_from_its_set_up_to_its_file_and_back(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, view, model = application.window, view_of(application), application.runs.race
    assert window.run_bar.state.text() == "Ready"  # without lanes, Start is for a single run
    use_colony(application, monkeypatch, RandomColony)
    add_lane(qtbot, application, seed=5)
    assert "A race needs a second lane" in window.run_bar.state.text()
    assert not window.actions_["start"].isEnabled()
    add_lane(qtbot, application, seed=6)
    assert window.run_bar.state.text() == "Ready to race"
    set_budget(application, "tours", 40)
    assert view.curves.across.value == "solutions"
    race_to_the_end(qtbot, application)
    first, second = model.records
    assert first.ending is second.ending is Ending.FINISHED
    assert first.solutions == second.solutions == 40
    ahead, behind = sorted((0, 1), key=lambda lane: model.records[lane].cost or 0)
    gap = 100 * ((model.records[behind].cost or 0) / (model.records[ahead].cost or 1) - 1)
    verdict = f"lane {ahead + 1} ahead by {gap:.2f}\u202f%"
    session = model.race.sessions[ahead]
    who = f"{session.system.title} on {session.device}"
    assert window.banner.text == f"The race has ended: {verdict} ({who})"
    assert window.banner.isVisible()
    heads = window.readout.headings
    assert (heads["iteration"].text(), heads["rate"].text()) == ("AHEAD", "BY")
    assert window.readout.values["iteration"].text() == f"lane {ahead + 1}"
    assert window.readout.values["rate"].text() == f"{gap:.2f}\u202f%"
    assert not view.table.choice.isHidden()
    assert [card.isVisible() for card in view.cards] == [True, True, False, False]
    assert "iteration 40" in view.cards[0].progress.text()
    assert view.cards[1].map.tour.shown is second.solution
    assert len(view.curves.curves[0].points) >= 2
    assert len(view.table.table.content.rows) == 2
    assert "All lanes have reached" in view.table.equal.text()
    for record, seed in zip(model.records, (5, 6), strict=True):
        log = read_log(Path(record.log))
        assert (log.outcome["best"], log.session.seed) == (record.cost, seed)
    file = tmp_path / "two.race.json"
    window.dialogs.to_export.emit("race", file)
    written(qtbot, application, file)
    window.dialogs.to_export.emit("race-curves", tmp_path / "two.csv")
    written(qtbot, application, tmp_path / "two.csv")
    rows = (tmp_path / "two.csv").read_text("utf-8").splitlines()
    assert rows[0].startswith("lane,colony,device,seed,iteration,tours,seconds,best,gap_percent")
    assert rows[-1].startswith("2,test-randomcolony,cpu:1,6,40,40,")
    click(view.cards[0].remove)
    qtbot.waitUntil(lambda: view.lanes == 1)
    open_(qtbot, application, file)
    assert [one.seed for one in model.race.sessions] == [5, 6]
    assert view.form.amount.text == "40"
    qtbot.waitUntil(lambda: not view.behind)
    assert "iteration 40" in view.cards[1].progress.text()
    assert view.cards[1].map.tour.shown is not None
    race_to_the_end(qtbot, application)
    assert [one.cost for one in model.records] == [first.cost, second.cost]
    assert model.records[0].log != first.log  # every race writes logs of its own


def test_a_race_shows_nothing_of_the_run_before(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while it goes on nor afterwards: numbers and title are those of the race."""
    window, model, view = application.window, application.runs.race, view_of(application)
    curves, readout = window.view(ConvergenceView), window.readout
    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=30)
    held: list[bool] = []  # whether the form says that the run has the panel
    application.runs.state_changed.connect(lambda _: held.append(not view.form.held.isHidden()))
    run_to_the_end(qtbot, application)
    assert any(held)
    assert view.form.held.isHidden()
    window.dashboard.queue.finish()
    assert len(curves.histories["best"]) > 0
    assert "seed" in window.where.text()
    monkeypatch.setattr(Patient, "held", True)
    use_colony(application, monkeypatch, Patient)
    add_lane(qtbot, application, seed=5)
    use_colony(application, monkeypatch, RandomColony)
    add_lane(qtbot, application, seed=6)
    set_budget(application, "iterations", 40)
    click(view.form.mode.buttons["together"])
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: model.records[1].ending is not None)
    assert view.form.held.isHidden()
    assert window.where.text().startswith("Race  ·  ring-50  ·  ")
    assert len(curves.histories["best"]) == 0
    assert readout.values["iteration"].text() == "–"
    assert not window.actions_.exports["tour"].isEnabled()
    best = model.records[1].cost
    assert best is not None
    qtbot.waitUntil(lambda: readout.values["best"].text() == whole(best))
    # The first lane is in the midst of its first iteration.
    qtbot.waitUntil(lambda: "iteration 0" in view.cards[0].progress.text())
    press_stop(window)
    qtbot.waitUntil(lambda: not model.busy)
    assert readout.values["best"].text() == whole(best)
    assert window.where.text().startswith("Race  ·  ring-50  ·  ")


def test_lanes_are_removed_when_the_race_has_ended_and_not_before(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run tells late goes to its own record, even if its lane is gone.

    Nor does a window that was drawing a picture all the time show a race without lanes at its end.
    """
    view, model = view_of(application), application.runs.race
    add_two_lanes(qtbot, application, monkeypatch, 5, 6)
    drawing = [True]

    def picture() -> Steps[None]:
        while drawing:
            yield

    application.window.steps.begin(picture, lambda _: None)
    press(application.window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(model.active) == 2)
    runs, records = list(model.active.values()), list(model.records)

    def remove_all() -> None:
        """Remove the lanes as soon as that is possible; their runs tell something more."""
        for _ in runs:
            view.remove_requested.emit(0)
        for run in runs:
            run.snapshot_changed.emit(run.latest)

    model.ended.connect(remove_all)
    with qtbot.waitSignal(model.ended):
        press_stop(application.window)
        view.remove_requested.emit(0)  # while it stops
        view.move_requested.emit(1)
        assert (view.lanes, len(model.records)) == (2, 2)
    assert (view.lanes, len(model.records)) == (0, 0)
    assert [record.ending for record in records] == [Ending.CANCELLED] * 2
    drawing.clear()
    qtbot.waitUntil(lambda: not application.window.steps.busy)


def test_buttons_and_keys_are_for_all_lanes(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, model = application.window, application.runs.race
    add_two_lanes(qtbot, application, monkeypatch, 1, 2)
    press(window, Qt.Key.Key_N)  # the first step starts the race, and pauses it
    qtbot.waitUntil(lambda: [one.iterations for one in model.records] == [1, 1])
    wait_for(qtbot, application, Activity.PAUSED)
    press(window, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: [one.iterations for one in model.records] == [2, 2])
    states = model.active.values()
    qtbot.waitUntil(lambda: all(one.state is SolverState.PAUSED for one in states))
    settle()  # the window hears of it a moment later
    assert application.runs.busy
    application.run_controller.start()
    assert application.runs.active is None  # no single run beside a race
    assert not window.view(SpeedupView).measure.button.isEnabled()
    click(window.run_bar.pause)  # goes on
    wait_for(qtbot, application, Activity.RUNNING)
    window.actions_.views["tour"].trigger()  # the race goes on out of sight, and is still stopped
    press_stop(window)
    qtbot.waitUntil(lambda: not model.busy)
    assert {one.ending for one in model.records} == {Ending.CANCELLED}
    assert window.activity is Activity.IDLE
    assert "The race was stopped" in window.banner.text
    limit(application, iterations=3)
    with qtbot.waitSignal(application.runs.ended):  # the tour is in sight: one run
        press(window, Qt.Key.Key_Space)


def test_a_race_at_a_pace_tells_no_speedups(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lanes that wait for their pace are not as fast as they can be."""
    view, window = view_of(application), application.window
    add_two_lanes(qtbot, application, monkeypatch, 5, 6)
    set_budget(application, "iterations", 3)
    for pace, told in ((20.0, False), (0.0, True)):
        window.run_bar.pace.choose(pace)
        race_to_the_end(qtbot, application)
        titles = [one.title for one in view.table.table.content.columns]
        assert ("Speedup" in titles) is told
        assert ("The pace was limited" in view.table.equal.text()) is not told
        assert view.table.choice.isVisible() is told
    window.dashboard.show_view("tour")
    limit(application, iterations=3)
    run_to_the_end(qtbot, application)
    assert window.readout.headings["iteration"].text() == "ITERATION"  # numbers of a run again


def test_a_failed_lane_leaves_the_other_alone_and_lanes_run_in_turn(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, model = view_of(application), application.runs.race
    use_colony(application, monkeypatch, Failing)
    add_lane(qtbot, application)
    use_colony(application, monkeypatch, RandomColony)
    add_lane(qtbot, application)
    set_budget(application, "iterations", 30)
    click(view.form.mode.buttons["turn"])
    assert model.race.in_turn
    race_to_the_end(qtbot, application)
    assert [one.ending for one in model.records] == [Ending.FAILED, Ending.FINISHED]
    assert "stopped answering" in view.cards[0].ending.text()
    assert "lane 1 failed" in application.window.banner.text
    assert model.records[1].iterations == 30
    use_colony(application, monkeypatch, Slow)
    click(view.cards[0].change)  # the panel has the lane's choices now
    setup = application.window.setup
    assert setup.colony.colonies.currentData() == "test-failing"
    assert setup.lane.isVisible()
    assert setup.lane.heading.text() == "LANE 1 OF THE RACE"
    click(setup.lane.leave)
    assert not setup.lane.isVisible()
    assert view.form.add.text() == "Add as a lane"
    click(view.cards[0].change)
    use_colony(application, monkeypatch, Slow)
    assert setup.lane.put.text() == view.form.add.text() == "Put into lane 1"
    click(setup.lane.put)
    qtbot.waitUntil(lambda: model.race.sessions[0].colony == "test-slow")
    assert view.lanes == 2
    assert not setup.lane.isVisible()
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    press_stop(application.window)  # the second lane does not begin
    qtbot.waitUntil(lambda: not model.busy)
    assert [one.ending for one in model.records] == [Ending.CANCELLED, None]


def test_lanes_are_moved_share_a_seed_and_say_what_they_share(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, model = view_of(application), application.runs.race
    add_two_lanes(qtbot, application, monkeypatch, 7, 8)
    assert not view.form.shared.isVisible()
    click(view.cards[1].forward)
    assert [one.seed for one in model.race.sessions] == [8, 7]
    click(view.form.one_seed)
    assert [one.seed for one in model.race.sessions] == [8, 8]
    for _ in range(2):
        add_lane(qtbot, application, 9)
    assert [one.seed for one in model.race.sessions] == [8] * 4
    assert model.race.in_turn  # four lanes on two cores would disturb each other
    assert "All lanes share the cores" in view.form.shared.text()
    assert view.form.add.isEnabled()
    for _ in range(8):
        add_lane(qtbot, application, 9)
    assert len(model.race.sessions) == 12
    assert not view.form.add.isEnabled()  # twelve are the most


def test_opening_and_quitting_ask_and_bad_files_are_refused(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, model = application.window, application.runs.race
    bad = tmp_path / "bad.race.json"
    for text in ("[[[", '{"kind": "race", "format": 99}', '{"kind": "race", "format": 1}'):
        bad.write_text(text, "utf-8")
        window.banner.clear()
        application.files.open(bad)
        qtbot.waitUntil(lambda: bool(window.banner.text))
        assert "bad.race.json" in window.banner.text
    add_two_lanes(qtbot, application, monkeypatch, 1, 2)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    press(window, Qt.Key.Key_Q, CONTROL)
    answer(qtbot, application, "A race goes on. Stop it and quit? Its logs are kept.", "Go on")
    application.files.open(RING)
    answer(qtbot, application, "A race goes on. Stop it and show ring-50?", "Stop and show")
    qtbot.waitUntil(lambda: not model.busy and view_of(application).lanes == 0)
    assert window.activity is Activity.IDLE


def test_a_window_closed_in_mid_race_looks_at_its_lanes_no_more(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_two_lanes(qtbot, application, monkeypatch, 1, 2)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    qtbot.waitUntil(lambda: application.background.idle)
    assert any(timer.isActive() for timer in application.races.findChildren(QTimer))
    assert application.close()
    assert not any(timer.isActive() for timer in application.findChildren(QTimer))
