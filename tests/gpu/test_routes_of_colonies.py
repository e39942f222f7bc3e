"""Every colony finds the best routes of few cities, whatever is wanted of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import numpy as np
import pytest

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from tests.digests import emulated
from tests.emulation import needs_emulation
from tests.gpu.problems.tsp.test_routes import INFINITE, Case, drawn, matrix_instance

MOST_ITERATIONS = 30
COLONIES = [row.name for row in catalog.CATALOG if row.problem is Problem.TSP]
ON_CPU = [
    (name, place)
    for name in COLONIES
    for place in ("cpu", "cpu:1")
    if place in catalog.named(name).builders
]
ON_GPU = (
    "acs-gpu",
    "acs-gpu-spm",
    "mmas-rwm-lc",
    "as-data",
    "focused-gpu",
    "crossing-gpu",
    "faco-gpu",
)
"""One of each kind of kernels: emulation is slow."""


def cases(count: int) -> list[Case]:
    """Return cases of all kinds that have a route."""
    random, found = np.random.default_rng(11), list[Case]()
    two = matrix_instance(np.array([[0, 3], [5, 0]]), directed=True)
    found.append(Case(two))
    while len(found) < count:
        case = drawn(random, 7)
        if case.base.n > 2 and case.best() < INFINITE:
            found.append(case)
    return found


@contextmanager
def device_named(place: str) -> Iterator[Device]:
    """Give a device; ``cuda:0`` is the emulation."""
    if place != "cuda:0":
        yield devices.find(place)
        return
    with emulated() as device:
        yield device


def check(name: str, place: str, count: int) -> None:
    """Let a colony look for the best route of each case that it takes."""
    system = catalog.named(name)
    with device_named(place) as device:
        for number, case in enumerate(cases(count)):
            instance, best = case.instance(), case.best()
            try:
                colony = catalog.build(system, instance, system.parameters(), device, 1)
            except ParameterError as refused:
                assert case.base.directed, refused
                continue
            with closing(colony):
                for _ in range(MOST_ITERATIONS):
                    colony.iterate(1)
                    shown = colony.snapshot(Wanted.SOLUTION)
                    assert shown.best_solution is not None
                    assert instance.cost_of(shown.best_solution) == shown.cost
                    if shown.cost == best:
                        break
                assert shown.cost == best, number


@pytest.mark.parametrize(("name", "place"), ON_CPU)
def test_on_the_cpu(name: str, place: str) -> None:
    check(name, place, 12)


@needs_emulation
@pytest.mark.parametrize("name", ON_GPU)
def test_on_a_gpu(name: str) -> None:
    check(name, "cuda:0", 6)
