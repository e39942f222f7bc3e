"""Speedups, hit rates and options are measured in the window, shown and taken away."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

import gpu.timing.comparison
from app.window.application import Application
from app.window.controllers.batch import measurements
from app.window.controllers.batch.measurements import _names_of, _shared
from gpu import catalog
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.ant_system.parameters import AsCpuParameters, AsLaunchesParameters
from gpu.core.parameters import Parameters
from gpu.studies import hit_rates
from gpu.timing.measured import HitRate
from tests.app.in_window import (
    GRID,
    answer,
    export,
    limit,
    open_,
    run_to_the_end,
    use_colony,
    use_device,
    written,
)
from tests.colonies import RandomColony
from tests.hands import choose, click, press, write
from tests.views.batch.test_measured_views import report
from views.batch.comparison_view import ComparisonView
from views.batch.speedup_view import SpeedupView
from views.frame.activity import Activity
from views.plots.hit_rate_view import HitRateView

ACS = {"ants": None, "beta": "4", "alpha": "0.5", "rho": "0.01", "q0": None, "candidates": "32"}


@pytest.mark.parametrize(
    ("former", "among", "values", "shared"),
    [
        (AcsParameters, [AcsParameters], ACS, {"beta": "4", "alpha": "0.5"}),
        (AcsParameters, [AcsParameters, SpmParameters], ACS, {"beta": "4", "alpha": "0.5"}),
        # α is another thing in the Ant System: then everybody has the default.
        (AcsParameters, [AcsParameters, AsCpuParameters], ACS, {"beta": "4"}),
        (SpmParameters, [AcsParameters, SpmParameters], {"memory": "4"}, {"memory": "4"}),
        (SpmParameters, [AcsParameters], {"memory": "4"}, {}),
        (
            AsLaunchesParameters,
            [AsCpuParameters, AsLaunchesParameters],
            {"update": "gather", "alpha": "1", "launches": None, "ants": "9"},
            {"update": "gather", "ants": "9"},
        ),
    ],
)
def test_only_what_means_the_same_to_all_is_shared(
    former: type[Parameters],
    among: list[type[Parameters]],
    values: dict[str, object],
    shared: dict[str, object],
) -> None:
    assert _shared(values, former, among) == shared


@pytest.fixture
def application(qtbot: QtBot, opened: Application) -> Application:
    """A window with an instance, and nothing run yet."""
    open_(qtbot, opened)
    return opened


def test_a_picture_names_what_was_measured_after_another_instance_was_opened(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    view = application.window.view(SpeedupView)
    view.show_reports([report(500)])
    open_(qtbot, application, GRID)
    application.window.dashboard.show_view("speedup")
    path = tmp_path / "speedup.svg"
    application.window.dialogs.to_picture.emit("speedup", "svg", path)
    written(qtbot, application, path)
    text = path.read_text("utf-8")
    assert "uniform-500" in text
    assert "grid-100" not in text
    assert "Measure" not in text  # no button
    assert view.measure.button.isVisible()


def test_measured_hit_rates(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_rates, "HIT_ITERATIONS", 3)
    monkeypatch.setattr(measurements, "HIT_ITERATIONS", 3)
    window = application.window
    window.dashboard.show_view("hit-rates")
    click(window.view(HitRateView).page_choice.buttons["memory"])
    shown: list[list[HitRate]] = []
    monkeypatch.setattr(window.view(HitRateView), "show_rates", shown.append)
    with qtbot.waitSignal(application.runs.batch.ended):
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
    with qtbot.waitSignal(application.runs.batch.ended):
        click(window.run_bar.stop)
    assert window.run_bar.stop.text() == "Stop"
    assert window.view(SpeedupView).measure.note.text().startswith("Cancelled")
    assert window.run_bar.start.isEnabled()


def test_a_measurement_is_not_lost_without_a_question(
    qtbot: QtBot, application: Application
) -> None:
    window = application.window
    window.dashboard.show_view("speedup")
    click(window.view(SpeedupView).measure.button)
    window.activateWindow()
    press(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    answer(qtbot, application, "A measurement goes on. Stop it and quit?", "Go on")
    application.files.open(GRID)
    answer(qtbot, application, "A measurement goes on. Stop it and show grid-100?", "Go on")
    assert window.isVisible()
    assert window.activity is Activity.MEASURING
    application.files.open(GRID.with_name("uniform-100.tsp"))
    with qtbot.waitSignal(application.runs.batch.ended):
        answer(qtbot, application, "Stop it and show uniform-100?", "Stop and show")
    name = window.setup.instance.name
    qtbot.waitUntil(lambda: name.text() == "uniform-100")


def test_a_cancelled_measurement_keeps_its_place_while_its_thread_works(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    monkeypatch.setattr(measurements, "measure_speedups", lambda *_: over.wait(60))
    window = application.window
    window.dashboard.show_view("speedup")
    button = window.view(SpeedupView).measure.button
    click(button)
    click(button)
    assert not window.run_bar.start.isEnabled()
    click(button)  # a second time
    with qtbot.waitSignal(application.runs.batch.ended):
        over.set()
    assert window.view(SpeedupView).measure.note.text() == "Cancelled."
    assert window.run_bar.start.isEnabled()


def test_a_run_in_sight_is_an_earlier_one_while_something_is_measured(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    monkeypatch.setattr(measurements, "measure_speedups", lambda *_: over.wait(60))
    window = application.window
    use_device(application, "cpu:1")
    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=5)
    run_to_the_end(qtbot, application)
    title = window.where.text()
    assert title.startswith("ring-50")
    application.measurements.speedups()
    assert window.where.text() == f"Earlier: {title}"
    assert not window.readout.isEnabled()  # its numbers are pale
    application.measurements.cancel()
    with qtbot.waitSignal(application.runs.batch.ended):
        over.set()
    assert window.where.text() == title
    assert window.readout.isEnabled()
    window.block("study", "A study goes on")
    assert window.where.text() == f"Earlier: {title}"
    window.block("study", "")
    assert window.where.text() == title


def test_a_comparison_is_measured_shown_and_taken_away(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_SAMPLE", 0.02)
    window = application.window
    view = window.view(ComparisonView)
    assert window.setup.colony.choose("cpu:1", "as-seq")
    entry = window.setup.parameters.fields["selection"].entry
    assert isinstance(entry, QComboBox)
    choose(entry, "i-roulette")
    write(window.setup.parameters.fields["ants"].entry, "8")
    window.dashboard.show_view("compare")
    assert not window.actions_.exports["comparison"].isEnabled()
    with qtbot.waitSignal(application.runs.batch.ended, timeout=100_000):
        click(view.measure.button)
        assert not window.run_bar.start.isEnabled()
        assert "measurement" in window.view(SpeedupView).measure.button.toolTip()
        qtbot.waitUntil(lambda: view.report is not None, timeout=90_000)
    report = view.report
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
    assert len(view.table.content.rows) == len(report.rows)
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
    window.dashboard.show_view("compare")
    click(window.view(ComparisonView).measure.button)
    qtbot.wait(200)
    with qtbot.waitSignal(application.runs.batch.ended):
        click(window.view(ComparisonView).measure.button)
    assert window.view(ComparisonView).measure.note.text().startswith("Cancelled")
    assert window.run_bar.start.isEnabled()


def test_a_family_is_measured_by_its_colonies_that_run_here() -> None:
    chosen = catalog.named("mmas-seq")
    assert _names_of(chosen, "one") == ("mmas-seq",)
    family, every = (set(_names_of(chosen, which)) for which in ("family", "all"))
    assert {"mmas-seq", "mmas-cores"} <= family < every
    assert {catalog.named(name).alias for name in family} == {"mmas"}
    assert {catalog.named(name).problem for name in every} == {chosen.problem}


@pytest.mark.slow
def test_measured_speedups(qtbot: QtBot, application: Application, tmp_path: Path) -> None:
    window = application.window
    window.dashboard.show_view("speedup")
    with qtbot.waitSignal(application.runs.batch.ended, timeout=100_000):
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
    qtbot.waitUntil(lambda: application.runs.active is not None)
    assert "Stop the run first" in window.view(SpeedupView).measure.button.toolTip()
    assert not window.view(HitRateView).measure.button.isEnabled()
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()
    assert window.view(SpeedupView).measure.button.isEnabled()
