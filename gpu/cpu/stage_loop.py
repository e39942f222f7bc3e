"""The loop of every colony on the CPU: iterations and their stages, in one compiled call.

A family of colonies keeps all that its iterations work on in a NamedTuple, the state. It writes one
function that does a thread's share of any stage, and :func:`loop_over` makes the loop of it.

A step of a colony takes microseconds, and ``prange`` needs up to 50 of them to start its threads
anew (with Numba's own thread pool, the only one that is always there). The threads of a colony run
without the interpreter's lock, stay for many iterations, and wait for each other at a barrier, in
well under one microsecond.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, inlined, pasted

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


class StageTask(NamedTuple):
    """What a thread is to do."""

    thread: int  # the thread's number
    threads: int  # how many work
    iterations: int  # how many; 0 compiles the code and does nothing
    stages: int  # a bit for each stage of an iteration that is to be done
    begin: int  # of its own units of each stage, the thread does those from here
    end: int  # to before this one


StageFunction = Callable[[Any, Any, NDArray[np.int64], StageTask, int], None]
"""Does a thread's share of a stage: takes state, workspace, barrier, task and stage number."""

Run = Callable[[Any, Any, NDArray[np.int64], StageTask], None]
"""Does a thread's task: takes what a :data:`StageFunction` does, except the stage."""


def loop_over(do_stage: StageFunction) -> Run:
    """Make of the function that does a stage the compiled loop over iterations and their stages.

    The compiled function has the loop's code, and finds ``do_stage`` among its global names. With
    a closure instead, Numba would not find on disk what an earlier process compiled.
    """
    names = {**globals(), "_do_stage": pasted(do_stage)}
    family = do_stage.__module__.replace(".", "_")
    run = FunctionType(_loop.__code__, names, family)
    run.__qualname__ = family  # what the files on disk are named by
    run.__module__ = do_stage.__module__  # whose import makes it
    made: Run = cached(run)
    return made


_do_stage: Any = None  # stands for the function of the family


def _loop(state: Any, workspace: Any, barrier: NDArray[np.int64], task: StageTask) -> None:
    """Do a thread's task. All threads wait for each other at the end of each stage."""
    for _ in range(task.iterations):
        stage, left = 0, task.stages
        while left != 0:
            if left & 1:
                _do_stage(state, workspace, barrier, task, stage)
                wait(barrier, task.threads)
            stage += 1
            left >>= 1


@inlined
def share_of(items: int, task: StageTask) -> tuple[int, int]:
    """Return where the thread's share of so many items begins, and where it ends."""
    return items * task.thread // task.threads, items * (task.thread + 1) // task.threads


@inlined
def units_of(items: int, task: StageTask) -> range:
    """Return the items, out of so many, that the task is to do; each item is a unit."""
    first, end = share_of(items, task)
    return range(first + task.begin, min(first + task.end, end))
