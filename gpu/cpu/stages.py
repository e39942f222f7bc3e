"""An iteration in stages, worked through by a team of threads in slices that can be stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceError
from gpu.cpu import barrier
from gpu.cpu.thread_pool import Team
from gpu.cpu.worker_count import Workforce

SLICE = 0.02
"""Seconds of work between two looks at whether to stop."""

FIRST, GROWTH = 16, 8
"""Units of work in the first slice of a stage, and how much larger the next may be."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of an iteration that all threads finish before the next part begins.

    Attributes
    ----------
    bit : int
        Its name in the compiled code: a power of two.
    phase : str
        The phase of a snapshot to which its time counts.
    units : callable
        Units of work, such as rows or steps, of the thread that has most of them, by the number of
        threads that work. Every thread works through its own units in order, and may be stopped
        between any two.
    together : bool
        Whether all threads are done with a unit before any begins the next: then their number may
        change between units, and need not wait for the end of an iteration that stands still.
    """

    bit: int
    phase: str
    units: Callable[[int], int]
    together: bool = False


def each(units: int) -> Callable[[int], int]:
    """As many units for every thread, or for one of them."""
    return lambda workers: units


def shared(items: int, units: int = 1) -> Callable[[int], int]:
    """So many ``units`` for every item; the items are shared out among the threads."""
    return lambda workers: -(-items // workers) * units


class Shift(NamedTuple):
    """What a thread is to do, in the order in which compiled code takes it.

    Attributes
    ----------
    thread, threads : int
        Its number, and how many work.
    iterations : int
        How many; 0 has the code compiled, and nothing done.
    stages : int
        The bits of those that it works through in each.
    begin, end : int
        Of each stage it does its units from ``begin`` to before ``end``.
    """

    thread: int
    threads: int
    iterations: int
    stages: int
    begin: int
    end: int


Work = Callable[[NDArray[np.int64], Shift], None]
"""Called by all that work at once: ``work(gate, shift)``; ``gate`` is a fresh barrier."""

EVERYTHING = 2**62
"""More units than any stage has."""


class Stages:
    """The stages of a colony's iteration, and how far it has come.

    Parameters
    ----------
    threads : int
    stages : sequence of Stage
        In order.
    work : Work

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    def __init__(self, threads: int, stages: Sequence[Stage], work: Work) -> None:
        self._stages, self._work = tuple(stages), work
        self._pace = [FIRST] * len(self._stages)  # units a slice
        self._stage = self._unit = 0  # where the iteration stands
        self._spent = dict.fromkeys((stage.phase for stage in stages), 0.0)
        self._duration = math.inf  # of an iteration, seconds
        self.times: Mapping[str, float] = MappingProxyType({})
        self._team: Team | None = Team(threads)
        self._workforce = Workforce(threads)
        self._noted = self._own = 0.0  # seconds not told it yet; with a core for this thread
        self._run(0, self._stages[0].bit, 0, 0)  # compile now, or load what was compiled

    def run(self, count: int, stop: Callable[[], bool]) -> None:
        """Run ``count`` iterations, the last one timed; see :meth:`gpu.core.colony.Colony.iterate`.

        Raises
        ------
        DeviceError
            If the team was sent away.
        """
        asked = time.perf_counter()
        while count > 0:
            batch = min(count - 1, int(SLICE / self._duration)) if self._is_between() else 0
            if batch:
                before, own = time.perf_counter(), time.thread_time()
                self._run(batch, sum(stage.bit for stage in self._stages), 0, EVERYTHING)
                seconds = time.perf_counter() - before
                self._workforce.note(batch, seconds, time.thread_time() - own)
                count -= batch
            else:
                count -= self._advance()
            now = time.perf_counter()
            if now - asked >= SLICE / 2:
                if stop():
                    return
                asked = now

    def timed(self) -> Mapping[str, float]:
        """Run one iteration to its end; return ``times``."""
        while not self._advance():
            pass
        return self.times

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._team:
            self._team.close()
            del self._work  # it belongs to a colony, whose arrays are not to wait for this
        self._team = None

    def _is_between(self) -> bool:
        """Whether no iteration has begun that is not whole."""
        return self._stage == self._unit == 0

    def _advance(self) -> int:
        """Do a slice of the iteration that has begun, or of a new one; return 1 if it is whole."""
        stage, pace = self._stages[self._stage], self._pace[self._stage]
        units = stage.units(self._workforce.count)
        begin, end = self._unit, min(self._unit + pace, units)
        before, own = time.perf_counter(), time.thread_time()
        self._run(1, stage.bit, begin, end)
        seconds = time.perf_counter() - before
        self._own += time.thread_time() - own
        self._noted += seconds
        if stage.together:
            self._note((end - begin) / units)
        self._spent[stage.phase] += seconds
        if end - begin == pace or seconds > SLICE:
            fitting = int((end - begin) * SLICE / max(seconds, 1e-9))
            self._pace[self._stage] = max(1, min(fitting, GROWTH * pace))
        self._unit = end
        if end < units:
            return 0
        self._unit, self._stage = 0, self._stage + 1
        if self._stage < len(self._stages):
            return 0
        self._stage = 0
        self._duration = sum(self._spent.values())
        self.times = MappingProxyType({name: 1e3 * took for name, took in self._spent.items()})
        self._spent = dict.fromkeys(self._spent, 0.0)
        self._note(0 if any(stage.together for stage in self._stages) else 1)
        return 1

    def _note(self, iterations: float) -> None:
        """Tell the workforce of what was done since it was last told; their number may change."""
        self._workforce.note(iterations, self._noted, self._own)
        self._noted = self._own = 0.0

    def _run(self, count: int, stages: int, begin: int, end: int) -> None:
        if self._team is None:
            raise DeviceError("the colony is closed; start a new run")
        gate, workers = barrier.new_gate(), self._workforce.count
        try:
            self._team.run(
                lambda thread: self._work(gate, Shift(thread, workers, count, stages, begin, end)),
                workers,
            )
        except BaseException:  # an interrupt, say, before this thread's own part began
            barrier.throw_open(gate)
            self.close()
            raise
