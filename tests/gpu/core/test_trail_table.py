"""The strip and the band have the trails that a colony gives city by city."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import AcsColony, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core import trails
from gpu.core.colony import Colony
from gpu.core.machine import devices
from gpu.core.snapshot import TrailTable, Wanted
from gpu.core.trails import BAND_REACH, band_of, lists_read, strip_of
from gpu.cuda import pictures
from gpu.focused.cuda import FocusedCudaColony
from gpu.focused.parameters import FocusedCudaParameters
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine


def check(colony: Colony, instance: TspInstance, iterations: int = 2) -> None:
    """Every trail of both tables is what the colony says of its city."""
    n = instance.n
    with closing(colony):
        assert colony.snapshot(Wanted.STRIP | Wanted.BAND).strip is None
        colony.iterate(iterations)
        shot = colony.snapshot(Wanted.EVERYTHING)
        trails = np.array([colony.trails_from(city) for city in range(n)])
    for table in (shot.strip, shot.band):
        np.testing.assert_array_equal(table.cities, shot.best_solution)
        expected = trails[table.cities[:, None], table.others]
        expected[table.others == table.cities[:, None]] = 0
        np.testing.assert_allclose(table.values, expected, rtol=1e-6)
        assert not table.values.flags.writeable
        assert len(np.unique(table.values)) > 2  # ants have left something
    assert (shot.strip.others != shot.strip.cities[:, None]).all()
    reach = shot.band.values.shape[1] // 2
    assert reach == min(BAND_REACH, n // 2)
    for step in (-reach, 1):
        expected_cities = np.roll(shot.band.cities, -step)
        np.testing.assert_array_equal(shot.band.others[:, reach + step], expected_cities)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("acs-seq", {"ants": 4, "candidates": 3}),
        ("acs-seq-spm", {"ants": 4, "candidates": 5, "memory": 3}),
        ("mmas-seq", {"ants": 4}),
        ("focused", {"ants": 8}),
        ("faco", {"ants": 8}),
        ("crossing", {"ants": 8}),
    ],
)
def test_colonies_on_the_cpu_give_single_trails(name: str, values: dict[str, int]) -> None:
    instance, place = makers.uniform(40), devices.find("cpu:1")
    system = catalog.find(name, place)
    parameters = system.parameters.from_mapping(values)
    check(catalog.build(system, instance, parameters, place, 1), instance)


@needs_emulation
@pytest.mark.parametrize("memory", ["matrix", "selective", "focused"])
def test_colonies_on_a_gpu_give_single_trails(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_AT_ONCE", 100)  # so that it takes several launches
    instance, machine = makers.uniform(40), EmulatedMachine()
    colony: Colony
    if memory == "focused":
        given = FocusedCudaParameters.from_mapping({"ants": 8})
        colony = FocusedCudaColony(instance, given.resolved(instance.n), machine, 1)
    else:
        few = {"ants": 4, "candidates": 3}
        if memory == "matrix":
            kept = AcsParameters.from_mapping(few)
            colony = AcsColony(
                instance, kept.resolved(instance.n), machine, 1, MatrixTrails, WholeTours
            )
        else:
            kept = SpmParameters.from_mapping(few)
            colony = AcsColony(
                instance, kept.resolved(instance.n), machine, 1, SelectiveTrails, WholeTours
            )
    check(colony, instance)


@pytest.mark.parametrize("n", [1, 2, 3, 2000])
def test_tables_have_a_sensible_size_for_any_number_of_cities(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trails, "MOST_TRAILS", 80_000)
    tour = np.arange(n, dtype=np.int32)
    lists = (tour[:, None] + np.arange(1, 65)) % n
    read = lists_read(lists, np.full(lists.shape, 2, np.float32))
    strip, band = strip_of(tour, lists, read), band_of(tour, read)
    assert isinstance(strip, TrailTable)
    assert strip.values.shape == (n, 40 if n > 1000 else 64)
    assert band.values.shape[1] % 2 == 1
    own = band.values.shape[1] // 2
    assert not band.values[:, own].any()
    if n > 3:
        assert (band.values[:, own + 1] == 2).all()
        assert (band.values[:, own - 1] == 1).all()
