"""What is declared before anything is allocated, and what colonies have in common."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Sequence

import numpy as np
import pytest

from gpu import catalog
from gpu.core.colony import Colony, Gauged
from gpu.core.errors import DeviceError, FormicariumError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.core.system import System
from gpu.cuda.colony import DeviceColony
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels import HOLD, Hold, Seed
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Buffer, Launch, SharedArrays, by_name, check_room, too_large
from tests.golden import Golden
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EMULATED_GPU, EmulatedMachine, emulate_gpu
from tests.gpu.rlf.literal import random_graph


def test_buffers_of_one_name_are_refused() -> None:
    buffers = [Buffer("tours", (2,), np.int32), Buffer("places", (3,), np.int32)]
    assert list(by_name(buffers)) == ["tours", "places"]
    machine = EmulatedMachine()
    with pytest.raises(ValueError, match="two device buffers have the name 'tours'"):
        machine.allocate([*buffers, Buffer("tours", (5,), np.int32)])
    machine.close()


ROOMY = 227 << 10  # bytes of shared memory


class IdleMachine(EmulatedMachine):
    """Runs nothing."""

    def run(self, launches: Sequence[Launch]) -> None:
        for launch in launches:
            check_room(self, launch)


@pytest.mark.parametrize("shared", [ROOMY, 2 << 10, 0])
@pytest.mark.parametrize(
    "system",
    [
        row
        for row in catalog.CATALOG
        if "cuda" in row.builders and "local_search" in row.parameters.explanations()
    ],
    ids=lambda system: system.name,
)
def test_a_colony_has_no_two_buffers_of_one_name(
    system: System, shared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every local search, wherever tours are kept."""
    emulate_gpu(monkeypatch, lambda: IdleMachine(shared_limit=shared))
    searches = system.parameters.explanations()["local_search"].options
    assert len(searches) > 3
    for search in searches:
        parameters = system.parameters.from_mapping({"ants": 5, "local_search": search})
        cities = makers.uniform(12)
        refusals = (FormicariumError,) if shared < ROOMY else ()  # of ants too large for it
        with contextlib.suppress(*refusals):
            colony = catalog.build(system, cities, parameters.resolved(12), EMULATED_GPU, 1)
            assert isinstance(colony, Gauged)
            gauges = colony.gauges()
            assert gauges.get("most_warps", 64) == 64
            assert ("choice_bytes" in gauges) == system.name.startswith("as-")
            assert all(count > 0 for count in gauges.values())
            colony.close()


def test_a_launch_makes_the_structure_of_its_kernel() -> None:
    launch = HOLD.launch("hold", 1, 1, {}, nanoseconds=3)
    assert (type(launch.args), launch.shared) == (Hold, 0)
    with pytest.raises(TypeError, match=r"Hold\.nanoseconds is of type unsigned, but '3' given"):
        HOLD.launch("hold", 1, 1, {}, nanoseconds="3")
    with pytest.raises(TypeError, match="hold takes Hold, but Seed given"):
        Launch(HOLD, "hold", 1, 1, Seed.of(1))


TOGETHER = KernelSource(HOLD.file, HOLD.kernels, cooperative=True)
"""A kernel whose blocks are all on the device at once."""


def test_blocks_that_wait_for_one_another_must_all_be_there_at_once() -> None:
    machine = EmulatedMachine(multiprocessors=2, resident=3)
    for source, grid in ((TOGETHER, 6), (HOLD, 7)):
        machine.run([source.launch("hold", grid, 32, {}, nanoseconds=0)])
    with pytest.raises(DeviceError, match=r"hold needs 7 blocks .* the device holds 6"):
        machine.run([TOGETHER.launch("hold", 7, 32, {}, nanoseconds=0)])
    machine.close()


def test_what_does_not_fit_a_gpu_is_refused_with_a_choice(golden: Golden) -> None:
    def told(line: str) -> str:
        buffers, free = eval(line)
        made = [Buffer(name, shape, np.float32) for name, shape in buffers.items()]
        return too_large("cuda:0", made, free, 2**34)

    golden.table("advice-on-gpu-memory", told)


def built(name: str, instance: Instance, seed: int) -> Colony:
    system = catalog.named(name)
    parameters = system.parameters.from_mapping({"ants": 4}).resolved(instance.n)
    return catalog.build(system, instance, parameters, EMULATED_GPU, seed)


def arrays_of(colony: Colony) -> dict[str, object]:
    assert isinstance(colony, DeviceColony)
    return {name: colony._arrays[name] for name in colony._shared.values}


@pytest.mark.parametrize("name", ["acs-gpu-spm", "mmas-wrs-ct", "aco-rlf-trial"])
def test_colonies_side_by_side_share_an_instance_and_find_what_each_finds_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulate_gpu(monkeypatch)
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
