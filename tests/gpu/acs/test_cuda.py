"""The CUDA colonies, whole, on the emulation: against the CPU colonies, tour for tour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import AcsColony
from gpu.acs.cuda.construction import StepByStep, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import LISTED, REMEMBERED, AcsParameters, SpmParameters
from gpu.core import devices
from gpu.core.colony import Colony
from gpu.core.snapshot import Snapshot, Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

TRAILS_IN_GLOBAL_MEMORY = {"shared_limit": 1 << 10}
"""A machine that has no room for replicas of the trails."""

COORDINATE_METRICS = (Metric.EUC_2D, Metric.CEIL_2D, Metric.ATT, Metric.MAN_2D, Metric.MAX_2D)


def scattered(n: int, metric: Metric = Metric.EUC_2D, extent: int = 300) -> TspInstance:
    """Random cities, many at one place or as far from one another as another pair."""
    places = np.random.default_rng(n).integers(0, extent, (n, 2)).astype(np.float64)
    return TspInstance(f"scattered{n}", "", metric, places, None, places)


def explicit(n: int, directed: bool) -> TspInstance:
    """Random distances, with ties."""
    rng = np.random.default_rng(n)
    matrix = rng.integers(1, 50, (n, n)).astype(np.int32)
    if not directed:
        matrix = np.minimum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    display = rng.random((n, 2))
    return TspInstance(
        "explicit",
        "",
        Metric.EXPLICIT,
        None,
        matrix,
        display,
        computed_layout=True,
        directed=directed,
    )


@contextmanager
def emulated(
    instance: TspInstance,
    parameters: AcsParameters,
    trails: type[MatrixTrails] | type[SelectiveTrails],
    construction: type[WholeTours] | type[StepByStep],
    seed: int = 7,
    **machine: Any,
) -> Iterator[AcsColony]:
    """A CUDA colony on the emulation."""
    colony = AcsColony(instance, parameters, EmulatedMachine(**machine), seed, trails, construction)
    try:
        yield colony
    finally:
        colony.close()


@contextmanager
def on_cpu(
    instance: TspInstance, parameters: AcsParameters, name: str, device: str, seed: int = 7
) -> Iterator[Colony]:
    """Its counterpart on the CPU."""
    place = devices.find(device)
    colony = catalog.build(catalog.find(name, place), instance, parameters, place, seed)
    try:
        yield colony
    finally:
        colony.close()


def assert_same(ours: Snapshot, theirs: Snapshot) -> None:
    """Everything that a colony shows is the same, to the last bit."""
    for part in ("iteration", "best_cost", "best_iteration", "iteration_best", "iteration_mean"):
        assert getattr(ours, part) == getattr(theirs, part), part
    for part in ("best_solution", "iteration_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), part)
    assert ours.branching == pytest.approx(theirs.branching)
    assert ours.updates == theirs.updates
    assert ours.trails is not None
    assert theirs.trails is not None
    assert as_dict(ours) == as_dict(theirs)


def as_dict(snapshot: Snapshot) -> dict[tuple[int, ...], float]:
    """The strongest trails by edge."""
    assert snapshot.trails is not None
    edges = np.sort(snapshot.trails.edges, axis=1)
    return {
        tuple(map(int, edge)): float(strength)
        for edge, strength in zip(edges, snapshot.trails.strength, strict=True)
    }


@pytest.mark.parametrize("metric", COORDINATE_METRICS)
def test_stepwise_colony_gives_the_cpu_tours_under_every_metric(metric: Metric) -> None:
    instance, parameters = scattered(40, metric), AcsParameters(candidates=5, q0=0.8, ants=10)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        for _ in range(2):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize(
    ("n", "parameters"),
    [
        (3, AcsParameters()),
        (4, AcsParameters(q0=0.5)),
        (21, AcsParameters(update_period=2)),
        (33, AcsParameters(candidates=32, q0=0.0)),
        (64, AcsParameters(candidates=3, beta=2.5)),
        (250, AcsParameters(candidates=2, ants=12, update_period=3, q0=0.9)),
    ],
)
def test_stepwise_colony_gives_the_cpu_tours_at_every_size(
    n: int, parameters: AcsParameters
) -> None:
    instance = scattered(n)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep, **TRAILS_IN_GLOBAL_MEMORY) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        for _ in range(3):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("directed", [False, True])
def test_stepwise_colony_gives_the_cpu_tours_for_explicit_distances(directed: bool) -> None:
    instance, parameters = explicit(40, directed), AcsParameters(candidates=6, q0=0.7)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep, **TRAILS_IN_GLOBAL_MEMORY) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        ours.iterate(3)
        theirs.iterate(3)
        a, b = ours.snapshot(Wanted.SOLUTION), theirs.snapshot(Wanted.SOLUTION)
        np.testing.assert_array_equal(a.best_solution, b.best_solution)
        assert a.iteration_mean == b.iteration_mean


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param({"largest_block": 512}, id="ants in shared memory"),
        pytest.param({"largest_block": 512, "shared_limit": 512}, id="ants in global memory"),
    ],
)
def test_more_ants_than_warps_change_nothing(machine: dict[str, int]) -> None:
    instance, parameters = scattered(50), AcsParameters(candidates=10, q0=0.8)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep) as roomy,
        emulated(instance, parameters, MatrixTrails, StepByStep, **machine) as crowded,
    ):
        assert roomy.phases["construction"][0].kernel == "step_tours<Ordered>"
        assert crowded.phases["construction"][0].kernel == "step_many_tours<Ordered>"
        for _ in range(2):
            roomy.iterate(1)
            crowded.iterate(1)
            assert_same(roomy.snapshot(Wanted.EVERYTHING), crowded.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize(
    ("n", "parameters"),
    [
        pytest.param(5, AcsParameters(q0=0.5), id="idle warps"),
        pytest.param(21, AcsParameters(update_period=2), id="steps without updates"),
        pytest.param(4, AcsParameters(update_period=9), id="no updates"),
        pytest.param(40, AcsParameters(candidates=2, ants=9, q0=0.7), id="much off the lists"),
        pytest.param(
            200, AcsParameters(candidates=2, ants=3, q0=0.9, update_period=3), id="far cities"
        ),
    ],
)
def test_replicas_give_the_cpu_tours(n: int, parameters: AcsParameters) -> None:
    instance, machine = scattered(n, extent=50), {"shared_limit": 227 << 10}
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep, **machine) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        launch = ours.phases["construction"][0]
        assert (launch.kernel, launch.grid) == ("step_tours_on_replicas", 2)
        for _ in range(3):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("directed", [False, True])
def test_ants_that_walk_together_on_replicas_count_every_update(directed: bool) -> None:
    instance = explicit(7, directed)
    parameters = AcsParameters(candidates=4, ants=40, q0=0.9, rho=0.3)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep, multiprocessors=3) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        for _ in range(3):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


def test_replicas_need_room_for_ants_and_trails() -> None:
    for n, ants, limit in ((20, 41, 227 << 10), (40, 8, 20 << 10)):
        parameters = AcsParameters(candidates=4, ants=ants)
        machine = {"shared_limit": limit}
        with emulated(scattered(n), parameters, MatrixTrails, StepByStep, **machine) as colony:
            assert colony.phases["construction"][0].kernel == "step_tours<Ordered>"


@pytest.mark.parametrize(
    ("order", "machine"),
    [(1, TRAILS_IN_GLOBAL_MEMORY), (2, TRAILS_IN_GLOBAL_MEMORY), (1, {}), (2, {})],
)
def test_stepwise_colony_does_not_depend_on_the_order_of_threads(
    order: int, machine: dict[str, int]
) -> None:
    instance, parameters = scattered(40, extent=12), AcsParameters(candidates=8, ants=30)
    with (
        emulated(instance, parameters, MatrixTrails, StepByStep, seed=0, **machine) as one,
        on_cpu(instance, parameters, "acs-gpu", "cpu", seed=0) as other,
    ):
        one._machine._seed = order  # type: ignore[attr-defined]
        one.iterate(3)
        other.iterate(3)
        assert_same(one.snapshot(Wanted.EVERYTHING), other.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("period", [1, 3])
def test_one_ant_of_whole_tours_is_the_sequential_colony(directed: bool, period: int) -> None:
    instance = explicit(45, True) if directed else scattered(70)
    parameters = AcsParameters(candidates=4, ants=1, q0=0.7, update_period=period)
    with (
        emulated(instance, parameters, MatrixTrails, WholeTours) as ours,
        on_cpu(instance, parameters, "acs-seq", "cpu:1") as theirs,
    ):
        for _ in range(4):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("greedy", [LISTED, REMEMBERED])
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 31, 32])
@pytest.mark.parametrize("period", [1, 2])
def test_one_ant_with_selective_memory_is_the_sequential_colony(
    size: int, period: int, greedy: str
) -> None:
    parameters = SpmParameters(
        candidates=8, ants=1, memory=size, update_period=period, q0=0.5, rho=0.3, greedy=greedy
    )
    same_as_sequential(scattered(60), parameters, 4)


def same_as_sequential(instance: TspInstance, parameters: SpmParameters, iterations: int) -> None:
    """Compare the selective memory's colonies, with one ant, after each iteration."""
    with (
        emulated(instance, parameters, SelectiveTrails, WholeTours) as ours,
        on_cpu(instance, parameters, "acs-seq-spm", "cpu:1") as theirs,
    ):
        for _ in range(iterations):
            ours.iterate(1)
            theirs.iterate(1)
            a, b = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
            np.testing.assert_array_equal(a.iteration_solution, b.iteration_solution)
            np.testing.assert_array_equal(a.best_solution, b.best_solution)
            np.testing.assert_array_equal(a.pheromone, b.pheromone)
            assert a.updates == b.updates


