"""The selective memory on the emulation: one ant against the sequential colony, tour for tour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpu.acs.cuda.colony import WholeTours
from gpu.acs.cuda.trails import SelectiveTrails
from gpu.acs.parameters import LISTED_ALONE, REMEMBERED, SpmParameters
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import emulated, explicit, on_cpu, scattered

pytestmark = [needs_emulation, pytest.mark.timeout(300)]


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 31, 32])
def test_one_ant_with_selective_memory_is_the_sequential_colony(size: int) -> None:
    for greedy, period in ((LISTED_ALONE, 1), (REMEMBERED, 2), (LISTED_ALONE, 2), (REMEMBERED, 1)):
        parameters = SpmParameters(
            candidates=8, ants=1, memory=size, update_period=period, q0=0.5, rho=0.3, greedy=greedy
        )
        same_as_sequential(scattered(60), parameters, 3)


def same_as_sequential(instance: TspInstance, parameters: SpmParameters, iterations: int) -> None:
    """Compare the selective memory's colonies, with one ant, after each iteration."""
    with (
        emulated(instance, parameters, SelectiveTrails, WholeTours) as ours,
        on_cpu(instance, parameters, "acs-seq-spm", "cpu:1") as theirs,
    ):
        for _ in range(iterations):
            ours.iterate(1)
            theirs.iterate(1)
            a, b = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
            np.testing.assert_array_equal(a.iteration_solution, b.iteration_solution)
            np.testing.assert_array_equal(a.best_solution, b.best_solution)
            np.testing.assert_array_equal(a.pheromone, b.pheromone)
            assert a.updates == b.updates


FEW = SpmParameters(candidates=2, ants=1, q0=0.9, rho=0.1)


@pytest.mark.parametrize(
    ("instance", "parameters"),
    [
        pytest.param(scattered(90), FEW, id="two candidates"),
        pytest.param(scattered(90), replace(FEW, greedy=LISTED_ALONE), id="as in Fig. 3"),
        pytest.param(scattered(90), replace(FEW, candidates=1, update_period=3), id="one"),
        pytest.param(scattered(90), replace(FEW, memory=32, q0=0.5), id="a large memory"),
        pytest.param(scattered(60, extent=6), replace(FEW, candidates=4), id="ties"),
        pytest.param(scattered(60, extent=12), replace(FEW, candidates=31), id="long lists"),
        pytest.param(scattered(60, extent=6), replace(FEW, beta=0.5), id="little heuristic"),
        pytest.param(scattered(60, Metric.ATT), replace(FEW, beta=2.5), id="another metric"),
        pytest.param(explicit(60, False), FEW, id="a matrix"),
        pytest.param(explicit(60, True), FEW, id="directed"),
    ],
)
def test_remembered_cities_off_the_list_are_chosen_as_by_the_sequential_colony(
    instance: TspInstance, parameters: SpmParameters
) -> None:
    same_as_sequential(instance, parameters, 12)


def test_the_greedy_choice_looks_off_the_list_only_where_it_is_asked_to() -> None:
    means = []
    for greedy in (LISTED_ALONE, REMEMBERED):
        parameters = replace(FEW, greedy=greedy)
        with emulated(scattered(90), parameters, SelectiveTrails, WholeTours) as colony:
            colony.iterate(12)
            means.append(colony.snapshot(Wanted.NUMBERS).iteration_mean)
    assert means[0] != means[1]
