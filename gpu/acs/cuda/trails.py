"""Pheromone memories on the device: their buffers, their start and their global update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import (
    CAPACITIES,
    PICTURES,
    UPDATE,
    LocalUpdate,
    StartMatrix,
    StartMemory,
    UpdateMatrix,
    UpdateMemory,
)
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.cuda.cities import CITY_MASK, LANES, DeviceCities
from gpu.cuda.machine import Array, Buffer, Launch, Machine

_BLOCK = 256
"""Threads a block of the kernels that are not about ants: eight warps, an edge or a city each."""


TAIL_STRIDE = 4
"""``TAIL_STRIDE`` in gpu/acs/cuda/selective_memory.cuh."""


@dataclass(frozen=True, slots=True)
class BuiltTours:
    """Where an iteration's tours are.

    Attributes
    ----------
    array : Array
        Tours, int32.
    holders : Array or None
        Which of its two rows is the better one, for each warp; None if each ant has one row.
    rows : int
        Warps, or ants if ``holders`` is None.
    links : Array or None
        Where the update writes the neighbours of each city on the best tour, int32 of shape (n, 4).
        Walks that read ahead need them; see ``ReadsAhead`` in gpu/acs/cuda/reads_ahead.cuh.
    """

    array: Array
    holders: Array | None
    rows: int
    links: Array | None = None


FAINTEST = 1.05
"""Trails up to this many times the initial level are not drawn on the map."""


class Trails:
    """What both memories share: the arguments of the updates."""

    pictures = PICTURES

    def __init__(self, problem: DeviceCities, parameters: AcsParameters) -> None:
        self.problem = problem
        self.parameters = parameters
        alpha, rho = parameters.alpha, parameters.rho
        self.global_keep = np.float32(1 - alpha)
        self.global_deposit = alpha * problem.deposit
        keep = np.float32(1 - rho)
        # Not ρ is added: the initial trail, 1, must stay 1.
        self.local_update = LocalUpdate(keep=keep, add=np.float32(1) - keep)

    def faintest(self, machine: Machine, arrays: Mapping[str, Array]) -> float:
        """The trail up to which none is drawn: near the initial level."""
        return FAINTEST

    def _grid(self, threads: int) -> int:
        """Blocks for so many threads, at most 1024; then each thread takes several turns."""
        return min(1024, -(-threads // _BLOCK))


class MatrixTrails(Trails):
    """The pheromone matrix: listed edges beside the candidates, all others in n x n floats."""

    walk = "MatrixWalk"
    policy = "MatrixTrails"
    memory_size = 0

    def buffers(self) -> list[Buffer]:
        """4 n (n + 64) bytes."""
        n = self.problem.n
        return [
            Buffer("listed", (n, LANES), np.float32),
            Buffer("outside", (n, n), np.float32),
            Buffer("far", (n, LANES), np.int32),
        ]

    def pictured(self, arrays: Mapping[str, Array]) -> tuple[Array, Array]:
        """The memory's pointers, as pictures take them."""
        return arrays["listed"], arrays["outside"]

    def bounds(self, arrays: Mapping[str, Array]) -> Array:
        """The memory's third array, as whole tours take it."""
        return arrays["far"]

    def start(self, arrays: Mapping[str, Array]) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        n = self.problem.n
        args = StartMatrix(
            listed_size=n * LANES,
            listed=arrays["listed"],
            outside_size=n * n,
            outside=arrays["outside"],
            far=arrays["far"],
            state=arrays["state"],
        )
        return Launch(UPDATE, "start_matrix", self._grid(n * n), _BLOCK, args)

    def update(self, arrays: Mapping[str, Array], tours: BuiltTours) -> Launch:
        """Elect the best tour and make the global update (equation 4)."""
        n, problem = self.problem.n, self.problem
        args = UpdateMatrix(
            n=n,
            keep=self.global_keep,
            deposit=self.global_deposit,
            lists=problem.lists(arrays),
            directed=problem.directed,
            listed=arrays["listed"],
            outside=arrays["outside"],
            far=arrays["far"],
            tours=tours.array,
            holders=tours.holders,
            rows=tours.rows,
            best_tour=arrays["best_tour"],
            links=tours.links,
            state=arrays["state"],
        )
        return Launch(UPDATE, "update_matrix", self._grid(n * LANES), _BLOCK, args)

    def row(self, machine: Machine, arrays: Mapping[str, Array], city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        row: NDArray[np.float32] = machine.download(arrays["outside"][city])
        listed = self.parameters.candidates
        near = self.problem.values["rows"][city, :listed, 0] & CITY_MASK
        row[near] = machine.download(arrays["listed"][city])[:listed]
        return row


class SelectiveTrails(Trails):
    """The selective pheromone memory (2016, Fig. 5): s records a city."""

    def __init__(self, problem: DeviceCities, parameters: AcsParameters) -> None:
        super().__init__(problem, parameters)
        assert isinstance(parameters, SpmParameters)
        self.memory_size = parameters.memory
        self.capacity = next(size for size in CAPACITIES if size >= parameters.memory)
        self.walk = f"SelectiveWalk<{self.capacity}>"
        self.policy = f"MemoryTrails<{self.capacity}>"

    def buffers(self) -> list[Buffer]:
        """(8 s + 16) n bytes, s rounded up to 8, 16 or 32."""
        n = self.problem.n
        return [
            Buffer("records", (n, self.capacity), np.uint64),
            Buffer("tails", (n, TAIL_STRIDE), np.uint32),
        ]

    def pictured(self, arrays: Mapping[str, Array]) -> tuple[Array, Array]:
        """The memory's pointers, as pictures take them."""
        return arrays["records"], arrays["tails"]

    def bounds(self, arrays: Mapping[str, Array]) -> None:
        """The memory has no third array."""

    def start(self, arrays: Mapping[str, Array]) -> Launch:
        """Empty the memory and set the state to its beginning."""
        n = self.problem.n
        args = StartMemory(
            records_size=n * self.capacity,
            records=arrays["records"],
            n=n,
            tails=arrays["tails"],
            size=self.memory_size,
            state=arrays["state"],
        )
        return Launch(UPDATE, "start_memory", self._grid(n * self.capacity), _BLOCK, args)

    def update(self, arrays: Mapping[str, Array], tours: BuiltTours) -> Launch:
        """Elect the best tour and make the global update (equation 4 and Fig. 5)."""
        n = self.problem.n
        args = UpdateMemory(
            n=n,
            keep=self.global_keep,
            deposit=self.global_deposit,
            directed=self.problem.directed,
            size=self.memory_size,
            records=arrays["records"],
            tails=arrays["tails"],
            tours=tours.array,
            holders=tours.holders,
            rows=tours.rows,
            best_tour=arrays["best_tour"],
            links=tours.links,
            state=arrays["state"],
        )
        kernel = f"update_memory<{self.capacity}>"
        return Launch(UPDATE, kernel, self._grid(n * LANES), _BLOCK, args)

    def records(
        self, machine: Machine, arrays: Mapping[str, Array], city: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Copy what ``city`` remembers: cities (-1 for an empty record) and trails, by slot."""
        words = machine.download(arrays["records"][city])[: self.memory_size]
        words = words.view(np.uint64)
        cities = (words >> np.uint64(32)).astype(np.uint32).view(np.int32)
        return cities, words.astype(np.uint32).view(np.float32)

    def row(self, machine: Machine, arrays: Mapping[str, Array], city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,): 1 where it remembers none."""
        row = np.ones(self.problem.n, np.float32)
        cities, trails = self.records(machine, arrays, city)
        row[cities[cities >= 0]] = trails[cities >= 0]
        return row
