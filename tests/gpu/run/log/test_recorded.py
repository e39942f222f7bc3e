"""What a log shows of its run."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gpu.core.cost_curve import RunAxis, RunCurves, cost_band
from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.log.recorded import Recorded, curves_of, recorded_of
from gpu.run.log.run_log import read_log
from gpu.run.session import SessionError
from tests.colonies import some_cities
from tests.golden import Golden
from tests.logs import line, outcome, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def read(path: Path, *lines: dict[str, object]) -> RunCurves:
    return curves_of(read_log(written(path, lines)))


def falling(path: Path, *costs: int) -> RunCurves:
    """A run with one of ``costs`` in each iteration."""
    lines = [line(at, cost) for at, cost in enumerate(costs)]
    return read(path, *lines, outcome(len(costs) - 1, costs[-1]))


def test_every_improvement_and_the_last_state_are_rows(path: Path) -> None:
    curve = read(
        path,
        line(0, 200),
        line(3, 150, best_iteration=2),
        line(7, 150, "progress", best_iteration=2, iteration_mean=170.5),
        line(8, 120),
        outcome(10, 120, best_iteration=8, iteration_mean=130.0),
    )
    best, means = curve.best, curve.means
    assert best.points(RunAxis.ITERATIONS).tolist() == [[0, 200], [2, 150], [8, 120], [10, 120]]
    assert best.solutions.tolist() == [0, 20, 80, 100]  # found in iteration 2, seen in 3
    assert best.seconds.tolist() == [0.0, 1.5, 4.0, 5.0]
    assert means.points(RunAxis.SOLUTIONS).tolist() == [[70, 170.5], [100, 130]]
    assert best.points(RunAxis.SECONDS, optimum=100)[:, 1].tolist() == [100, 50, 20, 20]
    assert curve.optimum == 100
    assert not curve.solved
    assert not best.costs.flags.writeable


def test_a_run_that_was_killed_ends_with_its_last_line(path: Path) -> None:
    curve = read(path, line(1, None), line(2, 150), line(6, 150, "progress", best_iteration=2))
    assert curve.best.points(RunAxis.ITERATIONS).tolist() == [[2, 150], [6, 150]]


def test_a_log_without_a_solution_is_an_empty_curve(path: Path) -> None:
    curve = read(path)
    assert len(curve.best) == len(curve.means) == 0
    assert np.isnan(curve.best.at(RunAxis.SECONDS, np.array([1.0]))).all()
    assert len(cost_band([curve.best], RunAxis.SECONDS).places) == 0
    assert not curve.solved


def test_a_number_that_is_none_is_refused_in_one_sentence(path: Path, golden: Golden) -> None:
    def told(text: str) -> str:
        wrong = eval(f"dict({text})", {"math": math})
        with pytest.raises(SessionError) as refused:
            read(path, line(1, 170), {**line(2, 150), **wrong})
        said = str(refused.value).removeprefix(f"{path}: ")
        return said.partition(": Expected")[0]  # the rest is msgspec's

    golden.table("refused-log-lines", told)


def test_moments_never_go_back_whatever_a_log_says(path: Path) -> None:
    best = read(path, line(5, 150), line(2, 140), line(9, 160, "progress")).best
    assert best.iterations.tolist() == [5, 5, 9]
    assert best.costs.tolist() == [150, 140, 140]


def test_a_long_curve_keeps_both_ends_when_it_is_thinned(path: Path) -> None:
    curve = falling(path, *range(500, 300, -1))
    thin = curve.thinned(most=12).best
    assert len(thin) <= 12
    assert thin.costs[[0, -1]].tolist() == [500, 301]
    assert set(thin.costs) <= set(curve.best.costs)


def test_a_band_has_mean_and_ends_where_the_first_run_ends(path: Path) -> None:
    one, two = falling(path, 200, 180, 160), falling(path, 210, 170, 170, 150, 140)
    band = cost_band([one.best, two.best], RunAxis.ITERATIONS)
    assert band.runs == 2
    assert band.places.tolist() == [0, 1, 2]  # what the first run had found later is unknown
    assert band.mean.tolist() == [205, 175, 165]
    assert band.low.tolist() == [200, 170, 160]
    assert band.high.tolist() == [210, 180, 170]


def test_a_run_that_found_the_best_known_cost_keeps_it(path: Path) -> None:
    one, two = falling(path, 200, 100), falling(path, 200, 190, 180, 140)
    assert (one.solved, two.solved) == (True, False)
    band = cost_band([one.best, two.best], RunAxis.ITERATIONS, ended=[one.solved, two.solved])
    assert band.places.tolist() == [0, 1, 2, 3]
    assert band.low.tolist() == [200, 100, 100, 100]
    assert cost_band([one.best], RunAxis.ITERATIONS, ended=[True]).places.tolist() == [0, 1]


def test_a_band_of_many_points_is_thinned(path: Path) -> None:
    best = falling(path, *range(500, 300, -1)).best
    band = cost_band([best, best], RunAxis.SECONDS, most=20)
    assert len(band.places) == 20
    assert band.places[[0, -1]].tolist() == [0.0, 99.5]


CITIES = some_cities(8)
TOUR = np.array([3, 1, 0, 2, 7, 6, 5, 4], np.int32)
LENGTH = CITIES.cost_of(TOUR)


def recorded(folder: Path, *lines: dict[str, object], instance: Instance = CITIES) -> Recorded:
    colony = instance.problem.words.colony
    path = written(folder / "run.jsonl", lines, instance=instance, colony=colony, device="cpu:1")
    return recorded_of(read_log(path), instance)


def test_the_last_state_has_the_solution_and_all_that_led_to_it(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        line(0, LENGTH + 9),
        line(2, LENGTH),
        line(5, LENGTH, "progress", best_iteration=2, iteration_best=7, iteration_mean=8.5),
        outcome(
            9,
            LENGTH,
            best_iteration=2,
            tour=CITIES.written(TOUR),
            local_hits=3,
            local_updates=4,
            global_hits=0,
            global_updates=1,
        ),
    )
    state = found.state
    assert found.warning == ""
    assert state.best_solution.tolist() == TOUR.tolist()
    assert (state.iteration, state.best_cost, state.best_iteration) == (9, LENGTH, 2)
    assert (state.solutions_built, state.elapsed) == (90, 4.5)
    assert state.updates.local_ratio == 0.75
    improvements = [(one.iteration, one.cost) for one in state.progress.improvements]
    assert improvements == [(0, LENGTH + 9), (2, LENGTH)]
    assert state.progress.ends.tolist() == [5]
    assert state.progress.best.tolist() == [7]
    assert state.progress.mean.tolist() == [8.5]


def test_a_coloring_is_read_back_like_a_tour(tmp_path: Path) -> None:
    path = next(one.path for one in bundled() if one.problem.words.colony == "coloring")
    graph = load_instance(path)
    colors = np.arange(graph.n, dtype=np.int32)  # one for each vertex is always proper
    last = outcome(3, graph.n, colorings=30, colors=graph.written(colors))
    found = recorded(tmp_path, last, instance=graph)
    assert found.state.best_solution.tolist() == colors.tolist()


def test_a_killed_run_has_its_numbers_without_a_solution(tmp_path: Path) -> None:
    found = recorded(tmp_path, line(2, LENGTH))
    assert found.state.best_solution is None
    assert found.warning == ""
    assert recorded(tmp_path).state is None
    assert recorded(tmp_path, line(1, None)).state is None


def test_what_is_no_solution_is_not_shown(tmp_path: Path) -> None:
    numbers: list[object] = [[1, 2, 3], [1, *range(1, 8)], [*range(8)], [*range(1, 8), 10**30]]
    others: list[object] = [list("12345678"), {"1": 2}, [[1, 2], [3]], "12345678", 5, []]
    for tour in numbers + others:
        found = recorded(tmp_path, outcome(3, LENGTH, tour=tour))
        assert found.state.best_solution is None
        assert "its tour is not shown" in found.warning


def test_a_solution_of_another_cost_is_not_shown(tmp_path: Path) -> None:
    found = recorded(tmp_path, outcome(3, LENGTH - 1, tour=CITIES.written(TOUR)))
    assert found.state.best_solution is None
    assert found.warning.endswith(f"its length is {LENGTH}")
