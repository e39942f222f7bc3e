"""Files that keep compiled functions: a folder of them, and archives that come with the program.

What is kept of a function is named by all that its code depends on, but for the sources: those are
in the name of the folder or archive. So the code for one processor, or of one version of Numba, is
never taken for that of another.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import platform
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numba

SUFFIX = ".code"
KEPT_FILE = re.compile(r".+\.(code|nbi|nbc)(\.tmp[^.]*|\.tmp\.[0-9a-f]{16})?")
"""Names of files in a folder of compiled code; the last two are those of earlier versions."""

_DIGEST = 16  # bytes before the code: a file that was cut off, or changed, does not count
_UNFIT = re.compile(r"[^\w.-]")  # in names of files

PYTHON = sys.implementation.cache_tag or f"python-{platform.python_version()}"
"""Which Python the code is for: it converts Python's objects."""


class Processor(NamedTuple):
    """What machine code is made for."""

    triple: str  # architecture and system
    name: str  # the model, or the level of an architecture
    features: str  # of the model, in LLVM's terms


class Level(NamedTuple):
    """A level of an architecture: what nearly all of its processors have."""

    name: str
    needs: tuple[str, ...] = ()  # LLVM's names of instruction sets


LEVELS = {
    "x86_64": Level("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")),
    "aarch64": Level("generic"),
    "arm64": Level("apple-m1"),
}
"""By machine: the level for which code that comes with the program is made."""


@functools.cache
def level() -> Level | None:
    """Return the level of this machine's architecture, or None if its processor is below that."""
    machine = platform.machine()
    found = LEVELS.get({"AMD64": "x86_64", "ARM64": "aarch64"}.get(machine, machine))
    if found is None or not found.needs:
        return found
    llvm: Any = importlib.import_module("llvmlite.binding")  # has no type hints
    features = llvm.get_host_cpu_features()
    return found if all(features.get(name) for name in found.needs) else None


def code_name(function: Callable[..., Any], signature: Any, processor: Processor) -> str:
    """Return the name of the file that keeps ``function`` for arguments of these types."""
    code = function.__code__
    constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = (
        *(numba.__version__, PYTHON, *processor, signature),
        *(code.co_code, code.co_names, constants, cells),
    )
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
    name = _UNFIT.sub("", f"{function.__module__}.{function.__qualname__}")
    return f"{name[-100:]}-{digest[:24]}{SUFFIX}"


class CodeFolder:
    """A folder of compiled functions, which any number of processes read and write at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __contains__(self, name: str) -> bool:
        return (self.path / name).is_file()

    def read(self, name: str) -> bytes | None:
        """Return what is kept under this name; None if nothing is, or no whole file."""
        try:
            return _checked((self.path / name).read_bytes())
        except OSError:
            return None

    def write(self, name: str, code: bytes) -> None:
        """Keep ``code``: whole, or not at all.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        part, written = tempfile.mkstemp(prefix=f"{name}.tmp", dir=self.path)
        try:
            with os.fdopen(part, "wb") as file:
                file.write(_digest(code))
                file.write(code)
            Path(written).chmod(0o644)  # others may use what one has compiled for all
            Path(written).replace(self.path / name)
        except OSError:
            with suppress(OSError):
                Path(written).unlink()
            raise


class CodeArchive:
    """An archive of compiled functions that came with the program."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                self._names = frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile):  # none came
            self._names = frozenset()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes | None:
        """Return what is kept under this name; None if nothing is."""
        if name not in self._names:
            return None
        try:
            with zipfile.ZipFile(self.path) as archive:
                return _checked(archive.read(name))
        except (OSError, zipfile.BadZipFile):  # it was taken away, or is damaged
            return None


def pack(folder: Path, archive: Path) -> int:
    """Write all compiled functions of ``folder`` into a new ``archive``; return how many.

    The same files always make the same archive.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    files = sorted(folder.glob(f"*{SUFFIX}"))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files:
            packed.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return len(files)


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST).digest()


def _checked(data: bytes) -> bytes | None:
    code = data[_DIGEST:]
    return code if data[:_DIGEST] == _digest(code) else None
