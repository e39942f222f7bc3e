"""What compiled functions are made for: this processor, or all of its kind."""

from __future__ import annotations

import functools
import hashlib
import importlib
import platform
import re
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

import numba

from gpu.core.machine import code_files

PYTHON = sys.implementation.cache_tag or f"python-{platform.python_version()}"
"""Which Python the code is for: it converts Python's objects."""

_UNFIT = re.compile(r"[^\w.-]")  # in names of files


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
    return f"{name[-100:]}-{digest[:24]}{code_files.SUFFIX}"


def archive_name() -> str:
    """Return the name of the archive of compiled code that would serve here, if it came along."""
    found = level()
    of = found.name if found is not None else platform.machine()
    return f"{code_files.sources()}-{PYTHON}-{of}-{sys.platform}.zip"
