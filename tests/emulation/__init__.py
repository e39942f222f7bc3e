"""Run CUDA kernels on the CPU, under AddressSanitizer and UndefinedBehaviorSanitizer.

The kernels' own sources are compiled by g++ against ``stand_in/cuda.hpp``. Each CUDA thread is a
fiber that others overtake at collectives (and now and then at atomics) in a random, seeded order;
collectives check that the lanes which must meet do meet. The sources can tell by
``FORMICARIUM_EMULATION``, and call ``emulation_grid_barrier()`` where all threads of a cooperative
launch meet, ``emulation_yield()`` in loops that wait for another thread, and
``emulation_retire()`` in threads that end while others of their block go on to meet at barriers,
as CUDA allows and most kernels should not.
"""

from __future__ import annotations

import pytest

from tests.emulation.build import EmulationError, compiler
from tests.emulation.emulator import Emulator, emulate

needs_emulation = pytest.mark.skipif(
    compiler() is None, reason="kernels are emulated with g++: install the package g++"
)

__all__ = ["EmulationError", "Emulator", "emulate", "needs_emulation"]
