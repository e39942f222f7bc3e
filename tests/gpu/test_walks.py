"""What an iteration's ants built is what its numbers tell of, in every colony."""

from __future__ import annotations

import dataclasses
from contextlib import closing

import numpy as np
import pytest

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.decisions import BackwardRule, Sign, Step
from gpu.core.errors import WrongSolutionError
from gpu.core.machine import devices
from gpu.core.problem import Problem
from gpu.core.snapshot import MOST_WALKED, MOST_WALKERS, Wanted
from gpu.problems.coloring import walks as color_walks
from gpu.problems.tsp import walks
from tests import digests
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.cpu import makers

ON_CPU = [
    (system.name, place)
    for system in catalog.CATALOG
    for place in ("cpu:1", "cpu")
    if place in system.builders and not system.name.startswith("gpx")
]
ON_GPU = [
    "acs-gpu-alt",
    "acs-gpu-spm",
    "acs-gpu",
    "as-data",
    "as-st-dynamic",
    "mmas-rwm-bt-cl",
    "aco-rlf-prefix",
    "aco-rlf-trial",
]
GRAPH = digests.graph(40, 0.5, 1)


def on_cpu(name: str, place: str, n: int = 40, **values: object) -> Colony:
    system = catalog.named(name)
    device = dataclasses.replace(devices.find(place), cores=1 if place == "cpu:1" else 2)
    parameters = system.parameters.from_mapping(values)
    instance = makers.uniform(n, size=10_000) if system.problem is Problem.TSP else GRAPH
    return catalog.build(system, instance, parameters, device, 5)


def on_gpu(name: str, **values: object) -> Colony:
    system = catalog.named(name)
    parameters = system.parameters.from_mapping(values)
    with digests.emulated() as device:
        instance = scattered(30) if system.problem is Problem.TSP else GRAPH
        return catalog.build(system, instance, parameters, device, 5)


def check_all(colony: Colony, ants: int) -> None:
    """Each ant's tour or coloring is there, with the cost that the colony itself has measured."""
    assert colony.snapshot(Wanted.WALKS).walks is None  # nobody has walked yet
    for _ in range(2):
        colony.iterate(1)
        shot = colony.snapshot(Wanted.WALKS | Wanted.ITERATION_SOLUTION)
        assert shot.walks is not None
        assert shot.iteration_solution is not None
        assert shot.walks.orders.shape == (ants, len(shot.iteration_solution))
        assert shot.walks.ants == ants
        assert shot.walks.costs.min() == shot.iteration_best
        assert shot.walks.costs.mean() == pytest.approx(shot.iteration_mean)
        built = shot.walks.orders if shot.walks.colors is None else shot.walks.colors
        best = built[shot.walks.costs == shot.iteration_best]
        if shot.walks.changed is not None:  # each ant begins elsewhere
            first = shot.iteration_solution[0]
            best = np.array([np.roll(one, -int(np.flatnonzero(one == first)[0])) for one in best])
        assert (best == shot.iteration_solution).all(axis=1).any()
    assert colony.snapshot(Wanted.NUMBERS).walks is None


@pytest.mark.parametrize(("name", "place"), ON_CPU)
def test_colonies_show_what_their_ants_build_if_the_catalog_says_so(name: str, place: str) -> None:
    if catalog.named(name).walks:
        with closing(on_cpu(name, place, ants=7)) as colony:
            check_all(colony, 7)
    else:
        with closing(on_cpu(name, place, 1200)) as colony:
            colony.iterate(1)
            assert colony.snapshot(Wanted.WALKS).walks is None


@needs_emulation
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ON_GPU)
def test_so_do_colonies_on_a_gpu(name: str) -> None:
    with closing(on_gpu(name, ants=7)) as colony:
        check_all(colony, 7)


def test_with_a_local_search_the_best_ant_shows_what_it_built() -> None:
    with closing(on_cpu("mmas-seq", "cpu:1", ants=7, local_search="2opt")) as colony:
        colony.iterate(2)
        shot = colony.snapshot(Wanted.WALKS | Wanted.BUILT_SOLUTION)
        assert shot.walks is not None
        assert shot.built_solution is not None
        assert shot.iteration_best is not None
        np.testing.assert_array_equal(shot.walks.orders, shot.built_solution[None])
        assert shot.walks.costs[0] > shot.iteration_best


