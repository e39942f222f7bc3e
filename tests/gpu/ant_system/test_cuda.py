"""The Ant Systems on CUDA, whole, on the emulation: against NumPy and the CPU's, tour for tour."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu.ant_system.cuda.colony import AntSystemColony, ConstructionType
from gpu.ant_system.cuda.construction import StGroupStc, TaskParallel
from gpu.ant_system.parameters import AsCudaParameters, AsLaunchesParameters
from gpu.core.errors import DeviceError, DeviceMemoryError
from gpu.core.snapshot import Wanted
from gpu.core.trails import branching_factor, matrix_picture, matrix_trails
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import COORDINATE_METRICS, explicit, scattered
from tests.gpu.ant_system.colonies import (
    CONSTRUCTIONS,
    assert_same,
    deposited,
    emulated,
    on_cpu,
    renewed,
)
from tests.gpu.cuda.emulated import EmulatedMachine, Refusing

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

UPDATES = tuple(AsCudaParameters.explanations()["update"].options)


def check_iteration(colony: AntSystemColony, before: Mapping[str, Any], rho: float) -> None:
    """One iteration, whose tours are taken as they are, against NumPy."""
    colony.iterate(1)
    instance, arrays = colony._cities, colony._arrays
    n = instance.n
    tours = np.array(arrays["tours"])
    lengths = np.array([instance.tour_length(tour) for tour in tours], dtype=np.int64)
    scale = nearest_neighbour_length(instance)
    deposits = deposited(tours, lengths, instance.directed)
    trails = renewed(before["trails"], deposits, lengths, scale, rho)
    shown = colony.snapshot(Wanted.EVERYTHING)
    assert shown.iteration == before["iteration"] + 1
    assert shown.solutions_built == shown.iteration * len(tours)
    assert shown.iteration_best == lengths.min()
    assert shown.iteration_mean == pytest.approx(lengths.mean(), rel=1e-12)
    assert shown.iteration_solution is not None
    np.testing.assert_array_equal(shown.iteration_solution, tours[lengths.argmin()])
    assert shown.best_solution is not None
    if shown.best_iteration == shown.iteration:
        np.testing.assert_array_equal(shown.best_solution, shown.iteration_solution)
        assert shown.best_cost < before["best"]
    else:
        assert shown.best_cost == before["best"] <= shown.iteration_best
    for city in range(n):
        np.testing.assert_array_equal(colony.trails_from(city), trails[city])
    assert shown.pheromone is not None
    np.testing.assert_array_equal(shown.pheromone, matrix_picture(trails, shown.best_solution))
    expected = matrix_trails(trails, instance.directed)
    np.testing.assert_array_equal(np.sort(shown.trails.strength), np.sort(expected.strength))
    assert set(map(tuple, shown.trails.edges)) == set(map(tuple, expected.edges))
    listed = build_candidates(instance, min(32, n - 1)).neighbours
    near = np.take_along_axis(trails, listed.astype(np.int64), axis=1)
    assert shown.branching == pytest.approx(branching_factor(near))
    assert set(shown.phases) == {"choice info", "construction", "update"}


@pytest.mark.parametrize(
    ("instance", "update"),
    [
        pytest.param(instance, update, id=f"{name}-{update}")
        for name, instance in (
            ("three", scattered(3)),
            ("scattered", scattered(37, Metric.CEIL_2D)),
            ("directed", explicit(24, True)),
        )
        for update in UPDATES
        if not (instance.directed and update == "reduction")
    ],
)
def test_iterations_are_what_their_tours_make_of_the_trails(
    instance: TspInstance, update: str
) -> None:
    with emulated(instance, AsCudaParameters(update=update, rho=0.3)) as colony:
        for iteration in range(3):
            trails = np.stack([colony.trails_from(city) for city in range(instance.n)])
            numbers = colony.snapshot(Wanted.NUMBERS)
            best = numbers.best_cost if iteration else np.inf
            before = {"trails": trails, "iteration": iteration, "best": best}
            check_iteration(colony, before, 0.3)


def test_many_strong_trails_are_shown_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cuda.pictures.STRONGEST_TRAILS", 100)
    instance = scattered(64)
    with emulated(instance, AsCudaParameters(rho=0.02)) as colony:
        for _ in range(3):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.TRAILS).trails
            assert 50 <= len(shown.edges) <= 100
            trails = np.stack([colony.trails_from(city) for city in range(64)])
            expected = matrix_trails(trails, False, len(shown.edges))
            np.testing.assert_array_equal(shown.strength, expected.strength)


@pytest.mark.parametrize("size", [1, 7, 16, 39])
def test_several_trails_share_a_pixel(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cuda.pictures.PICTURE_SIZE", size)
    with emulated(scattered(40)) as colony:
        colony.iterate(2)
        shown = colony.snapshot(Wanted.PHEROMONE | Wanted.SOLUTION)
        trails = np.stack([colony.trails_from(city) for city in range(40)])
        assert shown.best_solution is not None
        expected = matrix_picture(trails, shown.best_solution, size)
        np.testing.assert_array_equal(shown.pheromone, expected)


def test_before_the_first_iteration_all_is_at_the_initial_level() -> None:
    with emulated(scattered(20)) as colony:
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert (snapshot.iteration, snapshot.best_cost, snapshot.best_solution) == (0, None, None)
        assert len(snapshot.trails.edges) == 0
        np.testing.assert_array_equal(colony.trails_from(3), np.ones(20, np.float32))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize(
    ("instance", "values"),
    [
        pytest.param(scattered(3), {}, id="three"),
        pytest.param(scattered(64), {"ants": 3}, id="scattered"),
        pytest.param(explicit(35, True), {"ants": 3, "rho": 0.1}, id="directed"),
    ],
)
def test_every_construction_gives_the_cpu_tours(
    instance: TspInstance, values: dict[str, Any], name: str
) -> None:
    construction, parameters, selection = CONSTRUCTIONS[name]
    compare(instance, construction, parameters, selection, values, 2)


@pytest.mark.parametrize(
    ("instance", "values"),
    [
        *(pytest.param(scattered(40, metric), {}, id=metric.name) for metric in COORDINATE_METRICS),
        pytest.param(scattered(33, extent=4), {"ants": 70}, id="at one place"),
        pytest.param(scattered(130), {"ants": 9, "alpha": 2.0, "rho": 0.1}, id="larger"),
        pytest.param(scattered(32), {"alpha": 0.0}, id="without trails"),
        pytest.param(scattered(31), {"alpha": 3.0, "beta": 0.0, "rho": 1.0}, id="no distances"),
        pytest.param(explicit(24, False), {"beta": 5.0}, id="explicit"),
    ],
)
def test_every_parameter_gives_the_cpu_tours(instance: TspInstance, values: dict[str, Any]) -> None:
    compare(instance, TaskParallel, AsCudaParameters(update="gather"), "roulette", values, 3)


def compare(
    instance: TspInstance,
    construction: ConstructionType,
    parameters: AsCudaParameters,
    selection: str,
    values: dict[str, Any],
    count: int,
) -> None:
    """Everything that a colony tells is what its counterpart on the CPU tells."""
    with (
        emulated(instance, replace(parameters, **values), construction=construction) as ours,
        on_cpu(instance, selection, values) as theirs,
    ):
        for _ in range(count):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))
            for city in (0, instance.n - 1):
                np.testing.assert_array_equal(ours.trails_from(city), theirs.trails_from(city))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_order_of_threads_changes_nothing(order: int) -> None:
    instance = scattered(40, extent=12)
    with emulated(instance, seed=0) as one, on_cpu(instance, "roulette", {}, seed=0) as other:
        machine = one._machine
        assert isinstance(machine, EmulatedMachine)
        machine._seed = order
        one.iterate(3)
        other.iterate(3)
        assert_same(one.snapshot(Wanted.EVERYTHING), other.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if "tour" in name])
def test_all_memory_is_declared_before_any_is_taken(name: str) -> None:
    machine, n = Refusing(), 1500
    construction, parameters, _ = CONSTRUCTIONS[name]
    with pytest.raises(DeviceMemoryError):
        AntSystemColony(
            scattered(n),
            replace(parameters, ants=10).resolved(scattered(n).n),
            machine,
            1,
            construction,
        )
    matrices = {size for size in machine.declared.values() if size >= 4 * n * n}
    assert len(matrices) == 1  # of trails, heuristic, weights and deposits
    # What does not grow with n is 5 MB at most: 3 MB are the pairs and trails of one reading.
    assert 16 * n * n < sum(machine.declared.values()) < 16.4 * n * n + 2000 * n + 5_000_000


def test_a_colony_may_be_closed_twice_and_then_says_so() -> None:
    with emulated(scattered(10)) as colony:
        colony.iterate(1)
        trails = weakref.ref(colony._arrays["trails"])
        colony.close()
        colony.close()
        assert trails() is None  # nothing keeps the memory
        uses: tuple[Callable[[], object], ...] = (
            lambda: colony.iterate(1),
            lambda: colony.timed_iteration(),
            lambda: colony.snapshot(Wanted.NUMBERS),
            lambda: colony.trails_from(0),
        )
        for use in uses:
            with pytest.raises(DeviceError, match="the colony is closed"):
                use()


@pytest.mark.parametrize(
    ("instance", "kind", "construction"),
    [
        pytest.param(scattered(60), "2opt", TaskParallel, id="2-opt"),
        pytest.param(scattered(60), "2opt+oropt", StGroupStc, id="both, step by step"),
        pytest.param(explicit(40, False), "2opt+oropt", TaskParallel, id="both, explicit"),
        pytest.param(explicit(40, True), "oropt", TaskParallel, id="Or-opt, directed"),
        pytest.param(scattered(3), "2opt+oropt", TaskParallel, id="a single tour"),
    ],
)
def test_tours_and_trails_of_the_cpu(
    instance: TspInstance, kind: str, construction: ConstructionType
) -> None:
    values = {"local_search": kind, "ants": 12}
    parameters, selection = AsCudaParameters.from_mapping(values), "roulette"
    if construction is StGroupStc:
        parameters = AsLaunchesParameters.from_mapping({**values, "launches": "step"})
        selection = "stc-roulette"
    unimproved = dataclasses.replace(parameters, local_search="none")
    with (
        emulated(instance, parameters, construction=construction) as ours,
        on_cpu(instance, selection, values) as theirs,  # type: ignore[arg-type]
        emulated(instance, unimproved, construction=construction) as without,
    ):
        for _ in range(2):
            ours.iterate(1)
            theirs.iterate(1)
            without.iterate(1)
            shown = ours.snapshot(Wanted.EVERYTHING)
            assert_same(shown, theirs.snapshot(Wanted.EVERYTHING))
            assert list(shown.phases) == ["choice info", "construction", "local search", "update"]
        if instance.n > 3:
            assert shown.iteration_mean < without.snapshot(Wanted.SOLUTION).iteration_mean


def test_tours_do_not_depend_on_what_fits_shared_memory() -> None:
    instance, parameters = scattered(200), AsCudaParameters(local_search="2opt+oropt", ants=3)
    with (
        emulated(instance, parameters) as roomy,
        emulated(instance, parameters, shared_limit=2 << 10) as crowded,
    ):
        for _ in range(2):
            roomy.iterate(1)
            crowded.iterate(1)
            shown, expected = (one.snapshot(Wanted.EVERYTHING) for one in (crowded, roomy))
            assert_same(shown, expected)
        kernels = [one.phases["local search"][1].kernel for one in (roomy, crowded)]
        assert "AllShared" in kernels[0]
        assert "NoneShared" in kernels[1]
