"""ACO-RLF on the CPU against the paper taken literally, and its choices against equation 2."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gpu.core.errors import DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Wanted
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.coloring.instance import GraphInstance, class_order, greedy_colors, unique_edges
from gpu.rlf.cpu.colony import RlfCpuColony
from gpu.rlf.parameters import ColoringCpuParameters, degree_powers
from tests.gpu.rlf.literal import RlfLiteral, complete, edgeless, graph, random_graph

PLAIN = ColoringCpuParameters(ants=5)
OTHER = {"alpha": 1.5, "beta": 2.5, "rho": 0.8, "reward": 3.0, "deposit": "tour"}
EXTREME = {"alpha": 20, "beta": 20, "rho": 0, "reward": 1e6}


def colony(
    instance: GraphInstance, threads: int = 1, seed: int = 7, **parameters: Any
) -> closing[RlfCpuColony]:
    chosen = dataclasses.replace(PLAIN, **parameters)
    return closing(RlfCpuColony(instance, chosen.resolved(instance.n), seed, threads=threads))


@pytest.mark.parametrize("selection", ["wheel", "trial", "hybrid"])
@pytest.mark.parametrize(
    ("instance", "more"),
    [
        (random_graph(70, 0.3), {"ants": 2}),
        (random_graph(33, 0.8, seed=1), OTHER),
        (random_graph(14, 0.4, seed=2), EXTREME),
        (complete(5), {}),
        (edgeless(9), {"ants": 1}),
        (graph(1, []), {"ants": None}),
    ],
    ids=["sparse", "other", "extreme", "complete", "edgeless", "single"],
)
def test_it_does_what_the_paper_says(
    instance: GraphInstance, more: dict[str, Any], selection: str
) -> None:
    if selection == "trial":  # up to 4096 trials at each visit, and more with strong trails
        more = {"reward": 1.0, **more, "ants": 2}
    given = dataclasses.replace(PLAIN, selection=selection, **more)
    literal = RlfLiteral(instance, given, 7)
    threads = 2 if selection == "wheel" else 1
    with colony(instance, threads, selection=selection, **more) as made:
        for _ in range(3):
            literal.iterate()
            made.iterate(1)
            shot = made.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION)
            assert (shot.best_cost, shot.best_iteration) == (
                literal.best_cost,
                literal.best_iteration,
            )
            assert (shot.iteration_best, shot.iteration_mean) == (
                min(literal.costs),
                sum(literal.costs) / len(literal.costs),
            )
            assert shot.best_solution.tolist() == literal.best_colors
            assert shot.iteration_solution.tolist() == literal.last_colors
            trails = np.array([made.trails_from(v) for v in range(instance.n)])
            assert trails.tobytes() == literal.trails.tobytes()


def test_what_a_snapshot_shows() -> None:
    instance = random_graph(40, 0.5, seed=3)
    literal = RlfLiteral(instance, PLAIN, 7)
    with colony(instance) as made:
        before = made.snapshot(Wanted.EVERYTHING)
        assert before.best_solution is None
        assert before.pheromone.tobytes() == literal.trails.tobytes()
        assert len(before.trails.edges) == 0
        literal.iterate()
        made.iterate(1)
        shot = made.snapshot(Wanted.EVERYTHING)
    order = np.argsort(literal.best_colors, kind="stable")
    assert shot.pheromone is not None
    assert np.array_equal(shot.pheromone, literal.trails[np.ix_(order, order)])
    together = {
        pair
        for classes in literal.classes
        for members in classes
        for pair in literal.together(sorted(members))
    }
    assert {(int(u), int(v)) for u, v in shot.trails.edges} == together
    assert shot.trails.strength[0] == 1
    assert set(shot.phases) == {"choice info", "construction", "update"}
    assert (shot.branching, shot.updates, shot.limits, shot.solutions_built) == (None,) * 3 + (5,)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(
        DeviceMemoryError,
        match=r"30000 vertices, 1000000 ants.*colorings of.*: use at most .* ants",
    ):
        RlfCpuColony(
            GraphInstance("huge", "", 30_000, np.zeros((0, 2), np.int32)),
            ColoringCpuParameters(ants=1_000_000).resolved(
                GraphInstance("huge", "", 30_000, np.zeros((0, 2), np.int32)).n
            ),
            0,
            threads=1,
        )


ANTS = 40_000
"""Enough for a bias of two percent to show."""

# The first vertex is 0, where all others are candidates but 1 and 2, which are its neighbours:
# 3 to 7 have 1, 1, 2, 2 and 0 neighbours among those.
FORK = graph(8, [(0, 1), (0, 2), (3, 1), (4, 2), (5, 1), (5, 2), (6, 1), (6, 2), (3, 4)])


@pytest.mark.parametrize(
    ("selection", "trials"), [("wheel", 4), ("trial", 4), ("hybrid", 1), ("hybrid", 4)]
)
def test_choices_follow_equation_2(selection: str, trials: int) -> None:
    with colony(
        FORK, selection=selection, trials=trials, ants=ANTS, seed=3, beta=2, reward=20
    ) as made:
        made.iterate(2)  # the second from trails that the first has made unequal
        trails = made.trails_from(0)
        made.iterate(1)
        orders = made._state.ants.orders
    after = orders[orders[:, 0] == 0, 1]
    ruled_out = np.array([0, 0, 0, 1, 1, 2, 2, 0])
    weights = ruled_out.astype(float) ** 2 * trails.astype(float) ** 2
    found = np.bincount(after, minlength=8)
    assert found[weights == 0].sum() == 0
    expected = weights / weights.sum() * found.sum()
    assert expected[weights > 0].min() > 50
    # The trails that were read are those of the end of the second iteration.
    assert stats.chisquare(found[weights > 0], expected[weights > 0]).pvalue > 1e-3


@pytest.mark.parametrize("selection", ["wheel", "trial"])
def test_where_nothing_is_ruled_out_all_are_as_probable(selection: str) -> None:
    with colony(edgeless(5), selection=selection, ants=ANTS, seed=5, reward=50) as made:
        made.iterate(2)
        orders = made._state.ants.orders
    for place in (0, 1):
        assert stats.chisquare(np.bincount(orders[:, place], minlength=5)).pvalue > 1e-3


@pytest.mark.data
@pytest.mark.parametrize(("more", "least", "most"), [({}, 165, 169), ({"reward": 300.0}, 140, 145)])
def test_it_colors_as_the_paper_and_better_with_a_larger_reward(
    dimacs: Path, more: dict[str, float], least: int, most: int
) -> None:
    instance = load_graph(dimacs / "DSJC500.9.col")
    with colony(instance, ants=None, threads=2, seed=1, **more) as made:
        made.iterate(25)
        assert least <= made.snapshot(Wanted.SOLUTION).cost <= most  # Table I has 167


STAR = GraphInstance("star", "", 5, unique_edges([(0, leaf) for leaf in range(1, 5)]))


def test_powers_of_degrees() -> None:
    assert degree_powers(4, 2.0).tolist() == [0, 1, 4, 9, 16]
    assert degree_powers(4, 0.5).tolist() == np.sqrt(np.arange(5, dtype=np.float32)).tolist()
    assert degree_powers(4096, 20.0)[-1] == np.float32(2.0**100), "beyond it wheels cannot scale"


@pytest.mark.parametrize(
    ("graph", "colors"),
    [(STAR, 2), (complete(6), 6), (GraphInstance("none", "", 3, unique_edges([])), 1)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_greedy_coloring_needs(graph: GraphInstance, colors: int) -> None:
    assert greedy_colors(graph) == colors


def test_the_order_of_classes() -> None:
    assert class_order(np.array([1, 0, 2, 0, 1])).tolist() == [1, 3, 0, 4, 2]


@pytest.mark.parametrize(
    ("colors", "count", "complaint"),
    [
        ([0, 0, 1, 1, 1], 2, "the same color"),
        ([0, 1, 1, 1], 2, "does not color each vertex once"),
        ([0, 2, 2, 2, 2], 3, "skips a color"),
        ([0, 1, 1, 1, 1], 3, "says 3 of a coloring that costs 2"),
    ],
)
def test_what_is_no_such_coloring_is_not_shown(
    colors: list[int], count: int, complaint: str
) -> None:
    with pytest.raises(WrongSolutionError, match=complaint):
        STAR.checked(np.array(colors), count)


def test_a_proper_coloring_is_copied_and_frozen() -> None:
    colors = np.array([0, 1, 1, 1, 1], np.uint16)
    checked = STAR.checked(colors, 2)
    colors[0] = 1
    assert checked.tolist() == [0, 1, 1, 1, 1]
    assert not checked.flags.writeable
