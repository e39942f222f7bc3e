"""The commands speedup and compare."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import gpu.timing.comparison
from app.cli import headless
from app.cli.headless import Departure
from app.cli.measure import comparison_text, speedup_text
from app.files.library import find_instance
from app.files.measurements import export_comparison, speedup_csv, speedup_json
from gpu.core.machine.devices import Device
from gpu.timing import speedup
from gpu.timing.comparison import compare
from gpu.timing.measured import ComparisonReport, Spread
from gpu.timing.speedup import contenders
from tests.app.conftest import Command
from tests.gpu.cpu import makers
from tests.gpu.timing.timed import install

FEW = ("--repeats", 2, "--iterations", 5, "--budget", 2, "--seed", 3)


def test_speedups_are_measured_shown_and_written(inside: Command, tmp_path: Path) -> None:
    out = tmp_path / "new"
    done = inside("speedup", "ring-50", "grid-100", *FEW, "--ants", 8, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == json.loads((out / "speedup.json").read_text())
    assert [report["instance"] for report in found["reports"]] == ["ring-50", "grid-100"]
    assert {device["name"] for device in found["devices"]} >= {"cpu", "cpu:1"}
    with (out / "speedup.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    places = {(row["instance"], row["device"]) for row in rows}
    assert places >= {
        (name, device) for name in ("ring-50", "grid-100") for device in ("cpu", "cpu:1")
    }
    for row in rows:
        assert row["ants"] == "8"
        assert float(row["solution_us"]) == pytest.approx(1e3 * float(row["iteration_ms"]) / 8)
        one_core = next(
            float(base["solution_us"])
            for base in rows
            if (base["instance"], base["device"]) == (row["instance"], "cpu:1")
        )
        assert float(row["speedup_one_core"]) == pytest.approx(one_core / float(row["solution_us"]))


def test_a_signal_ends_a_speedup_with_what_there_is(
    inside: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch)
    done = inside(
        "speedup", "ring-50", "--colony", "acs-seq", "--repeats", 1000, "--iterations", 5, "--json"
    )
    assert (done.returncode, done.stderr.count("nothing was measured")) == (130, 0)
    (report,) = json.loads(done.stdout)["reports"]
    assert report["complete"] is False


def test_people_see_medians_quartiles_and_failures() -> None:
    instance = find_instance("ring-50")
    among = contenders(["acs-seq"])
    report = speedup.measure(instance, among, {"ants": 4}, repeats=2, iterations=3, budget=0)
    own = [dataclasses.replace(one, own_work="its ants do more") for one in report.measurements]
    other = dataclasses.replace(report, measurements=(own[0], *report.measurements[1:]))
    said = "acs-seq on cpu:1: only times to the target are compared, because its ants do more"
    assert said in speedup_text(other)
    text = speedup_text(report)
    assert "only times to the target" not in text
    assert text.startswith("ring-50, 50 cities: 2 runs of 3 iterations each")
    assert "target" not in text.splitlines()[1]
    row = next(line for line in text.splitlines() if line.startswith("acs-seq"))
    assert row.split()[1:3] == ["cpu:1", "4"]
    assert "cancelled" not in text
    stopped = speedup.measure(instance, among, repeats=2, cancelled=lambda: True)
    assert report.measured
    assert not stopped.measured
    assert "cancelled before the end" in speedup_text(stopped)
    json.dumps(speedup_json([report, stopped]), allow_nan=False)
    assert len(speedup_csv([report, stopped]).splitlines()) == 1 + 2 * len(among)


def test_one_run_has_no_quartiles() -> None:
    instance = find_instance("ring-50")
    among = contenders(["acs-seq"])
    report = speedup.measure(instance, among, {"ants": 4}, repeats=1, iterations=3, budget=0)
    text = speedup_text(report)
    assert "ms/ITERATION" in text
    assert "(" not in text


@pytest.mark.parametrize("command", ["speedup", "compare"])
def test_what_is_cancelled_before_a_measurement_leaves_no_files(
    monkeypatch: pytest.MonkeyPatch, inside: Command, tmp_path: Path, command: str
) -> None:
    def cancelled_at_once(work: Callable[[], None], cancel: Callable[[], None]) -> Departure:
        cancel()
        work()
        return Departure(signal.SIGINT)

    monkeypatch.setattr(headless, "attend", cancelled_at_once)
    done = inside(command, "ring-50", "--out", tmp_path)
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("formicarium: nothing was measured")
    assert not list(tmp_path.iterdir())


CORE = Device("cpu:1", "cpu", 0, 1, "A CPU", 2**34, "Python")


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ComparisonReport:
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_WARMING", 0.0)
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_SAMPLE", 0.02)
    return compare(makers.uniform(2000), install(monkeypatch), CORE, {"workers": 32}, repeats=2)


def test_people_see_times_ratios_and_what_was_left_out(report: ComparisonReport) -> None:
    lines = comparison_text(report).splitlines()
    assert lines[0] == "points, 2000 cities, timed-options on cpu:1 (A CPU): 2 rounds"
    assert lines[1].split()[:2] == ["WHAT", "OPTION"]
    slow = next(line for line in lines if " slow " in line)
    assert "3.01 ±0.01" in slow
    assert slow.split()[-1] == "2.98"
    chosen = [line.split() for line in lines if line.startswith("*  ")]
    assert [line[:3] for line in chosen] == [
        ["*", "timed-options", "31.26"], ["*", "update", "fast"], ["*", "32", "31.26"],
    ]  # fmt: skip
    assert "update = broken: the device is out of order" in lines
    assert any(line.startswith("update = endless: an iteration would take about") for line in lines)


def test_phases_that_are_longer_than_their_iteration_are_explained(
    report: ComparisonReport,
) -> None:
    def explained(milliseconds: float) -> bool:
        spread = Spread.of([milliseconds])
        rows = tuple(replace(row, iteration_ms=spread) for row in report.rows)
        return "they may take longer than it" in comparison_text(replace(report, rows=rows))

    assert explained(0.001)
    assert not explained(1e9)


def test_csv_has_a_column_for_each_phase(report: ComparisonReport, tmp_path: Path) -> None:
    export_comparison(tmp_path / "a.csv", report, "csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(report.rows)
    slow = next(row for row in rows if row["option"] == "slow")
    assert (slow["group"], slow["system"], slow["chosen"]) == ("update", "timed-options", "False")
    assert (slow["instance"], slow["n"], slow["device"]) == ("points", "2000", "cpu:1")
    assert float(slow["update_ms"]) == pytest.approx(3.01)
    assert float(slow["update_ms_lower"]) <= 3.01 <= float(slow["update_ms_upper"])
    assert float(slow["ratio"]) == pytest.approx(2.98, abs=0.01)
    assert json.loads(slow["parameters"]) == {"ants": 8, "update": "slow", "workers": 32}
    broken = next(row for row in rows if row["option"] == "broken")
    assert broken["why_not"] == "the device is out of order"
    assert broken["iteration_ms"] == broken["update_ms"] == broken["ratio"] == ""


def test_json_lines_begin_with_how_it_was_measured(
    report: ComparisonReport, tmp_path: Path
) -> None:
    export_comparison(tmp_path / "a.jsonl", report, "jsonl")
    first, *rows = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert (first["kind"], first["device"], first["seeds"]) == ("comparison", "cpu:1", [1, 2])
    assert first["versions"]["numpy"]
    assert "rows" not in first
    assert [row["option"] for row in rows] == [row.option for row in report.rows]
    assert all(row["kind"] == "row" for row in rows)


def test_the_command_prints_a_table_and_writes_files(
    inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_WARMING", 0.0)
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_SAMPLE", 0.02)
    out = tmp_path / "new"
    options = ("--device", "cpu:1", "--ants", 8, "--repeats", 1, "--out", out)
    done = inside("compare", "ring-50", "--colony", "acs", *options)
    assert done.returncode == 0, done.stderr
    assert "ring-50, 50 cities, acs-seq on cpu:1" in done.stdout
    chosen = [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("*  ")]
    assert chosen == [["colony", "acs-seq"], ["tau0", "first"], ["local_search", "none"]]
    assert sorted(path.name for path in out.iterdir()) == ["comparison.csv", "comparison.jsonl"]
    done = inside("compare", "ring-50", "--colony", "acs-spm", *options, "--json")
    found = json.loads(done.stdout)
    assert (found["system"], found["complete"]) == ("acs-seq-spm", True)
    assert found["rows"][0]["parameters"]["ants"] == 8


def test_a_signal_ends_a_comparison_with_what_there_is(
    inside: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch)
    done = inside("compare", "ring-50", "--device", "cpu:1", "--repeats", 1000, "--json")
    assert (done.returncode, done.stderr.count("nothing was measured")) == (130, 0)
    found = json.loads(done.stdout)
    assert found["complete"] is False
    assert any(row["iteration_ms"] for row in found["rows"])


def interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send this process SIGINT when a measurement begins its second timing: it has one result."""
    begun: list[str] = []

    def look(text: str, share: float) -> None:
        if text.endswith("timing"):
            begun.append(text)
            if len(begun) == 2:
                os.kill(os.getpid(), signal.SIGINT)

    def progress(name: str) -> Callable[[str, float], None]:
        return look

    monkeypatch.setattr("app.cli.measure._progress", progress)
