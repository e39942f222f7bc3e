"""Which kernels a colony needs is foreseen, so that none is compiled alone."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from gpu import catalog
from gpu.core.problem import Problem
from gpu.core.system import System
from gpu.cuda.foreseeing import Kernel, kernels_of
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EMULATED_GPU, EmulatedMachine
from tests.graphs import random_graph

ON_GPU = [one for one in catalog.CATALOG if "cuda" in one.builders]
INSTANCES = {Problem.TSP: makers.uniform(60), Problem.COLORING: random_graph(40, 0.5)}


class _BegunError(Exception):
    """The colony has told all its launches."""


class Recording(EmulatedMachine):
    """A machine that runs nothing, and tells what a colony asks for until its kernels are ready."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Kernel] = []

    def allocate(self, buffers: Sequence[Buffer]) -> dict[str, Array]:
        return {one.name: np.zeros(one.shape, one.dtype) for one in buffers}  # no memory is used

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        self.asked.append((source, kernel))
        return super().resident(source, kernel, block, shared)

    def prepare(self, launches: Iterable[Launch]) -> None:
        self.asked += [(one.source, one.kernel) for one in launches]
        raise _BegunError


@pytest.mark.parametrize("system", ON_GPU, ids=lambda system: system.name)
def test_the_kernels_of_every_colony_are_foreseen(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = INSTANCES[system.problem]

    def build(machine: Machine) -> object:
        stand_in = types.SimpleNamespace(CupyMachine=lambda *_: machine)
        monkeypatch.setitem(sys.modules, "gpu.cuda.cupy_machine", stand_in)
        return catalog.build(system, instance, system.parameters(), EMULATED_GPU, 1)

    machine = Recording()
    with pytest.raises(_BegunError):
        build(machine)
    foreseen = kernels_of(build, machine)
    assert set(foreseen) == set(machine.asked)
    assert len(foreseen) > 2
