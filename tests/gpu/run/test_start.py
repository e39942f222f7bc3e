"""A run has a tour from its first moment, and ends about in time, however long an iteration is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.core.colony import never
from gpu.core.snapshot import RunState, Snapshot, Wanted
from gpu.cpu.first_tours import curve_tour, nearest_neighbour_tour
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import ColoringParameters
from gpu.run import run as run_module
from gpu.run import starting
from gpu.run.log.recorded import comparison, recorded_of
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, Result
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.solving import solve
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.clock import clock_of_units
from tests.colonies import RandomColony
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.literal import graph, random_graph
from tests.waiting import until

INSTANCE = colonies.some_cities(optimum=1)


Make = Callable[..., Run]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make runs of random tours that begin as real ones do, with a ``log`` if one is named.

    They are closed at the end.
    """
    made: list[Run] = []

    def run(kind: type[RandomColony] = RandomColony, log: Path | None = None, **stop: float) -> Run:
        name = colonies.install(monkeypatch, kind)
        monkeypatch.setattr(run_module, "starts_of", colonies.nearest_start)
        settings = StopSettings(**stop)  # type: ignore[arg-type]
        session = new_session(INSTANCE, colony=name, seed=3, stop=settings)
        recorder = Recorder(log, session, INSTANCE, pytest.fail) if log else None
        made.append(Run(INSTANCE, session, recorder=recorder))
        return made[-1]

    yield run
    for one in made:
        one.close()


def test_a_run_has_a_tour_before_its_first_iteration(make: Make) -> None:
    run = make()
    run.build()
    state = run.state
    assert (state.iteration, state.best_iteration) == (0, 0)
    assert INSTANCE.cost_of(state.best_solution) == state.best_cost
    run.cancel()
    run.advance()
    run.close()
    assert run.outcome is not None
    result = Result.of(INSTANCE, run.session, run.outcome)
    assert (result.cost, result.iterations) == (state.best_cost, 0)
    assert result.to_dict()["tour"] == INSTANCE.written(state.best_solution)


def test_a_run_has_a_tour_while_its_colony_is_built(make: Make) -> None:
    seen: list[RunState] = []

    class Built(RandomColony):
        def __init__(self, *args: Any, **values: Any) -> None:
            seen.append(run.state)
            super().__init__(*args, **values)

    run = make(Built)
    run.build()
    run.close()
    assert seen[0].best_solution is not None


def test_progress_counts_before_the_first_tour_is_reached(make: Make) -> None:
    class Slowly(RandomColony):
        """Betters its tours until the 60th iteration, but they stay worse than the first one."""

        def snapshot(self, wanted: Wanted) -> Snapshot:
            taken, last = super().snapshot(wanted), min(self.iteration, 60)
            return dataclasses.replace(
                taken, best_cost=10**6 - last, best_iteration=last, best_solution=None
            )

    run = make(Slowly, no_improvement=20)
    outcome = run.finish()
    assert outcome.state.iteration == 80
    assert outcome.state.best_iteration == 0
    assert outcome.state.best_solution is not None
    assert "20 iterations" in outcome.reason


def test_the_first_tour_stays_the_best_until_a_better_one_is_found(make: Make) -> None:
    class InTheEnd(RandomColony):
        """Finds a tour that is better than the first in its last iteration."""

        def once(self) -> None:
            super().once()
            if self.iteration == 9:
                best = nearest_neighbour_tour(INSTANCE)
                swapped = [best.copy() for _ in range(INSTANCE.n)]
                for k, tour in enumerate(swapped):
                    tour[[k, (k + 1) % INSTANCE.n]] = tour[[(k + 1) % INSTANCE.n, k]]
                shortest = min(swapped, key=INSTANCE.tour_length)
                self.best, self.best_cost = shortest, INSTANCE.tour_length(shortest)
                self.best_iteration, self.lengths[-1] = 9, self.best_cost

    run = make(InTheEnd, iterations=9)
    run.build()
    first = run.state.cost
    seen = []
    while run.outcome is None:
        run.advance(1)
        seen.append((run.state.best_iteration, run.state.cost))
        assert INSTANCE.tour_length(run.state.best_solution) == run.state.best_cost
    run.close()
    assert seen[:8] == [(0, first)] * 8
    assert seen[8][0] == 9
    assert seen[8][1] < first


