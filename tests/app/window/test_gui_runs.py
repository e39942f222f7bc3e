"""The whole window with real instances, colonies, threads and logs, driven by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.controller import WindowController
from gpu.core.snapshot import Snapshot, Wanted
from gpu.problems.tsp.tsplib import load
from gpu.run.outcome import Ending
from gpu.run.run_log import read_log
from tests.app.in_window import (
    GRID,
    RING,
    limit,
    lines,
    log_of,
    open_,
    run_to_the_end,
    state,
    use_colony,
    use_device,
    wait_for,
)
from tests.colonies import Failing, Lying, RandomColony, Unbuildable
from tests.hands import click, press, write
from views.frame.activity import Activity


@pytest.fixture
def controller(opened: WindowController) -> WindowController:
    """The window with one core chosen."""
    use_device(opened, "cpu:1")
    return opened


def tour(of: Snapshot) -> list[int]:
    assert of.best_solution is not None
    return [int(city) for city in of.best_solution]


def test_a_run_from_opening_to_its_end(qtbot: QtBot, controller: WindowController) -> None:
    window = controller.window
    open_(qtbot, controller)
    assert window.windowTitle() == "ring-50 – Formicarium"
    assert window.setup.parameters.fields["ants"].entry.placeholderText() == "auto: 50"
    limit(controller, iterations=40)
    progress: list[int] = []
    window.run_bar.progress.valueChanged.connect(progress.append)
    outcome = run_to_the_end(qtbot, controller)
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
    assert window.tour.best._tour is not None
    assert window.tour.best._tour.tolist() == tour(final)
    assert window.pheromone.image.boundingRect().width() == 50
    assert window.convergence.curves["best"].points[-1].tolist() == [40, final.best_cost]
    assert not controller.active
    device = window.setup.colony.device
    assert device is not None
    assert f" on cpu:1 ({device.model})  ·  seed 1  ·  log " in window.where.text()
    log = read_log(log_of(controller))
    assert log.outcome is not None
    assert log.outcome["best"] == final.best_cost
    press(window, Qt.Key.Key_9)
    assert "finished" in window.log.text.toPlainText()


def test_the_same_seed_gives_the_same_tour(qtbot: QtBot, controller: WindowController) -> None:
    open_(qtbot, controller, GRID)
    limit(controller, iterations=5)
    write(controller.window.setup.seed_field.entry, "77")
    first = run_to_the_end(qtbot, controller).state
    second = run_to_the_end(qtbot, controller).state
    assert tour(first) == tour(second)
    write(controller.window.setup.seed_field.entry, "78")
    third = run_to_the_end(qtbot, controller).state
    assert tour(first) != tour(third) or first.iteration_best != third.iteration_best


def test_what_was_out_of_sight_comes_when_a_paused_run_is_looked_at(
    qtbot: QtBot, controller: WindowController
) -> None:
    window = controller.window
    press(window, Qt.Key.Key_7)
    open_(qtbot, controller)
    press(window, Qt.Key.Key_N)
    wait_for(qtbot, controller, Activity.PAUSED)
    qtbot.wait(100)
    assert state(controller).pheromone is None
    press(window, Qt.Key.Key_6)
    qtbot.waitUntil(lambda: window.pheromone.image.boundingRect().width() == 50)


def test_a_memory_is_named_and_its_hits_are_drawn(
    qtbot: QtBot, controller: WindowController
) -> None:
    window = controller.window
    window.setup.colony.choose_search("acs-spm")
    open_(qtbot, controller)
    limit(controller, iterations=30)
    press(window, Qt.Key.Key_4)
    run_to_the_end(qtbot, controller)
    assert "Selective memory, s = 8" in window.pheromone.caption.text()
    assert "local" in window.hit_rates.note.text()
    assert len(window.hit_rates._means["local"].points) > 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "bad.tsp"),
        ("", "bad.tsp"),
        ("hello", "bad.tsp"),
        ("NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: SPECIAL\nEOF\n", "SPECIAL"),
    ],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(
    qtbot: QtBot, controller: WindowController, tmp_path: Path, content: str | None, words: str
) -> None:
    open_(qtbot, controller)
    path = tmp_path / "bad.tsp"
    if content is not None:
        path.write_text(content)
    controller.open(path)
    qtbot.waitUntil(lambda: bool(controller.window.banner.text))
    assert words in controller.window.banner.text
    assert controller.instance is not None
    assert controller.instance.name == "ring-50"
    assert controller.window.problem == ""


def test_only_the_last_of_many_opened_files_is_shown(
    qtbot: QtBot, controller: WindowController
) -> None:
    for path in (RING, GRID, RING, GRID):
        controller.open(path)
    qtbot.waitUntil(lambda: controller.instance is not None, timeout=30_000)
    qtbot.wait(300)
    assert controller.instance is not None
    assert controller.instance.name == "grid-100"
    assert controller.window.problem == ""


def test_opening_another_instance_ends_the_run(qtbot: QtBot, controller: WindowController) -> None:
    open_(qtbot, controller)
    limit(controller)
    press(controller.window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.RUNNING)
    log = log_of(controller)
    open_(qtbot, controller, GRID)
    ended = read_log(log).outcome
    assert ended is not None
    assert ended["ending"] == "cancelled"
    assert controller.window.readout.values["best"].text() == "–"
    assert controller.window.tour.best._tour is None
    assert controller.window.banner.text == ""  # nothing of the other instance's run
    limit(controller, iterations=3)
    assert run_to_the_end(qtbot, controller).ending is Ending.FINISHED


def test_a_bad_file_does_not_end_the_run(
    qtbot: QtBot, controller: WindowController, tmp_path: Path
) -> None:
    window = controller.window
    open_(qtbot, controller)
    limit(controller)
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, controller, Activity.RUNNING)
    (tmp_path / "bad.tsp").write_text("NAME: x\nTYPE: TSP\nDIMENSION: 3\n")
    controller.open(tmp_path / "bad.tsp")
    qtbot.waitUntil(lambda: "bad.tsp" in window.banner.text)
    assert window.activity is Activity.RUNNING
    assert window.setup.instance.name.text() == "ring-50"
    with qtbot.waitSignal(controller.run_ended, timeout=60_000):
        press(window, Qt.Key.Key_Escape)
    assert "Stopped by the user" in window.banner.text


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Failing, "cuda:0 stopped answering: restart the program"),
        (Unbuildable, "memory is too small"),
        (Lying, "the result cannot be trusted"),
    ],
)
def test_a_run_that_fails_says_why_and_keeps_its_log(
    qtbot: QtBot,
    controller: WindowController,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[RandomColony],
    words: str,
) -> None:
    open_(qtbot, controller)
    use_colony(controller, monkeypatch, kind)
    outcome = run_to_the_end(qtbot, controller)
    assert outcome.ending is Ending.FAILED
    assert words in controller.window.banner.text
    assert lines(controller)[-1]["ending"] == "failed"
    assert controller.window.run_bar.start.isEnabled()


def test_a_log_that_cannot_be_written_is_told_and_the_run_goes_on(
    qtbot: QtBot, controller: WindowController, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    controller.log_path = lambda session: blocked / "log.jsonl"
    open_(qtbot, controller)
    limit(controller, iterations=3)
    told: list[str] = []
    controller.told.connect(told.append)
    assert run_to_the_end(qtbot, controller).ending is Ending.FINISHED
    assert any("log" in sentence for sentence in told)


def test_a_recorded_session_is_opened_with_all_its_choices(
    qtbot: QtBot, controller: WindowController, tmp_path: Path
) -> None:
    open_(qtbot, controller)
    limit(controller, iterations=4)
    write(controller.window.setup.parameters.fields["beta"].entry, "5")
    write(controller.window.setup.seed_field.entry, "4711")
    first = run_to_the_end(qtbot, controller).state
    log = log_of(controller)
    open_(qtbot, controller, GRID)
    write(controller.window.setup.seed_field.entry, "1")
    open_(qtbot, controller, log)
    choices = controller.window.setup.choices()
    assert choices.seed == 4711
    assert choices.parameters["beta"] == "5"
    assert choices.parameters["ants"] is None  # automatic, as it was
    assert choices.stop["iterations"] == 4
    again = run_to_the_end(qtbot, controller).state
    assert tour(first) == tour(again)


def test_a_session_of_another_machine_says_what_is_missing(
    qtbot: QtBot, controller: WindowController, tmp_path: Path
) -> None:
    open_(qtbot, controller)
    limit(controller, iterations=1)
    run_to_the_end(qtbot, controller)
    text = log_of(controller).read_text("utf-8").replace('"cpu:1"', '"cuda:7"')
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_text(text.replace('"acs-seq"', '"acs-gpu-alt"'), "utf-8")
    open_(qtbot, controller, elsewhere)
    assert "cannot run acs-gpu-alt on cuda:7" in controller.window.banner.text


def test_the_solver_makes_only_what_is_in_sight(
    qtbot: QtBot, controller: WindowController, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, controller)
    use_colony(controller, monkeypatch, RandomColony)
    limit(controller, seconds=1.0)
    press(controller.window, Qt.Key.Key_1)
    press(controller.window, Qt.Key.Key_M)
    run_to_the_end(qtbot, controller)
    asked = Wanted.NUMBERS
    for wanted in RandomColony.built[0].asked:
        asked |= wanted
    assert asked == Wanted.SOLUTION | Wanted.ITERATION_SOLUTION | Wanted.TRAILS


def test_a_step_shows_what_local_search_made_of_a_tour(
    qtbot: QtBot, controller: WindowController
) -> None:
    """Before and after on the map, moves and share of the time beside it, moves in the log."""
    open_(qtbot, controller, GRID)
    limit(controller)
    window = controller.window
    window.setup.parameters.fields["local_search"].text = "2opt+oropt"
    window.setup.parameters.fields["local_search"].changed.emit()
    chip = window.tour.chips["improved"]
    assert chip.isHidden()
    press(window, Qt.Key.Key_N)
    wait_for(qtbot, controller, Activity.PAUSED)
    qtbot.waitUntil(chip.isVisible, timeout=10_000)
    click(chip)
    qtbot.waitUntil(lambda: not window.tour.improved.empty, timeout=10_000)
    assert window.tour.caption.text().startswith("local search ")
    window.dashboard.show_view("device")
    qtbot.waitUntil(window.device_view.moves.isVisible, timeout=10_000)
    made = {bar.name: bar.value for bar in window.device_view.moves.bars}
    assert made["2-opt"] > 0
    assert made["Or-opt"] > 0
    assert "local search" in [bar.name for bar in window.device_view.phases.bars]
    with qtbot.waitSignal(controller.run_ended, timeout=60_000):
        controller.stop()
    assert controller.run is not None
    last = read_log(controller.run.recorder.path).last
    assert last is not None
    assert (last["two_opt_moves"], last["or_opt_moves"]) == (made["2-opt"], made["Or-opt"])
