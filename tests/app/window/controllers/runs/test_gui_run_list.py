"""The list of runs in the whole window, driven by mouse and keys."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.tsp.instance import TspInstance
from gpu.run.log.archive import Archive
from gpu.run.log.names import default_log_folder
from gpu.run.log.run_log import read_log
from tests.app.in_window import answer, limit, log_of, open_, run_to_the_end, state
from tests.app.in_window import written as written_by_window
from tests.hands import NONE, click, press, press_stop, write
from tests.logs import line, outcome, written
from views.plots.convergence_view import ConvergenceView
from views.runs.run_table import RUN_COLUMNS, RUN_PLACES
from views.runs.runs_view import RunsView
from views.tour.tour_view import TourView

CONTROL = Qt.KeyboardModifier.ControlModifier


def list_of(application: Application) -> RunsView:
    return application.window.view(RunsView)


def show_list(qtbot: QtBot, application: Application, runs: int) -> RunsView:
    """Bring the list into sight by its key, and wait until it has so many runs."""
    view = list_of(application)
    press(application.window, Qt.Key.Key_L, CONTROL)
    qtbot.waitUntil(lambda: len(view.model.all) == runs and application.background.idle)
    assert view.isVisible()
    return view


def middle(view: RunsView, row: int, title: str) -> QPoint:
    """The middle of a cell that is in sight."""
    place = view.model.index(row, RUN_PLACES[title])
    view.table.scrollTo(place)
    return view.table.visualRect(place).center()


def click_cell(view: RunsView, row: int, title: str, held: Qt.KeyboardModifier = NONE) -> None:
    button = Qt.MouseButton.LeftButton
    QTest.mouseClick(view.table.viewport(), button, held, middle(view, row, title))


def click_heading(view: RunsView, title: str) -> None:
    header = view.table.horizontalHeader()
    view.table.scrollTo(view.model.index(0, RUN_PLACES[title]))
    x = (
        header.sectionViewportPosition(RUN_PLACES[title])
        + header.sectionSize(RUN_PLACES[title]) // 2
    )
    click(header.viewport(), QPoint(x, header.height() // 2))


def column(view: RunsView, title: str) -> list[str]:
    return [RUN_COLUMNS[RUN_PLACES[title]].text(row) for row in view.model.rows]


def write_in_place(qtbot: QtBot, view: RunsView, text: str) -> None:
    """Write in the cell that is being edited, and end with Enter."""
    (editor,) = [one for one in view.table.findChildren(QLineEdit) if one.isVisible()]
    write(editor, text)
    press(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.table.edited)


def run_with_seed(qtbot: QtBot, application: Application, seed: int) -> Path:
    write(application.window.setup.seed_field.entry, str(seed))
    run_to_the_end(qtbot, application)
    return log_of(application)


def test_runs_are_listed_sorted_filtered_and_written_about(
    qtbot: QtBot, application: Application
) -> None:
    earlier = written(
        default_log_folder() / "earlier.jsonl", [line(1, 150), outcome(9, 120)], seed=5
    )
    open_(qtbot, application)
    limit(application, iterations=3)
    logs = [run_with_seed(qtbot, application, seed) for seed in (31, 4)]
    view = show_list(qtbot, application, runs=3)
    assert view.count.text() == "3 runs"
    assert column(view, "Seed") == ["4", "31", "5"]  # the latest first
    assert column(view, "State") == ["finished"] * 3
    best = RUN_PLACES["Best"]  # the list was filled as the run began: its number came later
    assert view.table.columnWidth(best) >= view.table.sizeHintForColumn(best)
    assert column(view, "Iterations") == ["3", "3", "9"]
    click_heading(view, "Seed")
    assert column(view, "Seed") == ["4", "5", "31"]
    click_heading(view, "Seed")
    assert column(view, "Seed") == ["31", "5", "4"]
    # names, stars and notes, kept in the file beside each log
    click_cell(view, 0, "★")
    assert column(view, "★") == ["★", "☆", "☆"]
    press(view.table, Qt.Key.Key_F2)
    write_in_place(qtbot, view, "for Ana")
    press(view.table, Qt.Key.Key_F2, CONTROL)
    write_in_place(qtbot, view, "<b>more ants</b> next time")
    click_cell(view, 1, "Colony")
    press(view.table, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: application.background.idle)
    kept = {row.run.path: row.note for row in Archive([logs[0].parent]).read().rows}
    assert view.isVisible()  # the Enter that ended the writing has opened nothing
    note = kept[logs[0]]
    assert (note.name, note.note) == ("for Ana", "<b>more ants</b> next time")
    assert note.starred
    assert [row.note.starred for row in Archive([earlier.parent]).read().rows] == [True]
    # filter
    write(view.filter, "ring-50 FOR ana")
    assert column(view, "Seed") == ["31"]
    assert view.count.text().startswith("1 of 3 runs")
    write(view.filter, "nothing like this")
    assert view.hint.isVisible()
    assert "No run matches" in view.hint.text()
    write(view.filter, "starred")
    assert column(view, "Seed") == ["31", "5"]
    write(view.filter, "")
    # copy
    click_cell(view, 0, "Colony")
    press(view.table, Qt.Key.Key_C, CONTROL)
    head, copied = QApplication.clipboard().text().split("\n")
    assert head.startswith("Instance\tColony\tSeed")
    assert copied.startswith("ring-50\tacs-seq\t31\t")
    # the two of this window over each other: they differ by their seed alone
    click_cell(view, 2, "Colony", CONTROL)
    overlays = application.window.view(ConvergenceView).overlays
    qtbot.waitUntil(lambda: [one.text() for one in overlays.chips] == ["acs-seq, 2 runs"])
    click_cell(view, 2, "Colony", CONTROL)
    qtbot.waitUntil(lambda: [one.text() for one in overlays.chips] == ["for Ana"])
    # delete two, after a question
    click_cell(view, 1, "Colony", CONTROL)
    assert view.count.text() == "2 of 3 selected"
    press(view.table, Qt.Key.Key_Delete)
    answer(qtbot, application, "", "Keep")
    assert earlier.exists()
    press(view.table, Qt.Key.Key_Delete)
    answer(qtbot, application, "", "Move to the trash")
    qtbot.waitUntil(lambda: application.window.banner.text == "2 runs moved to the trash")
    qtbot.waitUntil(lambda: column(view, "Seed") == ["4"])
    assert not logs[0].exists()
    assert logs[1].exists()


def test_a_run_that_goes_on_is_in_the_list_and_is_not_deleted(
    qtbot: QtBot, application: Application
) -> None:
    open_(qtbot, application)
    limit(application, seconds=60.0)
    press(application.window, Qt.Key.Key_Space)
    view = show_list(qtbot, application, runs=1)
    assert column(view, "State") == ["goes on"]
    qtbot.waitUntil(lambda: column(view, "Iterations") not in (["0"], [""]))
    click_cell(view, 0, "Colony")
    press(view.table, Qt.Key.Key_Delete)
    assert "stop it first" in application.window.banner.text
    assert log_of(application).exists()
    press_stop(application.window)
    qtbot.waitUntil(lambda: column(view, "State") == ["cancelled"])


def test_a_recorded_run_is_opened_and_run_again(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    open_(qtbot, application)
    limit(application, iterations=4)
    first = run_with_seed(qtbot, application, 31)
    final = state(application)
    run_with_seed(qtbot, application, 4)
    window, view = application.window, show_list(qtbot, application, runs=2)
    click_heading(view, "Seed")
    assert column(view, "Seed") == ["4", "31"]
    click_cell(view, 1, "Colony")
    convergence = window.view(ConvergenceView)
    qtbot.waitUntil(convergence.overlays.isVisible)
    with qtbot.waitSignal(application.files.recorded):
        press(view.table, Qt.Key.Key_Return)
    window.dashboard.queue.finish()
    assert application.runs.current is None
    assert window.view(TourView).isVisible()
    tour = window.view(TourView).layers["best"].shown
    assert tour.tolist() == final.best_solution.tolist()
    assert convergence.curves["best"].points[-1].tolist() == [4, final.best_cost]
    assert convergence.curves["mean"].points[-1, 0] == 4
    qtbot.waitUntil(lambda: not convergence.overlays.isVisible())  # soon it is not drawn twice
    assert window.readout.values["iteration"].text() == "4"
    assert window.setup.choices().seed == 31
    assert first.name in window.where.text()
    # what was recorded can be taken away
    exports, asked = window.actions_.exports, window.dialogs.to_export
    assert all(exports[name].isEnabled() for name in ("tour", "route", "log", "csv", "session"))
    folder = tmp_path / "taken"
    for name, ending in (("tour", "tour"), ("csv", "csv"), ("session", "json"), ("log", "jsonl")):
        asked.emit(name, taken := folder / f"taken.{ending}")
        written_by_window(qtbot, application, taken)
    instance = application.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.load_solution(folder / "taken.tour").tolist() == tour.tolist()
    assert read_log(folder / "taken.json").session == read_log(first).session
    assert (folder / "taken.jsonl").read_bytes() == first.read_bytes()
    frames = first.with_suffix(".frames")
    assert (folder / "taken.frames").read_bytes() == frames.read_bytes()
    # a double click opens it, too, even if the list is read anew between the two clicks
    show_list(qtbot, application, runs=2)
    click_cell(view, 1, "Colony")
    view.show_rows(list(view.model.all))
    second = QMouseEvent(
        QEvent.Type.MouseButtonDblClick,
        middle(view, 1, "Colony"),
        view.table.viewport().mapToGlobal(middle(view, 1, "Colony")),
        *(Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton, NONE),
    )
    with qtbot.waitSignal(application.files.recorded):
        QApplication.sendEvent(view.table.viewport(), second)
    # the same run once more
    press(window, Qt.Key.Key_L, CONTROL)
    with qtbot.waitSignal(application.runs.ended):
        press(view.table, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: window.banner.text.startswith("Run again: the same tour as recorded"))
    assert state(application).best_cost == final.best_cost
    press(window, Qt.Key.Key_L, CONTROL)
    qtbot.waitUntil(lambda: sorted(column(view, "Seed")) == ["31", "31", "4"])
    # a log that says something else than a run finds
    text = first.read_text()
    first.write_text(text.replace(f'"best": {final.cost}', f'"best": {final.cost + 1}'))
    row = view.model.place_of(first)
    assert row is not None
    click_cell(view, row, "Colony")
    with qtbot.waitSignal(application.files.recorded):
        click(view.buttons["open"])
    assert "its tour is not shown: its length is" in window.banner.text
    show_list(qtbot, application, runs=3)
    row = view.model.place_of(first)  # of equal seeds another one may come first by now
    assert row is not None
    click_cell(view, row, "Colony")
    with qtbot.waitSignal(application.runs.ended):
        click(view.buttons["again"])
    qtbot.waitUntil(lambda: "must give the same tour for the same seed" in window.banner.text)
