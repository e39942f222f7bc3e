"""The Ant Systems on CUDA, on the emulation: each kernel against NumPy, and whole colonies."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.baseline.ant_system import AsCpuColony
from gpu.candidates import build_candidates, weights
from gpu.cuda import as_updates, iterations
from gpu.cuda.ant_system import AntSystemColony, ConstructionType
from gpu.cuda.as_construction import (
    Data,
    IRoulette,
    StDynamic,
    StGroup,
    StGroupStc,
    StGroupStcTr,
    Task,
)
from gpu.cuda.as_updates import ChoiceInfo, PheromoneUpdate
from gpu.cuda.dense_trails import DenseTrails
from gpu.cuda.machine import Array, Buffer
from gpu.cuda.problem import Problem
from gpu.cuda.state import WORDS
from gpu.errors import DeviceError, DeviceMemoryError, ParameterError
from gpu.heuristics import nearest_neighbour_length
from gpu.instances.instance import Metric, TspInstance
from gpu.parameters import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
)
from gpu.snapshot import Snapshot, Wanted
from gpu.summaries import branching_factor, matrix_picture, matrix_trails
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.cuda.test_acs import COORDINATE_METRICS, explicit, scattered

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

CONSTRUCTIONS: dict[str, tuple[ConstructionType, AsCudaParameters, str]] = {
    "task": (Task, AsCudaParameters(), "roulette"),
    "data": (Data, AsGroupParameters(workers=32), "roulette"),
    "i-roulette": (IRoulette, AsGroupParameters(), "i-roulette"),
    **{
        f"{name}, a launch a {launches}": (
            construction,
            AsLaunchesParameters(workers=workers, launches=launches),
            selection,
        )
        for name, construction, workers, selection in (
            ("st-group", StGroup, 64, "roulette"),
            ("st-group-stc", StGroupStc, 16, "stc-roulette"),
            ("st-group-stc-tr", StGroupStcTr, None, "stc-roulette"),
            ("st-dynamic", StDynamic, None, "stc-roulette"),
        )
        for launches in ("tour", "step")
    },
}
"""Name to the construction, its parameters and what the CPU calls its selection."""

UPDATES = tuple(AsCudaParameters.explanations()["update"].options)
LEAST = np.float32(2.0**-60)


def repeated_product(trails: NDArray[np.float32], alpha: float) -> NDArray[np.float32]:
    """τ^α, a float32 product for a whole α."""
    if not float(alpha).is_integer():
        return (trails.astype(np.float64) ** alpha).astype(np.float32)
    power = np.ones_like(trails)
    for _ in range(int(alpha)):
        power = power * trails
    return power


def heuristic(instance: TspInstance, beta: float) -> NDArray[np.float32]:
    """η^β of every edge."""
    cities = np.arange(instance.n)
    distances = instance.distances(cities[:, None], cities)
    np.fill_diagonal(distances, distances.max())  # of a city itself there is no weight
    nearest = build_candidates(instance, 1).distances
    return weights(distances, nearest, beta)


def renewed(
    trails: NDArray[np.float32],
    deposits: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    scale: int,
    rho: float,
) -> NDArray[np.float32]:
    """Equations 2 to 4, on whole quanta of a deposit."""
    m, shortest = len(lengths), max(int(lengths.min()), 1)
    quanta = (2**32 - 1) // m
    unit = np.float32(max(scale, 1) / (m * quanta) / shortest)
    kept = np.maximum(trails * np.float32(1 - rho), LEAST)
    return np.asarray(kept + deposits.astype(np.float32) * unit, dtype=np.float32)


def deposited(
    tours: NDArray[np.int32], lengths: NDArray[np.int64], directed: bool
) -> NDArray[np.uint32]:
    """Quanta of all ants on each edge."""
    m, n = tours.shape
    each = np.maximum(lengths, 1).astype(np.float64)
    quanta = np.floor((2**32 - 1) // m * (each.min() / each)).astype(np.uint64)
    total = np.zeros((n, n), dtype=np.uint64)
    for tour, amount in zip(tours, quanta, strict=True):
        total[tour, np.roll(tour, -1)] += amount
    if not directed:
        total += total.T
    assert total.max() < 2**32
    return total.astype(np.uint32)


class Parts:
    """Choice info and update of an Ant System, each to be run on its own."""

    def __init__(self, instance: TspInstance, parameters: AsCudaParameters, **machine: Any) -> None:
        parameters = parameters.resolved(instance.n)
        assert parameters.ants is not None
        self.instance, self.parameters, self.m = instance, parameters, parameters.ants
        self.machine = EmulatedMachine(**machine)
        problem = Problem.of(instance, min(32, instance.n - 1), parameters.beta)
        self.trails = DenseTrails(problem)
        self.choice = ChoiceInfo(self.machine, problem, self.trails, parameters)
        self.update = PheromoneUpdate(self.machine, problem, self.trails, parameters)
        self.arrays = self.machine.allocate(
            [
                *problem.buffers(),
                *self.trails.buffers(),
                *self.choice.buffers(),
                *self.update.buffers(),
                Buffer("tours", (self.m, instance.n), np.int32),
                Buffer("lengths", (self.m,), np.uint64),
                Buffer("best_tour", (instance.n,), np.int32),
                Buffer("state", (WORDS,), np.uint64),
            ]
        )
        for name, values in problem.values.items():
            self.machine.upload(self.arrays[name], values)
        self.machine.run([self.trails.start(self.arrays), self.choice.start(self.arrays)])

    def matrix(self, name: str) -> NDArray[Any]:
        return np.array(self.arrays[name][:, : self.instance.n])

    def set(self, name: str, values: NDArray[Any]) -> None:
        self.arrays[name][:, : self.instance.n] = values

    def build(self, tours: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        """What a construction leaves behind."""
        self.arrays["tours"][...] = tours
        self.arrays["lengths"][...] = lengths
        ant = int(lengths.argmin())
        self.arrays["state"][1] = int(lengths[ant]) << 20 | ant
        self.arrays["state"][2] = lengths.sum()


@contextmanager
def parts(
    instance: TspInstance, parameters: AsCudaParameters | None = None, **machine: Any
) -> Iterator[Parts]:
    made = Parts(instance, parameters or AsCudaParameters(), **machine)
    try:
        yield made
    finally:
        made.machine.close()


@contextmanager
def emulated(
    instance: TspInstance,
    parameters: AsCudaParameters | None = None,
    seed: int = 7,
    construction: ConstructionType = Task,
    **machine: Any,
) -> Iterator[AntSystemColony]:
    """A colony on the emulation."""
    parameters = parameters or AsCudaParameters()
    colony = AntSystemColony(instance, parameters, EmulatedMachine(**machine), seed, construction)
    try:
        yield colony
    finally:
        colony.close()


@contextmanager
def on_cpu(
    instance: TspInstance, selection: str, values: Mapping[str, float], seed: int = 7
) -> Iterator[AsCpuColony]:
    """Its counterpart on the CPU."""
    parameters = AsCpuParameters.from_mapping({"selection": selection, **values})
    colony = AsCpuColony(instance, parameters, seed, threads=2)
    try:
        yield colony
    finally:
        colony.close()


def off_diagonal(matrix: NDArray[Any]) -> NDArray[Any]:
    return matrix[~np.eye(len(matrix), dtype=bool)]


@pytest.mark.parametrize("beta", [0.0, 2.0, 2.5, 20.0])
@pytest.mark.parametrize(
    "instance",
    [
        *(pytest.param(scattered(21, metric), id=metric.name) for metric in COORDINATE_METRICS),
        pytest.param(scattered(32, extent=4), id="at one place"),
        pytest.param(scattered(3), id="three"),
        pytest.param(explicit(10, False), id="explicit"),
        pytest.param(explicit(10, True), id="directed"),
    ],
)
def test_the_heuristic_of_every_edge_is_the_hosts(instance: TspInstance, beta: float) -> None:
    with parts(instance, AsCudaParameters(beta=beta)) as made:
        made_here = off_diagonal(made.matrix("heuristic"))
    expected = off_diagonal(heuristic(instance, beta))
    if beta.is_integer():
        np.testing.assert_array_equal(made_here, expected)
    else:
        np.testing.assert_allclose(made_here, expected, rtol=3e-7)


@pytest.mark.parametrize("power", ["precise", "fast"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.5, 2.0, 3.0, 20.0])
@pytest.mark.parametrize("n", [3, 37])
def test_weights_are_powers_of_trails_times_heuristics(n: int, alpha: float, power: str) -> None:
    instance = scattered(n)
    rng = np.random.default_rng(n)
    trails = (2.0 ** rng.uniform(-60, 12, (n, n))).astype(np.float32)
    trails[0, 1], trails[1, 2] = LEAST, 1.0
    with parts(instance, AsCudaParameters(alpha=alpha, power=power)) as made:
        made.set("trails", trails)
        made.machine.run(made.choice.launches(made.arrays))
        made_here = off_diagonal(made.matrix("weights"))
        assert not made.matrix("weights").diagonal().any()
        assert not made.arrays["weights"][:, n:].any()
    with np.errstate(over="ignore", under="ignore"):
        product = repeated_product(trails, alpha) * heuristic(instance, 2.0)
    expected = off_diagonal(np.clip(product, 2.0**-100, 2.0**100))
    if power == "precise" and alpha.is_integer():
        np.testing.assert_array_equal(made_here, expected)
    else:
        np.testing.assert_allclose(made_here, expected, rtol=3e-6 if power == "fast" else 2e-7)


def random_tours(n: int, m: int, seed: int = 0) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tours that share many edges, and lengths from 0 on."""
    rng = np.random.default_rng(seed)
    base = rng.permutation(n)
    tours = np.array([rng.permutation(n) if ant % 3 else np.roll(base, ant) for ant in range(m)])
    return tours.astype(np.int32), rng.integers(0, 10**9, m) * (rng.random(m) < 0.9)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(("n", "m"), [(3, 1), (3, 130), (4, 3), (16, 16), (33, 7), (100, 29)])
