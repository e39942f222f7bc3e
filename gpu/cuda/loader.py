"""The kernels' source texts: where they are, and which instantiations exist.

Each folder with ``.cu`` files declares them as :class:`KernelSource` in its module ``kernels``. A
source's text has its headers written into it, so that a cache keyed by the text can never hand out
a binary of an older header. CUDA, the compile check and the CPU emulation take their text here.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpu.cuda.arguments import PREAMBLE, KernelArguments

OPTIONS: tuple[str, ...] = ("--std=c++17", "--fmad=false")
"""Compiler options. Products are not contracted into multiply-adds, so that a trail or a distance
is rounded as the CPU rounds it, and both give the same tours."""


@dataclass(frozen=True, eq=False)
class KernelSource:
    """A ``.cu`` file and the kernels that are compiled from it.

    Attributes
    ----------
    file : str
        Its path from the folder above ``gpu``.
    kernels : mapping of str to type
        C++ name expressions of all its instantiations, and the structure that each takes.
    """

    file: str
    kernels: Mapping[str, type[KernelArguments]]

    def text(self) -> str:
        """The text that is compiled: it compiles only if the structures are as declared."""
        return source_text(self.file) + self.checks()

    def checks(self) -> str:
        """The part of it that checks the structures."""
        done: set[type[KernelArguments]] = set()
        return PREAMBLE + "".join(kind.checks(done) for kind in self.kernels.values())


@functools.cache
def sources() -> dict[str, KernelSource]:
    """All sources that modules ``gpu.*.cuda.kernels`` and ``gpu.cuda.kernels`` declare, by file.

    Raises
    ------
    ValueError
        If two declare the same file.
    """
    import gpu

    rooms = [
        "gpu.cuda",
        *(f"{room.name}.cuda" for room in pkgutil.iter_modules(gpu.__path__, "gpu.")),
    ]
    found: dict[str, KernelSource] = {}
    for room in rooms:
        name = f"{room}.kernels"
        if not _exists(name):
            continue
        for source in vars(importlib.import_module(name)).values():
            if isinstance(source, KernelSource) and found.setdefault(source.file, source) != source:
                raise ValueError(
                    f"{name} declares {source.file}, which another module declares too"
                )
    return found


@functools.cache
def source_text(file: str) -> str:
    """The text of ``file``, a path from the folder above ``gpu``, each header inlined once.

    Raises
    ------
    FileNotFoundError
        If the file or a header it names is not there.
    """
    return "".join(_lines(file, set()))


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _lines(file: str, seen: set[str]) -> Iterator[str]:
    seen.add(file)
    folder, _, _ = file.rpartition("/")
    text = (_root() / file).read_text(encoding="utf-8")
    for line in text.splitlines(keepends=True):
        include = re.match(r'\s*#include "([^"]+)"', line)
        if include:
            # A bare name is a file of the same folder, a path begins above ``gpu``.
            header = include[1] if "/" in include[1] else f"{folder}/{include[1]}"
            if header not in seen:
                yield from _lines(header, seen)
        elif line.strip() != "#pragma once":
            yield line


def _root() -> Path:
    return Path(__file__).parents[2]
