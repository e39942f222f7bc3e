"""What holds for all colonies of this family on the CPU."""

from __future__ import annotations

from contextlib import closing

import pytest

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.tour_changes.cases import FULL, easy, run, same_tours

pytestmark = pytest.mark.parametrize("name", ["focused", "crossing", "faco"])


def colony_of(name: str, instance: TspInstance, device: str = "cpu:1", seed: int = 1) -> Colony:
    place = devices.find(device)
    system = catalog.find(name, place)
    return catalog.build(system, instance, system.parameters(), place, seed)


@pytest.mark.parametrize("form", ["ring", "grid"])
def test_it_finds_the_optimum(name: str, form: str) -> None:
    instance = easy(form)
    assert run(colony_of(name, instance), 60)[-1].best_cost == instance.optimum


def test_another_seed_gives_another_tour(name: str) -> None:
    instance = makers.uniform(400)
    first, second = (run(colony_of(name, instance, seed=seed), 3)[-1] for seed in (1, 2))
    assert not same_tours(first, second)


def test_iterations_done_in_slices_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cpu.stages.SLICE", 0.0)  # a unit of work a slice
    instance = makers.uniform(1500, size=100_000)
    whole, sliced = (colony_of(name, instance, "cpu") for _ in range(2))
    with closing(whole), closing(sliced):
        whole.iterate(3)
        slices = 0
        while sliced.snapshot(Wanted.NUMBERS).iteration < 3:
            sliced.iterate(1, lambda: True)
            slices += 1
        assert slices > 3
        assert same_tours(whole.snapshot(FULL), sliced.snapshot(FULL))
