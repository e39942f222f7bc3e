"""Tabu searches on the emulation: those of the CPU, and colorings that are proper."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.snapshot import Wanted
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.cpu.colony import RlfTabuCpuColony
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import ColoringTabuParameters
from gpu.tabu_search import cpu as tabu_tables
from tests.colonies import assert_same_history
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.test_cuda import random_graph

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 2**40 + 5


@pytest.mark.parametrize(
    ("graph", "values", "shared"),
    [
        (random_graph(40, 0.5), {"moves": 30}, 64 << 10),
        (random_graph(40, 0.8, 3), {"moves": 25, "deposit": "tour"}, 2048),
        (random_graph(7, 0.3), {"moves": 9}, 64 << 10),
        (random_graph(3, 0.0), {}, 64 << 10),
    ],
    ids=["half", "counts in global memory, deposits on tours", "small", "no edge"],
)
def test_searches_and_what_comes_of_them_are_those_of_the_cpu(
    graph: GraphInstance, values: dict[str, int | str], shared: int
) -> None:
    parameters = ColoringTabuParameters.from_mapping({"ants": 3, "searches": 2, **values})
    ours = ColoringColony(
        graph, parameters.resolved(graph.n), EmulatedMachine(shared_limit=shared), SEED, 0
    )
    theirs = RlfTabuCpuColony(graph, parameters.resolved(graph.n), SEED, threads=2)
    for _ in range(3):
        for colony in (ours, theirs):
            colony.iterate(1)
        states = ours._arrays["searches"]
        np.testing.assert_array_equal(states, theirs._searching.searches.states)
        for vertex in range(graph.n):
            np.testing.assert_array_equal(ours.trails_from(vertex), theirs.trails_from(vertex))
        one, other = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
        for part in ("iteration", "best_cost", "best_iteration", "iteration_best"):
            assert getattr(one, part) == getattr(other, part), part
        assert one.iteration_mean == other.iteration_mean
        assert_same_history(one, other)
        for part in ("best_solution", "iteration_solution", "pheromone"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
        assert set(map(tuple, one.trails.edges)) == set(map(tuple, other.trails.edges))
        np.testing.assert_array_equal(one.trails.strength, other.trails.strength)
    found = states[:, tabu_tables.KEPT_COLORS] > 0
    np.testing.assert_array_equal(
        ours._arrays["kept_colorings"][found], theirs._searching.searches.kept[found]
    )
    if graph.n == 40:
        assert found.any()
        assert one.best_cost == states[found, tabu_tables.KEPT_COLORS].min()
    assert set(ours.timed_iteration()) == set(theirs.timed_iteration())
    ours.close()
    theirs.close()
