"""Launches that take long are made in parts, so that colonies can be stopped in their midst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

import pytest

from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.core.system import System
from gpu.cuda.colony import DeviceColony
from tests.digests import emulated, graph
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.ant_system.colonies import assert_same

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

CASES = [  # all kernels in which ants build solutions or improve them
    *(("acs-gpu-alt", search) for search in ("none", "2opt+oropt")),
    *(("acs-gpu-spm", search) for search in ("none", "2opt")),
    ("acs-gpu", "none"),
    ("as-task", "none"),
    ("as-data", "none"),
    ("as-st-dynamic", "none"),
    ("mmas-rwm-bt", "none"),
    ("mmas-wrs-lc", "none"),
    *(("mmas-rwm-bt-cl", search) for search in ("none", "oropt")),
    ("aco-rlf-prefix", ""),
]
INSTANCES: Mapping[Problem, Instance] = {
    Problem.TSP: scattered(40),
    Problem.COLORING: graph(40, 0.5, 1),
}
SMALL = {"multiprocessors": 1, "resident": 1, "shared_limit": 16 << 10}
"""A GPU that holds one block."""


@contextmanager
def colony_of(system: System, milliseconds: float, **values: object) -> Iterator[DeviceColony]:
    parameters = system.parameters.from_mapping({"ants": 40, **values})
    with emulated(**SMALL, milliseconds=milliseconds) as device:
        colony = catalog.build(system, INSTANCES[system.problem], parameters, device, 5)
    assert isinstance(colony, DeviceColony)
    with closing(colony):
        yield colony


@pytest.mark.parametrize(("name", "search"), CASES)
def test_an_iteration_in_parts_is_the_same_iteration(name: str, search: str) -> None:
    system = next(one for one in catalog.CATALOG if one.name == name)
    values = {"local_search": search} if search else {}
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return True

    with colony_of(system, 0.0, **values) as whole, colony_of(system, 60.0, **values) as parts:
        launches = sum(not one.followed for each in parts.phases.values() for one in each)
        for iteration in (1, 2):
            whole.iterate(1)
            while (shown := parts.snapshot(Wanted.EVERYTHING)).iteration < iteration:
                parts.iterate(1, stop)
            if system.deterministic:
                assert_same(shown, whole.snapshot(Wanted.EVERYTHING))
        parts.iterate(1)
        assert parts.snapshot(Wanted.NUMBERS).iteration == 3  # nothing of the second was left over
    assert asked // 2 + 1 > launches  # it is asked between two pieces of an iteration
