"""How figures of docs/ are measured: parts side by side, put together, of one version."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpu.problems.bundled import bundled
from tests.colonies import some_cities
from tests.processes import environment

ROOT = Path(__file__).resolve().parents[1]
MEASUREMENTS = ROOT / "docs" / "measurements"


def test_what_is_tuned_on_is_not_what_is_reported_on(measurements: Any) -> None:
    plans = measurements("experiments").EXPERIMENTS.values()
    names = [Path(name) for plan in plans for name in plan.names]
    reported = {name.stem for name in names if name.parent.name == "report"}
    assert reported
    assert not reported & {name.stem for name in names if name.parent.name != "report"}


@pytest.mark.data
def test_every_instance_is_there(measurements: Any) -> None:
    """And the optimum of each tour, which errors are measured from."""
    from gpu.problems.loading import load_instance

    for plan in measurements("experiments").EXPERIMENTS.values():
        for name in plan.names:
            path = ROOT.parent / "shared" / "data" / name
            if path.stem == "uniform1M":  # whoever measures it makes it
                continue
            assert path.exists()
            if path.suffix == ".tsp" and path.parent.name == "report":
                assert load_instance(path).optimum, name


def test_the_published_figures_are_there_for_every_instance(measurements: Any) -> None:
    published, plans = measurements("published"), measurements("experiments").EXPERIMENTS
    for lengths in published.PUBLISHED_LENGTHS.values():
        assert {Path(name).stem for name in plans["acs-quality"].names} == {*lengths}


def test_parts_that_are_measured_side_by_side_are_all_of_it_once(measurements: Any) -> None:
    by, plans = measurements("side_by_side"), measurements("experiments").EXPERIMENTS
    parts = by.all_parts(list(plans))
    assert len({part.name for part in parts}) == len(parts)
    for name, plan in plans.items():
        for file in plan.names:
            words = [
                part.systems
                for part in parts
                if (part.experiment, part.instance) == (name, Path(file).stem)
            ]
            for case in plan.cases:  # as --only chooses
                labels = {str(value) for value in case.labels.values()}
                assert sum(bool(labels & {*only}) for only in words) == 1, (name, file, case)


def test_parts_that_go_on_at_once_share_no_core(measurements: Any) -> None:
    by = measurements("side_by_side")
    machine = by.Machine()
    part = by.Part("faco-edges", "pr1002", ("faco-seq",), 1, gpu=False, seconds=1.0)
    taken = [machine.take(part) for _ in range(machine.all)]
    assert machine.take(part) is None
    assert len({core for cores, _ in taken for core in cores}) == machine.all
    machine.give_back(*taken[0])
    assert machine.take(part) is not None


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
    monkeypatch.setattr(sys, "argv", ["measure.py", "acs-quality", str(tmp_path), *change])
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
    assert [len(row["marks"]) for row in measured["rows"]] == [2] * 6
    (made,) = measured["made"].values()
    assert made["commit"] == "0123abc"
    assert made["finished"] == ["faco-edges ring-50"]
    assert "faco-edges" in made["command"]


def test_an_instance_that_is_not_there_stops_no_other(tmp_path: Path, measurements: Any) -> None:
    measure, plan = measurements("measure"), measurements("experiments").EXPERIMENTS["faco-edges"]
    here = {"commit": "0123abc", "device": "a GPU", "date": "", "experiment": "faco-edges"}
    rows = measure.Rows(tmp_path / "rows.json")
    failed = measure.measure("faco-edges", plan, tmp_path, rows, lambda _: here, resume=True)
    names = [Path(name).stem for name in plan.names]
    assert [line.split(":")[0] for line in failed] == [f"faco-edges {name}" for name in names]
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
    again.drop_older("4567def", "as-speed")
    assert [(row["instance"], row["whole"]) for row in again.rows] == [("d198", 0.5)]


def part_of(measure: Any, folder: Path, commit: str, seed: int, gap: float, date: str) -> None:
    """A folder with one row of faco-edges, as a part of it that was measured there leaves it."""
    command = "python docs/measurements/measure.py faco-edges FOLDER"
    here = {"experiment": "faco-edges", "commit": commit, "version": "1", "device": "cpu:1: a CPU"}
    here |= {"detail": "", "host": "cpu: a CPU", "command": command, "date": date}
    row = {"experiment": "faco-edges", "instance": "d1291", "n": 1291, "system": "faco-seq"}
    row |= {"option": "always 8", "seed": seed, "marks": [[300, 1.0, 5, gap]]}
    folder.mkdir()
    measure.Rows(folder / "faco.json").add(here, row)


def test_parts_that_were_measured_side_by_side_are_put_together(
    tmp_path: Path, measurements: Any
) -> None:
    measure, gather = measurements("measure"), measurements("gather")
    part_of(measure, tmp_path / "pages", "0123abc", 1, 3.0, "2026-01-01 00:00:00")
    part_of(measure, tmp_path / "a", "4567def", 1, 2.0, "2026-01-02 00:00:00")
    part_of(measure, tmp_path / "b", "4567def", 2, 1.0, "2026-01-02 00:00:01")
    gather.gather([tmp_path / "a", tmp_path / "b"], tmp_path / "pages")
    rows = measure.Rows(tmp_path / "pages" / "faco.json")
    assert [(row["seed"], row["marks"][0][3]) for row in rows.rows] == [(1, 2.0), (2, 1.0)]
    (made,) = rows.made.values()  # one way, though they began at other seconds
    assert made["commit"] == "4567def"
    lacking = gather.missing("faco-edges", tmp_path / "pages")
    assert "faco-edges: d1291, {'system': 'faco-seq', 'option': 'always 8'}: 3 of 5" in lacking


def test_a_part_is_told_as_the_command_of_the_whole(
    tmp_path: Path, measurements: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure, plans = measurements("measure"), measurements("experiments").EXPERIMENTS

    def fake(instance: Any, plan: Any) -> Any:
        for case in plan.cases:
            for seed in plan.all_seeds:
                yield case.labels | {"seed": seed, "marks": []}

    quick = dataclasses.replace(plans["faco-edges"], measure=fake)
    monkeypatch.setitem(plans, "faco-edges", quick)
    monkeypatch.setattr(measure, "load_instance", lambda path: some_cities())
    words = [
        "measure.py",
        "faco-edges",
        "data",
        "d1291",
        "--only",
        "always 6",
        "--commit",
        "0123abc",
    ]

    def rows(out: str, *more: str) -> Any:
        monkeypatch.setattr(
            sys, "argv", [*words, "--commit", "0123abc", "--out", str(tmp_path / out), *more]
        )
        measure.main()
        return measure.Rows(tmp_path / out / "faco.json")

    part = rows("a", "--seeds", "2", "3")
    assert [(row["instance"], row["option"], row["seed"]) for row in part.rows] == [
        ("d1291", "always 6", 2),
        ("d1291", "always 6", 3),
    ]
    (made,) = part.made.values()
    assert made["command"] == "python docs/measurements/measure.py faco-edges FOLDER"
    for out, change in (("b", ["--seeds", "1", "9"]), ("c", ["--iterations", "7"])):
        (made,) = rows(out, *change).made.values()
        assert " ".join(change) in made["command"]


def test_colonies_and_fast_tsp_are_told_apart_by_where_they_run(
    tmp_path: Path, measurements: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure, plans = measurements("measure"), measurements("experiments").EXPERIMENTS

    def fake(instance: Any, plan: Any) -> Any:
        for case in plan.cases:
            yield case.labels | {"seed": 1, "curve": [(1.0, 0, 2.0)]}

    plan = dataclasses.replace(plans["gpu"], measure=fake, names=plans["gpu"].names[:1])
    monkeypatch.setattr(measure, "load_instance", lambda path: some_cities())
    rows = measure.Rows(tmp_path / "rows.json")

    def here(device: str) -> dict[str, str]:
        return {"date": "", "experiment": "gpu", "device": device, "commit": "0123abc"}

    assert measure.measure("gpu", plan, tmp_path, rows, here, resume=False) == []
    where = {row["system"]: rows.made[row["made"]]["device"] for row in rows.rows}
    assert where == {"focused-gpu": "cuda", "crossing-gpu": "cuda", "fast-tsp": "cpu"}
    assert all(made["finished"] == ["gpu u2152"] for made in rows.made.values())


def test_aims_are_held_against_the_rows(measurements: Any) -> None:
    gaps = measurements("gaps")

    def run(system: str, seed: int, gap: float, **more: object) -> dict[str, Any]:
        row = {"instance": "u2152", "system": system, "seed": seed, "n": 2152, "limit": 2.0}
        return row | {"curve": [(1.0, 5, 1.0), (2.0, 9, gap)], **more}

    rows = [run("focused-gpu", seed, 0.02 * seed) for seed in (1, 2)]
    rows += [run("crossing-gpu", 1, 0.0), run("fast-tsp", 1, 0.4, threads=8)]
    told = gaps.reached(rows, {"u2152": {2.0: 0.01}}, ("focused-gpu", "crossing-gpu"))
    line = "| u2152 | 0.01 % in 2 s | 0.030 (0.040) | 0.000 | 0.400 | crossing-gpu |"
    assert line in told.splitlines()
    nobody = gaps.reached(rows[:2], {"u2152": {2.0: 0.01}}, ("focused-gpu",))
    assert nobody.endswith("| 0.030 (0.040) | no |")


def test_options_are_compared_in_pairs(measurements: Any) -> None:
    gaps = measurements("gaps")
    rows = [
        {"instance": "u1060", "option": option, "seed": seed, "marks": [[10, 1.0, 7, gap * seed]]}
        for option, gap in (("focus=1", 0.0), ("focus=0", 0.1))
        for seed in range(1, 9)
    ]
    told = gaps.pairs(rows).splitlines()
    assert told[0] == "| iterations | `focus=1` | `focus=0` | p (8 pairs) |"
    assert told[2] == "| 10 | 0.0000 (8) | 0.4500 (0) | 0.0078 |"


def test_how_soon_a_run_stops_is_told(
    measurements: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(bundled()[0].path), "acs", "--device", "cpu:1", "--ants", "3", "--seconds", "0.1"]
    monkeypatch.setattr(sys, "argv", ["stops.py", *words])
    measurements("stops").main()
    row = capsys.readouterr().out.strip("| \n").split(" | ")
    assert row[:2] == [bundled()[0].name, "acs-seq"]
    assert 0 <= float(row[-2]) <= float(row[-1])
