"""Runs of studies in the whole window: listed by study, opened, and made again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.run.log.archive import Notes
from gpu.run.log.names import default_log_folder
from tests.app.in_window import LONGEST, list_colonies
from tests.gpu.studies.toy_studies import folder_with, studied, toy_family
from tests.hands import click, press, write
from views.batch.study_view import StudyView
from views.plots.convergence_view import ConvergenceView
from views.runs.run_table import RUN_PLACES
from views.runs.runs_view import RunsView
from views.tour.tour_view import TourView

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module", autouse=True)
def toys() -> Iterator[None]:
    """The toy family, in the catalog."""
    with toy_family():
        yield


def column(view: RunsView, title: str) -> list[str]:
    return [view.model.texts(row)[RUN_PLACES[title]] for row in view.model.rows]


def test_runs_of_a_study_are_folded_into_one_row_opened_and_made_again(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    list_colonies(application)
    cases = studied(folder_with(tmp_path))
    file, window = tmp_path / "a.sqlite", application.window
    view = window.view(RunsView)
    application.archive.note_study(file)
    assert view.kept == f'["{file}"]'
    press(window, Qt.Key.Key_L, CONTROL)
    titles = {"▸ Toys (12)", "▾ Toys (12)"}
    qtbot.waitUntil(lambda: bool(titles & set(column(view, "Instance"))))
    write(view.filter, "toys ants 3 five")
    assert view.count.text().startswith("3 of ")
    assert column(view, "Instance") == ["▾ Toys (12)", *["    five"] * 3]
    write(view.filter, "")
    at = column(view, "Instance").index("▸ Toys (12)")
    cell = view.table.visualRect(view.model.index(at, RUN_PLACES["Instance"]))
    click(view.table.viewport(), cell.center())
    study, *below = column(view, "Instance")[at : at + 13]
    assert (study, sorted(below)) == ("▾ Toys (12)", ["    five"] * 6 + ["    three"] * 6)
    press(view.table, Qt.Key.Key_Left)
    assert column(view, "Instance").count("    five") == 0
    press(view.table, Qt.Key.Key_Right)
    assert not view.buttons["again"].isEnabled()  # a study is not one run
    assert not view.buttons["delete"].isEnabled()
    # a run of it: its curve, a note, its tour, and the same once more
    press(view.table, Qt.Key.Key_Down)
    (row,) = view.selected
    case = next(one for one in cases if one.key == row.run.path.name)
    overlays = window.view(ConvergenceView).overlays
    qtbot.waitUntil(lambda: len(overlays.chips) == 1)
    press(view.table, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: application.background.idle)
    assert Notes(default_log_folder()).read()[case.key].starred
    with qtbot.waitSignal(application.files.recorded):
        press(view.table, Qt.Key.Key_Return)
    instance = application.instance.value
    assert instance is not None
    assert (instance.name, window.setup.seed_field.entry.text()) == (case.instance, str(case.seed))
    window.dashboard.queue.finish()
    tour = window.view(TourView).layers["best"].shown
    assert tour is not None
    assert instance.cost_of(tour) == case.best
    curve = window.view(ConvergenceView).curves["best"]
    assert curve.points[-1].tolist() == [case.iterations, case.best]
    assert "run of a study" in window.where.text()
    window.dashboard.show_view("runs")
    with qtbot.waitSignal(application.runs.ended, timeout=LONGEST):
        click(view.buttons["again"])
    qtbot.waitUntil(lambda: window.banner.text.startswith("Run again: the same tour as recorded"))
    # the row of the study leads to its results
    window.dashboard.show_view("runs")
    press(view.table, Qt.Key.Key_Left)
    press(view.table, Qt.Key.Key_Return)
    results = window.view(StudyView).results
    qtbot.waitUntil(lambda: len(results.table.content.rows) == 4, timeout=LONGEST)
    qtbot.waitUntil(lambda: application.background.idle, timeout=LONGEST)
