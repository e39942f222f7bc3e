"""What is said of a file holds in every command, and costs are in its own unit."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path

import pytest

from gpu.problems.loading import load_instance
from gpu.races.race import LaneBudget, Race
from gpu.races.race_file import text_of
from gpu.races.race_standings import LaneRecord
from gpu.run.session import new_session
from gpu.studies.store import read_results
from tests.app.conftest import Command
from tests.processes import refused, run

MINUTES = (
    (0, 17.1, 35.3, 32.8),
    (35.9, 0, 29.2, 37.0),
    (36.0, 5.6, 0, 29.0),
    (16.9, 14.8, 29.5, 0),
)
NAMES = "Depot", "Mill", "Port", "Farm"
SAID = ("--read-as", "matrix", "--unit", "min", "--from", "Mill", "--open")
SHORTEST = min(
    sum(MINUTES[one][other] for one, other in itertools.pairwise((1, *rest)))
    for rest in itertools.permutations((0, 2, 3))
)
FEW = ("--colony", "acs", "--ants", 4, "--repeats", 1)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "minutes.csv"
    rows = zip(("", *NAMES), (NAMES, *MINUTES), strict=True)
    path.write_text("".join(f"{name};{';'.join(map(str, row))}\n" for name, row in rows))
    return path


def test_a_comparison_is_of_the_route_that_is_wanted(table: Path) -> None:
    done = run("compare", table, *SAID, *FEW, "--device", "cpu:1", "--limit", 0.5)
    assert done.returncode == 0, done.stderr
    assert "an open route from Mill" in done.stderr
    assert done.stdout.startswith("minutes, 4 cities, acs-seq on cpu:1")


def test_speedups_are_of_it_and_their_target_is_in_its_unit(table: Path) -> None:
    options = (*SAID, *FEW, "--iterations", 20, "--budget", 1)
    done = run("speedup", table, *options, "--json")
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)["reports"]
    assert report["n"] == 4
    assert (report["unit"], report["decimals"]) == ("min", 1)
    assert report["target"] == report["target_cost"] / 10 == pytest.approx(SHORTEST)
    other = ("--unit", "min")
    assert "--unit is for tables" in refused(run("speedup", "ring-50", *other, *FEW))


DESIGN = """
instances = ["*.csv"]
seeds = [1, 2]
[budget]
iterations = 20
[reading]
"*.csv" = { read_as = "matrix", unit = "min", from = "Mill", open = true }
[[colony]]
colony = "acs"
parameters = { ants = 4 }
"""


def test_a_study_reads_as_its_design_says_and_its_report_is_in_the_file_s_unit(
    table: Path, tmp_path: Path
) -> None:
    design, results = tmp_path / "routes.toml", tmp_path / "routes.sqlite"
    design.write_text(DESIGN)
    done = run("study", design, "--processes", 1)
    assert done.returncode == 0, done.stderr
    for row in read_results(results).rows:
        assert (row.n, row.cost_unit.amount(row.best or 0)) == (4, f"{SHORTEST:.1f} min")
    plots = tmp_path / "plots"
    done = run("report", results, "--plots", plots)
    assert done.returncode == 0, done.stderr
    text = re.sub(r"<[^>]*>", " ", (tmp_path / "routes.html").read_text("utf-8"))
    assert f"minutes, n = 4, in min, best of this study: {SHORTEST:.1f}" in text
    assert f"{SHORTEST:.2f}" in text  # the mean
    with (plots / "table-runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["unit"], float(row["best"])) for row in rows} == {("min", SHORTEST)}
    with (plots / "table-results.csv").open(newline="") as file:
        assert float(next(csv.DictReader(file))["mean"]) == pytest.approx(SHORTEST)
    with (plots / "results-minutes.csv").open(newline="") as file:
        assert float(next(csv.DictReader(file))["result"]) == pytest.approx(SHORTEST)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{ from = 'Rome', open = true }", "there is no city 'Rome'"),
        ("{ open = 'yes' }", "open must be true or false"),
        ("{ unit = 3 }", "unit must be a text in quotation marks"),
        ("{ read_as = 'map' }", "read_as = 'map' is none of tsplib"),
        ("{ via = 'Rome' }", "'via' is none of read_as"),
        ("{ decimal = ';' }", "decimal = ';' is none of"),
        ("3", "a table for each file or pattern"),
    ],
)
def test_what_means_nothing_is_refused(table: Path, said: str, why: str, inside: Command) -> None:
    design = table.with_name("wrong.toml")
    design.write_text(re.sub(r'"\*\.csv" = .*', f'"*.csv" = {said}', DESIGN))
    assert why in refused(inside("study", design))


def test_a_file_is_read_in_one_way_and_only_where_it_needs_it(table: Path, inside: Command) -> None:
    design = table.with_name("two.toml")
    twice = DESIGN.replace('["*.csv"]', '["*.csv", "minutes.csv"]')
    design.write_text(twice)
    assert "the study would read it in two ways" in refused(inside("study", design))
    design.write_text(DESIGN.replace('["*.csv"]', '["ring-50"]').replace('"*.csv"', '"ring-50"'))
    assert "--read-as does not fit" in refused(inside("study", design)).replace(" matrix", "")
    design.write_text(DESIGN.replace('["*.csv"]', '["minutes.csv"]'))
    assert "which is none of instances" in refused(inside("study", design))


def test_a_race_keeps_the_route_and_the_list_of_runs_has_the_unit(
    table: Path, tmp_path: Path
) -> None:
    read_as = "matrix unit=min route_from=Mill route=open"
    instance = load_instance(table, read_as=read_as)
    sessions = tuple(
        new_session(instance, colony="acs", device="cpu:1", seed=seed) for seed in (1, 2)
    )
    file, out = tmp_path / "two.race.json", tmp_path / "out"
    race = Race(sessions, LaneBudget("iterations", 20), in_turn=True)
    file.write_text(text_of(race, [LaneRecord() for _ in sessions], instance), "utf-8")
    done = run("race", file, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "minutes, 4 cities, an open route from Mill" in done.stdout
    assert done.stdout.count(f" {SHORTEST:.1f} ") == 2
    listed = run("runs", "--folder", out)
    assert listed.stdout.count(f"{SHORTEST:.1f} min") == 2
    found = json.loads(run("runs", "--folder", out, "--json").stdout)
    assert [(one["n"], one["best_length"], one["unit"]) for one in found] == [
        (4, pytest.approx(SHORTEST), "min")
    ] * 2


def test_auxiliary_cities_are_not_counted(table: Path, tmp_path: Path, inside: Command) -> None:
    out = tmp_path / "out"
    options = ("--colony", "acs", "--device", "cpu:1", "--iterations", 2, "--out", out, "--json")
    done = inside("solve", "ring-50", "--from", 1, "--to", 2, *options)
    assert json.loads(done.stdout)["n"] == 50
    (log,) = out.glob("*.jsonl")
    assert json.loads(log.read_text().splitlines()[0])["instance"]["n"] == 50
    again = inside("replay", log)
    assert "the same tour as recorded" in again.stderr
