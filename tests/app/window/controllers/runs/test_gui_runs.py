"""The whole window with real instances, colonies, threads and logs, driven by mouse and keys."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.snapshot import RunState, Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from tests.app.in_window import (
    GRID,
    LONGEST,
    RING,
    limit,
    lines,
    log_of,
    open_,
    run_to_the_end,
    state,
    use_colony,
    wait_for,
)
from tests.colonies import Failing, Lying, RandomColony, Unbuildable
from tests.hands import click, press, settle, write
from views.frame.activity import Activity
from views.plots.convergence_view import ConvergenceView
from views.plots.hit_rate_view import HitRateView
from views.plots.pheromone_view import PheromoneView
from views.runs.device_view import DeviceView
from views.runs.log_view import LogView
from views.tour.tour_view import TourView


def tour(of: RunState) -> list[int]:
    return [int(city) for city in of.best_solution]


def test_the_window_itself_writes_no_solution_down(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million cities as a list of numbers take the tenth of a second."""
    writers: list[threading.Thread] = []
    written = TspInstance.written

    def note(instance: TspInstance, solution: NDArray[np.integer]) -> list[int]:
        writers.append(threading.current_thread())
        return written(instance, solution)

    monkeypatch.setattr(TspInstance, "written", note)
    open_(qtbot, application)
    limit(application, iterations=5)
    run_to_the_end(qtbot, application)
    assert writers  # of the log
    assert threading.main_thread() not in writers


def test_a_run_from_opening_to_its_end(qtbot: QtBot, application: Application) -> None:
    window = application.window
    open_(qtbot, application)
    assert window.windowTitle() == "ring-50 – Formicarium"
    assert window.setup.parameters.fields["ants"].entry.placeholderText() == "auto: 50"
    limit(application, iterations=40)
    progress: list[int] = []
    window.run_bar.progress.valueChanged.connect(progress.append)
    outcome = run_to_the_end(qtbot, application)
    assert outcome.ending is Ending.FINISHED
    final = outcome.state
    assert final.iteration == 40
    assert load(RING).tour_length(np.array(tour(final))) == final.best_cost
    shown = window.readout.values
    assert shown["best"].text().replace("\u202f", "") == str(final.best_cost)
    assert shown["iteration"].text() == "40"
    assert progress[-2:] == [1000, 0]  # shown in full, and then nothing goes on
    assert window.run_bar.left.text() == ""
    assert "limit of 40 iterations is reached" in window.banner.text
    shown_tour = window.view(TourView).layers["best"].shown
    assert shown_tour.tolist() == tour(final)
    assert window.view(PheromoneView).image.boundingRect().width() == 50
    assert window.view(ConvergenceView).curves["best"].points[-1].tolist() == [40, final.best_cost]
    assert not application.runs.busy
    device = window.setup.colony.device
    assert f" on cpu:1 ({device.model})  ·  seed 1  ·  log " in window.where.text()
    log = read_log(log_of(application))
    assert log.outcome["best"] == final.best_cost
    press(window, Qt.Key.Key_0)
    assert "finished" in window.view(LogView).text.toPlainText()


def test_what_was_out_of_sight_comes_when_a_paused_run_is_looked_at(
    qtbot: QtBot, application: Application
) -> None:
    window = application.window
    press(window, Qt.Key.Key_8)
    open_(qtbot, application)
    press(window, Qt.Key.Key_N)
    wait_for(qtbot, application, Activity.PAUSED)
    run = application.runs.current
    qtbot.waitUntil(lambda: run.snapshot is not None)
    settle()
    assert state(application).pheromone is None
    press(window, Qt.Key.Key_7)
    qtbot.waitUntil(lambda: window.view(PheromoneView).image.boundingRect().width() == 50)


