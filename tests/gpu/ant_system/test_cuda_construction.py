"""Tour construction on the emulation: against a literal one, and against the probabilities."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from gpu.ant_system.cuda import construction as as_parallel
from gpu.ant_system.cuda.construction import StGroup, StGroupStc
from gpu.ant_system.parameters import AsCudaParameters, AsGroupParameters, AsLaunchesParameters
from gpu.construction.cuda import construction as as_construction
from gpu.construction.cuda.construction import Groups, TourConstruction
from gpu.core.errors import ParameterError
from gpu.core.random import Purpose, key_of, philox4x32, start_cities
from gpu.cuda.colony import STATE_WORDS
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels.constants import ANT_BITS, LANES
from gpu.cuda.machine import Buffer, Machine
from gpu.cuda.trails import weight_columns
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.draws import odd_share, own_words
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import COORDINATE_METRICS, explicit, scattered
from tests.gpu.cuda.emulated import EmulatedMachine


def units(weights: NDArray[np.float32]) -> list[int]:
    """The wheel's slots: weights in 2^-23 of the largest one's power of two."""
    _, exponent = math.frexp(float(weights.max()))
    return [math.ceil(math.ldexp(float(weight), 23 - exponent)) for weight in weights]


def spin(word: int, slots: list[int]) -> int:
    """The first slot whose prefix sum is beyond where the wheel stops."""
    stop = word * sum(slots) >> 32
    total = 0
    for place, slot in enumerate(slots):
        total += slot
        if total > stop:
            return place
    raise AssertionError("the wheel stops nowhere")


def wheel_words(seed: int, iteration: int, ant: int, n: int) -> NDArray[np.uint32]:
    """The words that spin the wheel at steps 0, 1, ..., n - 1."""
    blocks = np.arange(-(-n // 4))
    return philox4x32((blocks, ant, iteration, Purpose.ROULETTE), key_of(seed)).ravel()


def roulette_tour(
    weights: NDArray[np.float32], seed: int, iteration: int, ant: int, *, listed: bool
) -> list[int]:
    """One ant's tour by the roulette wheel, over the tour list if ``listed``, else by number."""
    n = weights.shape[0]
    words = wheel_words(seed, iteration, ant, n)
    cities = list(range(n))
    start = int(start_cities(seed, iteration, ant, n))
    cities[0], cities[start] = cities[start], cities[0]
    for step in range(1, n):
        left = cities[step:] if listed else sorted(cities[step:])
        place = spin(int(words[step]), units(weights[cities[step - 1], left]))
        at = cities.index(left[place])
        cities[step], cities[at] = cities[at], cities[step]
    return cities


def independent_tour(
    weights: NDArray[np.float32], seed: int, iteration: int, ant: int
) -> list[int]:
    """One ant's tour by I-Roulette: the largest product of weight and random number."""
    n = weights.shape[0]
    tour = [int(start_cities(seed, iteration, ant, n))]
    for step in range(1, n):
        block = philox4x32((step, ant, iteration, Purpose.INDEPENDENT), key_of(seed))
        numbers = odd_share(own_words(block, np.arange(n)))
        keys = numbers * weights[tour[-1]]
        keys[tour] = -1
        tour.append(int(keys.argmax()))
    return tour


pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 0x1234_5678_9ABC_DEF0
ITERATION = 3


def random_weights(n: int, seed: int = 0) -> NDArray[np.float32]:
    """Weights over many orders of magnitude, with ties."""
    rng = np.random.default_rng(seed)
    weights = (2.0 ** rng.integers(-60, 60, (n, n)) * rng.integers(1, 5, (n, n))).astype(np.float32)
    weights[rng.random((n, n)) < 0.5] = 1
    return weights


@dataclass(frozen=True)
class Built:
    """What a construction left in memory."""

    tours: NDArray[np.int32]
    lengths: NDArray[np.uint64]
    best: int
    total: int


