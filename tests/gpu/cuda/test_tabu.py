"""Tabu searches on the emulation: those of the CPU, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.baseline import tabu
from gpu.coloring import greedy_colors
from gpu.cuda.coloring import ColoringColony
from gpu.instances.graph import GraphInstance
from gpu.parameters import ColoringTabuParameters
from gpu.random import key_of
from gpu.snapshot import Wanted
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.cuda.test_coloring import random_graph

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 2**40 + 5


class Twin:
    """The searches of a colony on the CPU, fed with the colorings of its ants."""

    def __init__(self, graph: GraphInstance, parameters: ColoringTabuParameters) -> None:
        most = greedy_colors(graph)
        assert parameters.searches is not None
        self.rules = tabu.rules_of(key_of(SEED), graph, most, parameters.moves)
        self.searches = tabu.searches_of(graph.n, most, parameters.searches)
        self.desk = tabu.desk_of(graph.n, most)

    def search(self, colors: NDArray[np.int32], costs: NDArray[np.uint64], best: int) -> None:
        ant_of = np.argsort(costs, kind="stable")[: len(self.searches.states)]
        tabu.search_each(
            self.rules,
            self.searches,
            self.desk,
            colors.astype(np.uint32),
            costs.astype(np.int64),
            ant_of,
            best,
            0,
            len(ant_of),
        )


@pytest.mark.parametrize(
    ("graph", "shared"),
    [
        (random_graph(40, 0.5), 64 << 10),
        (random_graph(40, 0.8, 3), 2048),
        (random_graph(7, 0.3), 64 << 10),
    ],
    ids=["half", "dense, counts in global memory", "small"],
)
def test_searches_are_those_of_the_cpu(graph: GraphInstance, shared: int) -> None:
    parameters = ColoringTabuParameters(ants=3, searches=2, moves=30).resolved(graph.n)
    twin = Twin(graph, parameters)
    machine = EmulatedMachine(shared_limit=shared)
    colony = ColoringColony(graph, parameters, machine, SEED, 0)
    arrays, best = colony._arrays, graph.n
    for iteration in range(1, 4):
        machine.run(colony.phases["choice info"])
        machine.run(colony.phases["construction"])
        colors, costs = arrays["colors"].copy(), arrays["costs"].copy()
        twin.search(colors, costs, min(best, int(costs.min())))
        machine.run(colony.phases["tabu search"])
        states, theirs = arrays["searches"], twin.searches
        np.testing.assert_array_equal(states, theirs.states)
        np.testing.assert_array_equal(arrays["search_colors"], theirs.colors)
        found = states[:, tabu.KEPT_COLORS] > 0
        np.testing.assert_array_equal(arrays["kept_colorings"][found], theirs.kept[found])
        for row, kept in zip(
            arrays["kept_colorings"][found], states[found, tabu.KEPT_COLORS], strict=True
        ):
            assert graph.cost_of(row) == kept
        machine.run(colony.phases["update"])
        shot = colony.snapshot(Wanted.EVERYTHING)
        best = shot.best_cost
        assert shot.iteration == iteration
        assert shot.iteration_best == arrays["costs"].min()
        assert shot.iteration_mean == arrays["costs"].sum() / 3
        assert best <= np.min([costs.min(), *states[found, tabu.KEPT_COLORS]])
    assert states[:, tabu.TIME].max() > 0
    colony.close()
