from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import NoReturn

import pytest

from gpu.core.colony import never
from gpu.core.errors import DeviceError
from gpu.core.machine import checkout
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.loading import load_instance
from gpu.problems.reading import ReadAs
from gpu.problems.tsp.instance import TspInstance
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE, FAILED, CaseRow
from gpu.studies.design import Design, DesignError
from gpu.studies.measured_limit import limits_kept, with_measured_limits
from gpu.studies.plan import make_plan
from gpu.studies.store import Store, read_results
from gpu.studies.store_tables import APPLICATION_ID, STORE_VERSION
from gpu.studies.study import BY_TRIALS, Study, StudyProgress, expected_time
from tests.clock import clock_of_units
from tests.gpu.rlf.literal import graph, random_graph
from tests.gpu.studies.small_study import started
from tests.gpu.studies.toy_studies import TOML, Inline, planned, studied, write_tsp
from tests.toy.colony import ToyColony
from tests.waiting import PATIENCE, until


def test_all_runs_are_done_and_never_again(toys: Path) -> None:
    seen: list[StudyProgress] = []
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, Inline(), changed=seen.append)
        assert (study.added, study.progress.waiting) == (12, 12)
        study.run()
        assert study.progress.complete
        assert (study.progress.done, study.progress.seconds_left) == (12, 0.0)
        assert [one.done for one in seen] == [number // 2 for number in range(1, 25)]
        assert all(one.seconds_left is not None for one in seen[1:])
        rows = store.results().rows
        assert {row.state for row in rows} == {DONE}
        for row in rows:
            assert row.best == row.curve.costs[-1]
            assert row.curve.iterations[0] == 1
            assert row.host["version"]
        assert {(row.iterations, row.solutions) for row in rows} == {(4, 8), (4, 12)}
    with Store(toys / "a.sqlite") as store:
        again = Inline()
        study = Study(planned(toys, TOML.replace("count = 3", "count = 4")), store, again)
        study.run()
        assert study.added == len(again.performed) == 4
        assert study.progress.done == 16


def test_what_a_colony_counts_is_kept(toys: Path) -> None:
    text = TOML.replace('"toy"\nparameters = { ants = [2, 3] }', '"acs-seq-spm"')
    assert "spm" in text
    for row in studied(toys, text.replace("count = 3", "count = 1")):
        assert 0 < row.counts["local_hits"] <= row.counts["local_total"]
        assert row.counts["global_total"] == 2 * row.n * row.iterations  # at both cities


def test_it_can_be_cancelled_and_goes_on(toys: Path) -> None:
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, Inline())
        study._changed = lambda progress: study.cancel() if progress.done == 5 else None
        study.run()
        assert (study.progress.done, study.progress.running) == (5, 0)
        rest = Inline()
        second = Study(planned(toys), store, rest)
        second.run()
        assert len(rest.performed) == 7
        assert second.progress.complete


def test_a_failed_run_is_kept_with_its_sentence(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ToyColony.iterate

    def broken(self: ToyColony, *arguments: object) -> None:
        if self._parameters.ants == 3:
            raise MemoryError
        whole(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ToyColony, "iterate", broken)
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys), store, Inline())
        study.run()
        assert (study.progress.done, study.progress.failed) == (6, 6)
        bad = [row for row in store.results().rows if row.state == FAILED]
        assert {row.label for row in bad} == {"toy, ants 3"}
        assert all("memory is too small" in row.error and row.best is None for row in bad)
        monkeypatch.setattr(ToyColony, "iterate", whole)
        for retry, done in ((False, 6), (True, 12)):
            study = Study(planned(toys), store, Inline(), retry_failed=retry)
            study.run()
            assert study.progress.done == done


def test_an_instance_that_changes_meanwhile_fails_its_runs_alone(toys: Path) -> None:
    plan = planned(toys)
    (toys / "three.tsp").write_text((toys / "three.tsp").read_text() + "\n")
    with Store(toys / "a.sqlite") as store:
        study = Study(plan, store, Inline())
        study.run()
        assert (study.progress.done, study.progress.failed) == (6, 6)
        errors = {row.error for row in store.results().rows if row.state == FAILED}
    (error,) = errors
    assert "the file has changed" in error


def test_on_graphs_only_what_the_ants_build_counts(toys: Path) -> None:
    """Few ants find as few colors as the greedy coloring, which would hide all differences."""
    instance = random_graph(120, 0.1)
    write_graph(toys / "random.col", instance)
    text = TOML.replace('"five.tsp", "three.tsp"', '"random.col"').replace("= 4", "= 1")
    text = text.replace('"toy"\nparameters = { ants = [2, 3] }', '"aco-rlf-seq"\n'
                        "parameters = { ants = 1, beta = 0.01 }")  # fmt: skip
    rows = studied(toys, text)
    greedy = instance.cost_of(dsatur_coloring(instance))
    for row in rows:
        assert (row.state, row.iterations) == (DONE, 1)
        assert row.curve.iterations.tolist() == [1]
        assert row.curve.costs.tolist() == [row.best]
    assert max(row.best or 0 for row in rows) > greedy  # or this instance shows nothing


