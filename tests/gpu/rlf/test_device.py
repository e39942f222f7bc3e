"""The colonies that color graphs on a real GPU; skipped where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from gpu import catalog
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cuda.colony import machine_of
from gpu.rlf.cpu.colony import RlfCpuColony, RlfTabuCpuColony
from gpu.rlf.parameters import ColoringCpuParameters, ColoringTabuParameters
from tests.gpu.ant_system.test_cuda_construction import goodness
from tests.gpu.rlf.test_cuda import (
    TRIALS,
    fitness_law,
    order_chances,
    orders_of,
    possible,
    random_graph,
    trails,
)

pytestmark = [pytest.mark.cuda, pytest.mark.timeout(300)]

NAMES = {"wheel": "aco-rlf-prefix", "hybrid": "aco-rlf-hybrid", "trial": "aco-rlf-trial"}


@pytest.mark.parametrize("selection", NAMES)
@pytest.mark.parametrize(
    ("n", "density", "values"),
    [
        (31, 0.3, {}),
        (250, 0.5, {}),
        (500, 0.9, {"deposit": "tour", "ants": 40}),
        (1000, 0.1, {"ants": 20}),
        (1100, 0.5, {"ants": 8}),
        (4200, 0.02, {"ants": 4}),
    ],
)
def test_colonies_give_the_cpu_colorings(
    n: int, density: float, values: dict[str, float | str], selection: str
) -> None:
    graph, place = random_graph(n, density), devices.find("cuda")
    system = catalog.find(NAMES[selection], place)
    ours = catalog.build(system, graph, system.parameters.from_mapping(values), place, 3)
    on_cpu = ColoringCpuParameters.from_mapping({**values, "selection": selection})
    theirs = RlfCpuColony(graph, on_cpu.resolved(graph.n), 3, threads=devices.find("cpu").cores)
    for colony in (ours, theirs):
        colony.iterate(3)
    one, other = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
    np.testing.assert_array_equal(ours.trails_from(7), theirs.trails_from(7))
    assert (one.iteration, one.iteration_mean) == (3, other.iteration_mean)
    for part in ("best_solution", "iteration_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    assert set(ours.timed_iteration()) == {"choice info", "construction", "update"}
    for colony in (ours, theirs):
        colony.close()


@pytest.mark.parametrize(("n", "density", "moves"), [(125, 0.5, 2000), (700, 0.3, 500)])
def test_tabu_searches_are_those_of_the_cpu(n: int, density: float, moves: int) -> None:
    graph, place = random_graph(n, density), devices.find("cuda")
    parameters = ColoringTabuParameters(ants=8, searches=6, moves=moves)
    ours = catalog.build(catalog.find("aco-rlf-tabu", place), graph, parameters, place, 5)
    theirs = RlfTabuCpuColony(
        graph, parameters.resolved(graph.n), 5, threads=devices.find("cpu").cores
    )
    for colony in (ours, theirs):
        colony.iterate(4)
    one, other = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
    assert one.best_cost == other.best_cost
    assert one.iteration_mean == other.iteration_mean
    for part in ("best_solution", "iteration_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    for colony in (ours, theirs):
        colony.close()


@pytest.mark.parametrize("selection", TRIALS)
def test_frequencies_of_orders(selection: str) -> None:
    machine = machine_of(devices.find("cuda"))
    orders = orders_of(machine, TRIALS[selection], 250_000)
    assert goodness(orders, possible(order_chances(trails(), fitness_law))) > 1e-3
