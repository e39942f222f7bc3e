"""An iteration in stages, done by threads in slices, between which a colony can be stopped.

Threads that wait for each other at every step all stand still while one of them has no core. On a
machine whose cores other programs want too, one thread that waits for nobody can be many times
faster. The solutions are the same with any number of threads, so it may change during a run.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from gpu.core.colony import never
from gpu.core.errors import DeviceError
from gpu.core.machine.processes import same_priority, thread_seconds
from gpu.cpu.stage_loop import StageLoop, StageTask, new_barrier, release


class ThreadPool:
    """The calling thread and ``size - 1`` more, which wait between calls.

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    def __init__(self, size: int) -> None:
        self._pool: ThreadPoolExecutor | None = None
        if size > 1:
            self._pool = ThreadPoolExecutor(size - 1, "colony", same_priority())
            # They wait for each other in compiled code, so all must exist before any starts.
            everyone = threading.Barrier(size)
            try:
                for _ in range(size - 1):
                    self._pool.submit(everyone.wait)
            except RuntimeError as error:
                everyone.abort()
                self.close()
                raise DeviceError(
                    f"the system grants no {size} threads ({error}); choose the device cpu:1"
                ) from None
            everyone.wait()

    def run(self, work: Callable[[int], None], workers: int) -> None:
        """Call ``work(thread)`` for threads 0 to ``workers - 1``; return when all have returned."""
        pool, others = self._pool, range(1, workers)
        futures = [pool.submit(work, thread) for thread in others] if pool else []
        work(0)
        for future in futures:
            future.result()

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._pool:
            self._pool.shutdown()


PACE_WINDOW = 0.1  # seconds over which a pace is measured, or those of a single longer note
SCARCE = 0.8  # cores are scarce if a working thread has one for less than this part of its time
WORTH_DOUBLING = (
    0.9  # twice the threads are worth it if an iteration takes less than this part of the time
)
SCARCE_PATIENCE = 1.0  # seconds for which cores must be scarce before fewer threads are tried
CHOICE_REST, LONGEST_REST = 1.0, 16.0  # seconds for which a choice holds; doubled when confirmed


class WorkerCount:
    """All threads, or fewer where cores are scarce and a trial shows that fewer are faster.

    Where cores are scarce, half of the working threads are tried; elsewhere, twice as many.
    """

    def __init__(self, size: int) -> None:
        self._size = size  # threads that there are
        self.now = size  # threads that are to work next
        self._paces: dict[int, float] = {}  # seconds an iteration, by number of threads
        self._iterations, self._wall, self._busy = 0.0, 0.0, 0.0
        self._before = 0  # threads before the current trial; 0 without one
        self._rest, self._left = CHOICE_REST, 0.0
        self._scarce = 0.0  # seconds for which cores have been scarce

    def note(self, iterations: float, wall: float, busy: float) -> None:
        """Note iterations, or a part of one, that ``now`` threads did.

        They took ``wall`` seconds; in ``busy`` of these one of the threads had a core.
        """
        if self._size == 1:
            return
        self._iterations += iterations
        self._wall += wall
        self._busy += busy
        if self._wall >= PACE_WINDOW and self._iterations > 0:
            self._decide()
            self._iterations, self._wall, self._busy = 0.0, 0.0, 0.0

    def _decide(self) -> None:
        self._paces[self.now] = self._wall / self._iterations
        self._left -= self._wall
        scarce = self._busy < SCARCE * self._wall
        self._scarce = self._scarce + self._wall if scarce else 0.0
        if self._before:
            other, self._before = self._before, 0
            fewer, more = sorted((self.now, other))
            best = more if self._paces[more] < WORTH_DOUBLING * self._paces[fewer] else fewer
            if best == self.now:  # the next trial follows at once
                self._rest = CHOICE_REST
            else:
                self.now, self._left = best, self._rest
                self._rest = min(2 * self._rest, LONGEST_REST)
        elif self._left <= 0:
            halved = self.now > 1 and self._scarce >= SCARCE_PATIENCE
            doubled = self.now == 1 or not scarce
            other = self.now // 2 if halved else min((1 + doubled) * self.now, self._size)
            if other != self.now:
                self._before, self.now = self.now, other


