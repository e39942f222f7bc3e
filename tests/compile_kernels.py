"""Compile every kernel for every supported GPU generation, on a machine that need have no GPU.

``python -m tests.compile_kernels [FILE.cu ...]`` prints a line per file and architecture, and fails
on any error or warning. Files that are named are optimized, and assembled for the oldest and the
newest generation and for one between. Then it prints what each of their kernels uses: registers
spilled to memory are no error, but cost time.

Every file is compiled for the oldest and the newest generation, and for one between where that
gets code that neither of those gets.
"""

from __future__ import annotations

import ctypes
import importlib.util
import operator
import re
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from gpu.core.machine.processors import usable_cores
from gpu.cuda import loader

OLDEST = 75
MEASURED = 90
"""The generation that most measurements are made on: assembled for too, if files are named."""

CHECKS = ("--ptxas-options=-v", "--ftz=true")  # CuPy always adds the second

# Hardly optimized, which takes a fifth of the time: the compiler reads the whole text all the same.
# All is assembled for the oldest generation, which has the tightest limits.
QUICK = ("--Ofast-compile=max",)

_CONDITION = re.compile(r"__CUDA_ARCH__ *([<>=!]=|[<>]) *(\d+)")
_COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
_FUNCTION = re.compile(r"Compiling entry function '(\w+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
# What ptxas tells of itself with -v; all else in the log is a warning or an error.
_INFORMATION = re.compile(r"^\s*$|^(ptxas )?info\s*:|bytes stack frame|^\s*Function properties for")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one kernel uses: registers a thread, and bytes of stack, spills and static shared."""

    name: str
    registers: int
    stack: int
    spills: int
    shared: int

    def __str__(self) -> str:
        text = str(self.registers)
        if self.shared:
            text += f" + {self.shared} B shared"
        if self.stack:
            text += f" + {self.stack} B stack"
        return text + (f" + {self.spills} B SPILLED" if self.spills else "")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a source compiles: complaints are empty where it does, without any warning."""

    complaints: str
    usages: tuple[Usage, ...]


class Compiler:
    """NVRTC, from the package nvidia-cuda-nvrtc.

    Raises
    ------
    FileNotFoundError
        If the package is not installed.
    """

    def __init__(self) -> None:
        library = find_library()
        if library is None:
            raise FileNotFoundError("NVRTC is not installed: pip install nvidia-cuda-nvrtc")
        for builtins in sorted(library.parent.glob("libnvrtc-builtins.so*")):
            ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
        self._nvrtc = ctypes.CDLL(str(library))
        self._nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def architectures(self) -> tuple[int, ...]:
        """Compute capabilities times ten that this NVRTC compiles for."""
        count = ctypes.c_int()
        self._call("GetNumSupportedArchs", ctypes.byref(count))
        found = (ctypes.c_int * count.value)()
        self._call("GetSupportedArchs", found)
        return tuple(sorted(found))

    def version(self) -> str:
        """Return the version of NVRTC."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("Version", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile(
        self,
        file: str,
        text: str,
        names: Sequence[str],
        options: Sequence[str],
        architecture: int,
        *,
        assembled: bool = True,
    ) -> Outcome:
        """Compile one text with its instantiations for one architecture.

        The result is a binary, whose usages are told, or PTX if it is not to be assembled.
        """
        target, made = ("sm", "CUBIN") if assembled else ("compute", "PTX")
        program = ctypes.c_void_p()
        self._call(
            "CreateProgram", ctypes.byref(program), text.encode(), file.encode(), 0, None, None
        )
        try:
            for name in names:
                self._call("AddNameExpression", program, name.encode())
            every = [*options, *CHECKS, f"--gpu-architecture={target}_{architecture}"]
            encoded = (ctypes.c_char_p * len(every))(*(option.encode() for option in every))
            status = self._nvrtc.nvrtcCompileProgram(program, len(every), encoded)
            log = self._text("ProgramLog", program)
            complaints = "\n".join(
                line for line in log.splitlines() if not _INFORMATION.search(line)
            )
            if status != 0:
                return Outcome(complaints or self._message(status), ())
            lowered = {self._lowered(program, name): name for name in names}
            if not self._size(made, program):
                complaints = complaints or f"NVRTC made no {made}"
            return Outcome(complaints, _usages(log, lowered))
        finally:
            self._call("DestroyProgram", ctypes.byref(program))

    def _lowered(self, program: ctypes.c_void_p, name: str) -> str:
        lowered = ctypes.c_char_p()
        self._call("GetLoweredName", program, name.encode(), ctypes.byref(lowered))
        return (lowered.value or b"").decode()

    def _size(self, what: str, program: ctypes.c_void_p) -> int:
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        return size.value

    def _text(self, what: str, program: ctypes.c_void_p) -> str:
        buffer = ctypes.create_string_buffer(self._size(what, program) + 1)
        self._call(f"Get{what}", program, buffer)
        return buffer.value.decode(errors="replace")

    def _message(self, status: int) -> str:
        return str(self._nvrtc.nvrtcGetErrorString(status).decode())

    def _call(self, name: str, *arguments: object) -> None:
        status = self._nvrtc[f"nvrtc{name}"](*arguments)
        if status != 0:
            raise RuntimeError(f"nvrtc{name}: {self._message(status)}")


def find_library() -> Path | None:
    """Return where the wheel put NVRTC, or None where it is not installed."""
    package = importlib.util.find_spec("nvidia")
    folders = package.submodule_search_locations if package else None
    found = [
        path
        for folder in folders or ()
        for pattern in ("cu*/lib/libnvrtc.so*", "cuda_nvrtc/lib/libnvrtc.so*")
        for path in Path(folder).glob(pattern)
        if "alt" not in path.name
    ]
    return max(found, default=None)


def chosen_architectures(text: str, supported: Sequence[int]) -> tuple[int, ...]:
    """Architectures to compile a text for: the oldest, the newest, and any that gets other code.

    Raises
    ------
    RuntimeError
        If this NVRTC does not know the oldest that must work.
    """
    if OLDEST not in supported:
        raise RuntimeError(f"this NVRTC does not compile for sm_{OLDEST}")
    ends = (OLDEST, max(supported))
    conditions = {(compare, int(number)) for compare, number in _CONDITION.findall(text)}
    first: dict[tuple[bool, ...], int] = {}
    for architecture in (*ends, *(one for one in sorted(supported) if one > OLDEST)):
        met = (_COMPARE[compare](10 * architecture, number) for compare, number in conditions)
        first.setdefault(tuple(met), architecture)
    return tuple(sorted({*ends, *first.values()}))


def main(files: Sequence[str] = ()) -> int:
    """Compile and print; return 1 if anything was complained about, else 0."""
    compiler = Compiler()
    supported = compiler.architectures()
    print(f"NVRTC {compiler.version()}, options {' '.join(loader.COMPILER_OPTIONS)}")
    failed = False
    usages: dict[str, dict[int, Usage]] = {}
    assembled = {OLDEST, MEASURED, max(supported)} if files else {OLDEST}
    jobs = [
        (
            *(source.name, text, tuple(source.kernels), architecture),
            *(architecture in assembled, not files),
        )
        for source in loader.sources().values()
        if not files or source.file in files
        for text in (loader.source_text(source.file) + source.checks(),)
        for architecture in sorted(assembled | set(chosen_architectures(text, supported)))
    ]
    # NVRTC holds a lock while it compiles, so that only processes compile at the same time.
    with ProcessPoolExecutor(usable_cores(), get_context("spawn")) as pool:
        outcomes = zip(jobs, pool.map(_compile, *zip(*jobs, strict=True)), strict=True)
        for (file, _, names, architecture, *_), (outcome, seconds) in outcomes:
            verdict = "FAILED" if outcome.complaints else "ok"
            print(f"{file} sm_{architecture}: {len(names)} kernels, {seconds:.1f} s, {verdict}")
            if outcome.complaints:
                failed = True
                print(outcome.complaints)
            for usage in outcome.usages if files else ():
                usages.setdefault(usage.name, {})[architecture] = usage
    if usages:
        print("\nRegisters a thread, and what else a kernel uses:")
    for name, by_architecture in sorted(usages.items()):
        used = (f"sm_{architecture}: {usage}" for architecture, usage in by_architecture.items())
        print(f"{name:34} {'; '.join(used)}")
    return int(failed)


def _compile(
    file: str, text: str, names: Sequence[str], architecture: int, assembled: bool, quick: bool
) -> tuple[Outcome, float]:
    """Compile a kernel file's text; return also the seconds that took."""
    start = time.perf_counter()
    options = (
        (*loader.COMPILER_OPTIONS, *QUICK) if quick or not assembled else loader.COMPILER_OPTIONS
    )
    outcome = Compiler().compile(file, text, names, options, architecture, assembled=assembled)
    return outcome, time.perf_counter() - start


def _usages(log: str, lowered: dict[str, str]) -> tuple[Usage, ...]:
    usages = []
    for part in re.split(r"(?=[^\n]*Compiling entry function)", log):
        function, used = _FUNCTION.search(part), _USED.search(part)
        if not function or not used or function[1] not in lowered:
            continue
        spills, shared = _SPILLS.search(part), _SHARED.search(part)
        stack, stores, loads = (int(number) for number in spills.groups()) if spills else (0, 0, 0)
        usages.append(
            Usage(
                name=lowered[function[1]],
                registers=int(used[1]),
                stack=stack,
                spills=stores + loads,
                shared=int(shared[1]) if shared else 0,
            )
        )
    return tuple(usages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
