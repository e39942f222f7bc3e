"""The inner parts of Numba on which compiled code rests: all of them are here, and nowhere else.

What these do cannot be had by documented ways; a release of Numba may change them. Then
``tests/gpu/cpu/test_numba_parts.py`` says which one is gone, and what it was for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler as Pipeline
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


Load = Callable[[Any, Callable[[], Any]], Any]
"""Takes a signature, and what looks for its compiled code on disk; returns that code or None."""


class _Cache:
    """What Numba keeps of a function, asked by way of another one."""

    def __init__(self, kept: Any, load: Load, save: Callable[[Callable[[], None]], None]) -> None:
        self._kept, self._load, self._save = kept, load, save

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return what was compiled earlier, or None: then it is compiled now."""
        return self._load(signature, partial(self._kept.load_overload, signature, target))

    def save_overload(self, signature: Any, made: Any) -> None:
        """Write what was compiled."""
        self._save(partial(self._kept.save_overload, signature, made))


def guard_cache(dispatcher: Any, load: Load, save: Callable[[Callable[[], None]], None]) -> None:
    """Let ``load`` and ``save`` read and write what is kept of a function.

    Both get a function that does what Numba would do.
    """
    dispatcher._cache = _Cache(dispatcher._cache, load, save)


def is_kept(dispatcher: Any, signature: Any) -> bool:
    """Whether the code of a function for these types is on disk, or in memory."""
    if signature in dispatcher.overloads:
        return True
    kept = dispatcher._cache
    if not isinstance(kept, _Cache):
        return False
    key = kept._index_key(signature, dispatcher.targetctx.codegen())
    return key in kept._cache_file._load_index()
