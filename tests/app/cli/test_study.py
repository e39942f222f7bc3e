from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from gpu.studies.cases import DONE
from gpu.studies.store import StoreError, read_results
from tests.app.conftest import Command
from tests.gpu.studies.execution.test_executors import server
from tests.gpu.studies.toy_studies import FIVE, write_tsp
from tests.processes import refused, run, start
from tests.waiting import until

DESIGN = """
title = "Few ants"
instances = ["five.tsp"]
seeds = { first = 1, count = 2 }
[budget]
iterations = 3
go_on = true
[[colony]]
colony = "acs"
parameters = { ants = [2, 4] }
"""


@pytest.fixture
def design(tmp_path: Path) -> Path:
    write_tsp(tmp_path / "five.tsp", FIVE)
    file = tmp_path / "few.toml"
    file.write_text(DESIGN)
    return file


def done(results: Path) -> int:
    try:
        return sum(row.state == DONE for row in read_results(results).rows)
    except StoreError:
        return 0


def test_a_study_runs_and_is_not_repeated(design: Path, inside: Command) -> None:
    made = inside("study", design, "--json", "--processes", 1)
    assert made.returncode == 0, made.stderr
    summary = json.loads(made.stdout)
    assert summary["results"] == str(design.with_suffix(".sqlite"))
    assert [summary[name] for name in ("planned", "done", "failed", "waiting")] == [4, 4, 0, 0]
    found = read_results(design.with_suffix(".sqlite"))
    assert (found.title, {row.label for row in found.rows}) == ("Few ants", {
        "acs, ants 2", "acs, ants 4",
    })  # fmt: skip
    again = inside("study", design)
    assert (again.returncode, again.stderr) == (0, "")
    assert "0 runs done" in again.stdout
    assert "4 earlier" in again.stdout
    design.write_text(DESIGN.replace("iterations = 3", "iterations = 4"))
    assert "runs of a study that are not in this design" in refused(inside("study", design))


def test_ctrl_c_ends_it_and_it_goes_on(design: Path, inside: Command) -> None:
    design.write_text(DESIGN.replace("iterations = 3", "seconds = 1\nno_improvement = 1_000_000"))
    results = design.with_name("other.sqlite")
    process = start("study", design, "--out", results, "--processes", 1)
    until(lambda: done(results) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "")
    assert "left: the same command goes on" in stdout
    before = done(results)
    assert 1 <= before < 4
    made = inside("study", design, "--out", results, "--json", "--processes", 1)
    assert (made.returncode, json.loads(made.stdout)["done"]) == (0, 4)


def test_the_plan_says_how_many_runs_and_how_long(design: Path, inside: Command) -> None:
    planned = inside("study", design, "--plan", "--processes", "2")
    assert planned.returncode == 0, planned.stderr
    first, second = planned.stdout.splitlines()
    assert first == "Few ants: 4 runs: 2 configurations on 1 instance with 2 seeds"
    assert second == "about 1 s on this machine, by short trials"
    design.write_text(DESIGN.replace("iterations = 3", "seconds = 60"))
    planned = inside("study", design, "--plan", "--processes", "2")
    assert (
        planned.stdout.splitlines()[1] == "at most 2 min 0 s on this machine, by their time limit"
    )
    design.write_text(DESIGN.replace("iterations = 3", "no_improvement = 60"))
    assert json.loads(inside("study", design, "--plan", "--json").stdout) == {
        "planned": 4, "seconds": None, "basis": "unknown",
    }  # fmt: skip
    assert not list(design.parent.glob("*.sqlite*"))


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (("title", "titel"), (), "few.toml: the file has the unknown key 'titel'"),
        (("five.tsp", "six.tsp"), (), "six.tsp: there is no such file"),
        (("five.tsp", "berlin52"), (), "formicarium download berlin52"),
        (("acs", "beetles"), (), "there is no colony 'beetles'"),
        (('"acs"', '"acs"\ndevice = "cuda"'), (), "the study has runs on GPUs, and there is none"),
        (("", ""), ("--processes", "0"), "processes = 0 must be at least 1"),
        (("", ""), ("--plan", "--cluster", "local"), "leave --cluster out"),
        (("", ""), ("--out", "five.tsp"), "five.tsp: it is not the file of a study"),
        (("", ""), ("--out", "no/a.sqlite"), "no/a.sqlite: it cannot be written"),
    ],
)
def test_bad_input_is_one_line(
    design: Path,
    inside: Command,
    monkeypatch: pytest.MonkeyPatch,
    change: tuple[str, str],
    options: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setattr("gpu.studies.execution.local.LocalExecutor._cuda", lambda self: ())
    monkeypatch.chdir(design.parent)
    design.write_text(DESIGN.replace(*change) if any(change) else DESIGN)
    before = {one.name for one in design.parent.iterdir()}
    assert said in refused(inside("study", "few.toml", *options))
    assert {one.name for one in design.parent.iterdir()} - before <= {"few.sqlite"}


def test_a_service_at_the_address_that_is_no_scheduler_is_refused_at_once(design: Path) -> None:
    """As a process: a client of Dask that was half made would hold up its end."""
    with server(b"SSH-2.0-OpenSSH_9.6\r\n") as address:
        said = refused(run("study", design, "--cluster", address))
    assert f"{address}: no Dask scheduler answers there (it is another service)" in said
