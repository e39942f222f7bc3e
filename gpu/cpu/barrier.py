"""A barrier between threads that run compiled code without the interpreter's lock.

A step of a colony takes microseconds, and ``prange`` needs up to 50 of them to start its threads
anew (with Numba's own thread pool, the only one that is always there). These threads stay for many
iterations and wait for each other here, in well under one microsecond.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types  # the whole of Numba first: another thread may be importing it
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, inlined

SPINS = 2_000  # a waiting thread looks so often at the counter, then offers its core at each look
INNER_BARRIER = (
    16  # where in a barrier's array a second barrier begins, which some of the threads use
)
OPEN_COUNT = 2**62  # count of a barrier at which nobody waits

_yield = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)


def new_barrier() -> NDArray[np.int64]:
    """Return two barriers: counters of arrivals, each in a cache line of its own."""
    return np.zeros(2 * INNER_BARRIER, dtype=np.int64)


def release(barrier: NDArray[np.int64]) -> None:
    """Let all threads pass from now on, because one of them will never come."""
    barrier[0] = barrier[INNER_BARRIER] = OPEN_COUNT


def _of_counter(instruction: Callable[[Any, Any, Any], Any]) -> Any:
    """Make an intrinsic function of an instruction on the counter of a barrier."""

    def define(typing: Any, barrier: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            return instruction(builder, array.data, context.get_constant(types.int64, 1))

        return types.int64(barrier), generate

    return intrinsic(define)


_increment = _of_counter(lambda builder, at, one: builder.atomic_rmw("add", at, one, "seq_cst"))
"""Count an arrival; return how many there were before."""

_look = _of_counter(lambda builder, at, one: builder.load_atomic(at, "acquire", 8))


@inlined
def wait(barrier: NDArray[np.int64], threads: Whole) -> None:
    """Wait until all of so many threads have arrived here as often as this one has."""
    if threads == 1:
        return
    before = _increment(barrier)
    goal = before - before % threads + threads
    spins = 0
    while before < OPEN_COUNT and _look(barrier) < goal:
        spins += 1
        if spins > SPINS:
            _yield()
