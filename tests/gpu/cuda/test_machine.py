"""What is declared before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.cuda.machine import Buffer, by_name
from tests.gpu.cuda.emulated import EmulatedMachine


def test_buffers_of_one_name_are_refused() -> None:
    buffers = [Buffer("tours", (2,), np.int32), Buffer("places", (3,), np.int32)]
    assert list(by_name(buffers)) == ["tours", "places"]
    machine = EmulatedMachine()
    with pytest.raises(ValueError, match="two device buffers have the name 'tours'"):
        machine.allocate([*buffers, Buffer("tours", (5,), np.int32)])
    machine.close()
