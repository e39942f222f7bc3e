"""What is emulated is what CUDA gets, and the emulation finds what it is there to find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gpu.cuda import loader
from tests.emulation import EmulationError, Emulator, needs_emulation
from tests.emulation.build import ROOT

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


def test_every_source_has_instantiations() -> None:
    files = {source.file for source in loader.sources().values()}
    assert {str(path.relative_to(ROOT)) for path in ROOT.glob("gpu/**/*.cu")} == files


@needs_emulation
@pytest.mark.parametrize("name", sorted(loader.sources()))
def test_every_instantiation_compiles_for_the_emulation(name: str) -> None:
    with Emulator(name) as emulator:
        assert emulator.names == tuple(loader.sources()[name].kernels)


@needs_emulation
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_the_kernel(name: str, emulator: Emulator) -> None:
    with pytest.raises(EmulationError, match=FAULTS[name]):
        emulator.launch(name, grid=1, block=32, args=[np.ones(32, np.int32)])


@needs_emulation
@pytest.mark.parametrize("name", HANDED_OVER)
def test_a_missing_syncwarp_shows(name: str, emulator: Emulator) -> None:
    wrong = 0
    for _ in range(20):
        out = np.zeros(32, np.int32)
        emulator.launch(name, grid=1, block=32, args=[out])
        wrong += int((out != 42).any())
    assert wrong == 0 if HANDED_OVER[name] else wrong >= 15
