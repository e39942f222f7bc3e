"""2-opt and Or-opt on a GPU, by :mod:`gpu.local_search.rule`: a block improves a tour."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceError, ParameterError
from gpu.core.snapshot import MOST_WALKED, MOST_WALKERS, MovesMade, Snapshot, Wanted
from gpu.cuda.colony import DeviceHeir, HeirMemory, State
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.local_search.cuda.kernels import (
    ALL_SHARED,
    FOUND_NUMBERS,
    LOCAL_SEARCH,
    MOST_ENDS,
    MOST_THREADS,
    MOVES,
    NONE_SHARED,
    TOUR_SHARED,
    ReportedMoves,
)
from gpu.local_search.kinds import NO_LOCAL_SEARCH, moves_of
from gpu.local_search.rule import NEIGHBOURS, WINDOW, neighbour_rows
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.walks import walks_of

BLOCKS = (32, 64, 128, MOST_THREADS)  # threads that a block may have

LONG_TOUR, FEWEST_BLOCKS, MOST_SMALL_BLOCKS = 8192, 2, 8
"""From this many cities on, few blocks fit a multiprocessor and larger blocks are faster; the
largest where at most ``FEWEST_BLOCKS`` fit. Registers allow ``MOST_SMALL_BLOCKS`` small blocks."""

RESERVED = 1 << 10  # bytes of shared memory that CUDA reserves for itself in every block
SHORT_CITIES = 1 << 16  # with fewer cities than this, shared memory holds 16 bits a city

TABU_WORD_BITS = 32

PREPARING_BLOCK = 256
"""Threads of a block that prepares a search: eight warps, each measures one tour at a time."""


class DeviceLocalSearch:
    """Improves the tours of all ants in place, between their construction and the update.

    ``kind`` is not ``none``. The neighbour lists have ``neighbours`` cities. ``threads`` of a block
    change the speed alone; without them, it has the number measured as best. Tours that no
    construction has measured, the search ``measures`` first.

    Raises
    ------
    ParameterError
        If ``kind`` has 2-opt and the instance is directed, or a number is out of range.
    DeviceError
        If the device cannot run such a block.
    """

    def __init__(
        self,
        machine: Machine,
        instance: TspInstance,
        cities: DeviceCities,
        ants: int,
        kind: str,
        neighbours: int = NEIGHBOURS,
        threads: int | None = None,
        *,
        measures: bool = False,
    ) -> None:
        moves = moves_of(instance, kind)
        if moves is None or threads not in (None, *BLOCKS):
            raise ParameterError(f"there is no local search {kind!r} with {threads} threads")
        n = cities.n
        self._n, self._cities, self._ants = n, cities, ants
        self._measures = measures
        self._rows, self._sample = neighbour_rows(instance, neighbours), moves.sample
        self._words = -(-n // TABU_WORD_BITS)
        tours = -(-ants // machine.multiprocessors)
        memory, self._shared, most = _memory(n, machine.shared_limit, min(tours, MOST_SMALL_BLOCKS))
        self._tour_shared, self._queue_shared = memory != NONE_SHARED, memory == ALL_SHARED
        self._threads = threads or (64 if n < LONG_TOUR else 128 if most > FEWEST_BLOCKS else 256)
        kind_of_moves = MOVES[moves.exchanges, moves.segments, moves.turns, moves.largest]
        self.kernel = f"improve_tours<{memory}, {kind_of_moves}>"
        resident = machine.resident(LOCAL_SEARCH, self.kernel, self._threads, self._shared)
        if resident < 1:
            raise DeviceError(
                f"the device holds no block of {self._threads} threads of local search"
            )
        self._blocks = min(ants, machine.multiprocessors * resident)

    def buffers(self) -> list[Buffer]:
        """8 K + 16 bytes a city, and 4 a city and block; 8 or 20 with less in shared memory.

        With ``measures`` also the ``lengths``, 8 an ant.
        """
        rows = self._blocks if self._tour_shared else 2 * self._blocks
        buffers = [
            Buffer.of("near", self._rows.astype(np.uint32)),
            Buffer("best_links", (self._n, 2), np.int32),
            Buffer("moves", (ReportedMoves.size // 8,), np.uint64, zeroed=True),
            Buffer("built", (rows, self._n), np.int32),
            Buffer("built_tours", (2, self._n), np.int32),
        ]
        if self._measures:
            buffers.append(Buffer("lengths", (self._ants,), np.uint64))
        if not self._queue_shared:
            buffers.append(Buffer("queues", (self._blocks, self._n), np.int32))
        if not self._tour_shared:
            buffers += [
                Buffer("tour_places", (self._blocks, self._n), np.int32),
                Buffer("waiting", (self._blocks, self._words), np.uint32),
            ]
        return buffers

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """Improve ``tours``, int32 of shape (ants, n); correct ``lengths`` and what is reported.

        ``best_tour`` is the best so far, unless ``state`` says that this is the first iteration.

        What the construction reported to ``state`` is replaced: the best of the improved tours,
        and the sum of their lengths.
        """
        given = {**arrays, **self._cities.numbers, "ants": self._ants, "sample": self._sample}
        given["width"] = self._rows.shape[2]
        kernel, threads = "prepare_search", self._n
        if self._measures:
            kernel, threads = "measure_tours", self._ants * LANES
        blocks = -(-threads // PREPARING_BLOCK)

        def improve(first: int, end: int) -> Launch:
            block, shared, ants = self._threads, self._shared, {"first_ant": first, "end_ant": end}
            grid = min(self._blocks, end - first)
            return LOCAL_SEARCH.launch(self.kernel, grid, block, given, shared, **ants)

        before = LOCAL_SEARCH.launch(kernel, blocks, PREPARING_BLOCK, given)
        return before, divided(improve, self._ants, self._blocks)

    def made(self, machine: Machine, arrays: Arrays, iteration: int) -> MovesMade:
        """Moves made in the last of so many iterations: 0 before the first."""
        counts = machine.download(arrays["moves"])[:4].reshape(2, 2)
        exchanges, segments = counts[:, _row_of(iteration)] if iteration else (0, 0)
        return MovesMade(int(exchanges), int(segments))

    def built(self, machine: Machine, arrays: Arrays, iteration: int) -> NDArray[np.int32]:
        """The best tour of the last of so many iterations as its ant built it; not checked."""
        tour: NDArray[np.int32] = machine.download(arrays["built_tours"][_row_of(iteration)])
        return tour


def _memory(n: int, limit: int, wanted: int) -> tuple[str, int, int]:
    """What of a block is in shared memory, its bytes, and how many blocks may be resident.

    ``limit`` is what a block can have, and all of a multiprocessor but what the system takes of
    one. The queue is kept elsewhere where then more blocks fit, up to as many as are ``wanted``: a
    round reads it once, but every move goes through a part of the tour.
    """
    even = n + n % 2
    tour = _header(np.uint16) + 2 * 2 * even + 4 * (-(-n // TABU_WORD_BITS))
    fit = {
        memory: (shared, (limit + RESERVED) // (shared + RESERVED))
        for memory, shared in ((ALL_SHARED, tour + 2 * even), (TOUR_SHARED, tour))
        if n < SHORT_CITIES and shared <= limit
    }
    if not fit:
        return NONE_SHARED, _header(np.int32), FEWEST_BLOCKS
    best = max(fit, key=lambda memory: min(fit[memory][1], wanted))
    return best, *fit[best]


def _row_of(iteration: int) -> int:
    """The row of the kernels' reports on the last of so many iterations."""
    return (iteration - 1) & 1


