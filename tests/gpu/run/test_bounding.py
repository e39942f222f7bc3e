"""A run knows a lower bound of its costs, and ends where that proves it optimal."""

from __future__ import annotations

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.core.bounds import LowerBound
from gpu.core.errors import SolutionError
from gpu.core.instance import CityEdit, Instance
from gpu.core.snapshot import RunState
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.instance import TspInstance
from gpu.run import bounding
from gpu.run.bounding import Bounding
from gpu.run.changes import Change
from gpu.run.log.recorded import recorded_of
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, Result, RunOutcome
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.solving import solve
from gpu.run.stopping import StopSettings
from tests.colonies import some_cities
from tests.gpu.cpu import makers
from tests.gpu.rlf.literal import complete, edgeless, graph, random_graph

COLONY = "aco-rlf-seq"

CROSSED = graph(
    9, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 3), (7, 8), (8, 0)]
)
"""It needs three colors, as its triangle shows."""


def finish(instance: GraphInstance, log: Path | None = None, **stop: float) -> Run:
    limits = StopSettings(**stop)  # type: ignore[arg-type]
    session = new_session(instance, colony=COLONY, device="cpu:1", seed=1, stop=limits)
    recorder = Recorder(log, session, instance, pytest.fail) if log else None
    run = Run(instance, session, recorder=recorder)
    run.finish()
    return run


def outcome_of(run: Run) -> RunOutcome:
    assert run.outcome is not None
    return run.outcome


