"""Everything that can be taken away from the window, written and read back."""

from __future__ import annotations

import csv
import json
import threading
import xml.etree.ElementTree as ElementTree
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QFileDialog
from pytestqt.qtbot import QtBot

import gpu.measure.comparison
from app.files.exports import ExportError
from app.window.application import Application
from app.window.controllers.comparing import measurement_work
from app.window.controllers.output import exports
from gpu.problems.tsp.tours import load_tour
from gpu.problems.tsp.tsplib import load
from gpu.run.log.run_log import read_log
from tests.app.in_window import GRID, RING, open_, written
from tests.hands import choose, click, write
from tests.views.measure.test_speedup_view import report
from views.frame.activity import Activity
from views.measure.comparison_view import ComparisonView
from views.measure.speedup_view import SpeedupView
from views.plots.hit_rate_view import HitRate, HitRateView


@pytest.fixture
def application(qtbot: QtBot, opened: Application) -> Application:
    """A window with an instance, and nothing run yet."""
    open_(qtbot, opened)
    return opened


@pytest.fixture
def done(qtbot: QtBot, application: Application) -> Application:
    """The same after a run of a selective memory."""
    application.window.setup.colony.choose_search("acs-spm")
    application.window.setup.stop.set_values({"iterations": 20, "go_on": True})
    with qtbot.waitSignal(application.runs.ended, timeout=60_000):
        application.run_controller.start()
    return application


def export(qtbot: QtBot, application: Application, name: str, path: Path) -> Path:
    application.window.dialogs.to_export.emit(name, path)
    return written(qtbot, application, path)