def test_the_log_has_the_first_tour(make: Make, tmp_path: Path) -> None:
    run = make(log=tmp_path / "run.jsonl", iterations=3)
    run.finish()
    log = read_log(tmp_path / "run.jsonl")
    first = log.records[0]
    assert (first["kind"], first["iteration"], first["best_iteration"]) == ("improvement", 0, 0)
    assert first["best"] == INSTANCE.tour_length(nearest_neighbour_tour(INSTANCE))
    assert first["iteration_best"] is first["iteration_mean"] is None
    assert log.outcome["iteration"] == 3
    json.dumps(log.outcome, allow_nan=False)
    assert run.outcome is not None
    result = Result.of(INSTANCE, run.session, run.outcome)
    assert comparison(log, result)[0]
    log.outcome["best_iteration"], log.outcome["best"] = 2, 10 * first["best"]
    same, sentence = comparison(log, result)  # a log from before runs began with a tour
    assert same
    assert "now begin with a better tour" in sentence
    log.outcome["best"] = 1  # which no start tour explains
    assert "now begin" not in comparison(log, result)[1]


def test_a_target_that_the_first_tour_reaches_ends_the_run(make: Make) -> None:
    run = make(target_length=10**9)
    run.build()
    assert run.outcome.state.iteration == 0
    assert run.outcome.ending is Ending.FINISHED


