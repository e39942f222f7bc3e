from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gpu.core.cost_curve import RunAxis, RunCurves, cost_band
from gpu.run.log.recorded import curves_of
from gpu.run.log.run_log import read_log
from gpu.run.session import SessionError
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


@pytest.mark.parametrize(
    "wrong",
    [
        {"best": "150"},
        {"best": 10**400},
        {"best": 2**60},
        {"best": -1},
        {"best": math.nan},
        {"seconds": math.inf},
        {"seconds": None},
        {"tours": 1.5},
        {"iteration": 10**30},
        {"iteration_mean": "long", "kind": "progress"},
        {"best_iteration": [1]},
    ],
)
def test_a_number_that_is_none_is_refused_in_one_sentence(
    path: Path, wrong: dict[str, object]
) -> None:
    with pytest.raises(SessionError, match=r"run\.jsonl: not a run's log"):
        read(path, line(1, 170), {**line(2, 150), **wrong})


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
