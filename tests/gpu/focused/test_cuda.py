"""The focused colony on a GPU: in the emulation, and on a device if there is one."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine import devices
from gpu.core.snapshot import Snapshot, Wanted
from gpu.focused import cuda as focused_colony
from gpu.focused.cpu.colony import FocusedCpuColony
from gpu.focused.cuda import FocusedCudaColony
from gpu.focused.parameters import MOST_DIRECTED, FocusedCudaParameters, FocusedParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.closed_tours import with_route
from gpu.tour_changes.parameters import QUADRANTS, STRONGEST
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.focused.test_cpu import KINDS, directed, random_matrix, shortest
from tests.gpu.tour_changes import cases
from tests.gpu.tour_changes.cases import HOSTILE, check_lengths, check_same_runs, same_tours

pytestmark = pytest.mark.timeout(300)

CROWDED = {"ants": 16, "tours": 2, "kick": 8, "cooling": 2, "heat": 2.0}
"""Many ants for few cities: most changes are in the way of another."""


INSTANCES = {
    **HOSTILE,
    "many windows": makers.uniform(500, size=10_000),
    "directed": makers.directed(120),
}


def crowded(**values: Any) -> FocusedCudaParameters:
    """Parameters with which ants are in each other's way."""
    return FocusedCudaParameters(**{"nearness": QUADRANTS, **CROWDED, **values})


def colony_of(
    instance: TspInstance,
    machine: EmulatedMachine | None = None,
    seed: int = 1,
    start: NDArray[np.int32] | None = None,
    **values: Any,
) -> FocusedCudaColony:
    """A colony whose ants are in each other's way."""
    parameters = crowded(**values).resolved(instance.n)
    return FocusedCudaColony(instance, parameters, machine or EmulatedMachine(), seed, start)


def run(
    instance: TspInstance, iterations: int, order: int = 0, seed: int = 1, **values: Any
) -> list[Snapshot]:
    """Snapshots of all iterations, each of which was checked.

    ``order`` decides in which order the emulation runs threads.
    """
    return cases.run(colony_of(instance, EmulatedMachine(seed=order), seed, **values), iterations)


@needs_emulation
@pytest.mark.parametrize("name", INSTANCES)
def test_every_iteration_has_a_tour_of_the_length_it_says(name: str) -> None:
    snapshots = run(INSTANCES[name], 5)
    check_lengths(snapshots, crowded().resolved(INSTANCES[name].n).ants or 0)
    history = snapshots[-1].history
    for cost, snapshot in zip(history.best, snapshots, strict=True):
        assert cost <= snapshot.iteration_best  # tours may have been crossed after the iteration
    assert history.best.min() == snapshots[-1].best_cost
    assert history.mean.tolist() == [snapshot.iteration_mean for snapshot in snapshots]


@needs_emulation
@pytest.mark.parametrize("name", ["ties", "many windows"])
def test_the_tours_do_not_depend_on_the_order_of_threads(name: str) -> None:
    check_same_runs(run(INSTANCES[name], 4), run(INSTANCES[name], 4, order=3))


@needs_emulation
def test_another_seed_gives_another_tour() -> None:
    one, other = (run(makers.uniform(200), 2, seed=seed)[-1] for seed in (1, 2))
    assert not same_tours(one, other)


@needs_emulation
def test_colonies_on_one_instance_share_what_no_kernel_changes() -> None:
    instance = makers.uniform(60)
    start = np.roll(np.arange(60, dtype=np.int32), 7)
    with ExitStack() as stack:
        one, other, given = (
            stack.enter_context(closing(colony_of(instance, seed=seed, start=tour)))
            for seed, tour in ((1, None), (2, None), (1, start))
        )
        for name in ("near", "points", "coordinates"):
            assert one._arrays[name] is other._arrays[name]
            assert one._arrays[name] is not given._arrays[name]


@needs_emulation
def test_it_finds_the_optimum() -> None:
    instance = makers.ring(60)
    assert run(instance, 20, kick=20)[-1].best_cost == instance.optimum


@needs_emulation
def test_after_a_cycle_tours_are_crossed_and_the_first_is_the_best() -> None:
    instance = makers.uniform(60)
    with closing(colony_of(instance, cooling=1)) as colony:
        cycle = round(60 / 8)
        colony.iterate(cycle)
        before = colony._arrays["lengths"].copy()
        colony._turn_if_due()
        lengths = colony._arrays["lengths"]
        assert (lengths <= before.max()).all()
        assert lengths[0] == lengths.min() <= before.min()
        assert lengths[0] == colony.snapshot(Wanted.SOLUTION).best_cost