def test_every_update_adds_up_the_same_deposits(n: int, m: int, directed: bool) -> None:
    tours, lengths = random_tours(n, m)
    expected = deposited(tours, lengths, directed)
    for update in UPDATES:
        if directed and update == "reduction":
            continue
        parameters = AsCudaParameters(ants=m, update=update)
        with parts(explicit(n, directed), parameters) as made:
            made.build(tours, lengths)
            made.machine.run(made.update.launches(made.arrays)[:-1])
            np.testing.assert_array_equal(made.matrix("deposits"), expected, update)


def test_tours_of_more_than_one_tile() -> None:
    tours, lengths = random_tours(300, 2)
    expected = deposited(tours, lengths, False)
    for update in ("atomic-tiled", "reduction", "tiled-gather"):
        with parts(scattered(300), AsCudaParameters(ants=2, update=update)) as made:
            made.build(tours, lengths)
            made.machine.run(made.update.launches(made.arrays)[:-1])
            np.testing.assert_array_equal(made.matrix("deposits"), expected, update)


@pytest.mark.parametrize("looks", [1, 5_000, 50_000])
@pytest.mark.parametrize("update", ["reduction", "tiled-gather", "gather"])
def test_a_gathering_update_may_come_in_slices(
    update: str, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_updates, "LOOKS", looks)
    tours, lengths = random_tours(41, 5)
    with parts(scattered(41), AsCudaParameters(ants=5, update=update)) as made:
        made.build(tours, lengths)
        launches = made.update.launches(made.arrays)
        assert len(launches) > 1 + (looks < 10_000) * 5
        assert launches[-1].kernel == "renew_trails"
        made.machine.run(launches[:-1])
        np.testing.assert_array_equal(made.matrix("deposits"), deposited(tours, lengths, False))
        with pytest.raises(IndexError, match="none is number"):
            launches[len(launches)]


