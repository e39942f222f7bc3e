"""A machine for colonies whose kernels run on the CPU emulation, under sanitizers."""

from __future__ import annotations

import atexit
import sys
import threading
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.devices import Device
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Array, Buffer, Launch, SharedArray, SharedArrays, by_name, check_room
from tests.emulation import Emulator

_common = SharedArrays()

_idle: list[tuple[str, Emulator]] = []
"""Processes that no machine uses, with their files: they keep nothing from launch to launch."""

_MOST_IDLE = 8

_choosing = threading.Lock()  # of what is idle: colonies may run in several threads


@atexit.register
def _end_idle() -> None:
    while _idle:
        _idle.pop()[1].close()


def _emulator(file: str, seed: int) -> Emulator:
    """Return a process that runs the kernels of ``file``: an idle one, or else a new one."""
    with _choosing:
        place = next((place for place, (name, _) in enumerate(_idle) if name == file), None)
        emulator = None if place is None else _idle.pop(place)[1]
    if emulator is None:
        return Emulator(file, seed=seed)
    emulator.begin_anew(seed)
    return emulator


class EmulatedMark:
    """Between two marks lies as much time as the machine says that a launch takes."""

    def __init__(self, machine: EmulatedMachine, number: int) -> None:
        self._machine, self._number = machine, number
        self._launched = len(machine.launched)

    def wait(self) -> None:
        self._machine.waited.append(self._number)

    def since(self, earlier: EmulatedMark) -> float:
        return self._machine.milliseconds * (self._launched - earlier._launched)


class EmulatedMachine:
    """Arrays are NumPy's, filled with rubbish when made; a launch runs when it is asked for."""

    def __init__(
        self,
        multiprocessors: int = 2,
        shared_limit: int = 64 << 10,
        resident: int = 4,
        largest_block: int = 1024,
        seed: int = 0,
        milliseconds: float = 0.0,
    ) -> None:
        self.multiprocessors = multiprocessors
        self.shared_limit = shared_limit
        self.most_warps = 64
        self.launched: list[str] = []
        self.waited: list[int] = []
        self.milliseconds = milliseconds
        self._marks = 0
        self._resident = resident
        self._largest_block = largest_block
        self._seed = seed
        self._emulators: dict[str, Emulator] = {}
        self._rubbish = np.random.default_rng(seed)
        self._held: list[SharedArray] = []

    def allocate(self, buffers: Sequence[Buffer]) -> dict[str, Array]:
        arrays = {}
        for name, buffer in by_name(buffers).items():
            if buffer.shared:
                arrays[name] = self._shared(buffer)
                continue
            arrays[name] = array = np.zeros(buffer.shape, buffer.dtype)
            if buffer.values is not None:
                self.upload(array, buffer.values)
            elif not buffer.zeroed:
                noise = array.view(np.uint8)
                noise[...] = self._rubbish.integers(0, 256, noise.shape)
        return arrays

    def _shared(self, buffer: Buffer) -> Array:
        assert buffer.values is not None
        with _common.lock:
            held = _common.find(buffer.values)
            if held is None:
                array = np.zeros(buffer.shape, buffer.dtype)
                self.upload(array, buffer.values)
                array.flags.writeable = False  # no kernel may write to it
                held = _common.keep(buffer.values, array)
        self._held.append(held)
        return held.array

    def resident(self, source: KernelSource, kernel: str, block: int, shared: int) -> int:
        assert kernel in source.kernels
        return self._resident if block <= self._largest_block else 0

    def upload(self, array: Array, values: NDArray[Any]) -> None:
        array[...] = np.asarray(values, dtype=array.dtype).reshape(array.shape)

    def download(self, array: Array) -> NDArray[Any]:
        copy: NDArray[Any] = np.array(array)
        return copy

    def run(self, launches: Sequence[Launch]) -> None:
        for launch in launches:
            check_room(self, launch)
            file = launch.source.name
            if file not in self._emulators:
                self._emulators[file] = _emulator(file, self._seed)
            self.launched.append(launch.kernel)
            self._emulators[file].launch(
                launch.kernel,
                grid=launch.grid,
                block=launch.block,
                args=launch.args,
                shared=launch.shared,
                cooperative=launch.source.cooperative,
            )

    def prepare(self, launches: Iterable[Launch]) -> None:
        """Do nothing: what is emulated is compiled at its first launch."""

    def repeated(self, launches: Sequence[Launch]) -> Callable[[int], None]:
        def run(count: int) -> None:
            for _ in range(count):
                self.run(launches)

        return run

    def mark(self) -> EmulatedMark:
        self._marks += 1
        return EmulatedMark(self, self._marks)

    def close(self) -> None:
        with _choosing:
            _idle.extend(one for one in self._emulators.items() if one[1].alive)
            while len(_idle) > _MOST_IDLE:
                _idle.pop(0)[1].close()
        self._emulators.clear()
        self._held.clear()


class Refusing(EmulatedMachine):
    """A device on which nothing fits."""

    def allocate(self, buffers: Sequence[Buffer]) -> dict[str, Array]:
        self.declared = {name: buffer.nbytes for name, buffer in by_name(buffers).items()}
        raise DeviceMemoryError("this run needs too much")


EMULATED_GPU = Device("cuda:0", "cuda", 0, 2, "emulation", 1 << 30)


def emulate_gpu(
    patch: pytest.MonkeyPatch, made: Callable[[], EmulatedMachine] = EmulatedMachine
) -> None:
    """Let colonies on ``EMULATED_GPU`` get the machines that are ``made``."""
    stand_in = types.SimpleNamespace(CupyMachine=lambda _: made())
    patch.setitem(sys.modules, "gpu.cuda.cupy_machine", stand_in)
