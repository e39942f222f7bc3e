"""Trails of the candidates' edges on a GPU. Pictures of them are made on the host: they are few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Trails
from gpu.core.trails import (
    KnownTrails,
    branching_factor,
    lists_read,
    pheromone_picture,
    strongest_trails,
)
from gpu.cuda.machine import Array, Arrays, Buffer, Machine
from gpu.tour_changes.cuda.cities import OrderedCities


class CandidateTrails:
    """A trail for each entry of the candidate lists; all other edges have the least trail, 1."""

    def __init__(self, problem: OrderedCities) -> None:
        self._problem = problem

    def buffers(self) -> list[Buffer]:
        """4 bytes a candidate."""
        return [Buffer("trails", self._problem.neighbours.shape, np.float32)]

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        problem, own = self._problem, self._problem.number[city]
        row = np.ones(problem.n, np.float32)
        row[problem.order[problem.neighbours[own]]] = machine.download(arrays["trails"][own])
        return row


class HostPictures:
    """Makes the pictures that a snapshot asks for from a copy of the trails."""

    def __init__(
        self, problem: OrderedCities, trails: CandidateTrails, machine: Machine, arrays: Arrays
    ) -> None:
        self._problem, self._machine, self._arrays = problem, machine, arrays

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of the device's cities."""
        return pheromone_picture(self._known(), self._machine.download(order))

    def trails(self) -> Trails:
        """The strongest trails."""
        found, order = strongest_trails(self._known(), self._problem.n, False), self._problem.order
        return Trails(order[found.edges], found.strength)

    def between(
        self, cities: NDArray[np.integer], others: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """The trails from cities to others; see :data:`gpu.core.trails.Read`."""
        values, number = self._machine.download(self._arrays["trails"]), self._problem.number
        return lists_read(self._problem.neighbours, values)(number[cities], number[others])

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""
        return branching_factor(self._machine.download(self._arrays["trails"]))

    def _known(self) -> KnownTrails:
        n, k = self._problem.neighbours.shape
        cities = np.repeat(np.arange(n, dtype=np.int32), k)
        values = self._machine.download(self._arrays["trails"])
        return KnownTrails(cities, self._problem.neighbours.ravel(), values.ravel())
