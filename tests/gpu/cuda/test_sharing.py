"""Colonies on one instance at the same time have its distances and lists in common."""

from __future__ import annotations

import gc
import sys
import types

import numpy as np
import pytest

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.snapshot import Wanted
from gpu.cuda.cities import DeviceCities
from gpu.cuda.colony import DeviceColony
from gpu.cuda.sharing import SharedArrays
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.literal import random_graph

GPU = Device("cuda:0", "cuda", 0, 2, "emulation", 0)


@pytest.fixture
def emulation(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = types.ModuleType("gpu.cuda.cupy_machine")
    stand_in.CupyMachine = lambda _: EmulatedMachine()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)


def built(name: str, instance: Instance, seed: int) -> Colony:
    system = catalog.named(name)
    parameters = system.parameters.from_mapping({"ants": 4}).resolved(instance.n)
    return catalog.build(system, instance, parameters, GPU, seed)


def arrays_of(colony: Colony) -> dict[str, object]:
    assert isinstance(colony, DeviceColony)
    return {name: colony._arrays[name] for name in colony._shared.values}


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("name", ["acs-gpu-spm", "mmas-wrs-ct", "aco-rlf-trial"])
def test_colonies_side_by_side_share_an_instance_and_find_what_each_finds_alone(name: str) -> None:
    instance: Instance = makers.uniform(40) if "rlf" not in name else random_graph(20, 0.5)
    alone = []
    for seed in (1, 2):
        colony = built(name, instance, seed)
        colony.iterate(3)
        alone.append(colony.snapshot(Wanted.SOLUTION))
        colony.close()
    one, other = built(name, instance, 1), built(name, instance, 2)
    first = arrays_of(one)
    assert first
    assert all(array is arrays_of(other)[key] for key, array in first.items())
    for _ in range(3):
        one.iterate(1)
        other.iterate(1)
    for colony, expected in zip((one, other), alone, strict=True):
        found = colony.snapshot(Wanted.SOLUTION)
        assert found.best_cost == expected.best_cost
        np.testing.assert_array_equal(found.best_solution, expected.best_solution)
    one.close()
    other.iterate(1)  # its arrays have not gone with the other colony
    other.close()


def test_what_nobody_holds_is_made_again() -> None:
    instance = makers.uniform(30)
    cities = DeviceCities.of(instance, 5, 2.0)
    assert DeviceCities.of(instance, 5, 2.0) is cities
    assert DeviceCities.of(instance, 5, 3.0) is not cities
    assert DeviceCities.of(makers.uniform(30), 5, 2.0) is not cities
    common, rows = SharedArrays(), cities.values["rows"]
    held = common.keep(rows, rows.copy())
    assert common.find(rows) is held
    assert common.find(rows.copy()) is None
    assert common.find(rows[:5]) is None
    del held
    gc.collect()
    assert common.find(rows) is None
