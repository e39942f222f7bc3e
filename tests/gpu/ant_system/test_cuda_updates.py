"""Choice info and pheromone update of the Ant Systems, on the emulation, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from gpu.ant_system.cuda import colony as as_updates
from gpu.ant_system.cuda.colony import AntSystemChoiceInfo, PheromoneUpdate
from gpu.ant_system.cuda.kernels import GatherDeposits
from gpu.ant_system.parameters import AsCudaParameters
from gpu.core.errors import ParameterError
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.cuda.colony import STATE_WORDS
from gpu.cuda.instances import DeviceCities
from gpu.cuda.machine import Buffer
from gpu.cuda.trails import DenseTrails
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import COORDINATE_METRICS, explicit, scattered
from tests.gpu.ant_system.colonies import LEAST, deposited, renewed
from tests.gpu.cuda.emulated import EmulatedMachine

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

UPDATES = tuple(AsCudaParameters.explanations()["update"].options)


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


class Parts:
    """Choice info and update of an Ant System, each to be run on its own."""

    def __init__(self, instance: TspInstance, parameters: AsCudaParameters, **machine: Any) -> None:
        parameters = parameters.resolved(instance.n)
        assert parameters.ants is not None
        self.instance, self.parameters, self.m = instance, parameters, parameters.ants
        self.machine = EmulatedMachine(**machine)
        problem = DeviceCities.of(instance, min(32, instance.n - 1), parameters.beta)
        self.trails = DenseTrails(problem)
        self.choice = AntSystemChoiceInfo(self.machine, problem, self.trails, parameters)
        self.update = PheromoneUpdate(self.machine, problem, self.trails, parameters)
        self.arrays = self.machine.allocate(
            [
                *(Buffer.of(name, values) for name, values in problem.values.items()),
                *self.trails.buffers(),
                *self.choice.buffers(),
                *self.update.buffers(),
                Buffer("tours", (self.m, instance.n), np.int32),
                Buffer("lengths", (self.m,), np.uint64),
                Buffer("best_tour", (instance.n,), np.int32),
                Buffer("state", (STATE_WORDS,), np.uint64),
            ]
        )
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
    monkeypatch.setattr(as_updates, "LOOKS_A_LAUNCH", looks)
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
    problem = DeviceCities.of(instance, 4, 2.0)
    for update in ("reduction", "tiled-gather", "gather"):
        parameters = AsCudaParameters(update=update).resolved(instance.n)
        made = PheromoneUpdate(machine, problem, DenseTrails(problem), parameters)
        launches = made.launches({name: np.zeros(1, dtype) for name, dtype in DTYPES.items()})
        pairs = instance.n * (instance.n - 1) // 2 if update == "reduction" else instance.n**2
        assert len(launches) - 1 >= pairs * instance.n**2 / (as_updates.LOOKS_A_LAUNCH * 132)
        for launch in launches[:5]:
            args = launch.args
            assert isinstance(args, GatherDeposits)
            looks = (args.end_pair - args.first_pair) * (args.end_ant - args.first_ant) * instance.n
            assert 0 < looks <= as_updates.LOOKS_A_LAUNCH * 132


DTYPES: dict[str, DTypeLike] = {
    "trails": np.float32,
    "deposits": np.uint32,
    "tours": np.int32,
    "lengths": np.uint64,
    "best_tour": np.int32,
    "iteration_tour": np.int32,
    "state": np.uint64,
}


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
    scale = nearest_neighbour_length(instance)
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
