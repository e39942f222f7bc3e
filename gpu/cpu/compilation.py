"""How functions of the CPU colonies are compiled, and where the result is kept."""

from __future__ import annotations

import functools
import importlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, Protocol, TypeVar

import numba
import numpy as np
from numba.core import event
from numba.extending import is_jitted

from gpu.core.machine.code_files import CodeArchive, CodeFolder, archive, code_folder
from gpu.core.machine.compiling import COMPILING, Work, share_out
from gpu.cpu.numba_parts import (
    WITHOUT_COUNTS,
    PartPipeline,
    begin_without_blas,
    keep,
    processor_of,
)
from gpu.cpu.numba_shortcuts import take_shortcuts
from gpu.cpu.processors import Processor, archive_name, code_name, level

Function = TypeVar("Function", bound=Callable[..., Any])

Whole = int | np.integer[Any]
"""A whole number, of Python outside and of the machine inside compiled code."""

_config: Any = numba.config
_config.DISABLE_JIT = 0  # NUMBA_DISABLE_JIT is for whoever debugs: no colony works uncompiled


class Compiler(Protocol):
    """A decorator that compiles a function."""

    def __call__(self, function: Function, /) -> Function:
        """Return what Numba makes of ``function``."""


class _Progress(event.Listener):
    """Tells :data:`COMPILING` of each function that is compiled."""

    def on_start(self, event: Any) -> None:
        """Stop the thread if it should."""
        COMPILING.check()

    def on_end(self, event: Any) -> None:
        """Note a part that is compiled."""
        made = event.data["dispatcher"]
        if made.overloads:  # else it failed; ``event.is_failed`` says the opposite of what is true
            COMPILING.note_part(made.py_func)


begin_without_blas()
take_shortcuts()

_register: Any = event.register  # Numba has no type hints
_register("numba:compile", _Progress())

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    **WITHOUT_COUNTS,
}
_INSIDE: dict[str, Any] = {
    **_OPTIONS,
    "no_cpython_wrapper": True,
    "pipeline_class": PartPipeline,
}

inlined: Compiler = numba.njit(forceinline=True, **_INSIDE)
"""Compile a function into each compiled function that calls it."""

compiled: Compiler = numba.njit(**_INSIDE)
"""Compile a function on its own: for large functions, or those that are called seldom."""

pasted: Compiler = numba.njit(inline="always", **_INSIDE)
"""Paste a function into its caller before that is compiled.

It costs no compilation of its own: for functions with one caller.
"""


def _parts_of(function: Callable[..., Any], found: set[Any]) -> set[Any]:
    """Add to ``found`` all compiled functions that ``function`` calls, and those that they call."""
    names, known = function.__code__.co_names, function.__globals__
    named = [known[name] for name in names if name in known]
    modules = [one for one in named if isinstance(one, ModuleType)]
    named += [getattr(module, name, None) for module in modules for name in names]
    for called in named:
        if is_jitted(called) and called not in found:
            found.add(called)
            _parts_of(called.py_func, found)
    return found


def _to_compile(function: Callable[..., Any]) -> set[Any]:
    """Return what must be compiled before ``function``, and is not yet."""
    parts = _parts_of(function, set())
    assert parts.isdisjoint(_made.values()), "what is kept is not put into other functions"
    return {
        part.py_func
        for part in parts
        if not part.overloads and part.targetoptions.get("inline") != "always"
    }


def _places(made: Any) -> Iterator[tuple[CodeFolder | CodeArchive, Processor]]:
    """Where compiled code may be, and for which processor it is made there."""
    here = Processor(*processor_of(made))
    folder, level_here = code_folder(), level()
    if folder is not None:
        yield folder, here
    if level_here is not None:
        yield archive(archive_name()), Processor(here.triple, level_here.name, "")


def _find(made: Any, signature: Any) -> bytes | None:
    """Return the code of a function for these types, if it was compiled earlier."""
    for place, processor in _places(made):
        code = place.read(code_name(made.py_func, signature, processor))
        if code is not None:
            return code
    return None


def is_kept(made: Any, signature: Any) -> bool:
    """Whether a function need not be compiled any more for arguments of these types."""
    return signature in made.overloads or any(
        code_name(made.py_func, signature, processor) in place for place, processor in _places(made)
    )


def _load(made: Any, signature: Any, rebuild: Callable[[bytes], Any]) -> Any:
    """Return what was compiled earlier; where there is nothing, it is compiled now."""
    function = made.py_func
    code = _find(made, signature)
    if code is None and _compiled_elsewhere(function, signature):
        code = _find(made, signature)
        if code is None:  # the disk is full: what follows would be compiled twice, too
            COMPILING.elsewhere = None
    if code is None:
        COMPILING.check()
        COMPILING.begin(_to_compile(function))
        return None
    return rebuild(code)


def _compiled_elsewhere(function: Callable[..., Any], signature: Any) -> bool:
    """Let another process compile and keep it, if there is one; return whether it has."""
    elsewhere = COMPILING.elsewhere
    if elsewhere is None or "<locals>" in function.__qualname__:
        return False
    types = pickle.dumps(signature)
    return elsewhere(_compile, function.__module__, function.__qualname__, types)


def _save(made: Any, signature: Any, reduced: Callable[[], bytes]) -> None:
    """Keep what was compiled. On a full disk nothing is kept, and the run goes on."""
    COMPILING.end()
    folder = code_folder()
    if folder is not None:
        name = code_name(made.py_func, signature, Processor(*processor_of(made)))
        with suppress(OSError):
            folder.write(name, reduced())


_made: dict[tuple[str, str], Any] = {}  # what ``cached`` made, by the function's module and name


def _compile(module: str, name: str, types: bytes) -> None:
    """Compile a function for arguments of these types, a pickled signature, and keep it."""
    importlib.import_module(module)
    _made[module, name].compile(pickle.loads(types))


def cached(function: Function) -> Function:
    """Compile ``function`` at its first call, and keep the result for later processes.

    It runs without the interpreter's lock, so that the window stays responsive. Other compiled
    functions cannot call it: only its machine code is kept.
    """
    made: Function = numba.njit(**_OPTIONS)(function)
    keep(made, functools.partial(_load, made), functools.partial(_save, made))
    _made[function.__module__, function.__qualname__] = made
    return made


Wanted = tuple[Any, tuple[Any, ...]]
"""What :func:`cached` made, and the types of the arguments for which it is wanted."""


def compile_together(wanted: Iterable[Wanted]) -> None:
    """Compile functions, or load them: the largest first, those that are not kept all at once.

    Where there are other processes, they compile, too; see ``elsewhere`` and ``beside`` of
    :data:`COMPILING`. Numba itself compiles one function at a time in a process.
    """
    functions = list(wanted)
    if code_folder() is not None:
        works = [
            (_work(*one), len(_to_compile(one[0].py_func)) + 1)
            for one in functions
            if not is_kept(*one)
        ]
        share_out(works, functions[0][0].__module__)
    for made, types in functions:
        made.compile(types)


def _work(made: Any, types: tuple[Any, ...]) -> Work:
    function = made.py_func
    return _compile, (function.__module__, function.__qualname__, pickle.dumps(types))


def address_of(made: Any, types: tuple[Any, ...]) -> int:
    """Return where the code of a compiled function is, for arguments of these types."""
    result = made.overloads[types]
    address: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    assert address, "compiled functions have an address"
    return address