def test_slices_are_short_and_their_number_costs_nothing() -> None:
    machine = EmulatedMachine(multiprocessors=132)
    instance = scattered(2392)
    problem = Problem.of(instance, 4, 2.0)
    for update in ("reduction", "tiled-gather", "gather"):
        parameters = AsCudaParameters(update=update).resolved(instance.n)
        made = PheromoneUpdate(machine, problem, DenseTrails(problem), parameters)
        launches = made.launches(dict.fromkeys(NAMES))
        pairs = instance.n * (instance.n - 1) // 2 if update == "reduction" else instance.n**2
        assert len(launches) - 1 >= pairs * instance.n**2 / (as_updates.LOOKS * 132)
        for launch in launches[:5]:
            first_pair, end_pair, first_ant, end_ant = (int(value) for value in launch.args[-4:])
            looks = (end_pair - first_pair) * (end_ant - first_ant) * instance.n
            assert 0 < looks <= as_updates.LOOKS * 132


NAMES = (
    "trails", "deposits", "tours", "lengths", "best_tour", "iteration_tour", "state",
)  # fmt: skip


def test_half_of_a_directed_matrix_is_refused() -> None:
    with (
        pytest.raises(ParameterError, match="needs distances that are the same both ways"),
        parts(explicit(10, True), AsCudaParameters(update="reduction")),
    ):
        pass


