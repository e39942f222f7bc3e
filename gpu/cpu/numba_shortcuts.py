"""Shortcuts in Numba's compiler: it does the same with fewer steps, and makes the same code.

Much of a compilation is bookkeeping in Python that Numba does anew each time, though its result
cannot change. Like :mod:`gpu.cpu.numba_parts`, this rests on inner parts of Numba;
``tests/gpu/cpu/test_numba_shortcuts.py`` says which one is gone, and compares what compiled code
returns with and without.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from numba.core import errors, ir, postproc, targetconfig, transforms, types
from numba.core.typing.templates import _OverloadFunctionTemplate

from gpu.cpu.numba_parts import PartPipeline

AS_PART = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartPipeline}


def take_shortcuts() -> None:
    """Use all shortcuts from now on in this process."""
    _compare_options_fast()
    _list_variables_fast()
    _follow_variables_late()
    _choose_signatures_once()
    _tell_nobody_of_locks()
    _paint_no_errors()
    _make_parts_of_overloads()


def _compare_options_fast() -> None:
    """Options of compilations are compared at each look for a function: mostly the same object."""
    kind: Any = targetconfig.TargetConfig
    compare_all = kind.__eq__

    def equal(self: Any, other: Any) -> Any:
        if self is other:
            return True
        if type(self) is type(other) and self._values == other._values:
            return True
        return compare_all(self, other)

    def hashed(self: Any) -> int:
        return hash(type(self).__name__)  # Numba's own is of the options' names alone, too

    kind.__eq__, kind.__hash__ = equal, hashed


def _list_variables_fast() -> None:
    """Find the variables of an instruction without a recursion for each number and name in it."""
    plain = frozenset({ir.Loc, str, int, float, bool, type(None)})
    variable: Any = ir.Var
    instruction: Any = ir.Inst

    def add(value: Any, found: list[Any]) -> None:
        kind = type(value)
        if kind is variable:
            found.append(value)
        elif kind in plain:
            return
        elif kind is list or kind is tuple:
            for one in value:
                add(one, found)
        elif kind is dict:
            for one in value.values():
                add(one, found)
        elif isinstance(value, ir.Var):
            found.append(value)
        elif isinstance(value, instruction):
            found.extend(value.list_vars())
        elif isinstance(value, (list, tuple)):
            for one in value:
                add(one, found)
        elif isinstance(value, dict):
            for one in value.values():
                add(one, found)

    def variables(self: Any, value: Any) -> list[Any]:
        found: list[Any] = []
        add(value, found)
        return found

    instruction._rec_list_vars = variables


def _follow_variables_late() -> None:
    """Find where variables live when somebody asks: after most passes over a function nobody does.

    At its entry to each block they are wanted in functions that yield, or that fall back to
    Python's objects: none does.
    """
    kinds: Any = postproc
    flow: Any = transforms
    kind = kinds.PostProcessor
    run_all = kind.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if emit_dels or self.func_ir.is_generator:
            run_all(self, emit_dels, extend_lifetimes)
            return
        self.func_ir.blocks = flow.canonicalize_cfg(self.func_ir.blocks)
        self.func_ir.variable_lifetime = kinds.VariableLifetime(self.func_ir.blocks)
        self.func_ir.generator_info = None

    kind.run = run


def _choose_signatures_once() -> None:
    """Remember which signature an operator or built-in function has for these types.

    Numba tries all that it knows of an operator, some twenty kinds, at each use.
    """
    kind: Any = types.Function
    choose = kind.get_call_type
    stack: Any = targetconfig.ConfigStack
    chosen: dict[Any, Any] = {}

    def remembered(self: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = stack.top_or_none()
        key = self, context, tuple(args), tuple(kws.items()), flags
        signature = chosen.get(key)
        if signature is None:
            signature = chosen[key] = choose(self, context, args, kws)
        return signature

    kind.get_call_type = remembered


def _tell_nobody_of_locks() -> None:
    """Make no event each time LLVM's lock is taken: nobody listens."""
    binding: Any = importlib.import_module("llvmlite.binding")
    lock = binding.ffi.lib._lock
    lock._cblist.clear()


class _Plain:
    """The colors of error messages: none."""

    def __getattr__(self, name: str) -> Any:
        return _same


def _same(message: str) -> str:
    return message


def _make_parts_of_overloads() -> None:
    """Compile what Numba has written in Python as parts, too: nobody calls it from Python."""
    kind: Any = _OverloadFunctionTemplate
    choose = kind._get_jit_decorator

    def decorator(self: Any) -> Any:
        return partial(choose(self), **AS_PART)

    kind._get_jit_decorator = decorator


def _paint_no_errors() -> None:
    """Write no colors into the messages of signatures that do not fit: nobody reads them."""
    inner: Any = errors
    inner._termcolor_inst = _Plain()
