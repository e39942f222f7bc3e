"""The machine that runs a colony's kernels.

Colonies use a :class:`Machine` and never CuPy. So the same colony runs on a GPU and, in tests, on
the CPU emulation of the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gpu.core.errors import DeviceError
from gpu.cuda.arguments import Array, Arrays
from gpu.cuda.loader import KernelSource, Launch

Subject = TypeVar("Subject")
Made = TypeVar("Made")


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """Return ``make(instance, *details)`` with a memory: what is still held is not made again.

    Several threads may call the result. The ``details`` must be hashable, and what is made must be
    an object that a weak reference can be made to.
    """
    memory: WeakKeyDictionary[Any, WeakValueDictionary[Hashable, Made]] = WeakKeyDictionary()
    lock = Lock()

    @wraps(make)
    def get(instance: Any, *details: Hashable) -> Made:
        with lock:
            held = memory.setdefault(instance, WeakValueDictionary())
            found = held.get(details)
            if found is None:
                held[details] = found = make(instance, *details)
            return found

    return get


class SharedArray:
    """An array on a device, with the host array that it is a copy of. It lives while it is held."""

    __slots__ = ("__weakref__", "array", "values")

    def __init__(self, array: Array, values: NDArray[Any]) -> None:
        self.array = array
        self.values = values  # so that no other host array gets its place in memory


class SharedArrays:
    """The shared arrays of one device, by the host arrays that they are copies of."""

    def __init__(self) -> None:
        self.lock = Lock()  # for whoever looks for an array and then makes it
        self._held: WeakValueDictionary[Hashable, SharedArray] = WeakValueDictionary()

    def find(self, values: NDArray[Any]) -> SharedArray | None:
        """Return the copy of ``values``, of this very place in memory, if a colony holds it."""
        return self._held.get(_place(values))

    def keep(self, values: NDArray[Any], array: Array) -> SharedArray:
        """Let ``array`` be found as the copy of ``values``, as long as the result is held."""
        self._held[_place(values)] = shared = SharedArray(array, values)
        return shared


def _place(values: NDArray[Any]) -> Hashable:
    address, _ = values.__array_interface__["data"]
    return address, values.shape, values.strides, values.dtype.str


__all__ = [
    "Array",
    "Arrays",
    "Buffer",
    "DeviceMark",
    "Launch",
    "Machine",
    "by_name",
    "check_room",
    "too_large",
]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A device array, declared before it is allocated: so the sum of all is known in advance."""

    name: str  # its name in launches and messages
    shape: tuple[int, ...]
    dtype: DTypeLike
    zeroed: bool = False  # whether it starts as zeros
    values: NDArray[Any] | None = None  # what it starts as; else it is not initialized
    # whether no kernel writes to it, so that colonies that have the same values may share it
    shared: bool = False

    @classmethod
    def of(cls, name: str, values: NDArray[Any], *, shared: bool = False) -> Buffer:
        """A buffer that starts with ``values``."""
        return cls(name, values.shape, values.dtype, values=values, shared=shared)

    @property
    def nbytes(self) -> int:
        """Its size in bytes, exact however large."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


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


_GROWING = {
    "tours": "ants",
    "colors": "ants",
    "order": "ants",
    "search_expiries": "searches",
    "search_counts": "searches",
}
"""The large arrays that grow with a number which the user may lower: of what."""


def too_large(device: str, buffers: Sequence[Buffer], free: int, total: int) -> str:
    """Return the sentence that refuses ``buffers`` where ``free`` of ``total`` bytes are left."""
    needed, largest = sum(buffer.nbytes for buffer in buffers), max(buffers, key=_size)
    fixed = [buffer for buffer in buffers if buffer.name not in _GROWING]
    fits = sum(map(_size, fixed)) <= free  # then fewer ants are enough
    if any(buffer.name == "colors" for buffer in buffers):
        fewer = f"use fewer {_GROWING.get(largest.name, 'ants')}"
        choice = fewer if fits else "choose a colony on the CPU, or a smaller graph"
    elif largest.name == "matrix":  # of distances, which every colony needs
        choice = "choose a smaller instance"
    elif any(map(_is_square, fixed)) and not (fits and largest.name in _GROWING):
        choice = "choose acs-gpu-spm, whose memory of trails is no matrix"
    else:
        choice = "use fewer ants, or a smaller instance"
    return (
        f"this run needs {needed / 2**30:.2f} GiB on {device}, which has {free / 2**30:.2f} GiB "
        f"free of {total / 2**30:.2f}; the largest part is {largest.name} with "
        f"{largest.nbytes / 2**30:.2f} GiB: {choice}"
    )


def _size(buffer: Buffer) -> int:
    return buffer.nbytes


def _is_square(buffer: Buffer) -> bool:
    """Whether it has about a number for each pair of cities."""
    return len(buffer.shape) == 2 and 2 * min(buffer.shape) > max(buffer.shape)


class DeviceMark(Protocol):
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
    most_warps: int  # that a multiprocessor holds at once

    def allocate(self, buffers: Sequence[Buffer]) -> dict[str, Array]:
        """Make all arrays, and copy the values that they begin with.

        Shared arrays that another colony on the device holds are not made again; see
        :mod:`gpu.cuda.machine`.

        Raises
        ------
        ValueError
            If two have the same name; see :func:`by_name`.
        DeviceMemoryError
            Before anything is allocated, if the sum of what must be made exceeds the free memory.
        """

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        """How many such blocks a multiprocessor holds at once."""

    def upload(self, array: Array, values: NDArray[Any]) -> None:
        """Copy ``values`` into ``array`` (same bytes)."""

    def download(self, array: Array) -> NDArray[Any]:
        """Wait for all work, and return a host copy of ``array``."""

    def prepare(self, launches: Iterable[Launch]) -> None:
        """Compile what these launches need, if it is not compiled: all of it at the same time."""

    def run(self, launches: Sequence[Launch]) -> None:
        """Start ``launches``, one after the other; return at once."""

    def repeated(self, launches: Sequence[Launch]) -> Callable[[int], None]:
        """Prepare ``launches`` to run many times; call the result with the number of times."""

    def mark(self) -> DeviceMark:
        """Put a mark after all launches so far."""

    def close(self) -> None:
        """Free everything; more calls do nothing."""


def check_room(machine: Machine, launch: Launch) -> None:
    """Refuse a launch whose blocks wait for one another, but are not all on the device at once.

    CuPy would start fewer blocks, with a warning.

    Raises
    ------
    DeviceError
        If the device does not hold all blocks.
    """
    source, grid = launch.source, launch.grid
    if not source.cooperative:
        return
    held = machine.resident(source, launch.kernel, launch.block, launch.shared)
    room = held * machine.multiprocessors
    if grid > room:
        raise DeviceError(
            f"{launch.kernel} needs {grid} blocks at the same time, but the device holds {room}; "
            "please report it"
        )
