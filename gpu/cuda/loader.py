"""The kernels' source texts: where they are, and which instantiations exist.

Each room with ``.cu`` files declares them as :class:`KernelSource` in its module ``kernels``. A
source's text has its headers written into it, so that a cache keyed by the text can never hand out
a binary of an older header. CUDA, the compile check and the CPU emulation take their text here.

The structures that kernels take, and the constants that they share with their launchers, are
declared in Python alone, in the same module ``kernels``. Their C++ declarations take the place of a
line ``#include "kernels.py"`` in a text.
"""

from __future__ import annotations

import enum
import functools
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpu.cuda.arguments import (
    PREAMBLE,
    Arrays,
    KernelArguments,
    Sized,
    Structure,
    constants_of,
    enumeration,
    size_check,
)

COMPILER_OPTIONS: tuple[str, ...] = ("--std=c++17", "--fmad=false")
"""Compiler options. Products are not contracted into multiply-adds, so that a trail or a distance
is rounded as the CPU rounds it, and both give the same tours."""

ROOT = Path(__file__).parents[2]  # the folder above ``gpu``


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch: the kernel, how many threads, and its arguments.

    Raises
    ------
    TypeError
        If the kernel takes another structure.
    """

    source: KernelSource  # the file in which the kernel is
    kernel: str  # one of its C++ name expressions
    grid: int  # blocks
    block: int  # threads a block
    args: KernelArguments
    shared: int = 0  # bytes of dynamic shared memory a block
    parts: LaunchParts | None = None  # where several launches may do the same one after the other
    followed: bool = False  # whether an iteration is not to be left between this and the next one

    def __post_init__(self) -> None:
        wanted = self.source.kernels[self.kernel]
        if type(self.args) is not wanted:
            given = type(self.args).__name__
            raise TypeError(f"{self.kernel} takes {wanted.__name__}, but {given} given")


@dataclass(frozen=True, slots=True)
class LaunchParts:
    """How the work of a launch is divided: a launch that takes long cannot be interrupted.

    ``make`` returns the launch that does the work from a first ant, or step, to before an end. All
    launches have done it when they have run in their order, from 0 to ``count``. Only the last one
    may have another number of ants or steps than a multiple of ``each``.
    """

    count: int  # ants, or steps of all ants
    each: int  # of them in the smallest part: fewer would leave a part of the device idle
    make: Callable[[int, int], Launch]

    def __len__(self) -> int:
        return -(-self.count // self.each)

    def between(self, first: int, end: int) -> Launch:
        """Return the launch for the smallest parts from ``first`` to before ``end``."""
        return self.make(first * self.each, min(end * self.each, self.count))


def divided(make: Callable[[int, int], Launch], count: int, each: int) -> Launch:
    """Return the launch that does all, which may be made in parts; see :class:`LaunchParts`."""
    return replace(make(0, count), parts=LaunchParts(count, each, make) if each < count else None)


@dataclass(frozen=True, eq=False)
class KernelSource:
    """A ``.cu`` file and kernels that are compiled from it together."""

    file: str  # its path from the folder above ``gpu``
    kernels: Mapping[str, type[KernelArguments]]  # what each instantiation takes, by its C++ name
    part: str = field(default="", kw_only=True)  # what these are of the file, if not all
    # whether all blocks of a launch must be on the device at once
    cooperative: bool = field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """The file, and which part of its kernels."""
        return f"{self.file} {self.part}".rstrip()

    def launch(
        self,
        kernel: str,
        grid: int,
        block: int,
        arrays: Arrays,
        /,
        shared: int = 0,
        **values: Any,
    ) -> Launch:
        """A launch with these arguments; see :meth:`KernelArguments.from_arrays`."""
        args = self.kernels[kernel].from_arrays(arrays, **values)
        return Launch(self, kernel, grid, block, args, shared)

    def checks(self) -> str:
        """C++ behind the text that compiles only if the structures are as declared in Python."""
        taken = [each for kind in self.kernels.values() for each in kind.structures()]
        every = dict.fromkeys((*taken, *(each for kind in taken for each in kind.pointed())))
        return PREAMBLE + "".join(
            size_check(each.__name__, each.size) if issubclass(each, Sized) else each.checks()
            for each in every
        )


@functools.cache
def sources() -> dict[str, KernelSource]:
    """All sources that modules ``gpu.*.cuda.kernels`` and ``gpu.cuda.kernels`` declare, by name.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found: dict[str, KernelSource] = {}
    for path in sorted(ROOT.glob("gpu/**/cuda/kernels*")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for source in vars(importlib.import_module(name)).values():
            if isinstance(source, KernelSource) and found.setdefault(source.name, source) != source:
                raise ValueError(
                    f"{name} declares {source.name}, which another module declares too"
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
    return "".join(_Text().lines(file))


class _Text:
    """A text under way: no file and no structure is written into it twice."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        # By each header that is being written: structures that come behind it.
        self._later: dict[str, list[Iterator[type[Structure]]]] = {}

    def lines(self, file: str) -> Iterator[str]:
        """The lines of a file; messages of compilers name them as they are in the file."""
        if not self._is_new(file):
            return
        if file.endswith(".py"):
            yield from self._declarations(file)
            return
        self._later[file] = []
        folder, _, _ = file.rpartition("/")
        yield f'#line 1 "{file}"\n'
        for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), 1):
            include = re.match(r'\s*#include "([^"]+)"', line)
            if include:
                # A bare name is a file of the same folder, a path begins above ``gpu``.
                yield from self.lines(include[1] if "/" in include[1] else f"{folder}/{include[1]}")
                yield f'#line {number + 1} "{file}"\n'
            else:
                yield "\n" if line == "#pragma once" else f"{line}\n"
        for structures in self._later.pop(file):
            yield from self._structures(structures)

    def _declarations(self, file: str) -> Iterator[str]:
        """What a Python module declares in C++: constants, enumerations, then structures."""
        name = file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        module = importlib.import_module(name)
        yield f'#line 1 "{file}"\n'
        yield from constants_of(module)
        kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
        for kind in kinds:
            if issubclass(kind, enum.IntEnum) and self._is_new(kind.__name__):
                yield enumeration(kind)
        structures = (kind for kind in kinds if issubclass(kind, Structure))
        yield from self._structures(each for kind in structures for each in kind.structures())

    def _structures(self, structures: Iterator[type[Structure]]) -> Iterator[str]:
        """Each comes after those that it contains, some of which a header declares."""
        for structure in structures:
            if structure.header in self._later:
                self._later[structure.header].append(structures)
                return
            if structure.header:
                yield from self.lines(structure.header)
            elif self._is_new(structure.__name__):
                yield structure.declaration()

    def _is_new(self, name: str) -> bool:
        if name in self._seen:
            return False
        self._seen.add(name)
        return True