@needs_emulation
def test_a_best_tour_that_crossing_makes_shorter_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(80)
    better = run(instance, 20)[-1]
    assert better.best_solution is not None

    def crossed(
        crossing: Any, former: object, found: NDArray[np.int32], number: int
    ) -> tuple[NDArray[np.int32], list[int]]:
        """Make the first tour better than all that were found."""
        found = found.copy()
        found[0] = np.argsort(problem.order)[better.best_solution]
        return found, [problem.instance.tour_length(tour) for tour in found]

    # So many ants that a cycle has one iteration.
    with closing(colony_of(instance, ants=160, cooling=1)) as colony:
        problem = colony._problem
        colony.iterate(1)
        before = colony.snapshot(Wanted.SOLUTION)
        assert before.best_iteration == before.iteration == 1
        assert before.cost > better.cost
        monkeypatch.setattr(focused_colony, "crossed", crossed)
        colony._turn_if_due()
        after = colony.snapshot(Wanted.SOLUTION)
    assert after.best_iteration == after.iteration == 1
    assert after.best_cost == better.best_cost
    assert after.best_solution is not None
    assert np.array_equal(after.best_solution, better.best_solution)


@needs_emulation
def test_a_run_that_is_stopped_goes_on_with_its_cycle() -> None:
    instance, numbers = makers.uniform(48), []
    for counts in ((6, 6), (1,) * 12):
        machine = EmulatedMachine(milliseconds=30.0)  # long iterations can be stopped
        with closing(colony_of(instance, machine, cooling=1)) as colony:
            for count in counts:
                colony.iterate(count, stop=lambda: True)
            done = colony.snapshot(Wanted.NUMBERS).iteration
            colony.iterate(12 - done)
            last = colony.snapshot(Wanted.ITERATION_SOLUTION)
            numbers.append((last.iteration, last.iteration_best, last.best_cost))
    assert numbers[0] == numbers[1]


@needs_emulation
def test_trails_are_those_of_the_instance_and_strong_where_tours_agree() -> None:
    instance = makers.uniform(90)
    with closing(colony_of(instance, rho=0.5)) as colony:
        colony.iterate(12)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        tour = snapshot.best_solution
        on_tour = [
            colony.trails_from(int(a))[b] for a, b in zip(tour, np.roll(tour, -1), strict=True)
        ]
        everywhere = np.array([colony.trails_from(city) for city in range(instance.n)])
    assert snapshot.limits == (1.0, STRONGEST)
    assert everywhere.min() >= 1
    assert everywhere.max() <= STRONGEST
    assert np.mean(on_tour) > 5 * everywhere.mean()
    assert snapshot.pheromone.max() == everywhere.max()
    a, b = snapshot.trails.edges[0]
    assert max(everywhere[a, b], everywhere[b, a]) == everywhere.max()
    assert snapshot.branching is not None
    assert 1 <= snapshot.branching <= 6


@needs_emulation
def test_it_begins_with_a_given_tour_and_does_not_lose_it() -> None:
    instance = makers.ring(60)
    best = np.argsort(np.arctan2(*instance.coordinates.T)).astype(np.int32)
    with closing(colony_of(instance, start=best, tours=1, heat=5.0, cooling=1)) as colony:
        assert colony._arrays["lengths"][0] == instance.optimum
        colony.iterate(6)
        assert colony.snapshot(Wanted.SOLUTION).best_cost == instance.optimum


def test_what_the_kernels_cannot_hold_is_refused() -> None:
    instance = makers.points(np.array([[0, 0], [3e8, 0], [0, 3e8], [3e8, 3e8], [1e8, 1e8]]))
    with pytest.raises(ParameterError, match="takes distances of up to 134,217,728"):
        colony_of(instance)
    large = makers.points(np.zeros((MOST_DIRECTED + 1, 2)), directed=True)
    with pytest.raises(ParameterError, match="directed instances of up to 20,000 cities"):
        colony_of(large)


