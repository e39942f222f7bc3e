"""A colony on a GPU that can go on where another one of its kind stopped."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gpu.core.history import put_into_ring
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Wanted
from gpu.cuda.colony import DeviceColony, Memory
from gpu.cuda.machine import Arrays, Machine
from gpu.cuda.state import inherited_words


class HeirMemory(Memory, Protocol):
    """A pheromone memory whose trails another one can take over."""

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails."""

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails, which are at the initial level, by ``kept``."""


class DeviceHeir(DeviceColony):
    """A colony on a GPU whose trails another one can take over; see :mod:`gpu.core.legacy`."""

    _trails: HeirMemory

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        state = self.snapshot(Wanted.SOLUTION)
        return Legacy(state, self._trails.kept(self._machine, self._arrays))

    def inherit(self, legacy: Legacy) -> None:
        """Go on where another colony stopped; see :class:`gpu.core.legacy.Heritable`."""
        state, machine, arrays = legacy.state, self._machine, self._arrays
        assert state.best_solution is not None
        assert legacy.trails is not None
        self._open().settle()
        words, ring = inherited_words(machine.download(arrays["state"]), state, self._ants)
        put_into_ring(ring, state.history, self._ants)
        machine.upload(arrays["state"], words)
        machine.upload(arrays[self.BEST], np.array(state.best_solution, np.int32))
        self._trails.refill(machine, arrays, legacy.trails)
        self._best = state.cost, state.best_solution
        self._inherited, self._built_before = state.iteration, state.solutions_built
        self._take_over(legacy)

    def _take_over(self, legacy: Legacy) -> None:
        """Renew what follows from the trails and the best solution of ``legacy``."""