def build(
    kind: type[TourConstruction],
    instance: TspInstance,
    weights: NDArray[np.float32],
    parameters: AsCudaParameters,
    iteration: int = ITERATION,
    machine: Machine | None = None,
) -> Built:
    """Build the tours of one iteration."""
    n = instance.n
    machine = machine or EmulatedMachine()
    problem = DeviceCities.of(instance, min(5, n - 1), 2.0)
    parameters = parameters.resolved(n)
    construction: Any = kind(machine, problem, parameters, SEED)
    arrays = machine.allocate(
        [
            *(Buffer.of(name, values) for name, values in problem.values.items()),
            Buffer("weights", (n, weight_columns(n)), np.float32),
            *construction.buffers(),
            Buffer("state", (STATE_WORDS,), np.uint64),
        ]
    )
    padded = np.zeros((n, weight_columns(n)), np.float32)
    padded[:, :n] = weights
    machine.upload(arrays["weights"], padded)
    state = np.zeros(STATE_WORDS, np.uint64)
    state[0], state[1], state[3] = iteration, 2**64 - 1, 2**64 - 1
    machine.upload(arrays["state"], state)
    machine.run(construction.launches(arrays))
    state = machine.download(arrays["state"])
    built = Built(
        machine.download(arrays["tours"]),
        machine.download(arrays["lengths"]),
        int(state[1]),
        int(state[2]),
    )
    machine.close()
    return built


def assert_built(
    built: Built, instance: TspInstance, tour_of: Callable[[int], list[int]], ants: int
) -> None:
    """Tours as they should be, lengths exact, the best and the sum reported."""
    lengths = []
    for ant in range(ants):
        assert built.tours[ant].tolist() == tour_of(ant)
        lengths.append(instance.tour_length(built.tours[ant]))
    assert built.lengths.tolist() == lengths
    assert built.total == sum(lengths)
    assert built.best == min(length << ANT_BITS | ant for ant, length in enumerate(lengths))


@functools.cache
def literal(n: int, rule: str, ant: int) -> list[int]:
    """The tour of an ant with :func:`random_weights`."""
    if rule == "i-roulette":
        return independent_tour(random_weights(n), SEED, ITERATION, ant)
    listed = rule == "stc"
    return roulette_tour(random_weights(n), SEED, ITERATION, ant, listed=listed)


SIZES = [3, 31, 32, 33, 64, 65, 200]

STEPPED = [3, 33, 65]
"""Sizes for a launch a step, which share what tells the others apart."""

ANTS = 3


@pytest.mark.parametrize("shared", [64 << 10, 0])
@pytest.mark.parametrize("n", SIZES)
def test_task(n: int, shared: int) -> None:
    instance = scattered(n)
    ants = n if n < 40 else 34
    parameters = AsCudaParameters(ants=ants)
    machine = EmulatedMachine(shared_limit=shared)
    built = build(
        as_parallel.TaskParallel, instance, random_weights(n), parameters, machine=machine
    )
    assert_built(built, instance, lambda ant: literal(n, "roulette", ant), ants)


@pytest.mark.parametrize("workers", [None, 16, 64])
@pytest.mark.parametrize(
    ("kind", "rule"),
    [(as_parallel.Data, "roulette"), (as_parallel.IRoulette, "i-roulette")],
)
def test_data_parallel(kind: type[TourConstruction], rule: str, workers: int | None) -> None:
    for n in SIZES:
        instance, ants = scattered(n), ANTS
        parameters = AsGroupParameters(ants=ants, workers=workers)
        built = build(kind, instance, random_weights(n), parameters)
        assert_built(built, instance, functools.partial(literal, n, rule), ants)


@pytest.mark.parametrize("kind", [as_parallel.Data, as_parallel.IRoulette])
def test_too_few_workers_are_refused_with_their_number(kind: type[TourConstruction]) -> None:
    parameters = AsGroupParameters(ants=1, workers=16)
    build(kind, scattered(512), random_weights(512), parameters)
    with pytest.raises(ParameterError, match=r"workers = 16 .* 513 cities.*: set at least 17"):
        build(kind, scattered(513), random_weights(513), parameters)


GROUPS: list[tuple[type[Groups], str]] = [
    (StGroup, "roulette"),
    (StGroupStc, "stc"),
    (as_construction.StGroupStcTr, "stc"),
    (as_construction.StDynamic, "stc"),
]


