"""The loop of every colony on the CPU: iterations and their stages, in one compiled call.

A family of colonies keeps all that its iterations work on in a NamedTuple, the state. It writes one
function that does a thread's share of any stage, and :func:`loop_over` makes the loop of it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.barrier import wait
from gpu.cpu.compilation import cached, inlined, pasted


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