@pytest.mark.parametrize("rho", [0.5, 0.1, 1.0])
def test_trails_evaporate_to_a_floor_and_take_deposits(rho: float) -> None:
    n, m = 30, 8
    instance = scattered(n)
    tours, lengths = random_tours(n, m)
    scale = nearest_neighbour_length(instance, build_candidates(instance, 1))
    with parts(instance, AsCudaParameters(ants=m, rho=rho)) as made:
        expected = np.ones((n, n), np.float32)
        for _ in range(70 if rho == 0.5 else 3):
            made.build(tours, lengths)
            made.machine.run(made.update.launches(made.arrays))
            deposits = deposited(tours, lengths, False)
            expected = renewed(expected, deposits, lengths, scale, rho)
            assert not made.arrays["deposits"].any()
        trails = made.matrix("trails")
        np.testing.assert_array_equal(trails, expected)
        if rho == 0.5:
            assert trails.min() == LEAST
        shortest = tours[lengths.argmin()]
        np.testing.assert_array_equal(made.arrays["iteration_tour"], shortest)
        np.testing.assert_array_equal(made.arrays["best_tour"], shortest)


def check_iteration(colony: AntSystemColony, before: Mapping[str, Any], rho: float) -> None:
    """One iteration, whose tours are taken as they are, against NumPy."""
    colony.iterate(1)
    instance, arrays = colony._instance, colony._arrays
    n = instance.n
    tours = np.array(arrays["tours"])
    lengths = np.array([instance.tour_length(tour) for tour in tours], dtype=np.int64)
    scale = nearest_neighbour_length(instance, build_candidates(instance, 1))
    deposits = deposited(tours, lengths, instance.directed)
    trails = renewed(before["trails"], deposits, lengths, scale, rho)
    shown = colony.snapshot(Wanted.EVERYTHING)
    assert shown.iteration == before["iteration"] + 1
    assert shown.tours_built == shown.iteration * len(tours)
    assert shown.iteration_best == lengths.min()
    assert shown.iteration_mean == pytest.approx(lengths.mean(), rel=1e-12)
    assert shown.iteration_tour is not None
    np.testing.assert_array_equal(shown.iteration_tour, tours[lengths.argmin()])
    assert shown.best_tour is not None
    if shown.best_iteration == shown.iteration:
        np.testing.assert_array_equal(shown.best_tour, shown.iteration_tour)
        assert shown.best_length < before["best"]
    else:
        assert shown.best_length == before["best"] <= shown.iteration_best
    for city in range(n):
        np.testing.assert_array_equal(colony.trails_from(city), trails[city])
    assert shown.pheromone is not None
    np.testing.assert_array_equal(shown.pheromone, matrix_picture(trails, shown.best_tour))
    expected = matrix_trails(trails, instance.directed)
    assert shown.trails is not None
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
            best = numbers.best_length if iteration else np.inf
            before = {"trails": trails, "iteration": iteration, "best": best}
            check_iteration(colony, before, 0.3)


