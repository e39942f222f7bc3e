"""Reports on studies, and tables of papers made anew."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.report.plot import PLOT_FORMS
from gpu.run.log.run_log import read_log
from gpu.studies.store import Store, read_results
from gpu.studies.study import Study
from tests.app.conftest import Command
from tests.gpu.studies.conftest import toys
from tests.gpu.studies.toy_studies import FIVE, TOML, Inline, planned, studied, write_tsp
from tests.processes import refused, run

__all__ = ["toys"]


@pytest.fixture
def results(toys: Path) -> Path:
    """The file of a study with one run, which is done."""
    small = TOML.replace('"five.tsp", "three.tsp"', '"five.tsp"').replace("count = 3", "count = 1")
    with Store(toys / "small.sqlite") as store:
        Study(planned(toys, small.replace("[2, 3]", "2")), store, Inline()).run()
    return toys / "small.sqlite"


def test_page_and_plots_of_a_study(results: Path) -> None:
    plots = results.parent / "plots"
    made = run("report", results, "--plots", plots, "--size", "8x6", "--theme", "dark")
    assert made.returncode == 0, made.stderr
    names = [path.name for path in plots.iterdir()]
    assert len(names) == 7 * len(PLOT_FORMS) + 2
    for form, beginning in (("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("svg", b"<?xml")):
        files = [*plots.glob(f"*.{form}")]
        assert len(files) == 7
        assert all(file.read_bytes().startswith(beginning) for file in files)
    assert made.stdout == ""
    assert made.stderr.splitlines() == [
        f"formicarium: written: {results.with_suffix('.html')}",
        f"formicarium: written: {len(names)} files in {plots}",
    ]
    page = results.with_suffix(".html").read_text("utf-8")
    assert "<h1>Toys</h1>" in page
    assert "1 run was planned before the first one began" in page
    assert 'class="dark"' in page


def test_a_log_for_each_run(results: Path, inside: Command) -> None:
    logs = results.parent / "logs"
    made = inside("report", results, "--logs", logs)
    assert made.stderr.splitlines()[-1] == f"formicarium: written: 1 log in {logs}"
    (path,) = logs.iterdir()
    log, (row,) = read_log(path), read_results(results).rows
    assert log.outcome is not None
    assert (log.session.seed, log.outcome["best"]) == (row.seed, row.best)


def test_tables_of_a_study(results: Path, toys: Path, inside: Command) -> None:
    studied(toys, TOML, name="whole")
    whole = toys / "whole.sqlite"
    made = inside("table", whole, "--rows", "ants", "--value", "result", "--statistic", "runs")
    assert [line.split() for line in made.stdout.splitlines()] == [
        ["ants", "five", "three"], ["2", "3", "3"], ["3", "3", "3"]
    ]  # fmt: skip
    made = inside("table", whole, "--columns", "all", "--value", "iterations", "--csv")
    assert made.stdout == 'configuration,Iterations\n"toy, ants 2",4.0\n"toy, ants 3",4.0\n'
    made = inside("table", whole, "--importance", "--json")
    for one in json.loads(made.stdout):
        assert one["Colony"] == "toy-ants"
        assert 0 <= one["Share"] <= 100
    made = inside("table", results, "--importance")
    assert "no colony has runs with several values of a parameter" in made.stderr
    made = inside("table", whole, "--rows", "beta")
    assert made.returncode == 2
    assert "these runs have instance, configuration, seed, ants, all" in made.stderr
    listed = json.loads(inside("runs", "--study", whole, "seed", "2", "--json").stdout)
    assert [(one["instance"], one["seed"]) for one in listed] == [
        *([("five", 2)] * 2), *([("three", 2)] * 2)
    ]  # fmt: skip


def test_what_cannot_be_reported_is_refused(results: Path, inside: Command) -> None:
    before = results.read_bytes()
    text = results.with_name("text.sqlite")
    text.write_text("no database")
    for arguments, said in (
        ([results, "--baseline", "toys"], "it has toy"),
        ([results, "--target", "-1"], "choose 0 or more"),
        ([results, "--target", "nan"], "choose 0 or more"),
        ([results, "--size", "16"], "such as 16x9"),
        ([results, "--theme", "red"], "'light', 'dark'"),
        ([results, "--out", results], "it holds the results"),
        ([results, "--plots", text], "is a file"),
        ([results, "--plots", ""], "name a folder"),
        ([results, "--out", ""], "it is no file"),
        ([results, "--out", "/dev/full"], "it is no file"),
        ([""], "it is a folder"),
        ([text], "not the file of a study"),
        ([results.with_name("none.sqlite")], "none.sqlite: "),
    ):
        assert said in refused(inside("report", *arguments))
    assert results.read_bytes() == before


def test_nothing_imports_matplotlib_before_a_plot_is_made() -> None:
    names = "app.cli.main, app.cli.report, app.window.application, gpu.studies.results.analysis"
    code = f"import sys, {names}; print([name for name in sys.argv if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, "matplotlib", "app.report"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


ITEM = """
title = "Tiny"
instances = ["five", "nowhere"]
seeds = { first = 1, count = 3 }
[budget]
iterations = 4
go_on = true
[[colony]]
label = "CPU"
colony = "acs-seq"
[[colony]]
label = "GPU"
colony = "acs-gpu-alt"
device = "cuda"
[paper]
authors = "A. Author"
year = 1999
title = "A paper"
item = "Table 1"
shows = "How long five cities take"
gpu = "A GPU of 1999"
cpu = "A processor of 1999"
differs = ["Everything <b>here</b>."]
[[paper.numbers]]
configuration = "CPU"
measure = "seconds"
values = { five = 1, nowhere = 2 }
[[paper.numbers]]
configuration = "CPU"
measure = "tours-ms"
values = { five = 3.25 }
"""


@pytest.fixture
def item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kept").mkdir()
    write_tsp(tmp_path / "kept" / "five.tsp", FIVE)
    file = tmp_path / "tiny-table-1.toml"
    file.write_text(ITEM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gpu.core.machine.devices.survey", _no_gpu)
    return file


def _no_gpu() -> object:
    from gpu.core.machine.devices import Survey

    return Survey((), "there is none")


def test_the_list(inside: Command, item: Path) -> None:
    listed = inside("reproduce")
    assert listed.returncode == 0, listed.stderr
    assert "2016/table-5" in listed.stdout
    assert "formicarium download d198" in " ".join(listed.stdout.split())
    rows = {row["name"]: row for row in json.loads(inside("reproduce", "--json").stdout)}
    assert rows["2016/table-5"]["runs"] == "no"
    assert rows["2016/table-5"]["why"].startswith("needs a GPU: acs-gpu-alt; to fetch: formicarium")
    assert rows["2016/table-9"]["seconds_at_most"] is None  # its limits are measured first


def test_from_an_item_to_its_page(item: Path, inside: Command) -> None:
    made = inside("reproduce", item, "--instances", "kept", "--runs", 2, "--processes", 1)
    assert made.returncode == 0, made.stderr
    assert "left out: nowhere: it is not here" in made.stderr
    assert "left out: GPU: it needs a GPU (acs-gpu-alt)" in made.stderr
    results = item.with_name("tiny-table-1-trial-r2.sqlite")
    assert [row.seed for row in read_results(results).rows] == [1, 2]
    page = results.with_suffix(".html").read_text("utf-8")
    for text in (
        "This is a trial.",
        "2 instead of 3 runs",
        "Table 1 of A. Author, A paper (1999): How long five cities take.",
        "A processor of 1999",
        "Everything &lt;b&gt;here&lt;/b&gt;.",
        "3.25",
        "What was not run",
        "it needs a GPU (acs-gpu-alt)",
        "put its file into a folder",
    ):
        assert text in page
    whole = inside("reproduce", item, "--instances", "kept", "--processes", 1, "--json")
    assert json.loads(whole.stdout)["done"] == 3
    again = item.with_name("tiny-table-1.html")
    assert "This is a trial" not in again.read_text("utf-8")
    again.unlink()
    assert inside("reproduce", item, "--page").returncode == 0
    assert again.exists()


def test_the_runs_on_one_kind_of_device_are_done_alone(item: Path, inside: Command) -> None:
    made = inside("reproduce", item, "--instances", "kept", "--processes", 1, "--on", "cpu:1")
    assert made.returncode == 0, made.stderr
    assert "left out: nowhere" in made.stderr
    assert "needs a GPU" not in made.stderr
    rows = read_results(Path("tiny-table-1.sqlite")).rows
    assert {(row.label, row.state) for row in rows} == {("CPU", "done"), ("GPU", "waiting")}
    said = refused(inside("reproduce", item, "--instances", "kept", "--on", "cpu"))
    assert "it has no runs on cpu" in said


def test_parts_of_an_item_are_put_together_without_a_run(item: Path, inside: Command) -> None:
    """Also on a machine without the device: what is done lies in other files."""
    for runs in (1, 2):
        part = inside("reproduce", item, "--instances", "kept", "--runs", runs, "--processes", 1)
        assert part.returncode == 0, part.stderr
    parts = [item.with_name(f"tiny-table-1-trial-r{runs}.sqlite") for runs in (1, 2)]
    sources = [word for part in parts for word in ("--from", part)]
    made = inside("reproduce", item, "--instances", "kept", "--page", *sources)
    assert made.returncode == 0, made.stderr
    assert "2 runs taken over" in made.stderr
    states = [(row.label, row.state) for row in read_results(Path("tiny-table-1.sqlite")).rows]
    assert states.count(("CPU", "done")) == 2
    assert states.count(("CPU", "waiting")) == 1
    assert states.count(("GPU", "waiting")) == 3


def test_what_cannot_be_reproduced_is_refused(item: Path, inside: Command) -> None:
    for arguments, said in (
        (["2016/table-1"], "formicarium reproduce lists them"),
        (["2016/table-5"], "nothing of it can be run here: needs a GPU: acs-gpu-alt"),
        ([item, "--instances", "kept", "--runs", "4"], "has 3 runs of each configuration"),
        ([item, "--plan", "--page"], "choose one of them"),
        ([item, "--page"], "tiny-table-1.sqlite: "),
        (["--plan"], "--plan is for one table or figure: name it (formicarium reproduce lists"),
        (["--runs", "0", "--page"], "--runs is for one table or figure: name it"),
        (["--outcomes", "pages", "--seconds", "1"], "--seconds does not go with --outcomes"),
        (["none.toml"], "none.toml: "),
        ([item, "--instances", "nowhere"], "does not exist"),
    ):
        assert said in refused(inside("reproduce", *arguments))