def test_what_was_hidden_is_complete_and_the_best_falls_to_the_final_cost(
    qtbot: QtBot, application: Application
) -> None:
    window = application.window
    window.dashboard.show_view("log")  # it hides the pheromone
    press(window, Qt.Key.Key_5)
    press(window, Qt.Key.Key_2)
    open_(qtbot, application, GRID)
    limit(application, seconds=2)
    final = run_to_the_end(qtbot, application).state
    for key in ("pheromone", "tour", "device"):
        window.dashboard.show_view(key)
    assert window.view(PheromoneView).matrix is not None
    assert not window.view(PheromoneView).hint.isVisible()
    layers = window.view(TourView).layers
    assert not any(layers[name].empty for name in ("best", "latest", "trails"))
    curve = window.view(DeviceView).curve  # drawn when its turn has come

    def is_whole() -> bool:
        points = curve.points  # how many depends on the machine
        return len(points) > 1 and points[-1, 0] == state(application).iteration

    qtbot.waitUntil(is_whole, timeout=60_000)
    window.dashboard.show_view("convergence")
    points = window.view(ConvergenceView).curves["best"].points.tolist()
    costs = [cost for _, cost in points]
    assert points[0][0] == 0  # the tour that the run began with
    assert costs == sorted(costs, reverse=True)
    assert points[-1] == [final.iteration, final.best_cost]
    assert [lines(application)[-1]["best_iteration"], final.best_cost] in points


def test_a_memory_is_named_and_its_hits_are_drawn(qtbot: QtBot, application: Application) -> None:
    window = application.window
    window.setup.colony.choose_alias("acs-spm")
    open_(qtbot, application)
    limit(application, iterations=30)
    press(window, Qt.Key.Key_5)
    run_to_the_end(qtbot, application)
    assert "Selective memory, s = 8" in window.view(PheromoneView).caption.text()
    assert "local" in window.view(HitRateView).note.text()
    assert len(window.view(HitRateView).means["local"].points) > 0


