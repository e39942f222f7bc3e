"""The replayed rule of the Ant System against the tours that its colony builds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.ant_system.cpu import AsCpuColony
from gpu.ant_system.parameters import AsCpuParameters, AsCudaParameters
from gpu.construction.cpu import MatrixColony
from gpu.construction.rule import AsRule
from gpu.decisions import CityDraw, InitialTrails, winning_chances
from gpu.max_min.cpu import MmasCpuColony
from gpu.max_min.parameters import MmasCpuParameters
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.test_decisions import whole_tour

INSTANCES = {
    "uniform": makers.uniform(40, seed=2),
    "ties": makers.grid(6, 4),
    "places shared": makers.crowded(30),
    "directed": makers.directed(25),
    "3 cities": makers.uniform(3),
}

SELECTIONS = ("roulette", "stc-roulette", "lc-roulette", "i-roulette", "wrs")

OUTCOMES = {"i-roulette": CityDraw.I_ROULETTE, "wrs": CityDraw.RESERVOIR}


def predict(
    instance: TspInstance,
    parameters: AsCpuParameters | MmasCpuParameters,
    seed: int,
    iterations: int = 2,
) -> set[CityDraw]:
    """Compare all ants' tours with what was predicted; return what came about."""
    colony: MatrixColony
    if isinstance(parameters, AsCpuParameters):
        colony = AsCpuColony(instance, parameters.resolved(instance.n), seed, threads=1)
    else:
        colony = MmasCpuColony(instance, parameters.resolved(instance.n), seed, threads=1)
    rule = AsRule(instance, parameters.resolved(instance.n), seed)
    assert rule.caveat == ""
    outcomes: set[CityDraw] = set()
    try:
        for iteration in range(iterations):
            ants = range(len(colony._ants.routes))
            predicted = [whole_tour(rule, instance.n, colony, iteration, ant) for ant in ants]
            colony.iterate(1)
            for ant, (tour, choices) in zip(ants, predicted, strict=True):
                assert colony._ants.routes[ant].tolist() == tour
                outcomes |= {choice.draw for choice in choices}
    finally:
        colony.close()
    return outcomes


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("name", INSTANCES)
def test_every_ant_goes_where_it_was_predicted_to_go(name: str, selection: str) -> None:
    parameters = AsCpuParameters(ants=5, selection=selection)
    met = predict(INSTANCES[name], parameters, 3)
    assert met == {OUTCOMES.get(selection, CityDraw.ROULETTE)}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_candidate_lists_and_their_fallback(selection: str) -> None:
    parameters = AsCpuParameters(ants=5, selection=selection, candidates=4)
    met = predict(INSTANCES["uniform"], parameters, 3)
    assert CityDraw.FALLBACK in met
    assert len(met) == 2


@pytest.mark.parametrize(
    "parameters",
    [
        AsCpuParameters(ants=3, alpha=0.0),
        AsCpuParameters(ants=3, alpha=3.0, beta=0.0),
        AsCpuParameters(ants=3, alpha=20.0, beta=20.0, rho=1.0),
        AsCpuParameters(ants=3, alpha=1.5, beta=2.5, rho=0.1),
        AsCpuParameters(ants=1, candidates=32),
    ],
    ids=str,
)
def test_every_parameter(parameters: AsCpuParameters) -> None:
    predict(INSTANCES["uniform"], parameters, 2**64 - 1)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("candidates", [0, 5, 39])
def test_the_max_min_ant_system(selection: str, candidates: int) -> None:
    parameters = MmasCpuParameters(
        ants=4, selection=selection, candidates=candidates, rho=0.3, p_best=0.5
    )
    predict(INSTANCES["uniform"], parameters, 4)


def test_wheels_in_another_order_give_other_tours_from_the_same_numbers() -> None:
    instance = INSTANCES["uniform"]
    trails = InitialTrails(instance.n)
    tours = [
        whole_tour(
            AsRule(instance, AsCpuParameters().resolved(instance.n), 1, selection), 40, trails, 0
        )[0]
        for selection in SELECTIONS
    ]
    assert all(a != b for a, b in itertools.combinations(tours, 2))
    assert len({tour[0] for tour in tours}) == 1


@pytest.mark.parametrize(
    "weights", [[1.0], [1.0, 1.0], [2.0, 1.0], [4.0, 2.0, 1.0], [3.0, 3.0, 1e-9, 0.5]], ids=str
)
def test_chances_of_an_i_roulette_are_those_of_many_draws(weights: list[float]) -> None:
    weighed = np.array(weights, np.float32)
    chances = winning_chances(weighed)
    assert chances.sum() == pytest.approx(1)
    draws = np.random.default_rng(1).random((200_000, len(weights)))
    won = np.bincount((draws * weighed).argmax(axis=1), minlength=len(weights)) / len(draws)
    np.testing.assert_allclose(won, chances, atol=0.005)


def test_two_weights_of_an_i_roulette_have_known_chances() -> None:
    # The lighter of 1 and 2 wins only where r1 > 2 r2: half of half of all pairs.
    np.testing.assert_allclose(winning_chances(np.array([1, 2], np.float32)), [0.25, 0.75])


def test_chances_of_many_cities_neither_overflow_nor_vanish() -> None:
    weights: NDArray[np.float32] = np.geomspace(2.0**-100, 2.0**100, 10_000, dtype=np.float32)
    chances = winning_chances(weights)
    assert np.isfinite(chances).all()
    assert chances.sum() == pytest.approx(1)
    assert (np.diff(chances) >= 0).all()


def test_a_gpu_s_other_powers_are_told() -> None:
    instance = INSTANCES["uniform"]
    assert AsRule(instance, AsCudaParameters().resolved(instance.n), 1).caveat == ""
    for parameters in (AsCudaParameters(power="fast"), AsCudaParameters(alpha=1.5)):
        assert "last digits" in AsRule(instance, parameters.resolved(instance.n), 1).caveat
