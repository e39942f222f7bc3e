"""Which kernels a colony will need, before any of them is compiled.

How many blocks of a kernel a multiprocessor holds is known when that kernel is compiled, and
colonies ask for it before they know their launches. So the first kernel would be compiled alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource, Launch
from gpu.cuda.machine import Buffer, Machine

Kernel = tuple[KernelSource, str]
"""A kernel: its file, and its C++ name expression."""

MOST_BLOCKS = 16
"""Of a kernel on a multiprocessor, as is supposed."""


def kernels_of(build: Callable[[Machine], object], device: Machine) -> Sequence[Kernel]:
    """Return the kernels that the colony made by ``build`` will need on ``device``.

    The colony is begun on a machine that computes nothing, until its launches are known. Which
    kernels it takes may follow from what is only supposed here: so one may be missing, or too many.
    """
    machine = _ForeseeingMachine(device)
    with suppress(_KnownError):
        build(cast(Machine, machine))  # a colony uses no more of it until then
    return machine.kernels


class _KnownError(Exception):
    """All launches are known."""


class _Unmade:
    """An array of a device, or a part of one, that is only spoken of."""

    flags = SimpleNamespace(c_contiguous=True)
    data = SimpleNamespace(ptr=0)

    def __init__(self, buffer: Buffer) -> None:
        self.shape, self.dtype = buffer.shape, np.dtype(buffer.dtype)

    def __getitem__(self, part: Any) -> _Unmade:
        return self


class _ForeseeingMachine:
    """Notes kernels, and computes nothing."""

    def __init__(self, device: Machine) -> None:
        self.multiprocessors = device.multiprocessors
        self.shared_limit = device.shared_limit
        self.most_warps = device.most_warps
        self.kernels: list[Kernel] = []

    def allocate(self, buffers: Sequence[Buffer]) -> Mapping[str, _Unmade]:
        """Return what stands for the arrays."""
        return {one.name: _Unmade(one) for one in buffers}

    def upload(self, array: _Unmade, values: NDArray[Any]) -> None:
        """Do nothing."""

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        """Suppose that threads and memory alone limit how many blocks there are."""
        self.kernels.append((source, kernel))
        if shared > self.shared_limit:
            return 0
        return max(1, min(MOST_BLOCKS, self.most_warps * LANES // block))

    def prepare(self, launches: Iterable[Launch]) -> None:
        """Note what is launched; then all is known."""
        self.kernels += [(one.source, one.kernel) for one in launches]
        raise _KnownError
