"""What is told of an ant of a focused colony is what it does in the iteration that follows."""

from __future__ import annotations

import itertools
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.decisions import Unanswered
from gpu.core.snapshot import Wanted
from gpu.decisions import InitialTrails
from gpu.focused.cpu.colony import FocusedCpuColony
from gpu.focused.cpu.state import Log
from gpu.focused.parameters import FOCUSED_STEPS
from gpu.focused.replay import (
    DoubleBridge,
    Fate,
    FocusedReplay,
    FocusedRule,
    PlaceChoice,
    Repair,
    Verdict,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.replay import TourChange, TourEdges
from tests.gpu.cpu import makers
from tests.gpu.focused.test_cpu import colony_of, directed, random_matrix
from tests.gpu.tour_changes.cases import HOSTILE

Pairs = set[tuple[int, int]]

CLUSTERED = makers.points(
    np.random.default_rng(8).normal(0, 30, (400, 2)).round()
    + 2000 * np.random.default_rng(9).integers(0, 4, (400, 2))
)


def pairs_of(cities: NDArray[np.integer]) -> Pairs:
    return {(min(a, b), max(a, b)) for a, b in cities.tolist()}


def as_told(edges: TourEdges) -> Pairs:
    return {(a, b) for a, b in edges.cities.tolist()}


def edges_of(tour: NDArray[np.integer]) -> Pairs:
    return pairs_of(np.column_stack((tour, np.roll(tour, -1))))


def told(
    instance: TspInstance, colony: FocusedCpuColony, ants: range, iteration: int
) -> list[list[TourChange]]:
    """All steps of these ants in the coming iteration."""
    replay = FocusedRule(instance).replay(colony, iteration)
    assert isinstance(replay, FocusedReplay)
    return [[replay.told(ant, step) for step in range(1, FOCUSED_STEPS + 1)] for ant in ants]


def logged(log: Log, cell: int) -> list[tuple[Pairs, Pairs]]:
    """The changes that a cell's ants have entered in the last iteration."""
    ends = np.cumsum(log.sizes[cell, : log.exchanges[cell]])
    begins = ends - log.sizes[cell, : log.exchanges[cell]]
    return [
        (pairs_of(log.old[cell, first:end]), pairs_of(log.new[cell, first:end]))
        for first, end in zip(begins, ends, strict=True)
    ]


def check_edges(edges: TourEdges, instance: TspInstance) -> None:
    lengths = instance.distances(edges.cities[:, 0], edges.cities[:, 1])
    assert np.array_equal(edges.lengths, lengths)
    assert ((edges.trails >= 1) & (edges.trails <= 100)).all()


def check_steps(steps: list[TourChange], instance: TspInstance) -> None:
    """The steps of an ant fit together, and each leaves a tour."""
    place, double_bridge, repair, verdict = steps
    assert isinstance(place.what, PlaceChoice)
    assert isinstance(double_bridge.what, DoubleBridge)
    assert isinstance(repair.what, Repair)
    assert isinstance(verdict.what, Verdict)
    assert double_bridge.what.drawn == place.what.taken
    assert place.what.behind.trails[place.what.at] == place.what.behind.trails.min()
    assert len(place.given) == len(place.made) == 0
    for step in steps:
        assert len(step.given) == len(step.made)
        check_edges(step.given, instance)
        check_edges(step.made, instance)
        assert len(step.kept) + len(step.made) == instance.n
        after = np.concatenate((step.kept, step.made.cities))
        assert np.bincount(after.ravel(), minlength=instance.n).tolist() == [2] * instance.n
    assert double_bridge.gain + repair.gain == verdict.gain
    assert repair.what.bridged == double_bridge.gain
    assert repair.what.back == (len(verdict.given) == 0)
    assert len(double_bridge.given) <= 4
    given, made, then, there = map(
        as_told, (double_bridge.given, double_bridge.made, repair.given, repair.made)
    )
    assert as_told(verdict.given) == (given - there) | (then - made)
    assert as_told(verdict.made) == (made - then) | (there - given)
    if verdict.what.fate is Fate.UNCHANGED:
        assert len(verdict.given) == 0
        return
    chance = verdict.what.probability(verdict.gain)
    if verdict.what.fate is Fate.TOO_LONG:
        assert verdict.gain < 0
        assert verdict.what.draw > 0.999 * chance
    else:
        assert verdict.gain >= 0 or verdict.what.draw < 1.001 * chance


def check_iterations(instance: TspInstance, colony: FocusedCpuColony, iterations: int) -> set[Fate]:
    """What is told before each iteration is what the colony has entered in its log after it."""
    fates = set()
    with closing(colony):
        colony.iterate(1)
        for iteration in range(1, iterations + 1):
            state = colony.standing
            count = state.cells.bounds.size - 1
            firsts = [state.rules.ants * cell // count for cell in range(count + 1)]
            foretold = [
                told(instance, colony, range(*ants), iteration)
                for ants in itertools.pairwise(firsts)
            ]
            colony.iterate(1)
            for cell, stories in enumerate(foretold):
                changes = []
                for steps in stories:
                    check_steps(steps, instance)
                    last = steps[-1]
                    assert isinstance(last.what, Verdict)
                    fates.add(last.what.fate)
                    if last.what.fate is Fate.KEPT:
                        changes.append((pairs_of(last.given.cities), pairs_of(last.made.cities)))
                if not instance.directed:
                    assert changes == logged(state.log, cell)
    return fates


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cities", [10, 60, 300])
def test_all_ants_of_an_iteration_are_told(cities: int, seed: int) -> None:
    instance = makers.uniform(cities, seed=seed)
    fates = check_iterations(instance, colony_of(instance, seed, ants=50, heat=2), 4)
    assert cities == 10 or {Fate.KEPT, Fate.TOO_LONG} <= fates  # 10 are solved at once


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_instances_are_told(name: str) -> None:
    check_iterations(HOSTILE[name], colony_of(HOSTILE[name], ants=30, heat=3), 5)


def test_clusters_are_told() -> None:
    assert Fate.KEPT in check_iterations(CLUSTERED, colony_of(CLUSTERED, ants=100), 5)


@pytest.mark.parametrize("cities", [1000, 4500])
def test_cells_are_told(cities: int) -> None:
    instance = makers.uniform(cities, size=100_000)
    colony = colony_of(instance, ants=80, heat=5, kick=40)
    assert colony.standing.cells.bounds.size > 2
    assert Fate.KEPT in check_iterations(instance, colony, 4)


def test_directed_instances_are_told() -> None:
    instance = directed(random_matrix(40, 5, "any"))
    assert Fate.KEPT in check_iterations(instance, colony_of(instance, ants=60, heat=5), 5)


@pytest.mark.parametrize("kind", ["symmetric", "directed"])
def test_one_ant_s_change_is_the_difference_of_two_tours(kind: str) -> None:
    instance = makers.uniform(80) if kind == "symmetric" else directed(random_matrix(60, 5, "any"))
    colony, kept = colony_of(instance, ants=1, heat=50), 0
    with closing(colony):
        colony.iterate(1)
        for iteration in range(1, 60):
            tours = [colony.snapshot(Wanted.ITERATION_SOLUTION).iteration_solution]
            (steps,) = told(instance, colony, range(1), iteration)
            colony.iterate(1)
            tours.append(colony.snapshot(Wanted.ITERATION_SOLUTION).iteration_solution)
            assert tours[0] is not None
            assert tours[1] is not None
            was, now = edges_of(tours[0]), edges_of(tours[1])
            last = steps[-1]
            assert isinstance(last.what, Verdict)
            if last.what.fate is Fate.KEPT:
                kept += 1
                if kind == "symmetric":
                    assert pairs_of(last.given.cities) == was - now
                    assert pairs_of(last.made.cities) == now - was
                assert last.gain == instance.tour_length(tours[0]) - instance.tour_length(tours[1])
            else:
                assert was == now
    assert kept > 5


def test_going_back_tells_the_same_and_changes_nothing() -> None:
    instance = makers.uniform(200)
    colony, other = colony_of(instance), colony_of(instance)
    with closing(colony), closing(other):
        for each in (colony, other):
            each.iterate(3)
        replay = FocusedRule(instance).replay(colony, 3)
        assert isinstance(replay, FocusedReplay)
        first, _, again = (replay.told(ant, 4) for ant in (120, 5, 120))
        assert np.array_equal(first.kept, again.kept)
        assert pairs_of(first.made.cities) == pairs_of(again.made.cities)
        assert replay.decision(199, 1, lambda: True) is None
        for each in (colony, other):
            each.iterate(2)
        assert np.array_equal(colony.standing.source, other.standing.source)
        with pytest.raises(ValueError, match=r"step = 5 must be in \[1, 4\]"):
            replay.decision(0, 5)


def test_before_the_first_iteration_it_is_said_that_nobody_makes_a_double_bridge() -> None:
    instance = makers.uniform(30)
    colony = colony_of(instance)
    with closing(colony):
        for source in (colony, InitialTrails(30)):
            answer = FocusedRule(instance).replay(source, 0).decision(2, 1)
            assert isinstance(answer, Unanswered)
            assert "Make one step (N)" in answer.why
            assert (answer.ant, answer.number) == (2, 1)
