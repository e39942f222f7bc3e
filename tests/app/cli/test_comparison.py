from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

import gpu.batch.comparison
from app.cli.measure import comparison_text
from app.files.measurements import export_comparison
from gpu.batch.comparison import compare
from gpu.batch.measured import ComparisonReport, Spread
from gpu.core.machine.devices import Device
from tests.app.cli.interrupts import interrupt
from tests.app.conftest import Command
from tests.gpu.batch.timed import install
from tests.gpu.cpu import makers

CORE = Device("cpu:1", "cpu", 0, 1, "A CPU", 2**34, "Python")


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ComparisonReport:
    monkeypatch.setattr(gpu.batch.comparison, "OPTION_WARMING", 0.0)
    monkeypatch.setattr(gpu.batch.comparison, "OPTION_SAMPLE", 0.02)
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
    monkeypatch.setattr(gpu.batch.comparison, "OPTION_WARMING", 0.0)
    monkeypatch.setattr(gpu.batch.comparison, "OPTION_SAMPLE", 0.02)
    out = tmp_path / "new"
    options = ("--device", "cpu:1", "--ants", 8, "--repeats", 1, "--out", out)
    done = inside("compare", "ring-50", "--colony", "acs", *options)
    assert done.returncode == 0, done.stderr
    assert "ring-50, 50 cities, acs-seq on cpu:1" in done.stdout
    chosen = [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("*  ")]
    assert chosen == [["colony", "acs-seq"], ["local_search", "none"]]
    assert sorted(path.name for path in out.iterdir()) == ["comparison.csv", "comparison.jsonl"]
    done = inside("compare", "ring-50", "--colony", "acs-spm", *options, "--json")
    found = json.loads(done.stdout)
    assert (found["system"], found["complete"]) == ("acs-seq-spm", True)
    assert found["rows"][0]["parameters"]["ants"] == 8


def test_a_signal_ends_it_with_what_there_is(
    inside: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch)
    done = inside("compare", "ring-50", "--device", "cpu:1", "--repeats", 1000, "--json")
    assert (done.returncode, done.stderr.count("nothing was measured")) == (130, 0)
    found = json.loads(done.stdout)
    assert found["complete"] is False
    assert any(row["iteration_ms"] for row in found["rows"])
