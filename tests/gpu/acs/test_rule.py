"""The replayed rule of the Ant Colony System against the tours that the colonies build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.cuda.colony import AcsColony, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.acs.rule import AcsRule
from gpu.core.colony import Colony
from gpu.core.decisions import TrailSource
from gpu.core.snapshot import Wanted
from gpu.decisions import CityDraw, InitialTrails, WalkReplay
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.test_decisions import whole_tour

CLUSTERS = makers.points(
    np.random.default_rng(8).integers(0, 10_000, (10, 2)).repeat(6, 0)
    + np.random.default_rng(9).integers(0, 100, (60, 2))
)


class Source(Colony, TrailSource, Protocol):
    """A colony whose trails can be read."""


def tour_of(colony: Colony) -> list[int]:
    tour = colony.snapshot(Wanted.ITERATION_SOLUTION).iteration_solution
    return [int(city) for city in tour]


def predict(
    colony: Source, instance: TspInstance, parameters: AcsParameters, seed: int, iterations: int = 6
) -> set[CityDraw]:
    """Compare each iteration's one tour with what was predicted; return what came about."""
    rule = AcsRule(instance, parameters.resolved(instance.n), seed)
    assert rule.caveat == ""
    outcomes: set[CityDraw] = set()
    for iteration in range(iterations):
        tour, choices = whole_tour(rule, instance.n, colony, iteration)
        colony.iterate(1)
        assert tour == tour_of(colony)
        outcomes |= {choice.draw for choice in choices}
    return outcomes


ONE_ANT: Sequence[AcsParameters] = (
    AcsParameters(ants=1, q0=0.5),
    AcsParameters(ants=1, q0=0.0, candidates=3),
    AcsParameters(ants=1, q0=1.0, beta=2.5, rho=0.5, alpha=0.9),
    SpmParameters(ants=1, q0=0.6, candidates=8, memory=1),
    SpmParameters(ants=1, q0=0.6, candidates=8, memory=3, alpha=1.0),
    SpmParameters(ants=1, q0=0.3, candidates=8, memory=2, update_period=3),
    SpmParameters(ants=1, q0=0.8, candidates=2, memory=4),
    SpmParameters(ants=1, q0=0.9, candidates=3, memory=1, update_period=2),
)

INSTANCES = {
    "uniform": makers.uniform(60, seed=2),
    "clusters": CLUSTERS,
    "ties": makers.grid(6, 4),
    "places shared": makers.crowded(30),
    "directed": makers.directed(25),
    "3 cities": makers.uniform(3),
}


@pytest.mark.parametrize("parameters", ONE_ANT, ids=str)
@pytest.mark.parametrize("name", INSTANCES)
def test_one_ant_goes_where_it_was_predicted_to_go(name: str, parameters: AcsParameters) -> None:
    instance = INSTANCES[name]
    colony = AcsCpuColony(instance, parameters.resolved(instance.n), 5, threads=1, stepwise=False)
    predict(colony, instance, parameters, 5, iterations=3)
    colony.close()


def test_every_outcome_is_met() -> None:
    parameters = AcsParameters(ants=1, q0=0.5, candidates=4)
    colony = AcsCpuColony(CLUSTERS, parameters.resolved(CLUSTERS.n), 1, threads=1, stepwise=False)
    met = predict(colony, CLUSTERS, parameters, 1)
    colony.close()
    assert met == {CityDraw.GREEDY, CityDraw.ROULETTE, CityDraw.FALLBACK}


@needs_emulation
@pytest.mark.parametrize(
    ("parameters", "trails"),
    [
        (AcsParameters(ants=1, q0=0.6, candidates=4), MatrixTrails),
        (SpmParameters(ants=1, q0=0.5, candidates=8, memory=3, alpha=0.9), SelectiveTrails),
        (SpmParameters(ants=1, q0=0.5, candidates=8, memory=9, update_period=2), SelectiveTrails),
        (SpmParameters(ants=1, q0=0.9, candidates=2), SelectiveTrails),
        (SpmParameters(ants=1, q0=0.9, candidates=2, greedy="listed"), SelectiveTrails),
    ],
    ids=["matrix", "selective", "selective, rarely", "off the lists", "listed"],
)
def test_one_ant_on_a_gpu_goes_where_it_was_predicted_to_go(
    parameters: AcsParameters, trails: type[MatrixTrails] | type[SelectiveTrails]
) -> None:
    colony = AcsColony(
        CLUSTERS, parameters.resolved(CLUSTERS.n), EmulatedMachine(), 7, trails, WholeTours
    )
    try:
        predict(colony, CLUSTERS, parameters, 7, iterations=4)
    finally:
        colony.close()


