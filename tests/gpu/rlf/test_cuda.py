"""ACO-RLF on the emulation: its ants step by step, their probabilities, and what is told of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceError, DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Wanted
from gpu.cuda.instances import MOST_DEVICE_VERTICES, DeviceGraph
from gpu.cuda.machine import Machine
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.cuda import colony as coloring_construction
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import MOST_TRIALS, ColoringCpuParameters, ColoringParameters
from tests.colonies import assert_same_history
from tests.emulation import needs_emulation
from tests.gpu.ant_system.test_cuda_construction import goodness
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.literal import RlfLiteral

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

TRIALS = {"wheel": 0, "hybrid": 4, "trial": MOST_TRIALS}
"""Name of a selection on the CPU to the trials that it begins with."""


def random_graph(n: int, density: float, seed: int = 1) -> GraphInstance:
    """Each pair of vertices is an edge with the same probability."""
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1)
    return GraphInstance(f"random-{n}", "", n, unique_edges(np.argwhere(upper)))


def emulated(
    graph: GraphInstance, parameters: ColoringParameters, trials: int, seed: int = 7
) -> closing[ColoringColony]:
    """A colony on the emulation."""
    return closing(
        ColoringColony(graph, parameters.resolved(graph.n), EmulatedMachine(), seed, trials)
    )


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


GRAPH = GraphInstance(
    "two rings", "", 6, unique_edges([(0, 1), (1, 2), (2, 0), (3, 4), (0, 3), (1, 5)])
)
ALPHA, BETA = 2, 4
ANTS = 1000

Law = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""From d and τ of some candidates to the probability of each."""


def trails() -> NDArray[np.float32]:
    """Trails of which the largest weighs some twenty times the smallest."""
    drawn = np.random.default_rng(3).uniform(0.6, 1.3, (6, 6))
    apart = np.ones((6, 6), np.bool_)
    apart[GRAPH.edges[:, 0], GRAPH.edges[:, 1]] = False
    level = np.where(apart & apart.T, (drawn + drawn.T) / 2, 0)
    np.fill_diagonal(level, 0)
    return level.astype(np.float32)


def fitness_law(d: NDArray[np.float64], tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equations 1 and 2, and any candidate where no neighbour of one is excluded."""
    fitness = d**ALPHA * tau**BETA if d.any() else np.ones_like(d)
    chances: NDArray[np.float64] = fitness / fitness.sum()
    return chances


def static_law(d: NDArray[np.float64], tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """What trials without a share for d would come to."""
    fitness = tau**BETA if d.any() else np.ones_like(d)
    chances: NDArray[np.float64] = fitness / fitness.sum()
    return chances


def order_chances(level: NDArray[np.float32], law: Law) -> dict[tuple[int, ...], float]:
    """Return the probability of every order of visits; impossible ones have 0."""
    near = [
        {v for edge in GRAPH.edges.tolist() if u in edge for v in edge if v != u} for u in range(6)
    ]
    return {
        order: order_chance(order, near, level.astype(np.float64), law)
        for order in itertools.permutations(range(6))
    }


def order_chance(
    order: tuple[int, ...], near: list[set[int]], level: NDArray[np.float64], law: Law
) -> float:
    """Return the probability of an order: each class begins anywhere and goes on by the law."""
    uncolored = set(range(6))
    candidates: set[int] = set()
    excluded: set[int] = set()
    chance, last = 1.0, -1
    for vertex in order:
        if not candidates:
            candidates, excluded = set(uncolored), set()
            chance /= len(candidates)
        elif vertex not in candidates:
            return 0.0
        else:
            listed = sorted(candidates)
            d = np.array([len(near[j] & excluded) for j in listed], np.float64)
            chance *= float(law(d, level[last, listed])[listed.index(vertex)])
        uncolored.remove(vertex)
        candidates.remove(vertex)
        excluded |= candidates & near[vertex]
        candidates -= near[vertex]
        last = vertex
    return chance


def orders_of(machine: Machine, trials: int, ants: int) -> NDArray[np.int32]:
    """Return the orders in which ants visit the vertices, shape (ants, 6)."""
    parameters = ColoringParameters(ants=ants, alpha=ALPHA, beta=BETA, deposit="tour")
    colony = ColoringColony(GRAPH, parameters.resolved(GRAPH.n), machine, 11, trials)
    level = trails()
    padded = np.zeros(colony._arrays["trails"].shape, np.float32)
    padded[:, :6] = level
    machine.upload(colony._arrays["trails"], padded)
    machine.run([*colony.phases["choice info"], *colony.phases["construction"]])
    orders = machine.download(colony._arrays["order"])
    colony.close()
    return orders


def possible(chances: Mapping[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Leave out what cannot be."""
    return {order: chance for order, chance in chances.items() if chance > 0}


@pytest.mark.parametrize("selection", TRIALS)
def test_frequencies_of_orders(selection: str) -> None:
    chances = possible(order_chances(trails(), fitness_law))
    assert sum(chances.values()) == pytest.approx(1)
    orders = orders_of(EmulatedMachine(), TRIALS[selection], ANTS)
    assert goodness(orders, chances) > 1e-3
    assert goodness(orders, possible(order_chances(trails(), static_law))) < 1e-6
