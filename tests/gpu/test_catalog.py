from __future__ import annotations

import pytest

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.core.system import System
from tests.gpu.cpu import makers
from tests.gpu.rlf.graphs import random_graph

DEVICES = {
    "cuda": Device("cuda:0", "cuda", 0, 132, "A GPU", 80 << 30, ""),
    "cpu": Device("cpu", "cpu", 0, 2, "A CPU", 16 << 30, ""),
    "cpu:1": Device("cpu:1", "cpu", 0, 1, "A CPU", 16 << 30, ""),
}


@pytest.mark.parametrize("system", catalog.CATALOG, ids=lambda system: system.name)
def test_a_seed_out_of_range_is_refused(system: System) -> None:
    """Before any device is touched."""
    coloring = system.problem is Problem.COLORING
    instance = random_graph(12, 0.5) if coloring else makers.uniform(12)
    parameters = system.parameters().resolved(instance.n)
    for seed in (-1, 2**64):
        for place in system.builders:
            with pytest.raises(ParameterError, match=f"seed = {seed} "):
                catalog.build(system, instance, parameters, DEVICES[place], seed)
        if system.rule:
            with pytest.raises(ParameterError, match=f"seed = {seed} "):
                catalog.rule_of(system, instance, parameters, seed)
