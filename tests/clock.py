"""A clock for tests of what is timed."""

from __future__ import annotations

from types import ModuleType

import pytest


class Clock:
    """Goes on only while somebody sleeps: no other program delays what it times.

    It stands in for the module :mod:`time` in all of ``modules``.
    """

    def __init__(self, patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        self.now = 1000.0
        for module in modules:
            patch.setattr(module, "time", self)

    def perf_counter(self) -> float:
        return self.now

    def thread_time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