def find_by(monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
    """Let the bounds of graphs be found by ``make``."""
    kind = bounding._KINDS[CROSSED.problem]._replace(make=make)
    monkeypatch.setattr(bounding, "_KINDS", {CROSSED.problem: kind})


def test_a_run_ends_where_a_clique_proves_its_coloring(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    run = finish(CROSSED, log, iterations=1000)
    outcome = outcome_of(run)
    assert (outcome.ending, outcome.criterion.name) == (Ending.FINISHED, "proved")
    assert outcome.reason == "proved optimal: 3 colors, and a clique of 3 vertices"
    assert CROSSED.cost_of(outcome.state.best_solution) == 3
    assert CROSSED.bound_by(outcome.state.bound.witness).cost == 3

    found = Result.of(CROSSED, run.session, outcome).to_dict()
    assert (found["lower_bound"], found["proved"]) == (3, True)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (bound,) = [line for line in lines if line["kind"] == "bound"]
    assert (bound["lower_bound"], bound["by"]) == (3, "a clique of 3 vertices")
    assert sorted(bound["witness"]) == [1, 2, 3]
    kinds = [line["kind"] for line in lines]
    assert kinds.count("improvement") == len(run.improvements)  # none is written twice
    read = read_log(log)
    assert read.outcome["proved"] is True
    state = recorded_of(read, CROSSED).state
    assert state.proved
    assert state.bound.witness.tolist() == outcome.state.bound.witness.tolist()
    bound["witness"][0] = 5  # which is not adjacent to the others
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert recorded_of(read_log(log), CROSSED).state.bound is None


def test_a_run_that_should_go_on_makes_all_iterations() -> None:
    state = outcome_of(finish(CROSSED, iterations=4, go_on=True)).state
    assert state.iteration == 4
    assert state.proved
    assert outcome_of(finish(CROSSED, iterations=4)).state.iteration < 4


@pytest.mark.parametrize(
    ("instance", "colors", "why"),
    [
        (edgeless(5), 1, "a clique of 1 vertex"),
        (graph(4, [(0, 1), (1, 2), (2, 3)]), 2, "an edge"),
        (graph(7, [(v, (v + 1) % 7) for v in range(7)]), 3, "an odd cycle of 7 vertices"),
        (complete(8), 8, "a clique of 8 vertices"),
    ],
)
def test_colorings_that_are_optimal_from_the_beginning_are_proved(
    instance: GraphInstance, colors: int, why: str
) -> None:
    outcome = outcome_of(finish(instance, iterations=50))
    assert outcome.state.iteration == 0
    assert (outcome.state.best_cost, outcome.state.bound.why) == (colors, why)
    assert "proved optimal" in outcome.reason


def test_a_run_whose_bound_is_too_low_goes_on_to_its_limit() -> None:
    instance = random_graph(60, 0.5, 2)
    outcome = outcome_of(finish(instance, iterations=3))
    assert outcome.state.iteration == 3
    assert 0 < outcome.state.bound.cost < outcome.state.best_cost
    assert not outcome.state.proved
    again = outcome_of(finish(instance, iterations=3))
    assert again.state.bound.cost == outcome.state.bound.cost
    assert again.state.best_solution.tolist() == outcome.state.best_solution.tolist()


def test_a_target_that_is_reached_first_is_the_reason() -> None:
    result = solve(CROSSED, colony=COLONY, device="cpu:1", seed=1, target=3)
    assert (result.criterion, result.proved) == ("target_length", True)


def test_observers_get_each_improvement_once_and_then_the_bound() -> None:
    session = new_session(CROSSED, colony=COLONY, device="cpu:1", seed=1)
    run, states = Run(CROSSED, session), list[RunState]()
    run.observers.append(states.append)
    run.finish()
    told = [one for state in states for one in state.progress.improvements]
    assert told == list(run.improvements)
    assert states[0].bound is None
    assert states[-1].bound is not None


def test_a_wrong_proof_is_no_bound_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(instance: GraphInstance, stop: object) -> LowerBound:
        return instance.bound_by(np.array([0, 1, 3]))

    find_by(monkeypatch, wrong)
    run = finish(CROSSED, iterations=2)
    assert outcome_of(run).state.iteration == 2
    assert outcome_of(run).state.bound is None
    assert "there is no lower bound" in run.notice
    assert "is shown by a clique" in run.notice


def started(instance: Instance, stop: bounding.Stop) -> Bounding:
    made = Bounding(instance, stop)
    made.start()
    return made


def test_a_problem_without_bounds_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding, "_KINDS", {})
    assert started(CROSSED, lambda: False).result() is None


@pytest.mark.tour_bounds
def test_tours_with_a_best_known_length_have_no_bound() -> None:
    known = dataclasses.replace(some_cities(), optimum=1000)
    assert not Bounding(known, lambda: False).wanted
    assert Bounding(some_cities(), lambda: False).wanted


def tours(instance: TspInstance, log: Path | None = None, **stop: float) -> Run:
    session = new_session(
        instance,
        colony="acs",
        device="cpu:1",
        seed=1,
        stop=StopSettings(**stop),  # type: ignore[arg-type]
    )
    recorder = Recorder(log, session, instance, pytest.fail) if log else None
    return Run(instance, session, recorder=recorder)


@pytest.mark.tour_bounds
def test_three_cities_are_proved_at_once(tmp_path: Path) -> None:
    triangle = makers.points([(0, 0), (3, 0), (0, 4)])
    log = tmp_path / "run.jsonl"
    run = tours(triangle, log, seconds=1000)
    outcome = run.finish()
    assert (outcome.state.iteration, outcome.criterion.name) == (0, "proved")
    assert outcome.reason == "proved optimal: 12, and no tour of so few cities is shorter"
    assert recorded_of(read_log(log), triangle).state.proved


@pytest.mark.tour_bounds
def test_a_run_ends_where_a_tree_proves_its_tour(tmp_path: Path) -> None:
    ring = dataclasses.replace(makers.ring(40), optimum=None)
    log = tmp_path / "run.jsonl"
    outcome = tours(ring, log, seconds=1000).finish()  # it would last for very long without
    assert outcome.criterion.name == "proved"
    assert outcome.state.best_cost == outcome.state.bound.cost == makers.ring(40).optimum
    assert "a 1-tree of Held and Karp is as long" in outcome.reason
    recorded = recorded_of(read_log(log), ring).state
    assert recorded.bound.cost == outcome.state.bound.cost
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (bound,) = [line for line in lines if line["kind"] == "bound"]
    del bound["witness"][0]
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert recorded_of(read_log(log), ring).state.bound is None


@pytest.mark.tour_bounds
def test_other_cities_have_a_bound_of_their_own() -> None:
    cities = makers.points(np.random.default_rng(7).integers(0, 1000, (60, 2)))
    run = tours(cities, go_on=True)
    run.build()
    while run.state.bound is None:
        run.advance()
    before = run.state.bound
    run.change(Change(cities=(CityEdit("move", 0, 5000.0, 5000.0),)))
    while run.state.bound is None or run.state.bound is before:
        run.advance()
    assert run.instance is not cities
    assert before.cost + 5000 < run.state.bound.cost <= run.state.best_cost
    run.cancel()
    run.close()


def test_a_bound_is_stopped_with_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def endless(instance: GraphInstance, stop: bounding.Stop) -> None:
        begun.set()
        while not stop():
            pass

    find_by(monkeypatch, endless)
    cancelled = threading.Event()
    looking = started(CROSSED, cancelled.is_set)
    assert begun.wait(20)
    cancelled.set()
    assert looking.result() is None


def test_what_fails_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(instance: GraphInstance, stop: bounding.Stop) -> None:
        raise SolutionError("wrong")

    find_by(monkeypatch, failing)
    with pytest.raises(SolutionError, match="wrong"):
        started(CROSSED, lambda: False).result()