@pytest.mark.parametrize("parameters", [AcsParameters(), SpmParameters(memory=5)], ids=str)
def test_a_colony_shows_all_its_trails(parameters: AcsParameters) -> None:
    colony = AcsCpuColony(CLUSTERS, parameters.resolved(CLUSTERS.n), 3, threads=1, stepwise=False)
    np.testing.assert_array_equal(colony.trails_from(4), np.ones(60))
    colony.iterate(5)
    same_as_the_picture(colony)
    colony.close()


@needs_emulation
@pytest.mark.parametrize(
    ("parameters", "trails"),
    [(AcsParameters(ants=20), MatrixTrails), (SpmParameters(ants=20, memory=5), SelectiveTrails)],
    ids=["matrix", "selective"],
)
def test_a_colony_on_a_gpu_shows_all_its_trails(
    parameters: AcsParameters, trails: type[MatrixTrails] | type[SelectiveTrails]
) -> None:
    colony = AcsColony(
        CLUSTERS, parameters.resolved(CLUSTERS.n), EmulatedMachine(), 3, trails, WholeTours
    )
    try:
        colony.iterate(2)
        same_as_the_picture(colony)
    finally:
        colony.close()


def same_as_the_picture(colony: Source) -> None:
    """The picture of the trails is another way to read them."""
    snapshot = colony.snapshot(Wanted.SOLUTION | Wanted.PHEROMONE)
    order, picture = snapshot.best_solution, snapshot.pheromone
    assert picture.max() > 1.5
    apart = ~np.eye(len(order), dtype=bool)
    read = np.stack([colony.trails_from(int(city))[order] for city in order])
    np.testing.assert_allclose(read[apart], picture[apart], rtol=1e-5)


def test_other_ants_can_make_it_otherwise_and_that_is_said() -> None:
    instance = makers.uniform(40, seed=1)
    assert "other ants'" in AcsRule(instance, AcsParameters(ants=2).resolved(instance.n), 1).caveat
    assert "other ants'" in AcsRule(instance, AcsParameters().resolved(instance.n), 1).caveat


def test_steps_may_be_asked_for_in_any_order() -> None:
    parameters = SpmParameters(ants=1, q0=0.3, memory=2)
    colony = AcsCpuColony(CLUSTERS, parameters.resolved(CLUSTERS.n), 2, threads=1, stepwise=False)
    colony.iterate(3)
    rule = AcsRule(CLUSTERS, parameters.resolved(CLUSTERS.n), 2)
    tour, _ = whole_tour(rule, 60, colony, 3)
    replay = WalkReplay(rule, colony, 3)
    for step in (59, 1, 30, 29, 31, 30, 2, 59):
        visited, choice = replay.told(0, step)
        assert visited.tolist() == tour[:step]
        assert choice.chosen == tour[step]
    for step in (0, 60):
        with pytest.raises(ValueError, match="step"):
            replay.decision(0, step)
    colony.close()


def test_a_cancelled_replay_goes_on_where_it_was() -> None:
    class Counting(InitialTrails):
        reads = 0

        def trails_from(self, city: int) -> NDArray[np.float32]:
            Counting.reads += 1
            return super().trails_from(city)

    replay = WalkReplay(AcsRule(CLUSTERS, AcsParameters().resolved(60), 0), Counting(60), 0)
    answers: list[Any] = [False] * 20
    assert replay.decision(3, 50, lambda: not answers or bool(answers.pop())) is None
    assert Counting.reads == 20
    assert replay.decision(3, 50) is not None
    assert Counting.reads == 50
    assert replay.decision(3, 51) is not None
    assert Counting.reads == 52  # the step there, and the choice there


def test_before_the_first_iteration_no_colony_is_needed() -> None:
    parameters = SpmParameters(ants=1, q0=0.4)
    rule = AcsRule(CLUSTERS, parameters.resolved(CLUSTERS.n), 9)
    tour, _ = whole_tour(rule, 60, InitialTrails(60), 0)
    colony = AcsCpuColony(CLUSTERS, parameters.resolved(CLUSTERS.n), 9, threads=1, stepwise=False)
    colony.iterate(1)
    assert tour == tour_of(colony)
    colony.close()
