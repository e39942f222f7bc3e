"""A colony on the CPU that can go on where another one of its kind stopped."""

from __future__ import annotations

from abc import abstractmethod

from gpu.core.history import put_into_ring
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Wanted
from gpu.cpu import record as records
from gpu.cpu.colony import CpuColony


class CpuHeir(CpuColony):
    """A colony on the CPU whose trails another one can take over; see :mod:`gpu.core.legacy`."""

    @abstractmethod
    def _kept_trails(self) -> KeptTrails:
        """Return a copy of all trails."""

    @abstractmethod
    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        """Go on with ``trails``, those of ``legacy``, and with what follows from it."""

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return Legacy(self.snapshot(Wanted.SOLUTION), self._kept_trails())

    def inherit(self, legacy: Legacy) -> None:
        """Go on where another colony stopped; see :class:`gpu.core.legacy.Heritable`."""
        state, record, numbers = legacy.state, self._record, self._record.numbers
        assert state.best_solution is not None
        assert state.iteration_best is not None
        assert legacy.trails is not None
        self._inherited, self._built_before = state.iteration, state.solutions_built
        numbers[records.ITERATION] = state.iteration
        numbers[records.BEST_COST] = state.cost
        numbers[records.BEST_ITERATION] = state.best_iteration
        numbers[records.LAST_BEST] = state.iteration_best
        numbers[records.LAST_TOTAL] = round(state.iteration_mean * self._m)
        record.best_solution[:] = state.best_solution
        put_into_ring(record.history, state.history, self._m)
        self._take_trails(legacy.trails, legacy)
