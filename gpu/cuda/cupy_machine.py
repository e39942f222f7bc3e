"""A CUDA GPU through CuPy: the one place that compiles kernels and turns its errors into ours."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceError, DeviceMemoryError
from gpu.core.machine.devices import Device
from gpu.cuda import binaries
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import (
    Array,
    Buffer,
    Launch,
    SharedArray,
    SharedArrays,
    by_name,
    check_room,
    too_large,
)

MEMORY_MARGIN = 64 << 20
"""Bytes of free memory left alone: the context, the modules and CuPy's rounding need some."""

GRAPH_REPEATS = 16
"""Iterations in the long graph: enough that launching it costs little beside running it."""

LONG_GRAPH_LAUNCHES = 256
"""Most launches in the long graph: where a single iteration has many, it is no longer worth it."""


@contextlib.contextmanager
def device_errors(device: Device) -> Iterator[None]:
    """Turn whatever CUDA raises into a :class:`DeviceError` of one sentence."""
    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise DeviceMemoryError(f"{device.name} ran out of memory: {error}") from error
    except (
        cupy.cuda.runtime.CUDARuntimeError,
        cupy.cuda.driver.CUDADriverError,
    ) as error:
        first = str(error).strip().splitlines()[0]
        raise DeviceError(f"{device.name} ({device.model}) failed: {first}") from error


@functools.cache
def _kernel(index: int, source: KernelSource, name: str) -> Any:
    """The compiled kernel for GPU ``index``; modules are loaded once a device and process."""
    module, lowered = _module(index, binaries.unit_of(source, name))
    return module.get_function(lowered[name])


@functools.cache
def _module(index: int, unit: binaries.Unit) -> tuple[Any, Mapping[str, str]]:
    """The kernels of a unit on a device, and their names in its machine code."""
    binary = binaries.binary_for(unit, generation_of(index))
    with tempfile.TemporaryDirectory(prefix="formicarium-kernels-") as folder:
        file = Path(folder, "kernels.cubin")
        file.write_bytes(binary.code)
        with cupy.cuda.Device(index):
            together = unit.source.cooperative
            module = cupy.RawModule(path=str(file), enable_cooperative_groups=together)
            module.compile()  # reads the file
    return module, binary.lowered


def generation_of(index: int) -> int:
    """Return the compute capability of GPU ``index``, times ten."""
    return int(cupy.cuda.Device(index).compute_capability)


@functools.cache
def _shared_arrays(index: int) -> SharedArrays:
    """What the colonies on GPU ``index`` have in common."""
    return SharedArrays()


class CupyMark:
    """An event in the stream of a GPU."""

    def __init__(self, device: Device, event: Any) -> None:
        self._device, self._event = device, event

    def wait(self) -> None:
        """See :meth:`gpu.cuda.machine.DeviceMark.wait`."""
        with device_errors(self._device):
            self._event.synchronize()

    def since(self, earlier: CupyMark) -> float:
        """See :meth:`gpu.cuda.machine.DeviceMark.since`."""
        with device_errors(self._device):
            return float(cupy.cuda.get_elapsed_time(earlier._event, self._event))


