"""ACO-RLF on the emulation: what its ants do, step by step, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceError, DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Wanted
from gpu.cuda.instances import MOST_DEVICE_VERTICES, DeviceGraph
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.cuda import colony as coloring_construction
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import MOST_TRIALS, ColoringCpuParameters, ColoringParameters
from tests.colonies import assert_same_history
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.literal import RlfLiteral

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

TRIALS = {"wheel": 0, "hybrid": 4, "trial": MOST_TRIALS}
"""Name of a selection on the CPU to the trials that it begins with."""


def random_graph(n: int, density: float, seed: int = 1) -> GraphInstance:
    """Each pair of vertices is an edge with the same probability."""
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1)
    return GraphInstance(f"random-{n}", "", n, unique_edges(np.argwhere(upper)))


@contextmanager
def emulated(
    graph: GraphInstance, parameters: ColoringParameters, trials: int, seed: int = 7
) -> Iterator[ColoringColony]:
    """A colony on the emulation."""
    colony = ColoringColony(graph, parameters.resolved(graph.n), EmulatedMachine(), seed, trials)
    try:
        yield colony
    finally:
        colony.close()


def trails_of(colony: ColoringColony) -> NDArray[np.float32]:
    """All trails."""
    return np.stack([colony.trails_from(vertex) for vertex in range(colony._graph.n)])


@pytest.mark.parametrize("selection", TRIALS)
@pytest.mark.parametrize(
    ("n", "density", "values"),
    [
        (40, 0.5, {"ants": 3}),
        (36, 0.1, {"ants": 3, "deposit": "tour", "reward": 3.0, "rho": 0.8}),
        (33, 0.9, {"ants": 2, "alpha": 0.5, "beta": 2.5}),
        (9, 0.4, {"alpha": 1.0, "beta": 1.0}),
    ],
)
def test_colonies_do_what_the_paper_says(
    selection: str, n: int, density: float, values: dict[str, float | str]
) -> None:
    graph = random_graph(n, density)
    literal = RlfLiteral(
        graph, ColoringCpuParameters.from_mapping({**values, "selection": selection}), 7
    )
    with emulated(graph, ColoringParameters.from_mapping(values), TRIALS[selection]) as colony:
        for _ in range(2):
            literal.iterate()
            colony.iterate(1)
            assert colony._arrays["colors"].tolist() == literal.colorings
            assert_told(colony, literal)


def assert_told(colony: ColoringColony, literal: RlfLiteral) -> None:
    """What a snapshot tells is so."""
    np.testing.assert_array_equal(trails_of(colony), literal.trails)
    shot = colony.snapshot(Wanted.EVERYTHING)
    assert shot.iteration == literal.iteration
    assert shot.solutions_built == literal.iteration * literal.m
    assert (shot.best_cost, shot.best_iteration) == (literal.best_cost, literal.best_iteration)
    assert shot.iteration_best == min(literal.costs)
    assert shot.iteration_mean == sum(literal.costs) / literal.m
    assert_same_history(shot, shot)
    assert shot.best_solution.tolist() == literal.best_colors
    assert shot.iteration_solution.tolist() == literal.last_colors
    assert shot.branching is None
    order = np.argsort(literal.best_colors, kind="stable")
    assert shot.pheromone is not None
    np.testing.assert_array_equal(shot.pheromone, literal.trails[np.ix_(order, order)])
    ends = shot.trails.edges
    strengths = literal.trails[ends[:, 0], ends[:, 1]]
    assert (ends[:, 0] < ends[:, 1]).all()
    np.testing.assert_array_equal(shot.trails.strength, strengths / literal.trails.max())


@pytest.mark.parametrize("shape", [(1, 4), (4, 8), (16, 32)])
def test_sets_and_shares_of_any_size_give_the_same(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coloring_construction, "shape_of", lambda words: shape)
    graph, values = random_graph(70, 0.6), {"ants": 2, "selection": "hybrid"}
    literal = RlfLiteral(graph, ColoringCpuParameters.from_mapping(values), 3)
    literal.iterate()
    with emulated(graph, ColoringParameters(ants=2), 4, seed=3) as colony:
        colony.iterate(1)
        assert colony._arrays["colors"].tolist() == literal.colorings


@pytest.mark.parametrize(
    ("n", "shape"),
    [(1, (1, 1)), (256, (1, 1)), (257, (1, 2)), (1000, (1, 4)), (1025, (4, 8)), (16384, (16, 32))],
)
def test_each_size_has_its_shape(n: int, shape: tuple[int, int]) -> None:
    words = -(-n // 32)
    assert coloring_construction.shape_of(words) == shape
    assert words <= 32 * shape[0]


def test_a_graph_too_large_is_refused_before_anything_is_allocated() -> None:
    class Large:
        name, n = "large", MOST_DEVICE_VERTICES + 1

    with pytest.raises(DeviceMemoryError, match=f"has {MOST_DEVICE_VERTICES + 1} vertices"):
        DeviceGraph.of(cast(GraphInstance, Large()))


def test_a_device_without_room_for_trials_is_told_of() -> None:
    graph = random_graph(70, 0.5)
    with pytest.raises(DeviceError, match="choose aco-rlf-prefix"):
        ColoringColony(
            graph, ColoringParameters().resolved(graph.n), EmulatedMachine(largest_block=32), 1, 4
        )


def test_a_coloring_is_checked_before_it_is_shown() -> None:
    graph = random_graph(9, 0.5)
    with emulated(graph, ColoringParameters(), 0) as colony:
        colony.iterate(1)
        colony._arrays["best_coloring"][:] = 0
        with pytest.raises(WrongSolutionError, match="gives the neighbours 1 and 3 the same"):
            colony.snapshot(Wanted.SOLUTION)


def test_an_iteration_left_in_its_midst_is_gone_on_with() -> None:
    graph, parameters = random_graph(12, 0.5), ColoringParameters(ants=3, deposit="tour")
    left = ColoringColony(
        graph, parameters.resolved(graph.n), EmulatedMachine(milliseconds=15.0), 7, 4
    )
    with emulated(graph, parameters, 4) as whole:
        calls = 0
        for iteration in range(2):
            before = whole.snapshot(Wanted.SOLUTION)
            while (shown := left.snapshot(Wanted.SOLUTION)).iteration == iteration:
                np.testing.assert_array_equal(shown.best_solution, before.best_solution)
                np.testing.assert_equal(shown.iteration_mean, before.iteration_mean)
                left.iterate(1, lambda: True)
                calls += 1
            whole.iterate(1)
        assert calls > 2
        np.testing.assert_array_equal(trails_of(left), trails_of(whole))
    left.close()
