"""The inner parts of Numba on which compiled code rests: all of them are here, and nowhere else.

What these do cannot be had by documented ways; a release of Numba may change them. Then
``tests/gpu/cpu/test_numba_parts.py`` says which one is gone, and what it was for.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import llvmlite.binding as llvm
from numba.core import serialize
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler as Pipeline
from numba.core.compiler import CompileResult
from numba.np import linalg

WITHOUT_COUNTS = {"_nrt": False}
"""Counting references to arrays takes six times as long as the work of the ants. Compiled code here
allocates nothing and needs no counts. This is Numba's own switch for such code."""


class PartLibrary(JITCodeLibrary):
    """The code of a function that only compiled functions call.

    Numba would optimize it and make machine code of it, and do both again, with all that it calls,
    for each function around it. Here that is done once, for the outermost one: it takes a fifth to
    a half less time, and the code is the same.
    """

    @property
    def codegen(self) -> Any:
        """What Numba tells where Python's objects are: there are none in such code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: the function has no place in memory yet."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no function that Python could call."""
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class PartPipeline(Pipeline):
    """Compiles a function that only compiled functions call."""

    def define_pipelines(self) -> Any:
        """Return Numba's usual steps, with another place for the code."""
        state = self.state
        place: Any = PartLibrary
        state.library = place(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()  # type: ignore[no-untyped-call]


def begin_without_blas() -> None:
    """Load what Numba has for arrays, without the look for BLAS that comes with it.

    That look imports SciPy's linear algebra: half of the time until the first compiled function
    runs. It decides about ``np.convolve`` and ``np.correlate`` in compiled code alone, of which
    there are none here.
    """
    there, linalg.ensure_blas = linalg.ensure_blas, _no_blas
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = there


def _no_blas() -> None:
    raise ImportError("nobody needs it")


Load = Callable[[Any, Callable[[bytes], Any]], Any]
"""Takes a signature, and what rebuilds a compiled function from bytes; returns one, or None."""

Save = Callable[[Any, Callable[[], bytes]], None]
"""Takes a signature, and what makes bytes of the compiled function."""


class _Cache:
    """Stands where Numba has its own files of compiled functions."""

    cache_path = None

    def __init__(self, load: Load, save: Save) -> None:
        self._load, self._save = load, save

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return what was compiled earlier, or None: then it is compiled now."""
        target.refresh()
        return self._load(signature, partial(_rebuilt, target))

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled."""
        if made.library.has_dynamic_globals:
            raise ValueError(f"{made.fndesc.qualname} has an address in it: it cannot be kept")
        self._save(signature, partial(_reduced, made))


def _rebuilt(target: Any, code: bytes) -> Any:
    return CompileResult._rebuild(target, *pickle.loads(code))  # type: ignore[no-untyped-call]


def _reduced(made: Any) -> bytes:
    """Return the machine code, without the text that Numba would put into functions around it.

    No compiled function calls one that is kept. To read that text takes longer than all else that
    is done to load a function, and it took some 0.6 MB of memory for each.
    """
    text = made.library._final_module
    names = [
        one.name
        for one in (*text.functions, *text.global_variables)
        if not one.is_declaration  # Numba asks for addresses of what is named alone
    ]
    named = "\n".join(f'@"{name}" = global i8 0' for name in names)
    made.library._shared_module = llvm.parse_assembly(named)
    written: bytes = serialize.dumps(made._reduce())  # type: ignore[no-untyped-call]
    return written


def keep(dispatcher: Any, load: Load, save: Save) -> None:
    """Let ``load`` and ``save`` read and write what is compiled of a function."""
    dispatcher._cache = _Cache(load, save)


def processor_of(dispatcher: Any) -> tuple[str, str, str]:
    """Return what a function is compiled for: LLVM's triple, the processor, and its features."""
    triple, name, features = dispatcher.targetctx.codegen().magic_tuple()
    return str(triple), str(name), str(features)
