"""What is declared before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.errors import DeviceError
from gpu.cuda.kernels import HOLD, Hold, Seed
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Buffer, Launch, by_name
from tests.gpu.cuda.emulated import EmulatedMachine


def test_buffers_of_one_name_are_refused() -> None:
    buffers = [Buffer("tours", (2,), np.int32), Buffer("places", (3,), np.int32)]
    assert list(by_name(buffers)) == ["tours", "places"]
    machine = EmulatedMachine()
    with pytest.raises(ValueError, match="two device buffers have the name 'tours'"):
        machine.allocate([*buffers, Buffer("tours", (5,), np.int32)])
    machine.close()


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
