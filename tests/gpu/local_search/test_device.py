"""Local search on a real GPU: the tours of the CPU; skipped where there is none."""

from __future__ import annotations

import pytest

from gpu import catalog
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cuda.colony import DeviceColony, machine_of
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.cpu.makers import directed, uniform
from tests.gpu.local_search.test_cpu import random_tours
from tests.gpu.local_search.test_cuda import assert_as_on_the_cpu

pytestmark = [pytest.mark.cuda, pytest.mark.timeout(300)]


@pytest.mark.parametrize("kind", ["2opt", "oropt", "2opt+oropt"])
@pytest.mark.parametrize("threads", [32, 64, 128, 256])
@pytest.mark.parametrize("which", ["grid-100", "uniform-10000"])
def test_tours_of_the_cpu(which: str, threads: int, kind: str) -> None:
    instance = load(next(entry.path for entry in bundled() if entry.name == which))
    machine = machine_of(devices.find("cuda"))
    tours = random_tours(instance.n, 4, threads)
    assert_as_on_the_cpu(machine, instance, tours, kind, threads=threads)
    machine.close()


def test_directed_distances() -> None:
    machine = machine_of(devices.find("cuda"))
    assert_as_on_the_cpu(machine, directed(300), random_tours(300, 500, 1), "oropt")
    machine.close()


@pytest.mark.parametrize("kind", ["2opt", "oropt", "2opt+oropt"])
def test_a_colony_whose_tours_are_too_long_for_shared_memory(kind: str) -> None:
    place = devices.find("cuda")
    machine = machine_of(place)
    n = machine.shared_limit // 4  # tour and places alone take more than 4 bytes a city
    machine.close()
    cities, system = uniform(n, size=100_000), catalog.find("acs-gpu-spm", place)
    parameters = system.parameters.from_mapping({"ants": 64, "local_search": kind})
    colony = catalog.build(system, cities, parameters, place, 1)
    colony.iterate(2)
    wanted = Wanted.SOLUTION | Wanted.ITERATION_SOLUTION | Wanted.BUILT_SOLUTION
    shown = colony.snapshot(wanted)  # checks each tour and its length
    assert shown.iteration_best is not None
    assert shown.iteration_best < cities.tour_length(shown.built_solution)
    assert isinstance(colony, DeviceColony)
    assert "NoneShared" in colony.phases["local search"][1].kernel
    colony.close()
