"""What is emulated is what CUDA gets."""

from __future__ import annotations

import pytest

from gpu.cuda import loader
from tests.emulation import Emulator, needs_emulation
from tests.emulation.build import ROOT


def test_every_source_has_instantiations() -> None:
    assert {str(path.relative_to(ROOT)) for path in ROOT.glob("gpu/**/*.cu")} == set(
        loader.sources()
    )


@needs_emulation
@pytest.mark.parametrize("file", sorted(loader.sources()))
def test_every_instantiation_compiles_for_the_emulation(file: str) -> None:
    with Emulator(file) as emulator:
        assert emulator.names == tuple(loader.sources()[file].kernels)


@pytest.mark.parametrize("file", sorted(loader.sources()))
def test_a_text_declares_every_structure_once(file: str) -> None:
    text = loader.source_text(file)
    for kind in loader.sources()[file].kernels.values():
        for structure in kind.structures():
            assert text.count(f"\nstruct {structure.__name__} {{\n") == 1