def test_an_interrupted_slice_has_taken_its_time(make: Make) -> None:
    class Interrupted(RandomColony):
        """Ctrl-C comes within the first iteration."""

        def once(self) -> None:
            super().once()
            assert run.present.elapsed > 0
            raise KeyboardInterrupt

    run = make(Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.finish()
    assert run.outcome.ending is Ending.CANCELLED
    assert run.outcome.state.elapsed > 0


def test_a_limit_that_nothing_was_foreseen_within(make: Make) -> None:
    class Endless(RandomColony):
        def expected_seconds(self) -> float:
            return 0.0

        def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
            until(stop)

    outcome = make(Endless, seconds=0.2).finish()
    assert outcome.state.iteration == 0
    assert "an iteration takes some 0.2" in outcome.reason


@pytest.mark.parametrize("colony", ["acs-seq", "acs-gpu", "mmas"])
def test_a_limit_shorter_than_an_iteration(colony: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which a step of all ants takes 10 ms, and each turn of their local search."""
    clock_of_units(monkeypatch, 0.01)
    instance = makers.uniform(1500)
    result = solve(
        instance,
        colony=colony,
        device="cpu:1" if colony == "acs-seq" else "cpu",
        parameters={"ants": 100, "local_search": "2opt+oropt"},
        seed=1,
        seconds=1.5,
    )
    assert (result.iterations, result.best_iteration) == (0, 0)
    assert instance.cost_of(result.solution) == result.cost
    assert "the time limit of 1.5 s is reached" in result.reason
    assert "an iteration takes some" in result.reason
    expected = float(result.reason.split("takes some ")[1].split(" s")[0])
    assert expected >= 1.5
    assert 1.5 <= result.seconds < 1.6


def test_a_result_and_a_log_have_the_best_that_ants_built_beside_the_best_of_all(
    make: Make, tmp_path: Path
) -> None:
    run = make(log=tmp_path / "a.jsonl", iterations=3)
    assert run.state.ants_cost is None
    outcome = run.finish()
    state, log = outcome.state, read_log(tmp_path / "a.jsonl")
    assert state.best_iteration == 0  # random tours are longer than the one it began with
    assert state.best_cost is not None
    assert state.ants_cost is not None
    assert state.ants_cost > state.best_cost
    result = Result.of(INSTANCE, run.session, outcome)
    assert (result.cost, result.ants_cost) == (state.best_cost, state.ants_cost)
    assert result.to_dict()["ants_best_length"] == state.ants_cost
    assert (log.outcome["best"], log.outcome["ants_best"]) == (result.cost, result.ants_cost)
    assert recorded_of(log, INSTANCE).state.ants_cost == result.ants_cost


def path_of(n: int) -> GraphInstance:
    return graph(n, [(v, v + 1) for v in range(n - 1)])


@pytest.mark.parametrize(
    ("colony", "device"),
    [
        ("aco-rlf-seq", "cpu:1"),
        ("aco-rlf-cores", "cpu"),
        ("aco-rlf-tabu", "cpu:1"),
        ("aco-rlf-tabu", "cpu"),
    ],
)
def test_a_run_on_a_graph_that_is_over_early_has_the_greedy_coloring(
    colony: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_of_units(monkeypatch, 0.01)
    seen: list[RunState] = []
    instance = path_of(300)
    result = solve(
        instance,
        colony=colony,
        device=device,
        seed=1,
        seconds=1.5,
        go_on=True,  # though two colors are optimal
        progress=seen.append,
    )
    assert (result.ending, result.iterations, result.best_iteration) == (Ending.FINISHED, 0, 0)
    assert (result.cost, result.to_dict()["best_colors"]) == (2, 2)
    assert result.solution is dsatur_coloring(instance)
    assert "the time limit of 1.5 s is reached (an iteration takes some" in result.reason
    assert {state.best_cost for state in seen} == {2}


@needs_emulation
def test_a_run_on_a_gpu_begins_with_the_greedy_coloring(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On the emulation, where the ants of the first iteration find nothing that is as good."""
    instance, parameters = path_of(40), ColoringParameters(ants=2)
    stop = StopSettings(iterations=1, go_on=True)
    session = new_session(instance, colony="aco-rlf-seq", device="cpu:1", seed=1, stop=stop)
    recorder = Recorder(tmp_path / "run.jsonl", session, instance, pytest.fail)
    run = Run(instance, session, recorder=recorder)
    colony = ColoringColony(instance, parameters.resolved(instance.n), EmulatedMachine(), 1, 0)
    monkeypatch.setattr(run.changes, "build", lambda *_: colony)
    run.build()
    assert run.state.best_solution is dsatur_coloring(instance)
    while run.outcome is None:
        run.advance()
    shown = run.snapshot(Wanted.SOLUTION)
    run.close()
    assert shown.best_cost == run.outcome.state.best_cost == 2
    log = read_log(tmp_path / "run.jsonl")
    assert (log.records[0]["iteration"], log.records[0]["best"]) == (0, 2)
    assert (log.outcome["best"], len(log.outcome["colors"])) == (2, 40)


def test_ants_that_find_as_few_colors_as_the_greedy_coloring_are_shown() -> None:
    """As the coloring that a seed gives was the result before runs began with one."""
    instance = random_graph(30, 0.3)
    greedy = instance.cost_of(dsatur_coloring(instance))
    result = solve(instance, colony="aco-rlf-seq", seed=1, iterations=20, go_on=True)
    alone = Run(instance, dataclasses.replace(result.session, begins=False))
    ants = alone.finish().state
    assert ants.best_cost is not None
    assert ants.best_cost <= greedy  # or this instance shows nothing
    assert (result.cost, result.best_iteration) == (ants.best_cost, ants.best_iteration)
    assert result.solution.tolist() == ants.best_solution.tolist()


def test_an_old_log_of_a_coloring_is_compared_with_what_runs_begin_with_now(
    tmp_path: Path,
) -> None:
    instance = path_of(40)
    stop = StopSettings(iterations=1, go_on=True)
    session = new_session(instance, colony="aco-rlf-seq", device="cpu:1", seed=3, stop=stop)
    run = Run(instance, session, recorder=Recorder(tmp_path / "a.jsonl", session, instance, print))
    outcome = run.finish()
    log = read_log(tmp_path / "a.jsonl")
    log.outcome.update(best=3, best_iteration=1, colors=None)
    greedy = dataclasses.replace(
        outcome.state, best_solution=dsatur_coloring(instance), best_cost=2, best_iteration=0
    )
    result = Result.of(instance, session, dataclasses.replace(outcome, state=greedy))
    same, sentence = comparison(log, result)
    assert same
    assert sentence == "runs now begin with a better coloring than was recorded"


def test_the_trails_are_shown_in_the_order_of_the_ants_best(make: Make) -> None:
    run = make(iterations=2)
    run.build()
    while run.outcome is None:
        run.advance()
    shown = run.snapshot(Wanted.EVERYTHING)
    run.close()
    assert shown.best_solution is nearest_neighbour_tour(INSTANCE)
    assert INSTANCE.tour_length(shown.ants_best) > shown.cost


def test_a_state_without_a_solution_has_no_cost(make: Make) -> None:
    run = make(iterations=1)
    nothing = run.state
    assert nothing.best_cost is nothing.iteration_best is None
    with pytest.raises(ValueError, match="no solution yet"):
        _ = nothing.cost
    run.build()
    assert run.state.best_cost == run.state.cost == INSTANCE.tour_length(run.state.best_solution)


def test_a_run_of_many_cities_begins_along_a_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(50)
    (nearest,) = starting.starts_of(instance)
    monkeypatch.setattr(starting, "MOST_BY_NEAREST", 49)
    (along,) = starting.starts_of(instance)
    assert np.array_equal(nearest, nearest_neighbour_tour(instance))
    assert np.array_equal(along, curve_tour(instance))