def test_bad_files_change_nothing_and_the_last_of_many_is_shown(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    open_(qtbot, application)
    window, path = application.window, tmp_path / "bad.tsp"
    for content, words in (
        (None, "bad.tsp"),
        ("", "bad.tsp"),
        ("hello", "bad.tsp"),
        ("NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: SPECIAL\nEOF\n", "SPECIAL"),
    ):
        if content is not None:
            path.write_text(content)
        window.banner.clear()
        application.files.open(path)
        qtbot.waitUntil(lambda: bool(window.banner.text))
        assert words in window.banner.text
        assert application.instance.value.name == "ring-50"
        assert window.problem == ""
    for path in (GRID, RING, GRID):
        application.files.open(path)
    qtbot.waitUntil(lambda: getattr(application.instance.value, "name", "") == "grid-100")
    qtbot.waitUntil(lambda: application.background.idle)
    assert application.instance.value.name == "grid-100"
    assert window.problem == ""


def test_opening_another_instance_ends_the_run(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    open_(qtbot, application)
    limit(application)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    log = log_of(application)
    (tmp_path / "bad.tsp").write_text("NAME: x\nTYPE: TSP\nDIMENSION: 3\n")
    application.files.open(tmp_path / "bad.tsp")  # a bad file does not
    qtbot.waitUntil(lambda: "bad.tsp" in application.window.banner.text)
    assert application.window.activity is Activity.RUNNING
    assert application.window.setup.instance.name.text() == "ring-50"
    application.window.banner.clear()
    application.files.open(GRID)
    qtbot.waitUntil(lambda: application.window.findChild(QMessageBox) is not None)
    (box,) = application.window.findChildren(QMessageBox)
    with qtbot.waitSignal(application.files.ready):
        click(box.buttons()[0])
    ended = read_log(log).outcome
    assert ended["ending"] == "cancelled"
    assert application.window.readout.values["best"].text() == "–"
    assert application.window.view(TourView).layers["best"].shown is None
    assert application.window.banner.text == ""  # nothing of the other instance's run
    limit(application, iterations=3)
    with qtbot.waitSignal(application.runs.ended) as over:
        click(application.window.run_bar.start)  # without a screen, no key after a dialog
    outcome = over.args[0].outcome
    assert outcome.ending is Ending.FINISHED


def test_a_run_that_fails_says_why_and_keeps_its_log(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_(qtbot, application)
    for kind, words in (
        (Failing, "cuda:0 stopped answering: restart the program"),
        (Unbuildable, "memory is too small"),
    ):
        use_colony(application, monkeypatch, kind)
        outcome = run_to_the_end(qtbot, application)
        assert outcome.ending is Ending.FAILED
        assert words in application.window.banner.text
        assert lines(application)[-1]["ending"] == "failed"
        assert application.window.run_bar.start.isEnabled()
    # of a colony that goes wrong again and again, the last good tour is kept
    use_colony(application, monkeypatch, Lying)
    outcome = run_to_the_end(qtbot, application)
    assert outcome.ending is Ending.FINISHED
    assert "the last tour that was checked" in application.window.banner.text
    assert "restart" in [line["kind"] for line in lines(application)]
    assert outcome.state.best_solution is not None
    # a log that cannot be written is told, and the run goes on
    use_colony(application, monkeypatch, RandomColony)
    blocked = tmp_path / "file"
    blocked.write_text("")
    application.run_controller.log_path = lambda session: blocked / "log.jsonl"
    limit(application, iterations=3)
    told: list[str] = []
    application.told.connect(told.append)
    assert run_to_the_end(qtbot, application).ending is Ending.FINISHED
    assert any("log" in sentence for sentence in told)


def test_a_recorded_session_is_opened_with_all_its_choices(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    open_(qtbot, application)
    limit(application, iterations=4)
    write(application.window.setup.parameters.fields["beta"].entry, "5")
    write(application.window.setup.seed_field.entry, "4711")
    first = run_to_the_end(qtbot, application).state
    log = log_of(application)
    open_(qtbot, application, GRID)
    write(application.window.setup.seed_field.entry, "1")
    open_(qtbot, application, log)
    choices = application.window.setup.choices()
    assert choices.seed == 4711
    assert choices.parameters["beta"] == "5"
    assert choices.parameters["ants"] is None  # automatic, as it was
    assert choices.stop["iterations"] == 4
    again = run_to_the_end(qtbot, application).state
    assert tour(first) == tour(again)
    # one of another machine says what is missing here
    text = log.read_text("utf-8").replace('"cpu:1"', '"cuda:7"')
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_text(text.replace('"acs-seq"', '"acs-gpu-alt"'), "utf-8")
    open_(qtbot, application, elsewhere)
    assert "cannot run acs-gpu-alt on cuda:7" in application.window.banner.text


def test_the_solver_makes_only_what_is_in_sight(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, application)
    use_colony(application, monkeypatch, RandomColony)
    limit(application)
    application.window.record.limit = 0  # else trails are asked for to be recorded
    press(application.window, Qt.Key.Key_1)
    press(application.window, Qt.Key.Key_M)
    press(application.window, Qt.Key.Key_Space)
    qtbot.waitUntil(
        lambda: any(
            Wanted.TRAILS in wanted for built in RandomColony.built for wanted in built.asked
        ),
        timeout=LONGEST,
    )
    with qtbot.waitSignal(application.runs.ended, timeout=LONGEST):
        application.run_controller.stop()
    asked = Wanted.NUMBERS
    for wanted in RandomColony.built[0].asked[:-1]:  # the last snapshot has everything
        asked |= wanted
    asked &= ~Wanted.BRANCHING  # now and then, so that its curve is whole when it is shown
    assert asked == Wanted.SOLUTION | Wanted.ITERATION_SOLUTION | Wanted.TRAILS


def test_a_step_shows_what_local_search_made_of_a_tour(
    qtbot: QtBot, application: Application
) -> None:
    """Before and after on the map, moves and share of the time beside it, moves in the log."""
    open_(qtbot, application, GRID)
    limit(application)
    window = application.window
    window.setup.parameters.fields["local_search"].text = "2opt+oropt"
    window.setup.parameters.fields["local_search"].changed.emit()
    chip = window.view(TourView).chips["improved"]
    assert chip.isHidden()
    press(window, Qt.Key.Key_N)
    wait_for(qtbot, application, Activity.PAUSED)
    qtbot.waitUntil(chip.isVisible)
    click(chip)
    qtbot.waitUntil(lambda: not window.view(TourView).layers["improved"].empty)
    assert window.view(TourView).caption.text().startswith("local search ")
    window.dashboard.show_view("device")
    qtbot.waitUntil(window.view(DeviceView).moves.isVisible)
    made = {bar.name: bar.value for bar in window.view(DeviceView).moves.bars}
    assert made["2-opt"] > 0
    assert made["Or-opt"] > 0
    assert "local search" in [bar.name for bar in window.view(DeviceView).phases.bars]
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()
    last = read_log(application.runs.current.recorder.path).last
    assert (last["two_opt_moves"], last["or_opt_moves"]) == (made["2-opt"], made["Or-opt"])