@pytest.mark.parametrize("workers", [16, 32, 64, 128])
@pytest.mark.parametrize(("kind", "rule"), GROUPS)
def test_groups(kind: type[TourConstruction], rule: str, workers: int) -> None:
    for n, launches in (*((n, "tour") for n in SIZES), *((n, "step") for n in STEPPED)):
        instance, ants = scattered(n), ANTS
        parameters = AsLaunchesParameters(ants=ants, workers=workers, launches=launches)
        built = build(kind, instance, random_weights(n), parameters)
        assert_built(built, instance, functools.partial(literal, n, rule), ants)


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize(("kind", "rule"), GROUPS)
def test_launches_are_chosen_as_the_parameter_says(kind: type[Groups], rule: str, n: int) -> None:
    said = AsLaunchesParameters.explanations()["launches"].automatic
    problem = DeviceCities.of(scattered(n), 5, 2.0)
    built = [
        kind(EmulatedMachine(), problem, AsLaunchesParameters(ants=1, launches=launches), SEED)
        for launches in (None, said)
    ]
    assert built[0].kernel == built[1].kernel


@pytest.mark.parametrize("workers", [16, 32])
@pytest.mark.parametrize(("kind", "rule"), GROUPS)
def test_more_cities_than_a_thread_can_hold(kind: type[Groups], rule: str, workers: int) -> None:
    source = kind.alone or kind.source
    whole, any_size = source.whole, source.any_size
    n = workers * (2 * any_size if workers < LANES else whole) + 12
    instance = scattered(n)
    parameters = AsLaunchesParameters(ants=1, workers=workers, launches="tour")
    built = build(kind, instance, random_weights(n), parameters)
    assert_built(built, instance, lambda ant: literal(n, rule, ant), 1)


@pytest.mark.parametrize("workers", [512, 1024])
@pytest.mark.parametrize(("kind", "rule"), GROUPS)
def test_groups_of_many_warps(kind: type[TourConstruction], rule: str, workers: int) -> None:
    instance, parameters = scattered(150), AsLaunchesParameters(ants=1, workers=workers)
    built = build(kind, instance, random_weights(150), parameters)
    assert_built(built, instance, lambda ant: literal(150, rule, ant), 1)


@pytest.mark.parametrize(("kind", "rule"), GROUPS[1:])
def test_tour_lists_that_do_not_fit_shared_memory(kind: type[TourConstruction], rule: str) -> None:
    instance, machine = scattered(100), EmulatedMachine(shared_limit=0)
    parameters = AsLaunchesParameters(ants=5, workers=64, launches="tour")
    built = build(kind, instance, random_weights(100), parameters, machine=machine)
    assert_built(built, instance, lambda ant: literal(100, rule, ant), 5)