def test_the_tour(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = export(qtbot, done, "tour", tmp_path / "best.tour")
    assert done.runs.current is not None
    assert done.runs.current.snapshot is not None
    assert done.runs.current.snapshot.best_solution is not None
    instance = load(RING)
    tour = load_tour(path, instance)
    assert tour.tolist() == done.runs.current.snapshot.best_solution.tolist()
    assert instance.tour_length(tour) == done.runs.current.snapshot.best_cost


def test_the_run_as_json_lines_and_csv(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    log = read_log(export(qtbot, done, "log", tmp_path / "run-copy.jsonl"))
    assert log.outcome is not None
    with export(qtbot, done, "csv", tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["kind"] == "outcome"
    assert int(rows[-1]["best"]) == log.outcome["best"]


def test_the_session(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    read = read_log(export(qtbot, done, "session", tmp_path / "session.json"))
    assert done.runs.current is not None
    assert read.session == done.runs.current.session
    log = read_log(done.runs.current.recorder.path)
    assert read.header["started"] == log.header["started"]


def test_a_session_says_when_its_run_began(
    qtbot: QtBot, done: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert done.runs.current is not None
    began = read_log(done.runs.current.recorder.path).header["started"]

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2099, 1, 1, tzinfo=tz)

    monkeypatch.setattr("gpu.run.log.recorder.datetime", Later)
    read = read_log(export(qtbot, done, "session", tmp_path / "session.json"))
    assert read.header["started"] == began


def test_names_of_files_tell_what_is_in_them(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    window = done.window
    run = done.runs.current
    assert run is not None
    window.view(SpeedupView).show_reports([report(500)])
    asked = []
    for action in window.actions_.exports.values():
        if not action.isVisible():
            continue
        action.setEnabled(True)
        action.trigger()
        dialog = window.findChildren(QFileDialog)[-1]
        asked.append(Path(dialog.selectedFiles()[0]).name)
        dialog.reject()
    assert len(set(asked)) == len(asked)
    own = f"ring-50-{run.session.colony}-{run.session.seed}"
    others = {name for name in asked if not name.startswith(own)}
    assert f"{own}.tour" in asked
    assert {f"{own}-run.csv", f"{own}-run.jsonl", f"{own}-session.json"} < set(asked)
    assert "uniform-500-acs-1-speedup.json" in others  # of what was measured, not of what is loaded


def test_a_picture_names_what_was_measured_after_another_instance_was_opened(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    view = done.window.view(SpeedupView)
    view.show_reports([report(500)])
    open_(qtbot, done, GRID)
    done.window.dashboard.show_view("speedup")
    path = tmp_path / "speedup.svg"
    done.window.dialogs.to_picture.emit("speedup", "svg", path)
    written(qtbot, done, path)
    text = path.read_text("utf-8")
    assert "uniform-500" in text
    assert "grid-100" not in text
    assert "Measure" not in text  # no button
    assert view.measure.button.isVisible()


def test_the_window(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = export(qtbot, done, "window", tmp_path / "window.png")
    image = QImage(str(path))
    assert (image.width(), image.height()) == (2 * done.window.width(), 2 * done.window.height())


def test_every_view_as_png_and_svg(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    for key in done.window.dashboard.views:
        for form in ("png", "svg"):
            path = tmp_path / f"{key}.{form}"
            done.window.dialogs.to_picture.emit(key, form, path)
            written(qtbot, done, path)
            if form == "png":
                assert QImage(str(path)).width() > 400
            else:
                root = ElementTree.fromstring(path.read_bytes())
                assert "ring-50" in " ".join(e.text for e in root.iter() if e.text)


def test_a_place_that_cannot_be_written_is_one_sentence(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.png"
    done.window.dialogs.to_picture.emit("tour", "png", path)
    qtbot.waitUntil(lambda: "cannot be written" in done.window.banner.text)
    assert str(path) in done.window.banner.text


def test_measured_hit_rates(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurement_work, "ITERATIONS", 3)
    window = application.window
    window.dashboard.show_view("hit-rates")
    click(window.view(HitRateView).page_choice.buttons["memory"])
    shown: list[list[HitRate]] = []
    monkeypatch.setattr(window.view(HitRateView), "show_rates", shown.append)
    with qtbot.waitSignal(application.measurements.idle, timeout=60_000):
        click(window.view(HitRateView).measure.button)
        assert not window.run_bar.start.isEnabled()
        assert "measurement" in window.view(SpeedupView).measure.button.toolTip()
    rates = shown[-1]
    assert [rate.memory for rate in rates] == [1, 2, 4, 8, 16, 32]
    assert all(0 <= rate.local <= 1 and 0 <= rate.overall <= 1 for rate in rates)
    assert rates[-1].local > rates[0].local
    assert "3 iterations each" in window.view(HitRateView).measure.note.text()
    assert window.run_bar.start.isEnabled()


def test_a_measurement_can_be_cancelled(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    window = application.window
    window.dashboard.show_view("speedup")
    click(window.view(SpeedupView).measure.button)
    window.dashboard.show_view("log")  # progress and Cancel stay in sight
    assert window.activity is Activity.MEASURING
    assert window.run_bar.stop.isEnabled()
    assert window.run_bar.stop.text() == "Cancel"
    qtbot.waitUntil(lambda: window.run_bar.left.text().endswith("%"))
    application.files.open(tmp_path / "no.tsp")
    qtbot.waitUntil(lambda: "no.tsp" in window.banner.text)
    assert "measurement" in window.run_bar.start.toolTip()  # it goes on beside a bad file
    with qtbot.waitSignal(application.measurements.idle, timeout=60_000):
        click(window.run_bar.stop)
    assert window.run_bar.stop.text() == "Stop"
    assert window.view(SpeedupView).measure.note.text().startswith("Cancelled")
    assert window.run_bar.start.isEnabled()


def test_a_cancelled_measurement_keeps_its_place_while_its_thread_works(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    monkeypatch.setattr(measurement_work, "measure_speedups", lambda *_: over.wait(60))
    window = application.window
    window.dashboard.show_view("speedup")
    button = window.view(SpeedupView).measure.button
    click(button)
    click(button)
    assert not window.run_bar.start.isEnabled()
    click(button)  # a second time
    with qtbot.waitSignal(application.measurements.idle, timeout=60_000):
        over.set()
    assert window.view(SpeedupView).measure.note.text() == "Cancelled."
    assert window.run_bar.start.isEnabled()


def test_what_could_not_be_written_whole_is_not_given_away(
    done: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert done.runs.current is not None
    monkeypatch.setattr(type(done.runs.current.recorder), "lost", True)
    with pytest.raises(ExportError, match="is incomplete"):
        exports._writer_of("log", exports._Run.of(done.runs.current), tmp_path / "a.jsonl")


def test_a_comparison_is_measured_shown_and_taken_away(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gpu.measure.comparison, "SAMPLE", 0.02)
    window = application.window
    view = window.view(ComparisonView)
    assert window.setup.colony.choose("cpu:1", "as-seq")
    entry = window.setup.parameters.fields["selection"].entry
    assert isinstance(entry, QComboBox)
    choose(entry, "i-roulette")
    write(window.setup.parameters.fields["ants"].entry, "8")
    window.dashboard.show_view("comparison")
    assert not window.actions_.exports["comparison"].isEnabled()
    with qtbot.waitSignal(application.measurements.idle, timeout=100_000):
        click(view.measure.button)
        assert not window.run_bar.start.isEnabled()
        assert "measurement" in window.view(SpeedupView).measure.button.toolTip()
        qtbot.waitUntil(lambda: view.report is not None, timeout=90_000)
    report = view.report
    assert report is not None
    assert report.complete
    shown = {(row.group, row.option): row.chosen for row in report.rows}
    assert (
        shown.items()
        >= {
            ("colony", "as-seq"): True,
            ("selection", "roulette"): False,
            ("selection", "stc-roulette"): False,
            ("selection", "i-roulette"): True,
        }.items()
    )
    assert all(row.parameters["ants"] == 8 and report.decisive(row).samples for row in report.rows)
    assert view.table.rowCount() == len(report.rows)
    assert view.measure.note.text() == ""
    export(qtbot, application, "comparison", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["option"] for row in rows] == [row.option for row in report.rows]
    assert all(float(row["choice_info_ms"]) > 0 for row in rows)
    export(qtbot, application, "comparison-lines", tmp_path / "a.jsonl")
    first = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert (first["system"], first["complete"]) == ("as-seq", True)


def test_a_comparison_can_be_cancelled(qtbot: QtBot, application: Application) -> None:
    window = application.window
    window.dashboard.show_view("comparison")
    click(window.view(ComparisonView).measure.button)
    qtbot.wait(200)
    with qtbot.waitSignal(application.measurements.idle, timeout=60_000):
        click(window.view(ComparisonView).measure.button)
    assert window.view(ComparisonView).measure.note.text().startswith("Cancelled")
    assert window.run_bar.start.isEnabled()


@pytest.mark.slow
def test_measured_speedups(qtbot: QtBot, application: Application, tmp_path: Path) -> None:
    window = application.window
    window.dashboard.show_view("speedup")
    with qtbot.waitSignal(application.measurements.idle, timeout=100_000):
        application.measurements.speedups(thorough=False)
    (report,) = window.view(SpeedupView).reports
    assert report.instance == "ring-50"
    assert {one.device for one in report.measurements} >= {"cpu", "cpu:1"}
    assert window.actions_.exports["speedup"].isEnabled()
    path = export(qtbot, application, "speedup", tmp_path / "speedup.json")
    assert json.loads(path.read_text())["reports"][0]["instance"] == "ring-50"


def test_nothing_is_measured_beside_a_run(qtbot: QtBot, application: Application) -> None:
    window = application.window
    window.setup.stop.set_values({"go_on": True})
    application.run_controller.start()
    qtbot.waitUntil(lambda: application.runs.active is not None, timeout=30_000)
    assert "Stop the run first" in window.view(SpeedupView).measure.button.toolTip()
    assert not window.view(HitRateView).measure.button.isEnabled()
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()
    assert window.view(SpeedupView).measure.button.isEnabled()
