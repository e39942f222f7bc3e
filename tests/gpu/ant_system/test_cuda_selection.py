"""Do the kernels of the Ant System choose cities with the probabilities they should?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from gpu.ant_system.cuda import construction as as_parallel
from gpu.ant_system.cuda.construction import StGroup, StGroupStc
from gpu.ant_system.parameters import AsCudaParameters, AsGroupParameters, AsLaunchesParameters
from gpu.construction.cuda import construction as as_construction
from gpu.construction.cuda.construction import TourConstruction
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.ant_system.test_cuda_construction import build

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

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