FEW = SpmParameters(candidates=2, ants=1, q0=0.9, rho=0.1)


@pytest.mark.parametrize(
    ("instance", "parameters"),
    [
        pytest.param(scattered(90), FEW, id="two candidates"),
        pytest.param(scattered(90), replace(FEW, greedy=LISTED), id="as in Fig. 3"),
        pytest.param(scattered(90), replace(FEW, candidates=1, update_period=3), id="one"),
        pytest.param(scattered(90), replace(FEW, memory=32, q0=0.5), id="a large memory"),
        pytest.param(scattered(60, extent=6), replace(FEW, candidates=4), id="ties"),
        pytest.param(scattered(60, extent=6), replace(FEW, beta=0.5), id="little heuristic"),
        pytest.param(scattered(60, Metric.ATT), replace(FEW, beta=2.5), id="another metric"),
        pytest.param(explicit(60, False), FEW, id="a matrix"),
        pytest.param(explicit(60, True), FEW, id="directed"),
    ],
)
def test_remembered_cities_off_the_list_are_chosen_as_by_the_sequential_colony(
    instance: TspInstance, parameters: SpmParameters
) -> None:
    same_as_sequential(instance, parameters, 12)


def test_the_greedy_choice_looks_off_the_list_only_where_it_is_asked_to() -> None:
    means = []
    for greedy in (LISTED, REMEMBERED):
        parameters = replace(FEW, greedy=greedy)
        with emulated(scattered(90), parameters, SelectiveTrails, WholeTours) as colony:
            colony.iterate(12)
            means.append(colony.snapshot(Wanted.NUMBERS).iteration_mean)
    assert means[0] != means[1]