@pytest.mark.parametrize("launches", ["tour", "step"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(("kind", "rule"), GROUPS)
def test_lengths_of_explicit_distances(
    kind: type[TourConstruction], rule: str, directed: bool, launches: str
) -> None:
    instance, parameters = explicit(40, directed), AsLaunchesParameters(ants=6, launches=launches)
    built = build(kind, instance, random_weights(40), parameters)
    assert_built(built, instance, lambda ant: literal(40, rule, ant), 6)


@pytest.mark.parametrize("metric", COORDINATE_METRICS)
def test_lengths_under_every_metric(metric: Metric) -> None:
    instance = scattered(50, metric)
    built = build(
        as_construction.StDynamic, instance, random_weights(50), AsLaunchesParameters(ants=9)
    )
    assert_built(built, instance, lambda ant: literal(50, "stc", ant), 9)


ROULETTES: list[tuple[type[TourConstruction], AsCudaParameters, bool]] = [
    (as_parallel.TaskParallel, AsCudaParameters(), False),
    (as_parallel.Data, AsGroupParameters(workers=16), False),
    (StGroup, AsLaunchesParameters(workers=32, launches="tour"), False),
    (StGroupStc, AsLaunchesParameters(workers=16, launches="tour"), True),
    (as_construction.StGroupStcTr, AsLaunchesParameters(workers=32, launches="tour"), True),
    (as_construction.StDynamic, AsLaunchesParameters(workers=64, launches="tour"), True),
]

Law = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From the weights of some cities to the probability of each."""


def weights_of(n: int) -> NDArray[np.float32]:
    """Return weights of which the largest is some hundred times the smallest."""
    weights = (np.random.default_rng(n).random((n, n)) ** 3 + 0.005).astype(np.float32)
    np.fill_diagonal(weights, 0)
    return weights


def wheel_law(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equation 1 of the 2013 paper."""
    chances: NDArray[np.float64] = weights / weights.sum()
    return chances


def independent_law(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """I-Roulette: city j wins if no r_k w_k is larger than r_j w_j, all r uniform in [0, 1]."""
    chances = []
    for j, own in enumerate(weights):
        others = np.delete(weights, j)
        kinks = sorted({float(other / own) for other in others if other < own})
        chance, _ = integrate.quad(
            lambda r, own=own, others=others: np.minimum(1, r * own / others).prod(),
            0,
            1,
            points=kinks or None,
        )
        chances.append(chance)
    return np.array(chances)


def tour_chances(weights: NDArray[np.float32], law: Law) -> dict[tuple[int, ...], float]:
    """Return the probability of every tour."""
    n = len(weights)
    exact = weights.astype(np.float64)
    chances = {}
    for tour in itertools.permutations(range(n)):
        chance = 1 / n
        for step in range(1, n):
            left = sorted(tour[step:])
            chance *= law(exact[tour[step - 1], left])[left.index(tour[step])]
        chances[tour] = chance
    return chances


def goodness(tours: NDArray[np.int32], chances: dict[tuple[int, ...], float]) -> float:
    """Return the p-value of the tours under these chances; rare tours are taken together."""
    counts = dict.fromkeys(chances, 0)
    for tour in tours.tolist():
        counts[tuple(tour)] += 1
    order: Sequence[tuple[int, ...]] = sorted(chances, key=lambda tour: chances[tour])
    observed: list[int] = [0]
    expected: list[float] = [0.0]
    for tour in order:
        if expected[-1] >= 10:
            observed.append(0)
            expected.append(0.0)
        observed[-1] += counts[tour]
        expected[-1] += chances[tour] * len(tours)
    assert len(expected) > 20
    scale = len(tours) / sum(expected)  # the sum of the chances is rounded
    return float(stats.chisquare(observed, np.array(expected) * scale).pvalue)


@pytest.mark.parametrize(("kind", "parameters", "listed"), ROULETTES)
def test_frequencies_of_tours_by_roulette(
    kind: type[TourConstruction], parameters: AsCudaParameters, listed: bool
) -> None:
    weights, ants = weights_of(5), 2500
    chances = tour_chances(weights, wheel_law)
    tours = build(kind, scattered(5), weights, with_ants(parameters, ants)).tours
    assert goodness(tours, chances) > 1e-3
    skewed = tour_chances(np.sqrt(weights), wheel_law)
    assert goodness(tours, skewed) < 1e-12, "the test can tell"


def test_frequencies_of_tours_by_i_roulette_and_their_bias() -> None:
    weights, ants = weights_of(5), 2500
    parameters = AsGroupParameters(workers=16, ants=ants)
    tours = build(as_parallel.IRoulette, scattered(5), weights, parameters).tours
    assert goodness(tours, tour_chances(weights, independent_law)) > 1e-3
    assert goodness(tours, tour_chances(weights, wheel_law)) < 1e-12


def test_i_roulette_favours_the_heavy() -> None:
    assert independent_law(np.array([1.0, 1.0])) == pytest.approx([0.5, 0.5])
    # Of r and 2 r', the second is larger three times of four; a wheel gives it two of three.
    assert independent_law(np.array([1.0, 2.0])) == pytest.approx([0.25, 0.75])
    assert independent_law(np.array([1.0, 1.0, 8.0]))[2] > 0.8


@pytest.mark.parametrize(("kind", "parameters", "listed"), ROULETTES)
def test_where_the_wheel_stops_is_uniform(
    kind: type[TourConstruction], parameters: AsCudaParameters, listed: bool
) -> None:
    n, ants = 90, 24
    weights = weights_of(n)
    tours = build(kind, scattered(n), weights, with_ants(parameters, ants)).tours
    rng = np.random.default_rng(1)
    stops = []
    for tour in tours:
        order = list(range(n))
        order[tour[0]], order[0] = 0, int(tour[0])
        for step in range(1, n):
            left = order[step:] if listed else sorted(order[step:])
            chances = wheel_law(weights[tour[step - 1], left].astype(np.float64))
            place = left.index(int(tour[step]))
            # Anywhere in the city's slot, each with the same chance.
            stops.append(chances[:place].sum() + rng.random() * chances[place])
            at = order.index(int(tour[step]))
            order[step], order[at] = order[at], order[step]
    assert stats.kstest(stops, "uniform").pvalue > 1e-3


def with_ants(parameters: AsCudaParameters, ants: int) -> AsCudaParameters:
    """Return the same parameters with so many ants."""
    return type(parameters).from_mapping({**parameters.to_dict(), "ants": ants})
