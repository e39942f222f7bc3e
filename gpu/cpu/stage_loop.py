"""The loop of every colony on the CPU: iterations and their stages, in one compiled call.

A family of colonies keeps all that its iterations work on in a NamedTuple, the state. It writes one
function that does a thread's share of any stage, and :class:`StageLoop` makes the loop of it.

A step of a colony takes microseconds, and ``prange`` needs up to 50 of them to start its threads
anew (with Numba's own thread pool, the only one that is always there). The threads of a colony run
without the interpreter's lock, stay for many iterations, and wait for each other at a barrier, in
well under one microsecond.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from gpu.cpu.compilation import (
    Whole,
    address_of,
    cached,
    compile_together,
    compiled,
    inlined,
    pasted,
)

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


class StageLoop:
    """What a family's threads do: a loop over iterations and their stages, all of it compiled.

    The loop calls sections by their addresses. A section is one or more stages, compiled on its
    own: so several can be compiled at once, and none that a colony does not use.

    Parameters
    ----------
    do_stage : what does a thread's share of any stage
    sections : of each section, the numbers of its stages; what takes long to compile comes first
    """

    def __init__(self, do_stage: StageFunction, sections: Sequence[Sequence[int]]) -> None:
        self._module = do_stage.__module__
        self._family = self._module.replace(".", "_")
        self._loop = cached(self._named(_loop, self._family))
        inner = pasted(do_stage)
        self._sections: dict[int, Any] = {}
        for numbers in sections:
            self._sections.update(dict.fromkeys(numbers, self._section(inner, numbers)))

    def _section(self, do_stage: Any, numbers: Sequence[int]) -> Any:
        """Compile a function that does these stages; Numba leaves out what belongs to others."""
        name = "_".join((self._family, *map(str, numbers)))
        section: Any = self._part(do_stage, numbers[0])
        for number in numbers[1:]:
            rest, part = pasted(section), compiled(self._part(do_stage, number))
            section = self._named(_either, name, _number=number, _part=part, _rest=rest)
        section.__qualname__ = name  # what the files on disk are named by
        return cached(section)

    def _part(self, do_stage: Any, number: int) -> Any:
        return self._named(_stage, f"{self._family}_{number}", _do=do_stage, _number=number)

    def _named(self, function: Any, name: str, **names: Any) -> Any:
        """Make a function of the same code, which finds these among its global names.

        With a closure instead, Numba would not find on disk what an earlier process compiled.
        """
        made = FunctionType(function.__code__, {**globals(), **names}, name)
        made.__qualname__ = name  # what the files on disk are named by
        made.__module__ = self._module  # whose import makes it
        return made

    def addresses(
        self,
        stages: Iterable[int],
        state: Any,
        workspace: Any,
        barrier: NDArray[np.int64],
        task: StageTask,
    ) -> NDArray[np.int64]:
        """Compile these stages for arguments of such types, and the loop; or load them.

        Returns
        -------
        addresses, shape (highest number + 1,)
            Where the code of each stage is; 0 if it is not compiled.
        """
        found = np.zeros(max(self._sections) + 1, np.int64)
        type_of: Any = typeof
        kinds = tuple(type_of(one) for one in (state, workspace, barrier, task))
        of_loop, of_section = (*kinds, type_of(found)), (*kinds, types.int64)
        numbers = set(stages)
        wanted = {
            number: section for number, section in self._sections.items() if number in numbers
        }
        sections = {id(section): (section, of_section) for section in wanted.values()}
        compile_together([*sections.values(), (self._loop, of_loop)])
        for number, section in wanted.items():
            found[number] = address_of(section, of_section)
        return found

    @property
    def signatures(self) -> set[tuple[str, Any]]:
        """Of its parts that are compiled: their names, and the types of their arguments."""
        parts = {part.__qualname__: part for part in (self._loop, *self._sections.values())}
        return {(name, types) for name, part in parts.items() for types in part.signatures}

    def __call__(
        self,
        state: Any,
        workspace: Any,
        barrier: NDArray[np.int64],
        task: StageTask,
        addresses: NDArray[np.int64],
    ) -> None:
        """Do a thread's task, with what :meth:`addresses` returned for it."""
        self._loop(state, workspace, barrier, task, addresses)


def loop_over(*sections: Sequence[int]) -> Callable[[StageFunction], StageLoop]:
    """Make of the function that does a stage the loop over iterations and their stages.

    See :class:`StageLoop`. A stage is worth a section of its own if it takes a second or more to
    compile, or if not every colony has it.
    """
    return lambda do_stage: StageLoop(do_stage, sections)


_do: Any = None  # stands for the function of the family
_number = 0  # stands for the number of a stage
_part: Any = None  # stands for what does that stage
_rest: Any = None  # stands for what does the other stages of a section


def _stage(
    state: Any, workspace: Any, barrier: NDArray[np.int64], task: StageTask, stage: int
) -> None:
    """Do a thread's share of one stage; Numba leaves out what belongs to others."""
    _do(state, workspace, barrier, task, _number)


def _either(
    state: Any, workspace: Any, barrier: NDArray[np.int64], task: StageTask, stage: int
) -> None:
    """Do a thread's share of one stage, or of another one of the section."""
    if stage == _number:
        _part(state, workspace, barrier, task, stage)
    else:
        _rest(state, workspace, barrier, task, stage)


def _call(
    typing: Any, address: Any, state: Any, workspace: Any, barrier: Any, task: Any, stage: Any
) -> tuple[Any, Any]:
    """Call the compiled function at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, convention = signature.args[1:], context.call_conv
        function = convention.get_function_type(types.none, kinds).as_pointer()
        code = builder.inttoptr(arguments[0], function)
        status, _ = convention.call_function(builder, code, types.none, kinds, arguments[1:])
        failed: Any = cgutils.if_unlikely
        with failed(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.none(address, state, workspace, barrier, task, stage), generate


_call_at: Any = intrinsic(_call)


def _loop(
    state: Any,
    workspace: Any,
    barrier: NDArray[np.int64],
    task: StageTask,
    addresses: NDArray[np.int64],
) -> None:
    """Do a thread's task. All threads wait for each other at the end of each stage."""
    for _ in range(task.iterations):
        stage, left = 0, task.stages
        while left != 0:
            if left & 1:
                _call_at(addresses[stage], state, workspace, barrier, task, stage)
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