TOO_MANY = -2
"""In ``far``, as in trail_matrix.cuh: more far cities got a deposit than can be remembered."""


@pytest.mark.parametrize(
    ("construction", "name", "device", "ants", "machine"),
    [
        pytest.param(StepByStep, "acs-gpu", "cpu", 6, {}, id="steps"),
        pytest.param(
            StepByStep,
            "acs-gpu",
            "cpu",
            6,
            {"shared_limit": 227 << 10},
            id="steps on replicas",
        ),
        pytest.param(WholeTours, "acs-seq", "cpu:1", 1, {}, id="whole tours"),
    ],
)
@pytest.mark.parametrize("known", ["all but one", "too many"])
def test_cities_with_too_many_far_trails_look_at_all_others(
    known: str,
    construction: type[WholeTours] | type[StepByStep],
    name: str,
    device: str,
    ants: int,
    machine: dict[str, int],
) -> None:
    instance = scattered(400)
    parameters = AcsParameters(candidates=2, ants=ants, q0=0.2, beta=1, update_period=2)
    with (
        emulated(instance, parameters, MatrixTrails, construction, **machine) as ours,
        on_cpu(instance, parameters, name, device) as theirs,
    ):
        far = ours._arrays["far"]
        if known == "too many":
            far[:, -1] = TOO_MANY
        else:
            # As after so many deposits: to be remembered is harmless where there was none.
            cities = np.arange(instance.n)
            distances = instance.distances(cities[:, None], cities[None, :])
            far[:, :-1] = np.argsort(distances, axis=1)[:, : -far.shape[1] : -1]
        for _ in range(5):
            ours.iterate(1)
            theirs.iterate(1)
            assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))
        assert (far[:, -1] == TOO_MANY).any()


@pytest.mark.parametrize("trails", [MatrixTrails, SelectiveTrails])
def test_whole_tours_with_few_warps_keep_the_best_of_each(
    trails: type[MatrixTrails] | type[SelectiveTrails],
) -> None:
    parameters = AcsParameters() if trails is MatrixTrails else SpmParameters()
    instance = scattered(40)
    with emulated(instance, parameters, trails, WholeTours, resident=1, multiprocessors=3) as few:
        assert few.phases["construction"][0].grid == 3
        for iteration in range(1, 5):
            few.iterate(1)
            snapshot = few.snapshot(Wanted.EVERYTHING)  # checks each tour and its length
            assert snapshot.iteration == iteration
            assert snapshot.solutions_built == 40 * iteration
            assert snapshot.best_cost <= snapshot.iteration_best <= snapshot.iteration_mean


def test_cities_at_one_place() -> None:
    places = np.zeros((40, 2))
    instance = TspInstance("heap", "", Metric.EUC_2D, places, None, places)
    with emulated(instance, AcsParameters(), MatrixTrails, WholeTours) as colony:
        colony.iterate(2)
        assert colony.snapshot(Wanted.SOLUTION).best_cost == 0


def test_before_the_first_iteration_there_is_no_tour() -> None:
    with emulated(scattered(20), AcsParameters(), MatrixTrails, WholeTours) as colony:
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert (snapshot.iteration, snapshot.best_cost, snapshot.best_solution) == (0, 0, None)


def test_a_batch_may_be_in_flight_but_no_more_than_two() -> None:
    with emulated(scattered(10), AcsParameters(), MatrixTrails, WholeTours) as colony:
        machine = colony._machine
        assert isinstance(machine, EmulatedMachine)
        colony.timed_iteration()
        machine.waited.clear()
        marks = machine._marks
        for _ in range(4):
            colony.iterate(1)
        assert machine.waited == [marks + 1, marks + 2, marks + 3]
