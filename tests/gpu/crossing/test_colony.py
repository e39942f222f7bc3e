"""The crossing colony: all tours of its population are tours, and trails count their edges."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.core.snapshot import Wanted
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.colony import CrossingCpuColony
from gpu.crossing.parameters import CrossingParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.cells import cells_of
from tests.gpu.cpu import makers
from tests.gpu.tour_changes.cases import FULL, HOSTILE, check_lengths, run

ANTS = 6


def colony_of(
    instance: TspInstance, seed: int = 1, threads: int = 1, **values: object
) -> CrossingCpuColony:
    parameters = CrossingParameters(**{"ants": ANTS, **values})  # type: ignore[arg-type]
    return CrossingCpuColony(instance, parameters.resolved(instance.n), seed, threads=threads)


def tours_of(colony: CrossingCpuColony) -> list[np.ndarray]:
    """Return the population's tours, found by going from neighbour to neighbour."""
    schedule = colony._schedule
    tours = []
    for links in colony._population.links[schedule[states.READ_SIDE], : schedule[states.SIZE_OF]]:
        tour, before = [0], int(links[0, 0])
        while len(tour) < len(links):
            one, other = links[tour[-1]].tolist()
            before, city = tour[-1], other if one == before else one
            tour.append(city)
        tours.append(np.array(tour, np.int32))
    return tours


def check_population(colony: CrossingCpuColony, instance: TspInstance) -> None:
    """Check the tours, their lengths and the trails at the end of a round."""
    schedule, population = colony._schedule, colony._population
    counts = np.zeros_like(population.counts)
    near = colony._lists.neighbours
    for number, tour in enumerate(tours_of(colony)):
        assert sorted(tour) == list(range(instance.n))
        length = population.lengths[schedule[states.READ_SIDE], number]
        assert instance.tour_length(tour) == length
        for one, other in ((tour, np.roll(tour, 1)), (np.roll(tour, 1), tour)):
            counts[one] += near[one] == other[:, None]
    assert np.array_equal(counts, population.counts)


@pytest.mark.parametrize("name", HOSTILE)
def test_every_iteration_has_a_tour_of_the_length_it_says(name: str) -> None:
    instance = HOSTILE[name]
    check_lengths(run(colony_of(instance), 30), ANTS)


@pytest.mark.parametrize("weight", ["trails", "gain"])
def test_every_tour_of_the_population_is_one_in_every_round(weight: str) -> None:
    instance = makers.uniform(300, size=10_000)
    colony, rounds, lengths = colony_of(instance, weight=weight), 0, []
    with closing(colony):
        while colony._schedule[states.POPULATIONS] < 2:
            colony.iterate(1)
            lengths.append(colony.snapshot(FULL).best_cost)  # checks its tour
            if not colony._schedule[states.NEXT] and not colony._schedule[states.MAKING]:
                check_population(colony, instance)
                rounds += 1
        assert rounds > 10
        assert colony._schedule[states.SIZE_OF] == 4 * ANTS
        assert lengths[-1] == colony._schedule[states.CHAMPION_LENGTH] < lengths[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_ants_improve_first_tours_of_every_instance(name: str) -> None:
    check_lengths(run(colony_of(HOSTILE[name], settling=2), 12), ANTS)


def test_ants_in_cells_improve_first_tours() -> None:
    instance = makers.uniform(2500, size=100_000)
    assert cells_of(instance.n) > 1
    with closing(colony_of(instance, ants=3, settling=2)) as colony:
        lengths = []
        for settled in range(3):
            assert colony._schedule[states.SETTLED] == settled
            assert colony._schedule[states.MAKING]
            colony.iterate(1)
            lengths.append(colony._population.lengths[0, :3].copy())
        check_population(colony, instance)
        assert not colony._schedule[states.MAKING]
        assert (lengths[2] < lengths[1]).all()
        assert (lengths[1] < 0.995 * lengths[0]).all()


@pytest.mark.parametrize("weight", ["trails", "gain"])
def test_tours_of_a_lattice_change_without_getting_shorter(weight: str) -> None:
    evenly, before = 0, None
    with closing(colony_of(makers.grid(13, 13), weight=weight)) as colony:
        for _ in range(20):
            colony.iterate(1)
            side, making = colony._schedule[[states.READ_SIDE, states.MAKING]]
            links, lengths = colony._population.links[side], colony._population.lengths[side]
            now = None if making else (links[:ANTS].copy(), lengths[:ANTS].copy())
            if now and before:
                changed = (now[0] != before[0]).any(axis=(1, 2))
                evenly += (changed & (now[1] == before[1])).sum()
            before = now if colony._schedule[states.SIZE_OF] == ANTS else None
    assert (evenly > 0) == (weight == "trails")


def test_it_begins_with_a_given_tour() -> None:
    instance = makers.uniform(200)
    best = run(colony_of(instance, ants=20), 60)[-1]
    parameters = CrossingParameters(ants=2)
    start = np.array(best.best_solution, np.int32)
    colony = CrossingCpuColony(instance, parameters.resolved(instance.n), 1, threads=1, start=start)
    assert run(colony, 1)[0].cost <= best.cost


def test_trails_are_strong_where_tours_agree() -> None:
    instance = makers.uniform(200)
    with closing(colony_of(instance)) as colony:
        colony.iterate(8)
        shot = colony.snapshot(Wanted.EVERYTHING)
        assert shot.branching is not None
        assert 1 <= shot.branching <= 8
        city, following = shot.best_solution[:2]
        trails = colony.trails_from(int(city))
        assert 0 < shot.merges.won <= shot.merges.ants == 7 * ANTS
        assert shot.limits[1] == 100
        assert trails.min() == 1
        assert trails.max() == 100
        assert trails[following] > 1


def test_directed_instances_are_refused() -> None:
    with pytest.raises(ParameterError, match="directed"):
        colony_of(makers.directed(20))
