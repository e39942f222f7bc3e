"""Trails of the candidates' edges on a GPU; all others are at τ_min."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import KeptTrails
from gpu.core.snapshot import Trails
from gpu.core.trails import (
    KnownTrails,
    branching_factor,
    lists_read,
    pheromone_picture,
    strongest_trails,
)
from gpu.cuda.machine import Array, Arrays, Buffer, Machine
from gpu.cuda.state import State
from gpu.faco.cuda.cities import FacoCities


class FacoTrails:
    """A trail for each entry of the candidate lists.

    ``limits`` gives τ_min and τ_max for the length of the best tour.
    """

    def __init__(
        self, problem: FacoCities, limits: Callable[[int], tuple[np.float32, np.float32]]
    ) -> None:
        self.lists, self._limits = problem.near.candidates, limits

    def buffers(self) -> list[Buffer]:
        """4 bytes a candidate."""
        return [Buffer("trails", self.lists.shape, np.float32)]

    def least(self, machine: Machine, arrays: Arrays) -> np.float32:
        """τ_min."""
        return self._limits(State(machine.download(arrays["state"])).best_length)[0]

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        row = np.full(len(self.lists), self.least(machine, arrays))
        row[self.lists[city]] = machine.download(arrays["trails"][city])
        return row

    def known(self, machine: Machine, arrays: Arrays, unit: np.float32) -> KnownTrails:
        """Collect the candidates' trails, in units of ``unit``."""
        n, cl = self.lists.shape
        rows = np.repeat(np.arange(n, dtype=np.int32), cl)
        values = np.asarray(machine.download(arrays["trails"]) / unit, np.float32)
        return KnownTrails(rows, self.lists.ravel(), values.ravel())

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails."""
        return KeptTrails(len(self.lists), self.known(machine, arrays, np.float32(1)))

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails."""
        cities = np.arange(len(self.lists))
        machine.upload(arrays["trails"], kept.at(cities[:, None], self.lists))


class FacoPictures:
    """Makes the pictures that a snapshot asks for from a copy of the trails."""

    def __init__(
        self, problem: FacoCities, trails: FacoTrails, machine: Machine, arrays: Arrays
    ) -> None:
        self._n, self._trails, self._machine, self._arrays = problem.n, trails, machine, arrays

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of cities."""
        least = self._trails.least(self._machine, self._arrays)
        return pheromone_picture(self._known(least), self._machine.download(order)) * least

    def trails(self) -> Trails:
        """The strongest trails."""
        least = self._trails.least(self._machine, self._arrays)
        return strongest_trails(self._known(least), self._n, False)

    def between(
        self, cities: NDArray[np.integer], others: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """The trails from cities to others; see :data:`gpu.core.trails.Read`."""
        values = self._machine.download(self._arrays["trails"])
        least = float(self._trails.least(self._machine, self._arrays))
        return lists_read(self._trails.lists, values, least)(cities, others)

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        return branching_factor(self._machine.download(self._arrays["trails"]))

    def _known(self, unit: np.float32) -> KnownTrails:
        return self._trails.known(self._machine, self._arrays, unit)
