"""How tests reach the pieces, which only compiled code can call."""

from collections.abc import Callable
from typing import Any, TypeVar

from gpu.cpu.compiled import _compile

Function = TypeVar("Function", bound=Callable[..., Any])


def caller(function: Function) -> Function:
    """Compile a function that calls a piece."""
    compiled: Function = _compile()(function)
    return compiled
