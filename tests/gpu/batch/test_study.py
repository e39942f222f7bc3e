from __future__ import annotations

from pathlib import Path

import pytest

from gpu.batch.cases import DONE, FAILED
from gpu.batch.store import Store
from gpu.batch.study import Study, StudyProgress
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.coloring.dsatur import dsatur_coloring
from tests.clock import clock_of_units
from tests.gpu.batch.studies import TOML, Inline, planned
from tests.gpu.rlf.graphs import graph, random_graph
from tests.toy.colony import ToyColony


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
            assert row.curve.iterations[0] == 0
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
    with Store(toys / "a.sqlite") as store:
        Study(planned(toys, text.replace("count = 3", "count = 1")), store, Inline()).run()
        for row in store.results().rows:
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
    with Store(toys / "a.sqlite") as store:
        Study(planned(toys, text), store, Inline()).run()
        rows = store.results().rows
    greedy = instance.cost_of(dsatur_coloring(instance))
    for row in rows:
        assert (row.state, row.iterations) == (DONE, 1)
        assert row.curve.iterations.tolist() == [1]
        assert row.curve.costs.tolist() == [row.best]
    assert max(row.best or 0 for row in rows) > greedy  # or this instance shows nothing


def test_a_run_in_which_no_ant_has_built_a_coloring_has_failed(
    toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_graph(toys / "path.col", graph(300, [(v, v + 1) for v in range(299)]))
    text = TOML.replace('"five.tsp", "three.tsp"', '"path.col"').replace("count = 3", "count = 1")
    text = text.replace("iterations = 4", "seconds = 1.5")
    text = text.replace('"toy"\nparameters = { ants = [2, 3] }', '"aco-rlf-seq"')
    with Store(toys / "a.sqlite") as store:
        study = Study(planned(toys, text), store, Inline())
        clock_of_units(monkeypatch, 0.01)
        study.run()
        (row,) = store.results().rows
        assert (study.progress.failed, row.state, row.best) == (1, FAILED, None)
    assert row.error.startswith("no coloring was built: the time limit of 1.5 s is reached (an it")
