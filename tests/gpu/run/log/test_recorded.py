from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run.log.recorded import Recorded, recorded_of
from gpu.run.log.run_log import read_log
from tests.colonies import some_cities
from tests.logs import line, outcome, written

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


@pytest.mark.parametrize(
    "tour",
    [
        [1, 2, 3],
        [1, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1, 2, 3, 4, 5, 6, 7, 10**30],
        list("12345678"),
        {"1": 2},
        [[1, 2], [3]],
        "12345678",
        5,
        [],
    ],
)
def test_what_is_no_solution_is_not_shown(tmp_path: Path, tour: object) -> None:
    found = recorded(tmp_path, outcome(3, LENGTH, tour=tour))
    assert found.state.best_solution is None
    assert "its tour is not shown" in found.warning


def test_a_solution_of_another_cost_is_not_shown(tmp_path: Path) -> None:
    found = recorded(tmp_path, outcome(3, LENGTH - 1, tour=CITIES.written(TOUR)))
    assert found.state.best_solution is None
    assert found.warning.endswith(f"its length is {LENGTH}")