def test_many_strong_trails_are_shown_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cuda.pictures.STRONGEST_TRAILS", 100)
    instance = scattered(64)
    with emulated(instance, AsCudaParameters(rho=0.02)) as colony:
        for _ in range(3):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.TRAILS).trails
            assert shown is not None
            assert 50 <= len(shown.edges) <= 100
            trails = np.stack([colony.trails_from(city) for city in range(64)])
            expected = matrix_trails(trails, False, len(shown.edges))
            np.testing.assert_array_equal(shown.strength, expected.strength)


@pytest.mark.parametrize("size", [1, 7, 16, 39])
def test_several_trails_share_a_pixel(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cuda.pictures.PICTURE_SIZE", size)
    with emulated(scattered(40)) as colony:
        colony.iterate(2)
        shown = colony.snapshot(Wanted.PHEROMONE | Wanted.TOUR)
        trails = np.stack([colony.trails_from(city) for city in range(40)])
        assert shown.best_tour is not None
        expected = matrix_picture(trails, shown.best_tour, size)
        np.testing.assert_array_equal(shown.pheromone, expected)


def test_before_the_first_iteration_all_is_at_the_initial_level() -> None:
    with emulated(scattered(20)) as colony:
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert (snapshot.iteration, snapshot.best_length, snapshot.best_tour) == (0, 0, None)
        assert snapshot.trails is not None
        assert len(snapshot.trails.edges) == 0
        np.testing.assert_array_equal(colony.trails_from(3), np.ones(20, np.float32))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize(
    ("instance", "values"),
    [
        pytest.param(scattered(3), {}, id="three"),
        pytest.param(scattered(64), {"ants": 7}, id="scattered"),
        pytest.param(explicit(35, True), {"ants": 5, "rho": 0.1}, id="directed"),
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
    compare(instance, Task, AsCudaParameters(update="gather"), "roulette", values, 3)


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


def every(period: int) -> Callable[[], bool]:
    """Says True every so many times that it is asked."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked % period == 0

    return stop


@pytest.mark.parametrize("update", ["atomic", "gather"])
@pytest.mark.parametrize("stop", [lambda: True, every(3)], ids=["always", "now and then"])
def test_an_iteration_left_in_its_midst_is_gone_on_with(
    update: str, stop: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_updates, "LOOKS", 2_000)
    instance, parameters = scattered(30), AsCudaParameters(update=update, ants=12)
    with (
        emulated(instance, parameters, milliseconds=15.0) as left,
        emulated(instance, parameters) as whole,
    ):
        calls = 0
        for iteration in range(3):
            before = whole.snapshot(Wanted.EVERYTHING)
            while (shown := left.snapshot(Wanted.EVERYTHING)).iteration == iteration:
                assert_same(shown, before)
                left.iterate(1, stop)
                calls += 1
            whole.iterate(1)
            assert_same(shown, whole.snapshot(Wanted.EVERYTHING))
        assert calls > 3


def assert_same(ours: Snapshot, theirs: Snapshot) -> None:
    """Numbers, tours and trails are the same, to the last bit."""
    for part in ("iteration", "best_length", "best_iteration", "iteration_best", "iteration_mean"):
        assert getattr(ours, part) == getattr(theirs, part), part
    for part in ("best_tour", "iteration_tour", "pheromone"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), part)
    assert ours.branching == theirs.branching
    assert ours.trails is not None
    assert theirs.trails is not None
    np.testing.assert_array_equal(ours.trails.strength, theirs.trails.strength)
    assert set(map(tuple, ours.trails.edges)) == set(map(tuple, theirs.trails.edges))


@pytest.mark.parametrize("by_iterating", [False, True])
def test_the_time_between_two_calls_is_no_time_of_a_phase(by_iterating: bool) -> None:
    with emulated(scattered(20), milliseconds=15.0) as colony:
        colony.iterate(2, every(4))
        assert colony.snapshot(Wanted.EVERYTHING).iteration == 1  # whose pictures take time
        if by_iterating:
            colony.iterate(1)
        times = colony.snapshot(Wanted.NUMBERS).phases if by_iterating else colony.timed_iteration()
        assert colony.snapshot(Wanted.NUMBERS).iteration == 2
        assert times == {"choice info": 15.0, "construction": 15.0, "update": 30.0}
        assert colony.snapshot(Wanted.NUMBERS).phases == times


@pytest.mark.parametrize(("milliseconds", "long"), [(1.0, False), (15.0, True)])
def test_short_iterations_run_from_the_graph_and_long_ones_by_launches(
    milliseconds: float, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with emulated(scattered(10), milliseconds=milliseconds) as colony:
        colony.iterate(1)
        asked: list[int] = []
        monkeypatch.setattr(colony._iterations, "_graph", asked.append)
        colony.iterate(3)
        assert asked == ([] if long else [3])
        assert colony.snapshot(Wanted.NUMBERS).iteration == (4 if long else 1)


def test_an_iteration_of_very_many_launches_has_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterations, "GRAPH_LAUNCHES", 3)
    with emulated(scattered(10)) as many, emulated(scattered(10), AsCudaParameters()) as usual:
        assert many._iterations is not None
        assert many._iterations._graph is None
        many.iterate(3)
        usual.iterate(3)
        one, other = many.snapshot(Wanted.TOUR), usual.snapshot(Wanted.TOUR)
        np.testing.assert_array_equal(one.best_tour, other.best_tour)


def test_launches_of_a_long_phase_go_in_growing_batches() -> None:
    with emulated(scattered(10), AsGroupParameters()) as colony:
        assert [iterations._next_size(size, 1.0) for size in (1, 2, 3000)] == [2, 4, 4096]
        assert [iterations._next_size(size, 9.0) for size in (1, 2, 7)] == [1, 1, 3]
        assert iterations._next_size(5, 6.0) == 5
        assert len(colony.phases["update"]) == 2


class Refusing(EmulatedMachine):
    """A device on which nothing fits."""

    def allocate(self, buffers: Sequence[Buffer]) -> Mapping[str, Array]:
        self.declared = {buffer.name: buffer.nbytes for buffer in buffers}
        assert len(self.declared) == len(buffers)
        raise DeviceMemoryError("this run needs too much")


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if "tour" in name])
def test_all_memory_is_declared_before_any_is_taken(name: str) -> None:
    machine, n = Refusing(), 1500
    construction, parameters, _ = CONSTRUCTIONS[name]
    with pytest.raises(DeviceMemoryError):
        AntSystemColony(scattered(n), replace(parameters, ants=10), machine, 1, construction)
    matrices = {size for size in machine.declared.values() if size >= 4 * n * n}
    assert len(matrices) == 1  # of trails, heuristic, weights and deposits
    assert 16 * n * n < sum(machine.declared.values()) < 16.4 * n * n + 2000 * n + 2_000_000


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
