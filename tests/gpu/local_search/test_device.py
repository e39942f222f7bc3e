"""Local search on a real GPU: the tours of the CPU; skipped where there is none."""

from __future__ import annotations

import pytest

from gpu.core import devices
from gpu.cuda.colony import machine_of
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib import load
from tests.gpu.cpu.makers import directed
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