class CupyMachine:
    """One GPU, with a stream of its own; used from the thread that made it."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._arrays: list[Any] = []
        self._held: list[SharedArray] = []
        self._graphs: list[Any] = []
        with device_errors(device), cupy.cuda.Device(device.index) as handle:
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self.multiprocessors: int = handle.attributes["MultiProcessorCount"]
            self.shared_limit: int = handle.attributes["MaxSharedMemoryPerBlockOptin"]
            most = handle.attributes["MaxThreadsPerMultiProcessor"]
            self.most_warps: int = most // handle.attributes["WarpSize"]

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        with device_errors(self._device), cupy.cuda.Device(self._device.index), self._stream:
            yield

    def allocate(self, buffers: Sequence[Buffer]) -> dict[str, Array]:
        """See :meth:`gpu.cuda.machine.Machine.allocate`."""
        named, common = by_name(buffers), _shared_arrays(self._device.index)
        # One after the other: two threads must not both count on the same free memory.
        with common.lock:
            found = {
                name: held
                for name, buffer in named.items()
                if buffer.shared and (held := common.find(_values(buffer))) is not None
            }
            made = self._make({name: named[name] for name in named if name not in found})
            for name, array in made.items():
                if named[name].shared:
                    found[name] = common.keep(_values(named[name]), array)
            if made:
                with self._working():
                    self._stream.synchronize()  # other streams may read what was copied
        self._held.extend(found.values())
        return {name: found[name].array if name in found else made[name] for name in named}

    def _make(self, named: dict[str, Buffer]) -> dict[str, Array]:
        """Make arrays for buffers that are not there yet."""
        needed = sum(buffer.nbytes for buffer in named.values())
        with self._working():
            cupy.get_default_memory_pool().free_all_blocks()
            free, total = cupy.cuda.runtime.memGetInfo()
            if needed + MEMORY_MARGIN > free:
                left, sizes = max(free - MEMORY_MARGIN, 0), list(named.values())
                raise DeviceMemoryError(too_large(self._device.name, sizes, left, total))
            arrays = {
                name: (cupy.zeros if buffer.zeroed else cupy.empty)(buffer.shape, buffer.dtype)
                for name, buffer in named.items()
            }
        self._arrays.extend(arrays[name] for name, buffer in named.items() if not buffer.shared)
        for name, buffer in named.items():
            if buffer.values is not None:
                self.upload(arrays[name], buffer.values)
        return arrays

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        """See :meth:`gpu.cuda.machine.Machine.resident`."""
        with self._working():
            function = _kernel(self._device.index, source, kernel)
            if function.shared_size_bytes + shared > self.shared_limit:
                return 0
            _allow_shared(function, shared)
            occupancy = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
            return int(occupancy(function.kernel.ptr, block, shared))

    def upload(self, array: Array, values: NDArray[Any]) -> None:
        """See :meth:`gpu.cuda.machine.Machine.upload`."""
        with self._working():
            array.set(np.ascontiguousarray(values, dtype=array.dtype).reshape(array.shape))

    def download(self, array: Array) -> NDArray[Any]:
        """See :meth:`gpu.cuda.machine.Machine.download`."""
        with self._working():
            host: NDArray[Any] = array.get()
            self._stream.synchronize()
            return host

    def prepare(self, launches: Iterable[Launch]) -> None:
        """See :meth:`gpu.cuda.machine.Machine.prepare`."""
        with device_errors(self._device):
            units = (binaries.unit_of(one.source, one.kernel) for one in launches)
            binaries.prepare(units, generation_of(self._device.index))

    def run(self, launches: Sequence[Launch]) -> None:
        """See :meth:`gpu.cuda.machine.Machine.run`."""
        with self._working():
            for launch in launches:
                self._start(launch)

    def repeated(self, launches: Sequence[Launch]) -> Callable[[int], None]:
        """Capture ``launches`` as a CUDA graph, and several times over as a longer one."""
        repeats = max(1, min(GRAPH_REPEATS, LONG_GRAPH_LAUNCHES // len(launches)))
        short = self._capture(launches, 1)
        long = self._capture(launches, repeats) if repeats > 1 else short

        def run(count: int) -> None:
            with self._working():
                for _ in range(count // repeats):
                    long.launch(self._stream)
                for _ in range(count % repeats):
                    short.launch(self._stream)

        return run

    def mark(self) -> CupyMark:
        """See :meth:`gpu.cuda.machine.Machine.mark`."""
        with self._working():
            event = cupy.cuda.Event()
            event.record(self._stream)
        return CupyMark(self._device, event)

    def close(self) -> None:
        """See :meth:`gpu.cuda.machine.Machine.close`."""
        # After a device error nothing can be freed one by one: the context goes with the process.
        with contextlib.suppress(DeviceError), self._working():
            self._stream.synchronize()
        self._graphs.clear()
        self._arrays.clear()
        self._held.clear()
        with contextlib.suppress(DeviceError), self._working():
            cupy.get_default_memory_pool().free_all_blocks()

    def _capture(self, launches: Sequence[Launch], repeats: int) -> Any:
        with self._working():
            for launch in launches:  # compiling is not allowed during a capture
                self._ready(launch)
            self._stream.begin_capture()
            try:
                for _ in range(repeats):
                    for launch in launches:
                        self._start(launch)
            except BaseException:
                with contextlib.suppress(Exception):  # the first error says what is wrong
                    self._stream.end_capture()
                raise
            graph = self._stream.end_capture()
            graph.upload(self._stream)
        self._graphs.append(graph)
        return graph

    def _ready(self, launch: Launch) -> Any:
        """The compiled kernel, which may have the launch's shared memory."""
        check_room(self, launch)
        function = _kernel(self._device.index, launch.source, launch.kernel)
        _allow_shared(function, launch.shared)
        return function

    def _start(self, launch: Launch) -> None:
        args, shared = (launch.args.packed,), launch.shared
        self._ready(launch)((launch.grid,), (launch.block,), args, shared_mem=shared)


def _values(buffer: Buffer) -> NDArray[Any]:
    """What a shared buffer begins with."""
    assert buffer.values is not None
    return buffer.values


def _allow_shared(function: Any, shared: int) -> None:
    """Let a kernel have so much shared memory: CUDA demands that above 48 KiB.

    What the kernel declares itself counts, too.
    """
    whole, allowed = shared + function.shared_size_bytes, function.max_dynamic_shared_size_bytes
    if whole > 48 << 10 and allowed < whole:
        function.max_dynamic_shared_size_bytes = max(shared, allowed)
