"""How the baseline's functions are compiled, and where the result is kept."""

from __future__ import annotations

import functools
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])

Whole = int | np.integer[Any]
"""A whole number, of Python outside and of the machine inside compiled code."""

_PREFIX = "compiled-"

_config: Any = numba.config

# Reference counts of arrays cost six times what the ants do. Nothing here allocates, so none are
# needed; _nrt=False, Numba's own switch for such code, leaves them out.
_compile: Any = functools.partial(numba.njit, nogil=True, _nrt=False, error_model="numpy")


def entry(function: Function) -> Function:
    """Compile ``function`` at its first call, and keep the result for later processes.

    It runs without the interpreter's lock, so that a window stays alive meanwhile.
    """
    folder = _folder()
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder or "")
    try:
        compiled: Function = _compile(cache=folder is not None)(function)
    finally:
        _config.CACHE_DIR = before
    return compiled


def piece(function: Function) -> Function:
    """Compile ``function`` into each compiled function that calls it."""
    compiled: Function = _compile(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        function
    )
    return compiled


def part(function: Function) -> Function:
    """Compile ``function`` for compiled functions that call it seldom."""
    compiled: Function = _compile(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return compiled


@functools.cache
def _folder() -> Path | None:
    """Return the folder for compiled functions: beside the source, else the user's; else none.

    Numba looks only at the file of the function itself to tell whether what it kept is stale. So
    the folder's name is a digest of all files whose functions and constants may be compiled in,
    and the folders of earlier sources go.
    """
    here = Path(__file__).parent
    files = (file for file in here.parent.rglob("*.py") if here.parent / "cuda" not in file.parents)
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()
    for base in _bases(here):
        folder = base / (_PREFIX + digest[:16])
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:  # read-only, or full
            continue
        for other in base.glob(_PREFIX + "*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        return folder
    return None


def _bases(here: Path) -> Iterator[Path]:
    if _config.CACHE_DIR:  # the user's own choice, in NUMBA_CACHE_DIR
        yield Path(_config.CACHE_DIR)
    yield here / "__pycache__"
    yield Path(platformdirs.user_cache_dir("formicarium", appauthor=False))
