"""A study in the whole window: filled in, run, paused, cancelled, opened and resumed."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.batch import study_work
from app.window.controllers.batch.study_work import save_design, studies_folder
from app.window.models.batch import BatchState
from app.window.threads import tasks
from gpu import catalog
from gpu.core.words import counted
from gpu.studies.design import read_design
from gpu.studies.store import Store, read_results
from tests.app.in_window import GRID, LONGEST, RING, answer, open_, use_device, written
from tests.gpu.studies.toy_studies import add_toys, folder_with, studied
from tests.hands import choose, click, press, press_stop, write
from views.batch.speedup_view import SpeedupView
from views.batch.study_view import StudyView
from views.runs.runs_view import RunsView

UNIFORM = GRID.with_name("uniform-100.tsp")
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def application(qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch) -> Application:
    """The window with an instance, one core chosen, and the study in sight."""
    monkeypatch.setattr(tasks, "NICENESS", 0)  # other tests would starve the study's processes
    use_device(opened, "cpu:1")
    open_(qtbot, opened, RING)
    press(opened.window, Qt.Key.Key_U, CONTROL)
    return opened


def view_of(application: Application) -> StudyView:
    view = application.window.view(StudyView)
    assert view.isVisible()
    return view


def fill_in(qtbot: QtBot, application: Application, results: Path) -> None:
    """Two values of a parameter on one instance with two seeds, on one core."""
    form = view_of(application).form
    click(form.add)
    assert form.instances.texts == ["ring-50"]  # the one in sight came with the first colony
    row = form.rows[0]
    choose(row.colony, "Ant Colony System (ACS)")
    choose(row.variant, "acs-seq")
    write(row.label, "ACS")
    write(row.parameters, "ants = 2, 4")
    write(form.title, "Ants")
    write(form.count.entry, "2")
    write(form.cores.entry, "1")
    write(form.budget.fields["seconds"].entry, "0.5")
    click(form.budget.go_on)
    write(form.results_entry, str(results))
    wait_until_ready(qtbot, application)


def wait_until_ready(qtbot: QtBot, application: Application) -> None:
    qtbot.waitUntil(view_of(application).start.isEnabled)


def test_an_instance_that_is_opened_beside_the_form_says_how_it_gets_into_the_study(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    fill_in(qtbot, application, tmp_path / "ants.sqlite")
    form, banner = view_of(application).form, application.window.banner
    open_(qtbot, application, GRID)
    assert banner.text == "grid-100 is not in the study yet: press This instance to add it"
    assert form.instances.texts == ["ring-50"]
    click(form.instances.this_button)
    assert form.instances.texts == ["ring-50", "grid-100"]
    open_(qtbot, application, RING)  # the study has it
    assert banner.text == ""
    application.window.view(StudyView).show_page("results")
    open_(qtbot, application, UNIFORM)
    assert banner.text == ""


def test_a_colony_that_is_in_the_study_already_is_followed_by_the_next_family(
    qtbot: QtBot, application: Application
) -> None:
    form, banner = view_of(application).form, application.window.banner
    click(form.add)
    assert banner.text == ""
    click(form.add)
    first, second = form.rows
    assert second.family != first.family
    assert second.design.device == first.design.device
    assert banner.text.startswith(f"{first.name} is in the study already: {second.name} was added")
    families = catalog.families(application.instance.value.problem)
    while len(form.rows) < len(families) + 1:
        click(form.add)
    assert {row.family for row in form.rows} == {one.name for one in families}
    assert "the new row is equal: change one of the two" in banner.text
    for row in form.rows:  # each colony is read as it is
        style, option = row.colony.style(), QStyleOptionComboBox()
        row.colony.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, row.colony)
        wide = row.colony.fontMetrics().horizontalAdvance(row.colony.currentText())
        assert wide <= room.width()


def test_a_study_whose_instances_are_not_here_offers_to_download_them(
    qtbot: QtBot, application: Application
) -> None:
    view, gallery, asked = view_of(application), application.window.gallery, list[object]()
    application.studies.fetch_wanted.disconnect(application.downloading.fetch)
    application.studies.fetch_wanted.connect(asked.append)
    click(view.form.add)
    view.form.instances.add(["d198", "a280.tsp"])
    qtbot.waitUntil(view.download.isVisible)
    assert view.plan.text() == "2 instances are not here yet"
    assert view.download.text() == "Download 2 instances"
    assert not view.start.isEnabled()
    click(view.download)
    assert asked == [["d198", "a280"]]
    assert gallery.download.isVisible()
    application.window.pages.show_views()
    qtbot.waitUntil(view.isVisible)
    view.form.instances.show_texts(["ring-50"], {})
    wait_until_ready(qtbot, application)
    assert view.download.isHidden()


def test_of_two_studies_that_are_opened_the_last_one_is_shown(
    qtbot: QtBot, application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the first file takes longer to read."""
    view, studies = view_of(application), application.studies
    click(view.form.add)
    for title in ("First", "Second"):
        write(view.form.title, title)
        wait_until_ready(qtbot, application)
        application.window.dialogs.to_export.emit("study", tmp_path / f"{title}.toml")
        written(qtbot, application, tmp_path / f"{title}.toml")
    usual, shown = study_work.open_study, Event()

    def slow_first(path: Path) -> study_work.Opened:
        found = usual(path)
        if path.stem == "First":
            shown.wait(250)
        return found

    monkeypatch.setattr(study_work, "open_study", slow_first)
    write(view.form.title, "Another")
    studies.open(tmp_path / "First.toml")
    studies.open(tmp_path / "Second.toml")
    qtbot.waitUntil(lambda: view.form.title.text() == "Second")
    shown.set()
    qtbot.waitUntil(lambda: application.background.idle, timeout=LONGEST)
    qtbot.waitUntil(lambda: not studies._steps.busy)
    assert view.form.title.text() == "Second"


