"""Colonies on kernels: what is shown of them is of the whole graph."""

from __future__ import annotations

import gc
import json
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.decisions import Step
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.core.trails import matrix_picture
from gpu.gpx.kernel import KernelColony, kernel_of
from gpu.gpx.parameters import MOST_SEARCHED
from gpu.problems.coloring.instance import GraphInstance, class_order, unique_edges
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Result
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.gpu.rlf.literal import random_graph


def with_leaves(n: int, leaves: int) -> GraphInstance:
    """Return a random graph, each vertex with an odd number, and paths that hang on it."""
    inner = random_graph(n, 0.5, seed=3).edges * 2 + 1
    drawn = np.random.default_rng(4)
    places = [2 * n + at for at in range(leaves)] + list(range(0, 2 * n, 2))
    hung = [(place, int(drawn.integers(n)) * 2 + 1) for place in places]
    return GraphInstance("hung", "", 2 * n + leaves, unique_edges([*inner.tolist(), *hung]))


GRAPH = with_leaves(60, 20)


def colony_of(system: str, **values: Any) -> Colony:
    device = devices.find("cpu:1")
    row = catalog.find(system, device)
    return catalog.build(row, GRAPH, row.parameters.from_mapping(values), device, 7)


@pytest.mark.parametrize("system", ["gpx-seq", "head-seq"])
def test_what_is_shown_is_of_the_whole_graph(system: str) -> None:
    found = kernel_of(GRAPH)
    assert found is not None
    assert set(found.vertices.tolist()) <= set(range(1, 120, 2))
    with closing(colony_of(system, moves=200)) as colony:
        assert isinstance(colony, KernelColony)
        colony.iterate(12)
        shown = colony.snapshot(Wanted.EVERYTHING)
        assert shown.kernel == found.kernel.n <= 60
        assert shown.best_solution is not None
        assert shown.iteration_solution is not None
        assert GRAPH.cost_of(shown.best_solution) == shown.best_cost
        assert GRAPH.cost_of(shown.iteration_solution) == shown.iteration_best
        trails = np.stack([colony.trails_from(v) for v in range(GRAPH.n)])
        assert (trails[found.removed] == 1).all()
        assert trails.max() > 2
        assert shown.pheromone is not None
        whole = matrix_picture(trails, class_order(shown.best_solution))
        np.testing.assert_array_equal(shown.pheromone, whole)
        assert shown.trails is not None
        strong = trails[tuple(shown.trails.edges.T)]
        np.testing.assert_allclose(shown.trails.strength, strong / strong.max())


def test_a_pixel_of_many_trails_has_the_largest() -> None:
    n = 1500
    leaves = [(v, v % 40) for v in range(40, n)]
    inner = random_graph(40, 0.6, seed=5).edges.tolist()
    graph = GraphInstance("many", "", n, unique_edges([*inner, *leaves]))
    device = devices.find("cpu:1")
    row = catalog.find("gpx-seq", device)
    with closing(catalog.build(row, graph, row.parameters(), device, 7)) as colony:
        colony.iterate(5)
        shown = colony.snapshot(Wanted.EVERYTHING)
        trails = np.stack([colony.trails_from(v) for v in range(n)])
        assert shown.best_solution is not None
        whole = matrix_picture(trails, class_order(shown.best_solution))
        np.testing.assert_array_equal(shown.pheromone, whole)


def test_decisions_name_the_vertices_of_the_whole_graph() -> None:
    found = kernel_of(GRAPH)
    assert found is not None
    kept = set(found.vertices.tolist())
    system = catalog.named("gpx-seq")
    parameters = system.parameters.from_mapping({"moves": 200})
    with closing(colony_of("gpx-seq", moves=200)) as colony:
        colony.iterate(6)
        replay = catalog.rule_of(system, GRAPH, parameters, 7).replay(colony, 6)
        for ant in (0, 8, 9):  # it crosses colorings; an optimizer; an explorer
            for number in (1, 9, 30):
                step = replay.decision(ant, number)
                assert isinstance(step, Step)
                assert {place for one in step.options.told for place in one.places} <= kept
                assert step.picture.colors is not None
                assert step.picture.colors.shape == (GRAPH.n,)
                for mark in step.picture.marks:
                    assert set(np.ravel(mark.places).tolist()) <= kept
                if "vertex " in step.sentence:
                    named = int(step.sentence.split("vertex ")[1].split()[0].strip(","))
                    assert named - 1 in step.picture.marked(*(m.sign for m in step.picture.marks))
                    assert named % 2 == 0


def test_result_and_log_say_how_many_vertices_were_left(tmp_path: Path) -> None:
    found = kernel_of(GRAPH)
    assert found is not None
    session = new_session(
        GRAPH, device="cpu:1", colony="gpx-seq", seed=1, stop=StopSettings(iterations=3)
    )
    log = tmp_path / "run.jsonl"
    run = Run(GRAPH, session, recorder=Recorder(log, session, GRAPH, pytest.fail))
    outcome = run.finish()
    result = Result.of(GRAPH, session, outcome).to_dict()
    assert result["kernel"] == outcome.state.kernel == found.kernel.n
    last = json.loads(log.read_text().splitlines()[-1])
    assert last["kernel"] == found.kernel.n


def test_large_graphs_and_kernels_of_nearly_all_are_colored_whole() -> None:
    assert kernel_of(random_graph(40, 0.5, seed=1)) is None
    path = [(v, v + 1) for v in range(MOST_SEARCHED)]
    assert kernel_of(GraphInstance("path", "", MOST_SEARCHED + 1, unique_edges(path))) is None


def test_a_graph_is_not_kept_for_its_kernel() -> None:
    for leaves in (20, 0):
        graph = with_leaves(60, 20) if leaves else random_graph(40, 0.5)
        assert (kernel_of(graph) is None) == (leaves == 0)
        kept = weakref.ref(graph)
        del graph
        gc.collect()
        assert kept() is None
