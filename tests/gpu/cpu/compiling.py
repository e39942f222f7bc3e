"""How tests reach inlined functions, which only compiled code can call."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from gpu.cpu.compilation import _OPTIONS

Function = TypeVar("Function", bound=Callable[..., Any])


def caller(function: Function) -> Function:
    """Compile a function that calls an inlined one."""
    made: Function = numba.njit(**_OPTIONS)(function)
    return made
