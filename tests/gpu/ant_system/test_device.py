"""The Ant System's choices on a real GPU: a hundred times the draws that the emulation can make."""

from __future__ import annotations

import pytest

from gpu.ant_system.cuda import construction as as_parallel
from gpu.ant_system.parameters import AsCudaParameters, AsGroupParameters
from gpu.construction.cuda.construction import TourConstruction
from gpu.core.machine import devices
from gpu.cuda.colony import machine_of
from tests.gpu.acs.emulated import scattered
from tests.gpu.ant_system.test_cuda_construction import (
    ROULETTES,
    build,
    goodness,
    independent_law,
    tour_chances,
    weights_of,
    wheel_law,
    with_ants,
)

pytestmark = [pytest.mark.cuda, pytest.mark.timeout(300)]

CITIES, ANTS = 6, 250_000


@pytest.mark.parametrize(("kind", "parameters", "listed"), ROULETTES)
def test_frequencies_of_tours_by_roulette(
    kind: type[TourConstruction], parameters: AsCudaParameters, listed: bool
) -> None:
    weights, parameters = weights_of(CITIES), with_ants(parameters, ANTS)
    machine = machine_of(devices.find("cuda"))
    tours = build(kind, scattered(CITIES), weights, parameters, machine=machine).tours
    assert goodness(tours, tour_chances(weights, wheel_law)) > 1e-3


def test_frequencies_of_tours_by_i_roulette_and_their_bias() -> None:
    weights, parameters = weights_of(CITIES), AsGroupParameters(workers=16, ants=ANTS)
    machine = machine_of(devices.find("cuda"))
    kind = as_parallel.IRoulette
    tours = build(kind, scattered(CITIES), weights, parameters, machine=machine).tours
    assert goodness(tours, tour_chances(weights, independent_law)) > 1e-3
    assert goodness(tours, tour_chances(weights, wheel_law)) < 1e-12
