"""Launch kernels on the CPU from Python: a program in a process of its own runs them."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import struct
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from gpu.cuda.arguments import KernelArguments
from tests.emulation.build import EmulationError, build

Dim = int | tuple[int, ...]
_DONE = 0x600DD09E
_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:exitcode=66",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


@dataclass(frozen=True, slots=True)
class _Parameter:
    pointer: bool
    constant: bool
    kind: str  # b, i, u, f as NumPy's kinds; v for structures and void
    size: int  # bytes, of the element for a pointer

    def __str__(self) -> str:
        names = {"b": "bool", "i": "int", "u": "uint", "f": "float", "v": "structure of "}
        bits = f"{self.size} bytes" if self.kind == "v" else str(8 * self.size)
        element = names[self.kind] + ("" if self.kind == "b" else bits)
        return f"a pointer to {element}" if self.pointer else element

    def accepts(self, dtype: np.dtype[Any], nbytes: int) -> bool:
        if self.kind == "v":  # float4 and its kin: any element type
            return nbytes % self.size == 0 if self.pointer else nbytes == self.size
        return dtype.kind == self.kind and dtype.itemsize == self.size


class Emulator:
    """A process that runs the kernels of one source, one launch after the other.

    Arrays are copied in and out at each launch, so the NumPy arrays hold the state. Two arguments
    may be the same array; arrays that overlap otherwise are refused.

    Parameters
    ----------
    file : str or Path
        The name of a source of ours, or a ``.cu`` file, as given, or from the root of the project.
    instantiations : sequence of str, optional
        C++ name expressions of kernels, as NVRTC takes them; without them, all that are declared
        for a file of ours.
    defines : mapping, optional
        Macros.
    arch : int
        Compute capability times ten, for ``__CUDA_ARCH__``.
    seed : int
        Decides the order in which threads run, and what uninitialised shared memory holds; each
        launch goes on from the last one's.
    timeout : float
        Seconds that one launch may take.

    Raises
    ------
    EmulationError
        If the source does not compile.
    """

    def __init__(
        self,
        file: str | Path,
        instantiations: Sequence[str] | None = None,
        *,
        defines: Mapping[str, str | int] | None = None,
        arch: int = 90,
        seed: int = 0,
        timeout: float = 60.0,
    ) -> None:
        program = build(file, instantiations, defines=defines, arch=arch)
        self._seed = seed
        self._timeout = timeout
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            [*_without_random_addresses(), str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **_ENVIRONMENT},
        )
        try:
            (size,) = struct.unpack("<Q", self._read(8))
            table = self._read(size).decode().splitlines()
        except EmulationError:
            self.close()
            raise
        self._kernels: dict[str, tuple[int, tuple[_Parameter, ...]]] = {}
        for number, line in enumerate(table):
            name, _, words = line.partition("\t")
            self._kernels[name] = number, tuple(_parameter(word) for word in words.split())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The instantiations that can be launched."""
        return tuple(self._kernels)

    @property
    def alive(self) -> bool:
        """Whether the process can run another kernel: a fault ends it."""
        return self._process.poll() is None

    def begin_anew(self, seed: int) -> None:
        """Go on as a new emulator with this ``seed`` would."""
        self._seed = seed

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._process.wait()
        self._errors.close()

    def launch(
        self,
        name: str,
        *,
        grid: Dim,
        block: Dim,
        args: Sequence[Any] | KernelArguments,
        shared: int = 0,
        cooperative: bool = False,
        seed: int | None = None,
    ) -> None:
        """Run one kernel; arrays that its parameters may write are updated in place.

        Parameters
        ----------
        name : str
            One of the instantiations.
        grid, block : int or tuple of int
            Blocks, and threads a block, in up to three dimensions.
        args : KernelArguments or sequence
            The structure that the kernel takes, or else one argument after the other:
            C-contiguous arrays or None for pointers, NumPy scalars for values. A dtype that is
            not the parameter's is refused: on the device it would be misread. Python numbers
            count as float64 and int64, as CuPy passes them.
        shared : int
            Bytes of dynamic shared memory.
        cooperative : bool
            Whether all blocks are alive at once, for grid barriers.
        seed : int, optional
            In place of the emulator's.

        Raises
        ------
        EmulationError
            If a sanitizer or the emulation stops the kernel, or it takes too long.
        TypeError, ValueError
            If the arguments do not fit the kernel's parameters.
        """
        if seed is None:
            seed, self._seed = self._seed, self._seed + 1
        number, parameters = self._kernels[name]
        values = (args,) if isinstance(args, KernelArguments) else args
        if len(values) != len(parameters):
            raise TypeError(f"{name} takes {len(parameters)} arguments, {len(values)} given")
        arrays: list[np.ndarray[Any, Any]] = []
        written: list[bool] = []

        def place(array: np.ndarray[Any, Any], what: str, write: bool) -> int:
            index = _place(arrays, array, what)
            if index == len(written):
                written.append(False)
            written[index] |= write
            return index

        packed: list[bytes] = []
        for position, (parameter, value) in enumerate(zip(parameters, values, strict=True)):
            what = f"argument {position} of {name}"
            if isinstance(value, KernelArguments):
                # Addresses are those in the process that runs the kernel.
                pointers = [
                    (offset, place(array, what, write)) for offset, array, write in value.pointers()
                ]
                packed.append(_pack_value(parameter, value.packed[0], what, pointers))
            elif not parameter.pointer or value is None:
                packed.append(_pack_value(parameter, value, what))
            else:
                _check_type(parameter, value, what)
                packed.append(struct.pack("<iI", place(value, what, not parameter.constant), 0))
        for array, wanted in zip(arrays, written, strict=True):
            if wanted and not array.flags.writeable:
                raise ValueError(f"{name} may write an array that is read-only")
        message = [
            struct.pack("<II", number, cooperative),
            struct.pack("<III", *_dim(grid)),
            struct.pack("<III", *_dim(block)),
            struct.pack("<QQII", seed % 2**64, shared, len(arrays), len(values)),
        ]
        for array, wanted in zip(arrays, written, strict=True):
            message += [struct.pack("<QQ", array.nbytes, wanted), array.tobytes()]
        self._exchange(b"".join([*message, *packed]), arrays, written)

    def _exchange(
        self, message: bytes, arrays: list[np.ndarray[Any, Any]], written: list[bool]
    ) -> None:
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(self._timeout, stop)
        timer.start()
        try:
            try:
                self._process.stdin.write(message)
                self._process.stdin.flush()
            except BrokenPipeError:
                raise EmulationError(self._report()) from None
            (answer,) = struct.unpack("<I", self._read(4))
            assert answer == _DONE
            for array, wanted in zip(arrays, written, strict=True):
                if wanted:
                    data = self._read(array.nbytes)
                    array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)
        except EmulationError as error:
            if late.is_set():
                raise EmulationError(
                    f"the kernel still ran after {self._timeout:g} s: an endless loop?"
                ) from error
            raise
        finally:
            timer.cancel()
            timer.join()

    def _read(self, count: int) -> bytes:
        data = self._process.stdout.read(count)
        if len(data) < count:
            raise EmulationError(self._report())
        return data

    def _report(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        return text or f"the emulation ended with status {code}"


def emulate(
    file: str | Path,
    name: str,
    *,
    grid: Dim,
    block: Dim,
    args: Sequence[Any],
    shared: int = 0,
    cooperative: bool = False,
    seed: int = 0,
    defines: Mapping[str, str | int] | None = None,
    arch: int = 90,
    timeout: float = 60.0,
) -> None:
    """Run one kernel once; see `Emulator` and `Emulator.launch`."""
    with Emulator(file, [name], defines=defines, arch=arch, seed=seed, timeout=timeout) as emulator:
        emulator.launch(
            name, grid=grid, block=block, args=args, shared=shared, cooperative=cooperative
        )


@functools.cache
def _without_random_addresses() -> tuple[str, ...]:
    """Return what to start programs with, so that AddressSanitizer always finds room.

    Older ones lose their place to a library now and then where Linux spreads addresses widely.
    Containers may forbid the change, and mostly do without it.
    """
    command = ("setarch", "--addr-no-randomize")
    if shutil.which(command[0]) is None:
        return ()
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else ()


def _parameter(word: str) -> _Parameter:
    return _Parameter(word[0] == "p", word[1] == "c", word[2], int(word[3:]))


def _dim(dim: Dim) -> tuple[int, int, int]:
    sizes = (dim,) if isinstance(dim, int) else dim
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise ValueError(f"{dim} is not the size of a grid or block")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _pack_value(
    parameter: _Parameter, value: Any, what: str, pointers: Sequence[tuple[int, int]] = ()
) -> bytes:
    if parameter.pointer:
        return struct.pack("<iI", -2, 0)
    scalar = np.asarray(value)
    if scalar.ndim or not parameter.accepts(scalar.dtype, scalar.nbytes):
        raise TypeError(f"{what} is {parameter}, but {scalar.dtype} of shape {scalar.shape} given")
    data = scalar.tobytes()
    patches = b"".join(struct.pack("<II", *pointer) for pointer in pointers)
    return struct.pack("<iI", -1, len(data)) + data + struct.pack("<I", len(pointers)) + patches


def _check_type(parameter: _Parameter, value: Any, what: str) -> None:
    if not isinstance(value, np.ndarray) or not parameter.accepts(value.dtype, value.nbytes):
        given = f"{value.dtype} array" if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"{what} is {parameter}, but {given} given")


def _place(arrays: list[np.ndarray[Any, Any]], value: np.ndarray[Any, Any], what: str) -> int:
    if not value.flags.c_contiguous:
        raise ValueError(f"{what} is an array that is not C-contiguous")
    for index, other in enumerate(arrays):
        if other.ctypes.data == value.ctypes.data and other.nbytes == value.nbytes > 0:
            return index
        if np.may_share_memory(other, value):
            raise ValueError(f"{what} overlaps another argument")
    arrays.append(value)
    return len(arrays) - 1
