"""Machine code of kernels: NVRTC compiles it once and it is kept, or it came with the program.

CuPy would keep it, too, but compiles one file after the other, each on the GPU for which it is
wanted. Here other processes compile at the same time (NVRTC holds a lock while it compiles), and a
package can carry code for GPUs that are not there when it is made.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from gpu.core.errors import DeviceError
from gpu.core.machine.code_files import SUFFIX, archive, code_folder
from gpu.core.machine.compiling import COMPILING, share_out
from gpu.cuda.loader import COMPILER_OPTIONS, KernelSource, source_text, sources

ARCHIVE = "cuda.zip"
"""The archive of kernels that came with the program; the names in it say for which GPUs."""

NAMES = "*-sm_*"
"""What the names of kept kernels are like, and of nothing else."""

GENERATIONS = (75, 80, 90, 100, 120)
"""Compute capabilities, times ten, for which a package carries code: it runs on later GPUs of the
same major number, too."""

_OPTIONS = (*COMPILER_OPTIONS, "--ftz=true", "--device-as-default-execution-space")
_UNFIT = re.compile(r"\W+")  # in names of files


class Unit(NamedTuple):
    """What is compiled at once: a file's kernels that are no templates, or one that is."""

    source: KernelSource
    template: str | None = None  # an instantiation, by its C++ name expression

    @property
    def kernels(self) -> tuple[str, ...]:
        """Their C++ name expressions."""
        if self.template is not None:
            return (self.template,)
        return tuple(name for name in self.source.kernels if "<" not in name)


class Binary(NamedTuple):
    """Machine code of some kernels."""

    code: bytes  # a cubin; PTX where NVRTC does not know the GPU's generation
    lowered: Mapping[str, str]  # the names of the kernels in it, by their C++ name expressions


def unit_of(source: KernelSource, kernel: str) -> Unit:
    """Return what has to be compiled for one kernel."""
    return Unit(source, kernel if "<" in kernel else None)


def every_unit() -> Iterator[Unit]:
    """Return all that there is to compile."""
    for source in sources().values():
        plain = Unit(source)
        if plain.kernels:
            yield plain
        yield from (Unit(source, name) for name in source.kernels if "<" in name)


def binary_for(unit: Unit, generation: int) -> Binary:
    """Return the code of ``unit`` for GPUs of this compute capability, times ten.

    It is compiled and kept if it is not there yet.

    Raises
    ------
    DeviceError
        If NVRTC refuses it.
    """
    kept = _find(unit, generation)
    if kept is None:
        COMPILING.check()
        kept = _compile(unit, generation)
        folder = code_folder()
        if folder is not None:
            with suppress(OSError):  # on a full disk nothing is kept
                folder.write(_name(unit, f"sm_{generation}"), _packed(kept))
    return kept


def prepare(units: Iterable[Unit], generation: int) -> None:
    """Compile what is not kept yet, in other processes, too, where there are some."""
    missing = [unit for unit in dict.fromkeys(units) if _find(unit, generation) is None]
    works = [((keep, (one.source.name, one.template or "", generation)), 1) for one in missing]
    if works:
        share_out(works, "kernels-" + Path(missing[-1].source.file).parts[1])


def keep(source: str, template: str, generation: int) -> None:
    """Compile and keep what is named, in whichever process."""
    binary_for(Unit(sources()[source], template or None), generation)


def _find(unit: Unit, generation: int) -> Binary | None:
    """Return what is kept, or came along. Code runs on later GPUs of the same major number, too."""
    folder, shipped = code_folder(), archive(ARCHIVE)
    data = folder.read(_name(unit, f"sm_{generation}")) if folder is not None else None
    for older in range(generation, generation - generation % 10 - 1, -1):
        if data is None:
            data = shipped.read(_name(unit, f"sm_{older}"))
    return None if data is None else _unpacked(data)


@functools.cache
def _digest(unit: Unit) -> str:
    parts = (source_text(unit.source.file), *_OPTIONS, *unit.kernels)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def _name(unit: Unit, target: str) -> str:
    of = _UNFIT.sub("_", unit.template or unit.source.name)[-80:]
    return f"{of}-{_digest(unit)}-{target}{SUFFIX}"


def _packed(binary: Binary) -> bytes:
    return json.dumps(dict(binary.lowered)).encode() + b"\n" + binary.code


def _unpacked(data: bytes) -> Binary:
    lowered, _, code = data.partition(b"\n")
    return Binary(code, json.loads(lowered))


def _compile(unit: Unit, generation: int) -> Binary:
    import cupy  # noqa: F401  # finds NVRTC
    from cupy_backends.cuda.libs import nvrtc

    known = [int(one) for one in nvrtc.getSupportedArchs()]
    native = generation in known or generation < min(known)  # then NVRTC says so itself
    older = max((one for one in known if one <= generation), default=generation)
    target = f"sm_{generation}" if native else f"compute_{older}"
    program: Any = nvrtc.createProgram(source_text(unit.source.file), unit.source.file, (), ())
    try:
        for name in unit.kernels:
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, (*_OPTIONS, f"--gpu-architecture={target}"))
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program).strip().splitlines() or [str(error)]
            raise DeviceError(f"{unit.source.file} cannot be compiled: {log[0]}") from error
        code = nvrtc.getCUBIN(program) if native else nvrtc.getPTX(program)
        return Binary(code, {name: nvrtc.getLoweredName(program, name) for name in unit.kernels})
    finally:
        nvrtc.destroyProgram(program)
