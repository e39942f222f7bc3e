"""The pages of docs/ say what was measured, how it came about, and where it differs from papers."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import environment

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MEASUREMENTS = DOCS / "measurements"
MEASURED = ["crossing", "faco", "focused", "published"]
FAMILIES = ["Ant Colony Systems", "Ant Systems", "MAX-MIN Ant Systems", "Coloring colonies"]


@pytest.fixture
def measurements(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of docs/measurements by its name."""
    monkeypatch.syspath_prepend(str(MEASUREMENTS))
    return importlib.import_module


@pytest.mark.parametrize("page", [*MEASURED, "README"])
def test_a_page_is_what_report_writes(page: str, measurements: Any) -> None:
    assert DOCS.joinpath(f"{page}.md").read_text("utf-8") == measurements("report").text_of(page)


@pytest.mark.parametrize("path", sorted(MEASUREMENTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_row_says_how_it_was_made(path: Path, measurements: Any) -> None:
    measured = json.loads(path.read_text("utf-8"))
    assert measured["rows"]
    for row in measured["rows"]:
        assert row["experiment"] in measurements("experiments").EXPERIMENTS
        made = measured["made"][row["made"]]
        assert made["command"]
        assert made["device"]
        assert made["version"]
        assert "commit" in made


@pytest.mark.parametrize("page", MEASURED)
def test_every_table_names_its_command_its_device_and_its_commit(page: str) -> None:
    blocks = DOCS.joinpath(f"{page}.md").read_text("utf-8").split("\n\n")
    tables = [place for place, block in enumerate(blocks) if block.startswith("| ")]
    assert tables
    for place in tables:
        below = blocks[place + 1]
        assert below.startswith("*Made by "), blocks[place]
        assert "commit" in below.lower()
        assert re.search(r"NVIDIA|Intel", below)


def test_only_commands_are_written_as_commands() -> None:
    texts = [path.read_text("utf-8") for path in DOCS.glob("*.md")]
    blocks = [block for text in texts for block in text.split("\n\n")]
    made = "\n".join(block for block in blocks if block.startswith("*Made by "))
    commands = re.findall(r"\bby\s`([^`]*)`", made)
    scripts = {word for one in commands for word in one.split() if word.endswith(".py")}
    modules = re.findall(r"python -m (\S+)", "\n".join(commands))
    assert all(importlib.util.find_spec(module) for module in modules)
    assert "docs/measurements/measure.py" in scripts
    assert all(DOCS.parent.joinpath(script).exists() for script in scripts)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_says_where_it_differs_from_its_paper(family: str) -> None:
    text = DOCS.joinpath("differences.md").read_text("utf-8")
    section = text.partition(f"\n## {family}\n")[2].partition("\n## ")[0]
    points = re.findall(r"^- ", section, re.MULTILINE)
    assert len(points) > 7
    assert len(re.findall(r"Sections?|[Ee]quation|Algorithm|Table|Fig\.", section)) > 5


def test_what_is_tuned_on_is_not_what_is_reported_on(measurements: Any) -> None:
    plans = measurements("experiments").EXPERIMENTS.values()
    reported = {name for plan in plans if plan.folder == "report" for name in plan.names}
    others = {name for plan in plans if plan.folder != "report" for name in plan.names}
    assert reported
    assert not reported & others


@pytest.mark.data
def test_every_instance_is_there(measurements: Any) -> None:
    """And the optimum of each tour, which errors are measured from."""
    from gpu.problems.loading import load_instance

    for plan in measurements("experiments").EXPERIMENTS.values():
        for name in plan.names:
            path = ROOT.parent / "shared" / "data" / plan.folder / f"{name}{plan.suffix}"
            if path.stem == "uniform1M":  # whoever measures it makes it
                continue
            assert path.exists()
            if plan.suffix == ".tsp" and plan.folder == "report":
                assert load_instance(path).optimum, name


def test_the_published_figures_are_there_for_every_instance(measurements: Any) -> None:
    published, plans = measurements("published"), measurements("experiments").EXPERIMENTS
    for lengths in published.PUBLISHED_LENGTHS.values():
        assert {Path(name).name for name in plans["acs-quality-report"].names} == {*lengths}


@pytest.mark.parametrize(
    "change", [["--seeds", "1", "100"], ["--iterations", "9"], ["--only", "x"], ["--try"]]
)
def test_runs_and_budgets_of_the_pages_are_fixed(
    change: list[str],
    tmp_path: Path,
    measurements: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["measure.py", "acs-quality-report", str(tmp_path), *change])
    with pytest.raises(SystemExit) as left:
        measurements("measure").main()
    assert left.value.code == 2
    assert "fixed" in capsys.readouterr().err


@pytest.mark.slow
def test_a_trial_notes_how_each_row_was_made(tmp_path: Path) -> None:
    folder, script = str(tmp_path), str(MEASUREMENTS / "measure.py")
    words = ["faco-edges", folder, "--try", "--out", folder, "--commit", "0123abc"]
    tried = subprocess.run(
        [sys.executable, script, *words], capture_output=True, text=True, env=environment()
    )
    assert tried.returncode == 0, tried.stderr
    measured = json.loads(tmp_path.joinpath("faco.json").read_text("utf-8"))
    assert all(len(row["lengths"]) == 2 for row in measured["rows"])
    (made,) = measured["made"].values()
    assert made["commit"] == "0123abc"
    assert made["finished"] == ["faco-edges ring-50"]
    assert "faco-edges" in made["command"]


def test_an_instance_that_is_not_there_stops_no_other(tmp_path: Path, measurements: Any) -> None:
    measure, plan = measurements("measure"), measurements("experiments").EXPERIMENTS["faco-edges"]
    here = {"commit": "0123abc", "device": "a GPU", "date": "", "experiment": "faco-edges"}
    rows = measure.Rows(tmp_path / "rows.json")
    failed = measure.measure("faco-edges", plan, tmp_path, rows, here, resume=True)
    assert [line.split(":")[0] for line in failed] == [f"faco-edges {n}" for n in plan.names]
    assert rows.rows == []


def test_measuring_goes_on_where_it_was_left(tmp_path: Path, measurements: Any) -> None:
    measure = measurements("measure")
    here = {"commit": "0123abc", "device": "a GPU", "date": "2026-01-01 00:00:00"}
    here["experiment"] = "as-speed"
    rows = measure.Rows(tmp_path / "rows.json")
    for instance in ("old", "d198"):
        rows.add(here, {"experiment": "as-speed", "instance": instance, "whole": 1.0})
        rows.finish(here, f"as-speed {instance}")
    again = measure.Rows(tmp_path / "rows.json")
    later = {**here, "date": "2026-01-02 00:00:00"}
    assert again.finished(later, "as-speed d198")
    assert not again.finished(later, "as-speed a280")
    assert not again.finished({**later, "commit": "4567def"}, "as-speed d198")
    assert not again.finished({**later, "device": "another"}, "as-speed d198")
    assert not again.finished({**later, "commit": "0123abc-dirty"}, "as-speed d198")
    newer = {**later, "commit": "4567def"}
    again.add(newer, {"experiment": "as-speed", "instance": "d198", "whole": 0.5})
    again.drop_older(newer, "as-speed")
    assert [(row["instance"], row["whole"]) for row in again.rows] == [("d198", 0.5)]
