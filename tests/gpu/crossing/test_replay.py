"""What is told of an ant of a crossing colony is what it does in the iteration that follows."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.decisions import Unanswered
from gpu.crossing import replay as replays
from gpu.crossing.cpu.colony import CrossingCpuColony
from gpu.crossing.cpu.state import MAKING, READ_SIDE
from gpu.crossing.parameters import CROSSING_STEPS, CrossingParameters
from gpu.crossing.replay import Child, Children, CrossingReplay, CrossingRule, Partner
from gpu.decisions import InitialTrails
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.replay import TourChange, TourEdges
from tests.gpu.cpu import makers
from tests.gpu.focused.test_replay import CLUSTERED
from tests.gpu.tour_changes.cases import HOSTILE

Pairs = set[tuple[int, int]]


def colony_of(instance: TspInstance, seed: int = 1, **values: object) -> CrossingCpuColony:
    parameters = CrossingParameters(**values)  # type: ignore[arg-type]
    return CrossingCpuColony(instance, parameters.resolved(instance.n), seed, threads=1)


def pairs_of(edges: TourEdges) -> Pairs:
    assert (edges.cities[:, 0] < edges.cities[:, 1]).all()
    return {(a, b) for a, b in edges.cities.tolist()}


def tour_of(links: NDArray[np.int32]) -> Pairs:
    return {
        (min(city, other), max(city, other))
        for city, ends in enumerate(links.tolist())
        for other in ends
    }


def told(replay: CrossingReplay, ant: int) -> list[TourChange]:
    return [replay.told(ant, step) for step in range(1, CROSSING_STEPS + 1)]


def check_steps(steps: list[TourChange], instance: TspInstance, children: int) -> None:
    """The steps of an ant fit together."""
    first, ab_cycles, last = steps
    assert isinstance(first.what, Partner)
    assert isinstance(ab_cycles.what, Children)
    assert isinstance(last.what, Child)
    assert first.gain == first.what.lengths[0] - first.what.lengths[1]
    for step in steps:
        assert len(step.given) == len(step.made)
        assert len(step.kept) + len(step.given) == instance.n
        for edges in (step.given, step.made):
            lengths = instance.distances(edges.cities[:, 0], edges.cities[:, 1])
            assert np.array_equal(edges.lengths, lengths)
            assert ((edges.trails >= 1) & (edges.trails <= 100)).all()
    what = ab_cycles.what
    assert len(what.sizes) == last.what.made
    assert what.sizes.sum() <= len(first.given)
    assert pairs_of(ab_cycles.given) <= pairs_of(first.given)
    assert pairs_of(ab_cycles.made) <= pairs_of(first.made)
    assert what.gains[what.kept].sum() == last.gain
    assert len(ab_cycles.given) == what.sizes[what.kept].sum() == last.what.size
    assert last.what.kept == what.kept.sum()
    for begin in range(0, len(what.sizes), children):
        group = slice(begin, begin + children)
        better = what.worths[group] > 0
        even = (what.gains[group] == 0) & (what.losses[group] < 0) & what.weighed
        assert np.array_equal(better, (what.gains[group] > 0) | even)
        assert what.kept[group].sum() == better.any()
        if better.any():
            assert what.worths[group][what.kept[group]] == what.worths[group].max()
    if last.what.kept != 1:
        return
    assert last.what.parts == what.parts[what.kept][0] >= 1
    if last.what.parts == 1:  # nothing had to be joined
        assert pairs_of(last.made) == pairs_of(ab_cycles.made)
        assert pairs_of(last.given) == pairs_of(ab_cycles.given)


def check_iterations(instance: TspInstance, colony: CrossingCpuColony, iterations: int) -> int:
    """What is told before each iteration is what is there after it; return how many ants won."""
    won = 0
    with closing(colony):
        for iteration in range(iterations):
            state = colony.standing
            replay = CrossingRule(instance).replay(colony, iteration)
            if state.schedule[MAKING]:
                answer = replay.decision(0, 1)
                assert isinstance(answer, Unanswered)
                assert "first tours" in answer.why
                colony.iterate(1)
                continue
            assert isinstance(replay, CrossingReplay)
            side = int(state.schedule[READ_SIDE])
            before = state.population.links[side].copy()
            foretold = [told(replay, ant) for ant in range(state.rules.ants)]
            colony.iterate(1)
            for ant, steps in enumerate(foretold):
                check_steps(steps, instance, state.rules.children)
                partner, _, child = steps
                assert isinstance(partner.what, Partner)
                own, other = before[partner.what.own], before[partner.what.other]
                assert pairs_of(partner.given) == tour_of(own) - tour_of(other)
                assert pairs_of(partner.made) == tour_of(other) - tour_of(own)
                after = tour_of(state.population.links[1 - side, partner.what.own])
                assert pairs_of(child.given) == tour_of(own) - after
                assert pairs_of(child.made) == after - tour_of(own)
                assert state.population.wins[ant] == (child.gain > 0)
                won += child.gain > 0
    return won


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cities", [10, 100, 400])
def test_all_ants_of_an_iteration_are_told(cities: int, seed: int) -> None:
    instance = makers.uniform(cities, seed=seed)
    won = check_iterations(instance, colony_of(instance, seed, ants=8), 9)
    assert won or cities == 10


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_instances_are_told(name: str) -> None:
    check_iterations(HOSTILE[name], colony_of(HOSTILE[name], ants=5, children=7), 12)


def test_clusters_and_further_populations_are_told() -> None:
    """Of a larger population each iteration crosses a part."""
    colony = colony_of(CLUSTERED, ants=4, weight="gain")
    assert check_iterations(CLUSTERED, colony, 40)


def test_a_thousand_cities_are_told() -> None:
    instance = makers.uniform(1000, size=100_000)
    assert check_iterations(instance, colony_of(instance, ants=6), 4)


def test_before_the_first_iteration_and_of_too_many_cities_there_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = makers.uniform(30)
    rule = CrossingRule(instance)
    answer = rule.replay(InitialTrails(30), 0).decision(2, 1)
    assert isinstance(answer, Unanswered)
    assert "Make a step (N)" in answer.why
    colony = colony_of(instance, ants=4)
    with closing(colony):
        colony.iterate(1)
        with pytest.raises(ValueError, match=r"step = 4 must be in \[1, 3\]"):
            rule.replay(colony, 1).decision(0, 4)
        monkeypatch.setattr(replays, "MOST_REPLAYED", 29)
        answer = rule.replay(colony, 1).decision(0, 1)
        assert isinstance(answer, Unanswered)
        assert "cannot be replayed" in answer.why