def test_of_tours_only_what_the_ants_build_counts(toys: Path) -> None:
    """The ants of this colony build none that is as short as what other runs begin with."""
    places = random.Random(1)
    path = write_tsp(
        toys / "sixty.tsp", [(places.randrange(999), places.randrange(999)) for _ in range(60)]
    )
    cities = load_instance(path)
    assert isinstance(cities, TspInstance)
    nearest = nearest_neighbour_length(cities)
    text = TOML.replace('"five.tsp", "three.tsp"', '"sixty.tsp"').replace("= 4", "= 1")
    rows = studied(toys, text)
    assert len({row.best for row in rows}) > 1
    for row in rows:
        assert (row.state, row.iterations) == (DONE, 1)
        assert row.curve.iterations.tolist() == [1]
        assert row.best > nearest


def test_a_run_without_a_whole_iteration_has_failed(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyColony, "iterate", lambda self, count, stop=never: until(stop))
    monkeypatch.setattr("gpu.studies.execution.worker.LONGEST_WARMING", 0.05)
    text = TOML.replace("iterations = 4", "seconds = 0.05").replace("count = 3", "count = 1")
    rows = studied(toys, text)
    assert len(rows) == 4
    for row in rows:
        assert (row.state, row.best, row.iterations) == (FAILED, None, 0)
        assert row.error.startswith("no iteration became whole: the time limit of 0.05 s is reache")


def test_the_time_of_a_study_is_foreseen_where_an_iteration_takes_longer_than_a_trial(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyColony, "iterate", lambda self, count, stop=never: until(stop))
    monkeypatch.setattr("gpu.studies.execution.worker.LONGEST_WARMING", 0.05)
    monkeypatch.setattr("gpu.studies.study.TRIED_SECONDS", 0.05)
    expected = expected_time(planned(toys).cases, Inline())
    assert (expected.basis, expected.why) == (BY_TRIALS, "")
    assert expected.seconds is not None


