"""Parameters, limits and cities change while a run goes on, and a replay makes the same changes."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.instance import CityEdit
from gpu.problems.tsp.instance import TspInstance
from gpu.run.changes import Change
from gpu.run.log.recorded import comparison, curves_of, repeated
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import RunLog, read_log
from gpu.run.outcome import Ending, Result
from gpu.run.run import Run
from gpu.run.session import Session, SessionError, new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.colonies import RandomColony
from tests.logs import lines_of

INSTANCE = colonies.some_cities(20, optimum=1)
ACS: dict[str, Any] = {"colony": "acs-seq", "device": "cpu:1", "seed": 3}


def session_of(iterations: int, **choices: Any) -> Session:
    stop = StopSettings(iterations=iterations)
    return new_session(INSTANCE, **{**ACS, **choices}, stop=stop)


def finish(run: Run) -> None:
    while run.outcome is None:
        run.advance()


def run_with(changes: dict[int, Change], session: Session, recorder: Recorder | None = None) -> Run:
    """Make a run in which each change is asked for after so many iterations."""
    run = Run(INSTANCE, session, recorder=recorder)
    run.build()
    for at, change in changes.items():
        while run.state.iteration < at:
            run.advance(1)
        run.change(change)
    finish(run)
    return run


def recorded(path: Path, changes: dict[int, Change], **choices: Any) -> tuple[Run, RunLog]:
    session = session_of(12, **choices)
    run = run_with(changes, session, Recorder(path, session, INSTANCE, pytest.fail))
    return run, read_log(path)


def replayed(log: RunLog) -> tuple[bool, str]:
    session = repeated(log)
    assert Session.from_dict(session.to_dict()) == session
    run = run_with({}, session)
    assert run.outcome is not None
    found = comparison(log, Result.of(run.instance, session, run.outcome))
    run.close()
    return found


def test_a_change_is_made_between_two_iterations_logged_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    change = Change({"beta": "6", "local_search": "2opt"})
    run, log = recorded(path, {5: change, 9: Change({"q0": "auto", "rho": 0.5})})
    assert run.setting.parameters.to_dict()["beta"] == 6
    assert run.state.iteration == 12
    assert run.state.solutions_built == 12 * 20
    run.close()
    first, second = lines_of(path, "change")
    assert (first["iteration"], second["iteration"]) == (5, 9)
    assert first["parameters_before"] == {"beta": 3.0, "local_search": "none"}
    assert first["parameters"] == {"beta": 6.0, "local_search": "2opt"}
    assert second["parameters"] == {"q0": None, "rho": 0.5}
    assert [one.iteration for one in log.changes] == [5, 9]
    assert replayed(log)[0]
    unchanged = dataclasses.replace(log, changes=())
    assert not replayed(unchanged)[0]  # the changes matter
    assert sum(line["iterations"] for line in lines_of(path, "progress")) == 12


def test_more_ants_build_more_tours_and_the_limit_of_tours_stays_exact(tmp_path: Path) -> None:
    session = new_session(INSTANCE, **ACS, stop=StopSettings(solutions=150))
    run = run_with({2: Change({"ants": 50})}, session)
    assert (run.state.iteration, run.state.solutions_built) == (5, 2 * 20 + 3 * 50)
    run.close()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"candidates": 3}, "candidates cannot change while the colony runs"),
        ({"beta": 99}, "beta = 99 must be in"),
        ({"gamma": 1}, "there is no parameter 'gamma'"),
    ],
)
def test_what_cannot_change_is_refused_and_the_run_goes_on(
    values: dict[str, object], why: str, tmp_path: Path
) -> None:
    run, log = recorded(tmp_path / "run.jsonl", {3: Change(values)})
    assert why in run.notice
    assert run.outcome.ending is Ending.FINISHED
    assert not log.changes
    run.close()


def test_a_colony_that_leaves_nothing_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    colony = colonies.install(monkeypatch, RandomColony)
    run = run_with({3: Change({"beta": 1})}, session_of(5, colony=colony, device="auto"))
    assert "cannot be changed while it runs" in run.notice
    run.close()


def test_a_run_goes_on_after_its_end_in_the_same_log(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run, _ = recorded(path, {})
    run.go_on(Change(stop=StopSettings(iterations=15, go_on=True)))
    finish(run)
    run.close()
    log = read_log(path)
    assert log.outcome["iteration"] == 15
    assert [line["iteration"] for line in lines_of(path, "outcome")] == [12, 15]
    assert log.changes[0].stop == StopSettings(iterations=15, go_on=True)
    assert replayed(log)[0]


EDITS = (
    CityEdit("add", 20, 400.0, 410.5),
    CityEdit("remove", 3),
    CityEdit("move", 0, 10.0, 990.0),
)


@pytest.mark.parametrize("colony", ["acs-seq", "acs-seq-spm"])
def test_cities_change_and_the_tour_survives(colony: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run, log = recorded(path, {6: Change(cities=EDITS)}, colony=colony)
    edited = run.instance
    assert isinstance(edited, TspInstance)
    assert (edited.name, edited.n, edited.optimum) == ("cities (edited)", 20, None)
    assert edited.cost_of(run.outcome.state.best_solution) == run.outcome.state.best_cost
    (line,) = lines_of(path, "change")
    assert line["cities"][1] == {"edit": "remove", "city": 4}
    assert line["instance"]["sha256"] == edited.sha256
    assert line["gap_percent"] is None
    assert curves_of(log).optimum is None
    costs = [one["best"] for one in log.records if one["iteration"] > 6 or one["kind"] == "change"]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == curves_of(log).best.costs[-1]
    run.close()
    assert replayed(log) == (True, f"the same tour as recorded: {costs[-1]} after 12 iterations")
    assert "EDGE_WEIGHT_TYPE: EUC_2D" in edited.text()


def test_cities_change_before_the_first_iteration_too(tmp_path: Path) -> None:
    run, log = recorded(tmp_path / "run.jsonl", {0: Change(cities=EDITS)})
    assert run.instance.name == "cities (edited)"
    run.close()
    assert replayed(log)[0]


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ((CityEdit("remove", 20),), "there is no city 21 among 20"),
        (tuple(CityEdit("remove", 0) for _ in range(18)), "at least 3 cities"),
        ((CityEdit("add", 20, float("nan"), 1.0),), "cannot be at"),
        ((CityEdit("add", 20, 1e11, 1.0),), "too far apart"),
    ],
)
def test_impossible_edits_are_refused(edits: tuple[CityEdit, ...], why: str) -> None:
    run = run_with({2: Change(cities=edits)}, session_of(3))
    assert why in run.notice
    assert run.instance is INSTANCE
    run.close()


@pytest.mark.parametrize(
    "values",
    [
        {"iteration": -1},
        {"iteration": 1, "parameters": 3},
        {"iteration": 1, "stop": 3},
        {"iteration": 1, "cities": [{"edit": "burn", "city": 1}]},
        {"iteration": 1, "cities": [{"edit": "add", "city": 1, "x": "1"}]},
    ],
)
def test_a_damaged_change_is_a_sentence(values: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run, _ = recorded(path, {5: Change({"beta": 1})})
    run.close()
    lines = path.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"change"' in line)
    whole = {**json.loads(lines[at]), "parameters": {}, **values}
    lines[at] = json.dumps(whole)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SessionError, match="run\\.jsonl: "):
        read_log(path)


def test_the_focused_colony_goes_on_from_the_surviving_tour(tmp_path: Path) -> None:
    changes = {4: Change({"heat": 0.2}), 8: Change(cities=EDITS)}
    run, log = recorded(tmp_path / "run.jsonl", changes, colony="focused-seq")
    assert run.state.iteration == 12
    assert run.notice == ""
    best = run.improvements
    assert all(one.cost > two.cost or two.iteration == 8 for one, two in itertools.pairwise(best))
    assert np.array_equal(np.sort(run.state.best_solution), np.arange(20))
    run.close()
    assert replayed(log)[0]


def test_a_parameter_that_can_change_is_declared_so() -> None:
    for name in ("beta", "q0", "rho", "local_search"):
        assert session_of(1).system.parameters.explanations()[name].live
    with pytest.raises(ParameterError):
        Change.from_dict({"iteration": True})


@pytest.mark.parametrize("colony", ["acs-seq", "as-seq", "mmas-seq", "focused-seq", "faco-seq"])
def test_a_colony_that_takes_another_number_is_not_built_anew(
    colony: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built, build = [], catalog.build

    def counted(*arguments: Any) -> Any:
        built.append(arguments)
        return build(*arguments)

    monkeypatch.setattr(catalog, "build", counted)
    run, log = recorded(tmp_path / "run.jsonl", {4: Change({"rho": 0.3})}, colony=colony)
    assert len(built) == 1
    assert run.setting.parameters.to_dict()["rho"] == 0.3
    run.close()
    assert replayed(log)[0]
    run, _ = recorded(tmp_path / "more.jsonl", {4: Change({"ants": 5})}, colony="acs-seq")
    assert len(built) == 4  # the repeated run's, and two for other ants
    run.close()


N = 200
TOURS_ON_A_GPU = [
    system.name
    for system in catalog.CATALOG
    if system.problem == "tsp" and "cuda" in system.builders
]
MANY_EDITS = (
    *(CityEdit("remove", city) for city in (180, 77, 3)),
    *(CityEdit("add", N - 3 + k, 100.0 * k + 0.5, 500.0) for k in range(9)),
    CityEdit("move", 0, 10.0, 990.0),
)


@pytest.mark.cuda
@pytest.mark.parametrize("name", TOURS_ON_A_GPU)
def test_a_colony_on_a_gpu_goes_on_after_cities_changed(name: str) -> None:
    instance = colonies.some_cities(N)
    stop = StopSettings(iterations=30)
    run = Run(instance, new_session(instance, colony=name, device="cuda", seed=3, stop=stop))
    run.build()
    while run.state.iteration < 15:
        run.advance(1)
    before = run.state.cost
    run.change(Change(cities=MANY_EDITS))
    while run.outcome is None:
        run.advance()
    assert run.notice == ""
    assert run.instance.n == N + 6
    state = run.outcome.state
    assert state.iteration == 30
    assert np.array_equal(np.sort(state.best_solution), np.arange(N + 6))
    assert run.instance.cost_of(state.best_solution) == state.best_cost
    assert state.cost < 1.5 * before  # it kept what was learnt
    run.close()


def test_limits_are_named_by_the_end_that_they_bring() -> None:
    for stop, words in (
        (StopSettings(seconds=90.0), "end after 90 s"),
        (StopSettings(iterations=1000, target_gap=0.5), "end after 1,000 iterations or at a gap"),
        (StopSettings(), "no limit"),
    ):
        assert Change(stop=stop).text.startswith(words)
