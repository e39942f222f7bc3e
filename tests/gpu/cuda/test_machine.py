"""What is declared before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.cuda.kernels import HOLD, Hold, Seed
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