def test_of_many_ants_the_first_are_shown_and_of_many_cities_none() -> None:
    instance = makers.uniform(12)
    tours = np.tile(np.arange(12), (MOST_WALKERS + 3, 1))
    shown = walks.walks_of(instance, tours)
    assert shown is not None
    assert (len(shown.orders), shown.ants) == (MOST_WALKERS, MOST_WALKERS + 3)
    many = makers.uniform(MOST_WALKED + 1)
    assert walks.walks_of(many, np.arange(many.n)[None]) is None
    tours[2, 3] = 4
    with pytest.raises(WrongSolutionError, match="every city"):
        walks.walks_of(instance, tours)


def test_what_ants_have_changed_of_a_tour_is_told() -> None:
    instance = makers.uniform(8)
    source = np.array([3, 1, 4, 0, 5, 2, 6, 7])
    moved = np.array([5, 0, 4, 2, 6, 7, 3, 1])  # 2 is between 1 and 6 now: one move of three edges
    shown = walks.walks_of(instance, np.array([np.roll(source, 3)[::-1], moved]), 9, source)
    assert shown is not None
    assert shown.changed is not None
    assert shown.ants == 9
    assert not shown.changed[0].any()
    edges = zip(moved, np.roll(moved, -1), strict=True)
    there = {frozenset(one) for one in zip(source, np.roll(source, -1), strict=True)}
    assert shown.changed[1].tolist() == [frozenset(one) not in there for one in edges]


def test_vertices_are_in_the_order_in_which_they_took_their_class() -> None:
    with closing(on_cpu("aco-rlf-seq", "cpu:1", ants=4)) as colony:
        colony.iterate(1)
        shown = colony.snapshot(Wanted.WALKS).walks
    assert shown is not None
    assert shown.colors is not None
    adjacent = np.zeros((GRAPH.n, GRAPH.n), np.bool_)
    adjacent[tuple(GRAPH.edges.T)] = True
    adjacent |= adjacent.T
    for order, colors in zip(shown.orders, shown.colors, strict=True):
        begins = np.flatnonzero(np.diff(colors[order], prepend=-1))
        for begin in begins[1:]:  # a class is left when nothing that has no color fits into it
            left = order[:begin][colors[order[:begin]] == colors[order[begin]] - 1]
            assert adjacent[np.ix_(order[begin:], left)].any(axis=1).all()
    orders, colors = np.array(shown.orders), np.array(shown.colors)
    few = color_walks.walks_of(GRAPH, orders[:2], colors[:2], 9)
    assert few is not None
    assert (len(few.orders), few.ants) == (2, 9)
    with pytest.raises(WrongSolutionError, match="went back"):
        color_walks.walks_of(GRAPH, orders[:, ::-1], colors, 4)


@pytest.mark.parametrize("name", ["mmas-seq", "acs-seq", "acs-seq-spm", "aco-rlf-seq"])
def test_what_ants_chose_is_told_when_they_have_chosen(name: str) -> None:
    system = catalog.named(name)
    with closing(on_cpu(name, "cpu:1", ants=5)) as colony:
        colony.iterate(3)
        instance = GRAPH if system.problem is Problem.COLORING else makers.uniform(40, size=10_000)
        given = system.parameters.from_mapping({"ants": 5}).resolved(instance.n)
        rule = catalog.rule_of(system, instance, given, 5)
        assert isinstance(rule, BackwardRule)
        before = rule.copied(colony)
        colony.iterate(1)
        shown = colony.snapshot(Wanted.WALKS).walks
    assert shown is not None
    replay, elsewhere = rule.replay_made(before, 3, shown.orders), 0
    first = 0 if system.problem is Problem.COLORING else 1
    for ant, order in enumerate(shown.orders):
        for step in range(1, len(order) + 1 - first):
            told = replay.decision(ant, step)
            assert isinstance(told, Step)
            (chosen,) = told.picture.marked(Sign.CHOSEN)
            assert told.iteration == 3
            assert order[step - 1 + first] == chosen or "went to" in told.caveat
            elsewhere += order[step - 1 + first] != chosen
            visited = told.picture.marked(Sign.VISITED, Sign.COLORED)
            assert visited == order[: step - 1 + first].tolist()
    assert elsewhere <= (5 if name.startswith("acs") else 0)  # of 195: ACS updates trails meanwhile
