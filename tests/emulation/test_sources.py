"""What is emulated is what CUDA gets."""

from __future__ import annotations

import pytest

from gpu.cuda import loader
from tests.emulation import Emulator, needs_emulation
from tests.emulation.build import ROOT, expand


def _code(text: str) -> list[str]:
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#line ")]


@pytest.mark.parametrize("file", sorted(loader.sources()))
def test_the_emulation_expands_headers_as_the_loader_does(file: str) -> None:
    assert _code(expand(ROOT / file)) == _code(loader.source_text(file))


def test_every_source_has_instantiations() -> None:
    assert {str(path.relative_to(ROOT)) for path in ROOT.glob("gpu/**/*.cu")} == set(
        loader.sources()
    )


@needs_emulation
@pytest.mark.parametrize("file", sorted(loader.sources()))
def test_every_instantiation_compiles_for_the_emulation(file: str) -> None:
    with Emulator(file) as emulator:
        assert emulator.names == tuple(loader.sources()[file].kernels)