def test_a_run_in_which_no_ant_has_built_a_coloring_has_failed(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_graph(toys / "path.col", graph(300, [(v, v + 1) for v in range(299)]))
    text = TOML.replace('"five.tsp", "three.tsp"', '"path.col"').replace("count = 3", "count = 1")
    text = text.replace("iterations = 4", "seconds = 1.5")
    text = text.replace('"toy"\nparameters = { ants = [2, 3] }', '"aco-rlf-seq"')
    clock_of_units(monkeypatch, 0.01)
    (row,) = studied(toys, text)
    assert (row.state, row.best) == (FAILED, None)
    assert row.error.startswith("no iteration became whole: the time limit of 1.5 s is reached (")


GUIDE = (Path(__file__).resolve().parents[3] / "docs/guide/studies.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_design_can_be_read() -> None:
    text, reading = blocks("toml")
    colonies = text[text.index("[budget]") :]
    said = Design.from_toml(reading + colonies).reading
    assert {name: one.route_from for name, one in said.items()} == {
        "minutes.csv": "Depot", "towns/*.csv": "",
    }  # fmt: skip
    design = Design.from_toml(text)
    assert sum(len(one.combinations) for one in design.colonies) == 4
    for limit in design.budget.to_dict():
        assert f"`{limit}`" in GUIDE
    for key in ("read_as", *(field.name for field in fields(ReadAs))):
        assert key in ("kind", "route") or f"`{key.removeprefix('route_')}`" in GUIDE


def test_the_queries_work_and_every_column_is_explained(toys: Path) -> None:
    studied(toys)
    with closing(sqlite3.connect(toys / "a.sqlite")) as plain:
        gaps, hosts = (plain.execute(query).fetchall() for query in blocks("sql"))
        assert [row[:3] for row in gaps] == [
            (name, f"toy, ants {ants}", 3) for name in ("five", "three") for ants in (2, 3)
        ]
        assert len(hosts) == 12
        assert plain.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        tables = plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            assert f"| `{table}` |" in GUIDE
            for _, column, *_ in plain.execute(f"PRAGMA table_info({table})"):
                assert column == "id" or f"`{column}`" in GUIDE, (table, column)
    assert str(APPLICATION_ID) in GUIDE
    assert f"### The tables (version {STORE_VERSION})" in GUIDE


RUNS, KILLS = 200, 10


def done(results: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{results.as_uri()}?mode=ro", uri=True)) as plain:
            (count,) = plain.execute("SELECT count(*) FROM runs WHERE state = 'done'").fetchone()
            return int(count)
    except sqlite3.OperationalError:  # it is not there yet
        return 0


def same(row: CaseRow) -> tuple[object, ...]:
    """All of a row that does not depend on the time."""
    curve = row.curve.iterations, row.curve.solutions, row.curve.costs
    what = row.instance, row.label, row.colony, row.device, row.seed, row.batch, row.state
    found = row.error, row.best, row.gap_percent, row.iterations, row.solutions
    return (*what, *found, *(tuple(column.tolist()) for column in curve))


def digests(results: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(results)) as plain:
        return plain.execute("SELECT key, solution_sha256 FROM runs ORDER BY id").fetchall()


def test_a_study_that_is_killed_at_random_has_all_results_once(toys: Path) -> None:
    chance = random.Random(1)
    text = TOML.replace("count = 3", f"count = {RUNS // 4}")
    design, results, whole = toys / "study.toml", toys / "killed.sqlite", toys / "whole.sqlite"
    design.write_text(text)
    for _ in range(KILLS):
        before, share = done(results), RUNS // KILLS
        enough = before + chance.randint(0, share - 2)
        process = started(design, results, share - 1)
        until(lambda: done(results) >= enough or not process.is_alive())  # noqa: B023
        process.kill()
        process.join()
        assert process.exitcode != 0  # it was at work
        with closing(sqlite3.connect(results)) as plain:
            assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert enough <= done(results) < before + share
    process = started(design, results)
    process.join(PATIENCE)
    assert process.exitcode == 0
    rows = read_results(results).rows
    assert len(rows) == RUNS
    assert list(map(same, rows)) == list(map(same, studied(toys, text, name="whole")))
    assert digests(results) == digests(whole)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs Git")
def test_the_commit_is_found_and_nothing_is_written_into_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def git(*words: str) -> str:
        author = ["-c", "user.name=A", "-c", "user.email=a@b.invalid"]
        done = subprocess.run(
            ["git", *author, "-C", str(tmp_path), *words],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def found() -> str:
        return checkout.commit.__wrapped__()

    monkeypatch.delenv(checkout.VARIABLE, raising=False)
    monkeypatch.setattr(checkout, "_PACKAGE", tmp_path)
    assert found() == ""
    file = tmp_path / "__init__.py"
    file.write_text("1")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    commit = git("rev-parse", "--short=12", "HEAD")
    os.utime(file, (1, 1))  # Git would look at it again, and note in its index that it did
    index = (tmp_path / ".git" / "index").read_bytes()
    assert found() == commit
    assert (tmp_path / ".git" / "index").read_bytes() == index
    file.write_text("2")
    assert found() == f"{commit}-dirty"


MEASURED = (
    TOML.replace("iterations = 4\n", "")
    + """
[measured_limit]
colony = "toy"
iterations = 5
runs = 2
"""
)


def test_a_limit_is_measured_once_and_kept(toys: Path) -> None:
    design = Design.from_toml(MEASURED)
    assert design.measured_limit is not None
    assert Design.from_toml(design.to_toml()) == design
    with pytest.raises(DesignError, match="the limit of time on five is not measured yet"):
        make_plan(design, toys)
    told: list[str] = []
    ready = with_measured_limits(design, toys, telling=told.append)
    assert told == ["measuring the limit of five", "measuring the limit of three"]
    limits = {name: budget.seconds for name, budget in ready.budgets.items()}
    assert limits.keys() == {"five", "three"}
    assert all(limits.values())
    assert all(budget.go_on for budget in ready.budgets.values())
    with Store(toys / "a.sqlite") as store:
        study = Study(make_plan(ready, toys), store, Inline())
        study.run()
        assert study.progress.complete
    assert limits_kept(toys / "a.sqlite", design.measured_limit) == limits
    assert limits_kept(toys / "a.sqlite", replace(design.measured_limit, runs=3)) == {}
    assert limits_kept(toys / "five.tsp", design.measured_limit) == {}
    # the study goes on with the limits that it began with, and measures those of new instances
    fewer = replace(design, instances=("five.tsp",))
    again = with_measured_limits(fewer, toys, known={"five": 7.0}, telling=told.append)
    assert again.budgets["five"].seconds == 7
    assert len(told) == 2
    short = replace(design, budget=StopSettings(seconds=1e-9, go_on=True))
    assert with_measured_limits(short, toys).budgets["five"].seconds == 1e-9  # a trial's


def test_a_limit_that_cannot_be_measured_is_refused(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.studies.measured_limit._measured", {})
    design = Design.from_toml(MEASURED)
    with pytest.raises(DesignError, match="it was cancelled"):
        with_measured_limits(design, toys, cancelled=lambda: True)

    def breaks(*_: object) -> NoReturn:
        raise DeviceError("the toy is broken")

    monkeypatch.setattr(ToyColony, "iterate", breaks)
    with pytest.raises(DesignError, match=r"cannot be measured: .*the toy is broken"):
        with_measured_limits(design, toys)
