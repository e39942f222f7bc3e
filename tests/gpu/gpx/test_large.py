"""The gpx colony on graphs that are too large for trails and tabu searches."""

from __future__ import annotations

import numpy as np

from gpu.core.snapshot import Wanted
from gpu.cpu.first_colorings import best_greedy_coloring
from gpu.gpx.cpu.colony import GpxCpuColony
from gpu.gpx.parameters import MOST_SEARCHED, GpxParameters
from gpu.problems.coloring.instance import GraphInstance, unique_edges


def test_a_large_sparse_graph_gets_fewer_colors_than_greedy_ones() -> None:
    n = MOST_SEARCHED + 1000
    pairs = np.random.default_rng(1).integers(0, n, (5 * n, 2))
    graph = GraphInstance("large", "", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    greedy = graph.cost_of(best_greedy_coloring(graph))
    colony = GpxCpuColony(graph, GpxParameters().resolved(n), 1, threads=2)
    try:
        for _ in range(20):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.EVERYTHING)
            if shown.best_cost < greedy:
                break
        assert graph.cost_of(shown.best_solution) == shown.best_cost < greedy
        assert (shown.pheromone, shown.trails) == (None, None)
        assert colony.trails_from(7).tolist() == [1.0] * n
    finally:
        colony.close()
