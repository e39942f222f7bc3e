"""The machine that runs a colony's kernels.

Colonies use a :class:`Machine` and never CuPy. So the same colony runs on a GPU and, in tests, on
the CPU emulation of the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gpu.cuda.arguments import Array, KernelArguments
from gpu.cuda.loader import KernelSource

__all__ = ["Array", "Buffer", "Launch", "Machine", "Mark", "by_name"]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A device array, declared before it is allocated: so the sum of all is known in advance.

    Attributes
    ----------
    name : str
        Its name in launches and messages.
    shape, dtype
        As NumPy has them.
    zeroed : bool
        Whether it starts as zeros; else it is not initialized.
    """

    name: str
    shape: tuple[int, ...]
    dtype: DTypeLike
    zeroed: bool = False

    @property
    def nbytes(self) -> int:
        """Its size in bytes, exact however large."""
        size = np.dtype(self.dtype).itemsize
        for extent in self.shape:
            size *= extent
        return size


def by_name(buffers: Iterable[Buffer]) -> dict[str, Buffer]:
    """Return ``buffers`` by their names.

    Raises
    ------
    ValueError
        If two of them have the same name: one array would silently take the place of the other.
    """
    named: dict[str, Buffer] = {}
    for buffer in buffers:
        if named.setdefault(buffer.name, buffer) is not buffer:
            raise ValueError(f"two device buffers have the name {buffer.name!r}")
    return named


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch: the kernel, how many threads, and its arguments.

    Attributes
    ----------
    source : KernelSource
        The file in which the kernel is.
    kernel : str
        One of its C++ name expressions.
    grid, block : int
        Blocks, and threads a block.
    args : KernelArguments
        The structure that the kernel takes.
    shared : int
        Bytes of dynamic shared memory a block.
    cooperative : bool
        Whether all blocks must be on the device at once.

    Raises
    ------
    TypeError
        If the kernel takes another structure.
    """

    source: KernelSource
    kernel: str
    grid: int
    block: int
    args: KernelArguments
    shared: int = 0
    cooperative: bool = False

    def __post_init__(self) -> None:
        wanted = self.source.kernels[self.kernel]
        if type(self.args) is not wanted:
            given = type(self.args).__name__
            raise TypeError(f"{self.kernel} takes {wanted.__name__}, but {given} given")


class Mark(Protocol):
    """A mark between two launches: the device passes it once all launches before it are done."""

    def wait(self) -> None:
        """Wait until the device has passed it.

        Raises
        ------
        DeviceError
            If the device failed.
        """

    def since(self, earlier: Any) -> float:
        """Milliseconds from ``earlier`` by the device's clock; the device must have passed both."""


class Machine(Protocol):
    """A device that holds arrays and runs kernels one after the other."""

    multiprocessors: int
    shared_limit: int

    def allocate(self, buffers: Sequence[Buffer]) -> Mapping[str, Array]:
        """Make all arrays.

        Raises
        ------
        ValueError
            If two have the same name; see :func:`by_name`.
        DeviceMemoryError
            Before anything is allocated, if their sum exceeds the free memory.
        """

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        """How many such blocks a multiprocessor holds at once."""

    def upload(self, array: Array, values: NDArray[Any]) -> None:
        """Copy ``values`` into ``array`` (same bytes)."""

    def download(self, array: Array) -> NDArray[Any]:
        """Wait for all work, and return a host copy of ``array``."""

    def run(self, launches: Sequence[Launch]) -> None:
        """Start ``launches``, one after the other; return at once."""

    def repeated(self, launches: Sequence[Launch]) -> Callable[[int], None]:
        """Prepare ``launches`` to run many times; call the result with the number of times."""

    def mark(self) -> Mark:
        """Put a mark after all launches so far."""

    def close(self) -> None:
        """Free everything; more calls do nothing."""
