"""A clock for tests of what is timed."""

from __future__ import annotations

from types import ModuleType

import pytest

from gpu.cpu import stages
from gpu.cpu.stages import StagedWork
from gpu.run import run, slices


class Clock:
    """Goes on only while somebody sleeps or works: no other program delays what it times.

    It stands in for the module :mod:`time`, and the time of threads, in all of ``modules``.
    """

    def __init__(self, patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        self.now, self.worked = 1000.0, 0.0
        for module in modules:
            stands_in = {"time": self, "thread_seconds": self.thread_time}
            for name in stands_in.keys() & vars(module).keys():
                patch.setattr(module, name, stands_in[name])

    def perf_counter(self) -> float:
        return self.now

    monotonic = perf_counter

    def thread_time(self) -> float:
        return self.worked

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds


def clock_of_units(patch: pytest.MonkeyPatch, seconds: float) -> Clock:
    """Time runs of colonies on the CPU by a clock on which each unit of their work takes so long.

    A unit is a step of all ants, or whatever else is done between two looks at whether to stop.
    """
    clock, work = Clock(patch, run, slices, stages), StagedWork._work

    def timed(colony: StagedWork, count: int, numbers: int, begin: int, end: int) -> None:
        clock.work(seconds * (end - begin))
        work(colony, count, numbers, begin, end)

    patch.setattr(StagedWork, "_work", timed)
    return clock
