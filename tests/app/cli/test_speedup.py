from __future__ import annotations

import csv
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import headless
from app.cli.headless import Departure
from app.cli.measure import speedup_text
from app.files.library import find_instance
from app.files.measurements import speedup_csv, speedup_json
from gpu.batch import speedup
from gpu.batch.speedup import contenders
from tests.app.cli.interrupts import interrupt
from tests.app.conftest import Command

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


def test_a_signal_ends_it_with_what_there_is(
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
    text = speedup_text(report)
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
    monkeypatch: pytest.MonkeyPatch,
    inside: Command,
    tmp_path: Path,
    command: str,
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
