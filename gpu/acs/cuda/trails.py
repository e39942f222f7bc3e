"""Pheromone memories on the device: their buffers, their start and their global update."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import CAPACITIES, PICTURES, UPDATE, LocalUpdate, selective_walk
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.cuda.cities import CITY_MASK, LANES, DeviceCities
from gpu.cuda.kernels import CandidateLists
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine

_BLOCK = 256
"""Threads a block of the kernels that are not about ants: eight warps, an edge or a city each."""

TAIL_STRIDE = 4  # ``TAIL_STRIDE`` in gpu/acs/cuda/selective_memory.cuh
FAINTEST = 1.05  # trails up to this many times the initial level are not drawn on the map


class Trails:
    """What both memories share: the arguments of the updates."""

    pictures = PICTURES

    def __init__(self, problem: DeviceCities, parameters: AcsParameters) -> None:
        self.problem, self.parameters = problem, parameters
        keep = np.float32(1 - parameters.rho)
        # Not ρ is added: the initial trail, 1, must stay 1.
        self.local_update = LocalUpdate(keep=keep, add=np.float32(1) - keep)

    def faintest(self, machine: Machine, arrays: Arrays) -> float:
        """The trail up to which none is drawn: near the initial level."""
        return FAINTEST

    def _wide(self, kernel: str, threads: int, arrays: Arrays, **values: Any) -> Launch:
        """A launch of at most 1024 blocks; then each thread takes several turns."""
        return UPDATE.launch(kernel, min(1024, -(-threads // _BLOCK)), _BLOCK, arrays, **values)

    def _update(self, kernel: str, arrays: Arrays, rows: int, **values: Any) -> Launch:
        """Elect the best tour of ``rows`` ants or warps, and make the global update (equation 4).

        ``holders`` say which of two rows has the better tour of a warp. Walks that read ahead need
        ``links``, the neighbours of each city on the best tour; see ``ReadsAhead``.
        """
        problem, alpha = self.problem, self.parameters.alpha
        values |= {"n": problem.n, "directed": problem.directed, "rows": rows}
        # n·L_nn over the best length is Δτ in units of τ₀
        deposit = alpha * (float(problem.n) * float(problem.nearest_neighbour_length))
        keep = np.float32(1 - alpha)
        return self._wide(kernel, problem.n * LANES, arrays, keep=keep, deposit=deposit, **values)


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

    def pictured(self, arrays: Arrays) -> tuple[Array, Array]:
        """The memory's pointers, as pictures take them."""
        return arrays["listed"], arrays["outside"]

    def start(self, arrays: Arrays) -> Launch:
        """Set every trail to the initial level and the state to its beginning."""
        n = self.problem.n
        return self._wide("start_matrix", n * n, arrays, listed_size=n * LANES, outside_size=n * n)

    def update(self, arrays: Arrays, rows: int) -> Launch:
        """Elect the best tour and make the global update (equation 4)."""
        return self._update("update_matrix", arrays, rows, lists=CandidateLists.from_arrays(arrays))

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
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
        self.walk = selective_walk(self.capacity, parameters.greedy)
        self.policy = f"MemoryTrails<{self.capacity}>"

    def buffers(self) -> list[Buffer]:
        """(8 s + 16) n bytes, s rounded up to 8, 16 or 32."""
        n = self.problem.n
        return [
            Buffer("records", (n, self.capacity), np.uint64),
            Buffer("tails", (n, TAIL_STRIDE), np.uint32),
        ]

    def pictured(self, arrays: Arrays) -> tuple[Array, Array]:
        """The memory's pointers, as pictures take them."""
        return arrays["records"], arrays["tails"]

    def start(self, arrays: Arrays) -> Launch:
        """Empty the memory and set the state to its beginning."""
        n, records = self.problem.n, self.problem.n * self.capacity
        return self._wide(
            "start_memory", records, arrays, records_size=records, n=n, size=self.memory_size
        )

    def update(self, arrays: Arrays, rows: int) -> Launch:
        """Elect the best tour and make the global update (equation 4 and Fig. 5)."""
        kernel = f"update_memory<{self.capacity}>"
        return self._update(kernel, arrays, rows, size=self.memory_size)

    def records(
        self, machine: Machine, arrays: Arrays, city: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Copy what ``city`` remembers: cities (-1 for an empty record) and trails, by slot."""
        words = machine.download(arrays["records"][city])[: self.memory_size]
        cities = (words >> np.uint64(32)).astype(np.uint32).view(np.int32)
        return cities, words.astype(np.uint32).view(np.float32)

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,): 1 where it remembers none."""
        row = np.ones(self.problem.n, np.float32)
        cities, trails = self.records(machine, arrays, city)
        row[cities[cities >= 0]] = trails[cities >= 0]
        return row
