"""A barrier between threads that run compiled code without the interpreter's lock.

A step of a colony takes microseconds, and ``prange`` needs up to 50 of them to start its threads
anew (Numba's own pool, the only one a bare machine has). These threads stay for many iterations
and wait for each other here, in well under one.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import types  # the whole of Numba first: another thread may be importing it
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpu.cpu.compiled import piece

SPINS = 2_000
"""Looks at the counter before a waiting thread offers its core to others at each look."""

_yield = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)


INNER = 16
"""Where in a gate another one begins, for meetings of a part of the threads."""


def new_gate() -> NDArray[np.int64]:
    """Return a fresh barrier: two counters, each in a cache line of its own."""
    return np.zeros(2 * INNER, dtype=np.int64)


def throw_open(gate: NDArray[np.int64]) -> None:
    """Let everybody pass, now and for ever: one of them will never come."""
    gate[0] = gate[INNER] = 2**62


def _counter(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.make_array(signature.args[0])(context, builder, arguments[0]).data


def _define_increment(typing: Any, gate: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counter = _counter(context, builder, signature, arguments)
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", counter, one, "seq_cst")

    return types.int64(gate), generate


def _define_look(typing: Any, gate: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counter = _counter(context, builder, signature, arguments)
        return builder.load_atomic(counter, "acquire", 8)

    return types.int64(gate), generate


_increment: Any = intrinsic(_define_increment)
_look: Any = intrinsic(_define_look)


@piece
def meet(gate: NDArray[np.int64], goal: int) -> None:
    """Wait until ``goal`` arrivals have been counted, this one among them.

    With ``w`` threads, the j-th meeting's goal is ``j * w``, from 1.
    """
    _increment(gate)
    spins = 0
    while _look(gate) < goal:
        spins += 1
        if spins > SPINS:
            _yield()