SLICE_SECONDS = 0.02  # seconds of work between two looks at whether to stop
SLICE_GROWTH = 8  # how much larger the next slice of a stage may be; the first one is a unit
PACE_KNOWN = (
    0.2  # seconds in a stage after which its pace is known: its first slices are mostly waits
)

Units = Callable[[int], int]
"""Takes the number of threads that work; returns the units of the thread that has most of them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of an iteration that all threads finish before the next part begins.

    Its work consists of units, such as rows or steps. Every thread does its own units in order, and
    may be stopped between any two.
    """

    number: int  # in the compiled code
    phase: str  # the phase of a snapshot to which its time counts
    units: Units
    # Whether all threads are at the same unit when a slice ends. Then the number of threads may
    # change there, otherwise only between iterations.
    together: bool = False
    # where nobody knows how many units there are: takes the number of threads that work, returns
    # the share of the stage that is left
    left: Callable[[int], float] | None = None


def portions_for(threads: int, items: int) -> int:
    """Return into how many portions so many items are divided, a multiple of the threads."""
    return threads * max(1, min(PORTIONS, items // threads)) if threads > 1 else 1


def each(units: int) -> Units:
    """Every thread, or one of them, has so many units."""
    return lambda workers: units


def shared(items: int, units: int = 1) -> Units:
    """The threads share out the items, each of which has so many units."""
    return lambda workers: -(-items // workers) * units


PORTIONS = 4  # for each thread, where ants are dealt out
DEALT_FROM = 0.1  # seconds of an iteration from which on they are

EVERYTHING = 2**62  # more units than any stage has


class StagedWork(ABC):
    """What iterates in stages, and how far the iteration has come.

    The ``stages`` are in the order of their numbers. They work on ``state``, and each thread has a
    workspace. If there are several workspaces for each of the ``threads``, the work of a slice is
    dealt out in as many portions: whichever thread is free takes the next one, so that one on a
    slow core, or without a core, does not set the pace of all. The code of a stage takes each
    portion for a thread, and must not wait for others. It is so in iterations of more than
    ``DEALT_FROM`` seconds: to deal takes some 20 µs a portion.

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    _run: ClassVar[StageLoop]  # what does a thread's task

    def __init__(
        self,
        stages: Sequence[Stage],
        state: Any,
        workspaces: Sequence[Any],
        threads: int | None = None,
    ) -> None:
        threads = len(workspaces) if threads is None else threads
        self._portions = len(workspaces) // threads  # for each thread, if they are dealt out
        self._each = 1  # for each thread in the present iteration
        self._stages, self._shared, self._workspaces = tuple(stages), state, workspaces
        self._pace = [1] * len(self._stages)  # units a slice
        self._stage = self._unit = 0  # where the iteration stands
        # Shares of the present stage: what is left, and what was after its first slice; and the
        # seconds since. That slice takes long where it is the first to touch its memory.
        self._left, self._first_left, self._in_stage = 1.0, 0.0, 0.0
        self._spent = dict.fromkeys((stage.phase for stage in stages), 0.0)
        self._duration = math.inf  # of an iteration, seconds
        self._times: Mapping[str, float] = MappingProxyType({})
        # Compile now, or load what was compiled, in this thread and before there are others.
        task, numbers = StageTask(0, 1, 0, 0, 0, 0), {stage.number for stage in stages}
        self._addresses = self._run.addresses(numbers, state, workspaces[0], new_barrier(), task)
        self._run(state, workspaces[0], new_barrier(), task, self._addresses)
        self._pool: ThreadPool | None = ThreadPool(threads)
        self._worker_count = WorkerCount(threads)
        self._wall = self._busy = 0.0  # seconds not noted yet; those in which this thread ran

    @property
    def midway(self) -> bool:
        """Whether an iteration has begun that is not whole."""
        return not self._stage == self._unit == 0

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations, the last one timed by phase; see :mod:`gpu.core.colony`.

        Raises
        ------
        DeviceError
            If the colony was closed.
        """
        asked = time.perf_counter()
        while count > 0:
            batch = 0 if self.midway else min(count - 1, int(SLICE_SECONDS / self._duration))
            if batch:
                self._each = 1  # in one call: it waits for all threads after each stage
                before, busy = time.perf_counter(), thread_seconds()
                self._work(batch, sum(1 << stage.number for stage in self._stages), 0, EVERYTHING)
                seconds = time.perf_counter() - before
                self._worker_count.note(batch, seconds, thread_seconds() - busy)
                count -= batch
            else:
                count -= self._advance()
            now = time.perf_counter()
            if now - asked >= SLICE_SECONDS / 2 and not (self.midway and self._soon_over()):
                if stop():
                    return
                asked = now

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        while not self._advance():
            pass
        return self._times

    def expected_seconds(self) -> float:
        """Seconds that the present iteration takes at least; see :mod:`gpu.core.colony`.

        The rest of the present stage is taken to go on as it did after its first slice.
        """
        done = self._first_left - self._left
        known = done > 0 and self._in_stage >= PACE_KNOWN
        rest = self._in_stage * self._left / done if known else 0.0
        return sum(self._spent.values()) + rest

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._pool:
            self._pool.close()
            del self._shared, self._workspaces  # whoever keeps this object needs no memory for them
        self._pool = None

    @property
    def _dealt(self) -> int:
        """In how many portions the work of a stage is done now, as if each had its thread."""
        return self._worker_count.now * self._each

    def _soon_over(self) -> bool:
        """Whether the present iteration is a short one, which is not left in its midst.

        There, a selective memory has forgotten trails that the iteration's end brings back.
        """
        return self._duration < SLICE_SECONDS and sum(self._spent.values()) < SLICE_SECONDS

    def _advance(self) -> int:
        """Do a slice of the iteration that has begun, or of a new one; return 1 at its end."""
        if not self.midway:
            self._each = self._portions if self._duration > DEALT_FROM else 1
        stage, pace = self._stages[self._stage], self._pace[self._stage]
        units = stage.units(self._dealt)
        begin, end = self._unit, min(self._unit + pace, units)
        before, busy = time.perf_counter(), thread_seconds()
        self._work(1, 1 << stage.number, begin, end)
        seconds = time.perf_counter() - before
        self._busy += thread_seconds() - busy
        self._wall += seconds
        if stage.together:
            self._note((end - begin) / units)
        self._spent[stage.phase] += seconds
        self._unit = end
        self._left = stage.left(self._dealt) if stage.left else 1 - end / units
        if self._left > 0 or seconds > SLICE_SECONDS:
            fitting = int((end - begin) * SLICE_SECONDS / max(seconds, 1e-9))
            self._pace[self._stage] = max(1, min(fitting, SLICE_GROWTH * pace))
        if begin == 0:
            self._first_left = self._left
        else:
            self._in_stage += seconds
        if self._left > 0:
            return 0
        self._unit, self._stage = 0, self._stage + 1
        self._left, self._first_left, self._in_stage = 1.0, 0.0, 0.0
        if self._stage < len(self._stages):
            return 0
        self._stage = 0
        self._duration = sum(self._spent.values())
        self._times = MappingProxyType({name: 1e3 * took for name, took in self._spent.items()})
        self._spent = dict.fromkeys(self._spent, 0.0)
        self._note(0 if any(stage.together for stage in self._stages) else 1)
        return 1

    def _note(self, iterations: float) -> None:
        """Note what was done since the last note; the number of workers may change."""
        self._worker_count.note(iterations, self._wall, self._busy)
        self._wall = self._busy = 0.0

    def _work(self, count: int, stages: int, begin: int, end: int) -> None:
        if self._pool is None:
            raise DeviceError("the colony is closed; start a new run")
        barrier, workers = new_barrier(), self._worker_count.now
        portions = self._dealt
        rest = iter(range(portions))  # each is taken once, whichever thread asks
        if portions > workers:
            release(barrier)  # at which all portions would wait for each other at the end
        run, addresses = self._run, self._addresses
        state, workspaces = self._shared, self._workspaces

        def work(thread: int) -> None:
            for portion in rest if portions > workers else (thread,):
                task = StageTask(portion, portions, count, stages, begin, end)
                run(state, workspaces[portion], barrier, task, addresses)

        try:
            self._pool.run(work, workers)
        except BaseException:  # an interrupt, say, before this thread's own work began
            release(barrier)
            self.close()
            raise