def done(path: Path) -> list[tuple[str, str, float]]:
    """Each run that is done: its key, when it began, and its seconds."""
    asked = "SELECT key, started, seconds FROM runs WHERE state = 'done' ORDER BY id"
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.execute(asked))


def wait_for_end(qtbot: QtBot, application: Application) -> str:
    """Wait until the study has ended, and until its last results are shown."""
    told: list[str] = []
    application.runs.batch.ended.connect(lambda *_: told.append(application.window.banner.text))
    qtbot.waitUntil(lambda: not application.runs.batch.busy, timeout=250_000)
    qtbot.waitUntil(lambda: application.background.idle, timeout=250_000)  # it imports for plots
    return told[0]


def test_a_study_is_filled_in_paused_cancelled_opened_and_resumed(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    window, view, model = application.window, view_of(application), application.runs.batch
    file = tmp_path / "ants.sqlite"
    fill_in(qtbot, application, file)
    assert view.plan.text().startswith("4 runs: 2 configurations × 1 instance × 2 seeds")
    assert "at most 2.0" in view.plan.text()

    click(view.start)
    qtbot.waitUntil(lambda: model.state is BatchState.RUNNING)
    assert "no single run, race or measurement can be started" in view.progress.text()
    assert not window.actions_["start"].isEnabled()
    assert not window.view(SpeedupView).measure.button.isEnabled()
    assert not view.form.rows[0].parameters.isEnabled()
    press(window, Qt.Key.Key_Q, CONTROL)
    answer(
        qtbot, application, "A study goes on. Stop it and quit? Finished runs are kept.", "Go on"
    )
    click(view.pause)
    assert model.state is BatchState.PAUSED
    assert view.pause.text() == "Resume"
    click(view.pause)
    qtbot.waitUntil(lambda: bool(done(file)), timeout=250_000)
    click(view.cancel)
    told = wait_for_end(qtbot, application)
    before = done(file)
    assert 1 <= len(before) < 4
    assert f"{len(before)} run" in told
    assert "Resume does them" in told
    assert view.start.text() == "Resume"
    qtbot.waitUntil(window.actions_["start"].isEnabled)  # as soon as it is planned

    application.studies.open(file)
    qtbot.waitUntil(lambda: application.background.idle)
    assert [row.name for row in view.form.rows] == ["ACS"]
    wait_until_ready(qtbot, application)
    assert f"{counted(4 - len(before), 'run')} left; at most" in view.plan.text()
    click(view.start)
    told = wait_for_end(qtbot, application)
    after = done(file)
    assert len(after) == 4
    assert set(before) <= set(after)  # nothing was run twice
    assert told == "The study has ended: 4 runs done"
    wait_until_ready(qtbot, application)
    assert view.plan.text().endswith("2 seeds; all have ended")
    assert {row.seed for row in read_results(file).rows} == {1, 2}

    table = view.results.table
    qtbot.waitUntil(lambda: table.texts(0)[:3] == ["ring-50", "ACS, ants 2", "2"], timeout=60_000)
    assert len(table.content.rows) == 2
    choice = view.results.choice
    for box, text in ((choice.instance, "ring-50"), (choice.kind, "Result of every run")):
        choose(box, text)
        box.activated.emit(box.currentIndex())
    assert choice.title == "ring-50: result of every run"
    qtbot.waitUntil(lambda: "Each dot is one run" in view.results.text)
    assert not view.results.picture.picture.isNull()
    # each dot of the plot leads to its run, which has ended as the study says
    assert {one.run for one in view.results.picture.points} == {
        row.key for row in read_results(file).rows
    }
    point, place = view.results.picture.points[0], view.results.picture.place
    spot = place.topLeft() + QPointF(point.x * place.width(), point.y * place.height())
    with qtbot.waitSignal(application.files.recorded):
        click(view.results.picture, spot.toPoint())
    assert f"seed {window.setup.seed_field.entry.text()}: " in point.text
    window.dashboard.show_view("study")
    write(view.results.print_size, "6x")
    window.dialogs.to_export.emit("study-png", tmp_path / "out.png")
    qtbot.waitUntil(lambda: "write width x height in centimetres" in window.banner.text)
    write(view.results.print_size, "8x6")
    choose(view.results.colours, "dark")
    for name, ending in (("study-report", "html"), ("study-png", "png"), ("study-table", "csv")):
        path = tmp_path / f"out.{ending}"
        window.dialogs.to_export.emit(name, path)
        qtbot.waitUntil(path.exists, timeout=120_000)  # a report has a dozen plots
        written(qtbot, application, path)
    assert QImage(str(tmp_path / "out.png")).size() == QSize(944, 708)  # 300 dots an inch
    head, line, *_ = csv.reader((tmp_path / "out.csv").read_text("utf-8").splitlines())
    assert head[:4] == ["Instance", "Configuration", "Runs", "Mean"]
    assert line[:3] == ["ring-50", "ACS, ants 2", "2"]
    assert float(line[3]) > 100
    assert "ACS, ants 2" in (tmp_path / "out.html").read_text("utf-8")
    window.dialogs.to_export.emit("study", tmp_path / "out.toml")
    written(qtbot, application, tmp_path / "out.toml")
    design, _ = read_design(tmp_path / "out.toml")
    assert design.colonies[0].parameters["ants"] == (2, 4)


def test_start_pause_and_stop_are_for_the_study_in_sight(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    """Space and the buttons of the bar do what those of the study do, and start no single run."""
    window, view, model = application.window, view_of(application), application.runs.batch
    start, bar = window.actions_["start"], window.run_bar
    assert "Start a run" in start.toolTip()  # no study is set up
    fill_in(qtbot, application, tmp_path / "ants.sqlite")
    assert "study in sight" in start.toolTip()
    window.dashboard.show_view("runs")
    assert "Start a run" in start.toolTip()
    window.dashboard.show_view("study")
    assert bar.state.text() == "Ready for the study"
    assert not window.actions_["step"].isEnabled()
    view.setFocus()  # a button would take Space for itself
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: model.state is BatchState.RUNNING)
    assert not application.runs.busy
    press(window, Qt.Key.Key_P)
    assert model.state is BatchState.PAUSED
    assert bar.pause.text() == "Resume"
    click(bar.pause)
    qtbot.waitUntil(lambda: model.state is BatchState.RUNNING)
    window.dashboard.show_view("runs")
    assert not bar.stop.isEnabled()  # there is no run
    window.dashboard.show_view("study")
    press_stop(window)
    told = wait_for_end(qtbot, application)
    assert "Resume does them" in told or "has ended" in told
    assert application.runs.current is None


def test_mistakes_have_sentences_and_files_that_are_no_study_are_refused(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    window, view = application.window, view_of(application)
    form = view.form
    assert view.plan.text() == "Add a colony"
    click(form.add)
    row = form.rows[0]
    for text, sentence in (
        ("ants", "write parameters like this"),
        ("ants = 3, 3", "ants has the value 3 twice"),
        ("ants = ", "ants has no value"),
    ):
        write(row.parameters, text)
        assert sentence in view.plan.text()
        assert not view.start.isEnabled()
    write(row.parameters, "no_such = 3")
    qtbot.waitUntil(lambda: "no_such" in view.plan.text())
    assert not view.start.isEnabled()
    write(row.parameters, "")
    write(form.budget.fields["seconds"].entry, "")
    assert "the runs might never end" in view.plan.text()
    write(form.count.entry, "0")
    write(form.budget.fields["iterations"].entry, "2")
    assert "The number of seeds" in view.plan.text()
    write(form.count.entry, "3")
    qtbot.waitUntil(lambda: "3 runs" in view.plan.text())
    assert "not known yet" in view.plan.text()
    assert view.estimate.isVisible()
    click(row.remove)
    assert view.plan.text() == "Add a colony"
    for name, content in (("bad.toml", "[[["), ("bad.sqlite", "no database"), ("none.toml", None)):
        if content is not None:
            (tmp_path / name).write_text(content, "utf-8")
        window.banner.clear()
        application.studies.open(tmp_path / name)
        qtbot.waitUntil(lambda: bool(window.banner.text))
        assert name in window.banner.text


def test_a_design_that_was_changed_after_opening_has_results_of_its_own(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    form, design = view_of(application).form, tmp_path / "ants.toml"
    fill_in(qtbot, application, tmp_path / "first.sqlite")
    save_design(design, form.design)
    application.studies.open(design)
    qtbot.waitUntil(lambda: form.results == str(tmp_path / "ants.sqlite"))
    write(form.count.entry, "1")  # a small trial of it
    wait_until_ready(qtbot, application)
    click(view_of(application).start)
    wait_for_end(qtbot, application)
    assert not (tmp_path / "ants.sqlite").exists()
    assert Path(form.results).parent == studies_folder()
    assert len(done(Path(form.results))) == 2


def test_the_view_begins_with_the_results_of_the_last_study(
    qtbot: QtBot, opened: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "CATALOG", catalog.CATALOG)  # as it is again after the test
    add_toys()
    studied(folder_with(tmp_path), name="older")
    studied(tmp_path, name="last")
    window = opened.window
    window.view(RunsView).studies = [tmp_path / f"{one}.sqlite" for one in ("older", "last", "no")]
    press(window, Qt.Key.Key_U, CONTROL)
    view = view_of(opened)
    qtbot.waitUntil(lambda: len(view.results.table.content.rows) == 4, timeout=60_000)
    assert view.results.isVisible()
    assert view.form.results == str(tmp_path / "last.sqlite")
    click(view.new)
    assert view.form.isVisible()
    assert (view.form.rows, view.form.instances.texts, view.form.results) == ([], [], "")
    assert not view.results.table.isVisibleTo(view.results)
    assert not view.new.isEnabled()
    press(window, Qt.Key.Key_L, CONTROL)
    press(window, Qt.Key.Key_U, CONTROL)
    qtbot.waitUntil(lambda: opened.background.idle)
    assert view.form.isVisible()  # only the first look does that


def test_closing_the_window_ends_the_processes_and_loses_nothing(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    model, file = application.runs.batch, tmp_path / "ants.sqlite"
    fill_in(qtbot, application, file)
    click(view_of(application).start)

    def lanes() -> list[str]:
        return [one.name for one in active_children() if one.name.startswith("study-")]

    qtbot.waitUntil(lambda: lanes() == ["study-cpu:1"])
    assert model.busy
    application.close()
    assert not lanes()
    with Store(file) as store:  # nobody works on it any more
        assert store.counts()["running"] == 0
        assert sum(store.counts().values()) == 4
    assert application.background.shutdown(60.0)  # it imports what draws plots