def _header(city: type[np.generic]) -> int:
    """Bytes of ``Found`` in local_search.cu: two rounds of keys and ends, and a few numbers."""
    ends = MOST_ENDS * np.dtype(city).itemsize
    return 2 * WINDOW * (8 + ends) + FOUND_NUMBERS


class DeviceTourColony(DeviceHeir):
    """A colony whose ants build tours, which a local search of a ``kind`` may improve.

    The search ``measures`` the tours first where their construction does not.
    """

    def __init__(
        self,
        machine: Machine,
        instance: TspInstance,
        ants: int,
        problem: DeviceCities,
        trails: HeirMemory,
        buffers: Sequence[Buffer],
        kind: str,
        *,
        measures: bool = False,
    ) -> None:
        self._cities, self._search = instance, None
        if kind != NO_LOCAL_SEARCH:
            self._search = DeviceLocalSearch(
                machine, instance, problem, ants, kind, measures=measures
            )
            buffers = [*buffers, *self._search.buffers()]
        super().__init__(machine, instance, ants, problem, trails, buffers)

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        begun = shot.iteration > self._inherited
        small = self._cities.n <= MOST_WALKED
        if Wanted.WALKS in wanted and begun and small and not self._open().under_way:
            shot = dataclasses.replace(shot, walks=walks_of(self._cities, self._kept(shot)))
        if not self._search:
            return shot
        made = shot.iteration if begun else 0
        moves, built = self._search.made(self._machine, self._arrays, made), None
        if begun and Wanted.BUILT_SOLUTION in wanted:
            tour = self._search.built(self._machine, self._arrays, shot.iteration)
            built = self._cities.checked(tour)
        return dataclasses.replace(shot, built_solution=built, moves=moves)

    def _kept(self, shot: Snapshot) -> NDArray[np.integer]:
        """The tours of the last iteration that are kept as ants built them, (ants, n).

        That of the best ant alone, where a local search has changed the others, or a tour takes the
        place of another one as soon as that is built.
        """
        machine, arrays = self._machine, self._arrays
        if self._search:
            return self._search.built(machine, arrays, shot.iteration)[None]
        if "holders" not in arrays:
            return machine.download(arrays["tours"][:MOST_WALKERS])
        holders = machine.download(arrays["holders"])
        if len(holders) == self._ants:  # each has two rows, one of which it has built this time
            both = machine.download(arrays["tours"]).reshape(self._ants, 2, -1)
            return np.asarray(both[np.arange(self._ants), holders])
        best = self._iteration_solution(State(machine.download(arrays["state"])))
        return np.asarray(machine.download(best))[None]

    def _improvement(self) -> Mapping[str, Sequence[Launch]]:
        """The phase of an iteration in which tours are improved, if there is one."""
        return {"local search": self._search.launches(self._arrays)} if self._search else {}

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays["iteration_tour"]