@needs_emulation
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_small_directed_instances_are_solved(n: int, kind: str) -> None:
    for seed in range(2):
        instance = directed(random_matrix(n, seed, kind))
        found = cases.run(colony_of(instance, seed=seed), 12, enough=shortest(instance))
        assert found[-1].best_cost == shortest(instance)


@needs_emulation
def test_an_open_route_of_very_long_distances_is_solved() -> None:
    """Moves that gain exchange edges of which two make more than 32 bits."""
    instance = with_route(directed(random_matrix(6, 75, "one way")), 5, 1, closed=False)
    assert run(instance, 8)[-1].best_cost == shortest(instance)


@needs_emulation
def test_forbidden_edges_are_left_if_there_is_a_way_without_them() -> None:
    """All but two edges of each city are as long as a distance can be."""
    rng, n = np.random.default_rng(40), 40
    matrix = np.full((n, n), 2**31 - 1)
    for _ in range(2):
        order = rng.permutation(n)
        matrix[order, np.roll(order, -1)] = rng.integers(0, 10, n)
    assert run(directed(matrix), 20)[-1].best_cost < 10 * n


@needs_emulation
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [9, 33, 150])
def test_directed_every_iteration_has_a_tour_of_the_length_it_says(n: int, kind: str) -> None:
    """Its tours are checked against the matrix; on cores the same instances are."""
    instance = directed(random_matrix(n, n, kind))
    snapshots = run(instance, 5, heat=9.0)
    check_lengths(snapshots, crowded().resolved(n).ants or 0)


@needs_emulation
def test_directed_tours_do_not_depend_on_the_order_of_threads() -> None:
    instance = makers.directed(120)
    check_same_runs(run(instance, 4, heat=3.0), run(instance, 4, order=3, heat=3.0))


@needs_emulation
def test_directed_tours_are_as_short_as_those_of_the_cores() -> None:
    """Of both no move is left: where one is longer, it searches too little."""
    for seed in range(2):
        instance = directed(random_matrix(30, seed, "any"))
        parameters = FocusedParameters(cooling=8).resolved(30)
        colony = FocusedCpuColony(instance, parameters, seed, threads=1)
        on_cores = cases.run(colony, 40)[-1].best_cost
        assert run(instance, 16, seed=seed, ants=30, cooling=8)[-1].best_cost <= 1.02 * on_cores


@needs_emulation
def test_directed_trails_have_their_direction() -> None:
    instance = makers.directed(40)
    with closing(colony_of(instance, rho=0.5, cooling=4, heat=0.1)) as colony:
        colony.iterate(12)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        rows = np.array([colony.trails_from(city) for city in range(instance.n)])
    tour = snapshot.best_solution
    assert tour is not None
    following = np.roll(tour, -1)
    assert np.median(rows[tour, following]) > 50
    assert np.median(rows[following, tour]) == 1
    start, end = snapshot.trails.edges[0]
    assert rows[start, end] == rows.max()


@pytest.mark.cuda
@pytest.mark.parametrize(
    "instance",
    [
        *(makers.uniform(cities, size=100_000) for cities in (40, 700, 20_000)),
        *(makers.directed(cities) for cities in (40, 1500)),
    ],
)
def test_a_device_gives_valid_tours_that_a_seed_repeats(instance: TspInstance) -> None:
    place = devices.find("cuda")
    system, lengths = catalog.find("focused-gpu", place), []
    for _ in range(2):
        colony = catalog.build(system, instance, system.parameters(), place, 3)
        with closing(colony):
            for _ in range(4):
                colony.iterate(20)
                last = colony.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION)
            lengths.append((last.best_cost, last.iteration_best, last.iteration_mean))
    assert lengths[0] == lengths[1]


@pytest.mark.cuda
@needs_emulation
@pytest.mark.parametrize("name", ["ties", "ceiling", "no geometry", "many windows", "directed"])
def test_a_device_gives_the_tours_of_the_emulation(name: str) -> None:
    instance, place = INSTANCES[name], devices.find("cuda")
    theirs = run(instance, 6)
    colony = catalog.build(catalog.find("focused-gpu", place), instance, crowded(), place, 1)
    with closing(colony):
        for expected in theirs:
            colony.iterate(1)
            ours = colony.snapshot(Wanted.ITERATION_SOLUTION)
            assert ours.iteration_mean == expected.iteration_mean
            np.testing.assert_array_equal(ours.iteration_solution, expected.iteration_solution)
