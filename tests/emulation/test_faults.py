"""The emulation finds what it is there to find; without that, all tests of kernels would pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.emulation import EmulationError, Emulator, needs_emulation

pytestmark = needs_emulation

FAULTS = {
    "writes_past_the_end": "heap-buffer-overflow",
    "leaves_shared": "index 32 out of bounds|global-buffer-overflow",
    "overflows": "signed integer overflow",
    "one_lane_missing": "deadlock",
    "different_masks": "calls __any_sync with mask .* wait for it",
}
HANDED_OVER = {f"handed_over<{value}>": value == "true" for value in ("true", "false")}


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    with Emulator(Path(__file__).with_name("faults.cu"), [*FAULTS, *HANDED_OVER]) as emulator:
        yield emulator


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_the_kernel(name: str, emulator: Emulator) -> None:
    with pytest.raises(EmulationError, match=FAULTS[name]):
        emulator.launch(name, grid=1, block=32, args=[np.ones(32, np.int32)])


@pytest.mark.parametrize("name", HANDED_OVER)
def test_a_missing_syncwarp_shows(name: str, emulator: Emulator) -> None:
    wrong = 0
    for _ in range(20):
        out = np.zeros(32, np.int32)
        emulator.launch(name, grid=1, block=32, args=[out])
        wrong += int((out != 42).any())
    assert wrong == 0 if HANDED_OVER[name] else wrong >= 15
