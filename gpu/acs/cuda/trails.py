"""Pheromone memories on the device: their buffers, their start and their global update."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.kernels import (
    ACS_PICTURES,
    ACS_UPDATE,
    CAPACITIES,
    NO_FAR_CITY,
    TAIL_STRIDE,
    TOO_MANY_FAR,
    LocalUpdate,
    matrix_walk,
    selective_walk,
)
from gpu.acs.newest import newest_of
from gpu.acs.parameters import AcsParameters, AltParameters, SpmParameters
from gpu.core.legacy import KeptTrails
from gpu.core.trails import KnownTrails
from gpu.cuda.instances import CITY_MASK, DeviceCities
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine

_BLOCK = 256
"""Threads a block of the kernels that are not about ants: eight warps, an edge or a city each."""

FAINTEST_ACS_TRAIL = 1.05  # trails up to this many times the initial level are not drawn on the map


class AcsTrails:
    """What both memories share: the arguments of the updates."""

    pictures = ACS_PICTURES

    def __init__(
        self, problem: DeviceCities, parameters: AcsParameters, inverse_initial: float
    ) -> None:
        self.problem, self.parameters = problem, parameters
        self._inverse_initial = inverse_initial  # 1/τ₀
        keep = np.float32(1 - parameters.rho)
        # Not ρ is added: the initial trail, 1, must stay 1.
        self.local_update = LocalUpdate(keep=keep, add=np.float32(1) - keep)

    def faintest(self, machine: Machine, arrays: Arrays) -> float:
        """The trail up to which none is drawn: near the initial level."""
        return FAINTEST_ACS_TRAIL

    def _wide(self, kernel: str, threads: int, arrays: Arrays, **values: Any) -> Launch:
        """A launch of at most 1024 blocks; then each thread takes several turns."""
        return ACS_UPDATE.launch(kernel, min(1024, -(-threads // _BLOCK)), _BLOCK, arrays, **values)

    def _update(self, kernel: str, arrays: Arrays, rows: int, **values: Any) -> Launch:
        """Elect the best tour of ``rows`` ants or warps, and make the global update (equation 4).

        ``holders`` say which of two rows has the better tour of a warp. Walks that read ahead need
        ``links``, the neighbours of each city on the best tour; see ``ReadsAhead``.
        """
        problem, alpha = self.problem, self.parameters.alpha
        arrays = {**arrays, **problem.numbers}
        deposit = alpha * self._inverse_initial  # over the best length; trails are in units of τ₀
        keep = np.float32(1 - alpha)
        values |= {"rows": rows, "keep": keep, "deposit": deposit}
        return self._wide(kernel, problem.n * LANES, arrays, **values)


class MatrixTrails(AcsTrails):
    """The pheromone matrix: listed edges beside the candidates, all others in n x n floats."""

    policy = "MatrixTrails"
    memory_size = 0

    def __init__(
        self, problem: DeviceCities, parameters: AcsParameters, inverse_initial: float
    ) -> None:
        super().__init__(problem, parameters, inverse_initial)
        alt = parameters if isinstance(parameters, AltParameters) else AltParameters()
        self.walk = matrix_walk(alt.local_update)

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

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails that may differ from the initial one."""
        near, n = self._near(), self.problem.n
        listed = machine.download(arrays["listed"])[:, : near.shape[1]]
        outside = machine.download(arrays["outside"])
        rows, columns = np.nonzero(outside != 1)
        known = KnownTrails(
            np.concatenate([np.repeat(np.arange(n), near.shape[1]), rows]).astype(np.int32),
            np.concatenate([near.ravel(), columns]).astype(np.int32),
            np.concatenate([listed.ravel(), outside[rows, columns]]),
        )
        return KeptTrails(n, known)

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails, which are at the initial level, by ``kept``."""
        near, n, known = self._near(), self.problem.n, kept.listed()
        listed = machine.download(arrays["listed"])
        listed[:, : near.shape[1]] = kept.at(np.arange(n)[:, None], near)
        off = (near[known.rows] != known.columns[:, None]).all(axis=1)
        rows, columns = known.rows[off], known.columns[off]
        outside = machine.download(arrays["outside"])
        outside[rows, columns] = known.values[off]
        machine.upload(arrays["listed"], listed)
        machine.upload(arrays["outside"], outside)
        machine.upload(arrays["far"], self._far(rows, columns))

    def _near(self) -> NDArray[np.int64]:
        """The candidates of each city, int64 of shape (n, cl)."""
        listed = self.problem.values["rows"][:, : self.parameters.candidates, 0]
        return (listed & CITY_MASK).astype(np.int64)

    def _far(self, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return ``far`` for trails on no list: of each city those past its backup list."""
        n = self.problem.n
        far = np.full((n, LANES), NO_FAR_CITY, np.int32)
        backup = (self.problem.values["backup"][:, :, 0] & CITY_MASK).astype(np.int64)
        past = (backup[rows] != columns[:, None]).all(axis=1) & (rows != columns)
        rows, columns = rows[past], columns[past]
        order = np.argsort(rows, kind="stable")
        rows, columns = rows[order], columns[order]
        lane = np.arange(len(rows)) - np.searchsorted(rows, rows)
        fits = lane < LANES - 1
        far[rows[fits], lane[fits]] = columns[fits]
        far[rows[~fits], LANES - 1] = TOO_MANY_FAR
        return far

    def update(self, arrays: Arrays, rows: int) -> Launch:
        """Elect the best tour and make the global update (equation 4)."""
        return self._update("update_matrix", arrays, rows)

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,)."""
        row: NDArray[np.float32] = machine.download(arrays["outside"][city])
        listed = self.parameters.candidates
        near = self.problem.values["rows"][city, :listed, 0] & CITY_MASK
        row[near] = machine.download(arrays["listed"][city])[:listed]
        return row


class SelectiveTrails(AcsTrails):
    """The selective pheromone memory (2016, Fig. 5): s records a city."""

    def __init__(
        self, problem: DeviceCities, parameters: AcsParameters, inverse_initial: float
    ) -> None:
        super().__init__(problem, parameters, inverse_initial)
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

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy what all cities remember, of each the oldest first."""
        words = machine.download(arrays["records"])[:, : self.memory_size]
        tails = machine.download(arrays["tails"])[:, :1].astype(np.int64)
        order = (tails + 1 + np.arange(self.memory_size)) % self.memory_size
        words = np.take_along_axis(words, order, axis=1)
        cities = (words >> np.uint64(32)).astype(np.uint32).view(np.int32)
        rows, places = np.nonzero(cities >= 0)
        values = words.astype(np.uint32).view(np.float32)[rows, places]
        return KeptTrails(
            self.problem.n, KnownTrails(rows.astype(np.int32), cities[rows, places], values)
        )

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Let each city, which remembers nothing, remember the newest of its entries."""
        size, known = self.memory_size, kept.listed()
        newest = newest_of(known, self.problem.n, size)
        records = machine.download(arrays["records"])
        bits = known.values[newest.order].view(np.uint32).astype(np.uint64)
        cities = known.columns[newest.order].astype(np.uint64)
        records[newest.rows, newest.places] = cities << np.uint64(32) | bits
        tails = machine.download(arrays["tails"])
        tails[:, 0] = (newest.counts - 1) % size
        machine.upload(arrays["records"], records)
        machine.upload(arrays["tails"], tails)

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
