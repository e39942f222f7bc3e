"""Colonies on a GPU whose ants change several tours; all changes of a tour that fit are merged."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.machine.processors import usable_cores
from gpu.core.snapshot import Merges, Snapshot, Wanted
from gpu.cuda.colony import DeviceColony, State
from gpu.cuda.instances import distance_numbers
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.trails import ListedPictures
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cuda.cities import OrderedCities
from gpu.tour_changes.cuda.kernels import (
    CLAIM_BITS,
    MERGE_CHANGES,
    MERGER_STATIC,
    MERGERS,
    MOST_SEGMENTS,
    PIECE_BYTES,
    SEARCH_TOURS,
    SEARCH_WARPS,
    TOURS,
    change_bytes,
    metric_of,
)
from gpu.tour_changes.parameters import STRONGEST

TOURS_BLOCK = 256
_MOST_MERGED_PIECES = 4096  # of a tour in one merge


@dataclass(frozen=True)
class SearchRules:
    """What ants are told that search around a place of a tour."""

    ants: int  # an iteration, on all tours together; shared out evenly
    tours: int
    kick: int  # most cities in each of the three stretches of an ant's double bridge
    rho: float  # share of each trail that evaporates
    focus: float  # probability that an ant draws two places


class ToursColony(DeviceColony):
    """A colony that works on several tours for some iterations, then makes others of them.

    Ants search the tours around a place each. A kind of colony says in :meth:`_turn` what becomes
    of the tours then, and gives the tours to begin with to :meth:`_take_over`. ``links`` is the
    number of new edges of a change, at most, or ``longest`` where a tour takes one change alone;
    ``further`` are buffers of its own.
    """

    def __init__(
        self,
        instance: TspInstance,
        machine: Machine,
        problem: OrderedCities,
        rules: SearchRules,
        seed: int,
        links: int = MOST_SEGMENTS,
        longest: int = 0,
        further: Sequence[Buffer] = (),
    ) -> None:
        self._cities, self._problem = instance, problem
        n, tours = problem.n, rules.tours
        self._each = each = max(1, rules.ants // tours)  # ants of a tour
        ants = each * tours
        room = machine.shared_limit - MERGER_STATIC - 5 * each
        pieces = max(each * links, longest) + 1
        self._most = most = min(n + 1, pieces, _MOST_MERGED_PIECES, room // PIECE_BYTES)
        words = -(-n // LANES)
        buffers = [
            Buffer("cities", (tours, n, 4), np.float32),
            Buffer("tour_records", (2, tours, n, 4), np.float32),
            Buffer("changes", (ants, change_bytes(links) // 8), np.uint64),
            Buffer("locks", (tours, (n >> CLAIM_BITS) + 1), np.uint64, zeroed=True),
            Buffer("cuts", (tours, words), np.uint32),
            Buffer("cuts_before", (tours, words), np.int32),
            Buffer("pieces", (tours, most, 4), np.int32),
            Buffer("lengths", (tours,), np.int64),
            Buffer("wins", (2,), np.uint64, zeroed=True),  # ants that won, and changes made
            Buffer("elected", (1,), np.int32),
            Buffer("begun", (1,), np.int32, zeroed=True),
            Buffer("cycle", (3,), np.float64),
            Buffer("given_lengths", (tours,), np.int64),
            Buffer("given", (tours, n), np.int32),
            *further,
        ]
        super().__init__(machine, instance, ants, problem, problem.trails, buffers, ListedPictures)
        self._arrays |= distance_numbers(problem.instance, 1.0)
        self._arrays |= {"tours": tours, "width": problem.width, "most": most, "ants": each}
        self._arrays |= {"seed": Seed.of(seed)}
        self._tours = tours
        self._left = self._end = 0  # iterations until tours are made anew; the one with which
        grid = min(1024, -(-n * problem.width // TOURS_BLOCK))
        begin = TOURS.launch(
            "begin_tours", grid, TOURS_BLOCK, self._arrays, count=n * problem.width
        )
        self._begin([begin], self._search(rules), divisible=False)

    @abstractmethod
    def _turn(self, state: State) -> None:
        """Make other tours of these, or go on with them; say for how long: :meth:`_go_on`."""

    def _go_on(self, iteration: int, count: int) -> None:
        """Do ``count`` iterations more from this one on, before tours are made anew."""
        self._left, self._end = count, iteration + count

    def _take_over(
        self, tours: NDArray[np.int32], lengths: list[int], iteration: int, cycle: int, heat: float
    ) -> None:
        """Let the tours become these, which are so long, and begin a cycle of cooling."""
        arrays, machine = self._arrays, self._machine
        machine.upload(arrays["cycle"], np.array((iteration, cycle, heat), np.float64))
        machine.upload(arrays["given_lengths"], np.array(lengths, np.int64))
        machine.upload(arrays["given"], tours)
        take_over = self._everywhere(TOURS, "take_over")
        machine.run([take_over, TOURS.launch("count_best", 1, 1, arrays)])
        self._go_on(iteration, cycle)

    def _lengths(self, tours: NDArray[np.int32]) -> list[int]:
        """How long tours are, which are as the device numbers the cities."""
        with ThreadPoolExecutor(min(usable_cores(), len(tours))) as pool:
            return list(pool.map(self._problem.instance.tour_length, tours))

    def _present(self, state: State) -> NDArray[np.int32]:
        """Copy all tours, (tours, n), as the device numbers the cities."""
        records = self._arrays["tour_records"][state.iteration & 1]
        return np.ascontiguousarray(self._machine.download(records[:, :, 2])).view(np.int32)

    def _search(self, rules: SearchRules) -> Phases:
        """Return the phases of an iteration in which ants search around a place each."""
        name, arrays = f"search_around<{metric_of(self._problem.instance)}>", self._arrays
        block, focus = SEARCH_WARPS * LANES, np.float32(rules.focus)
        resident = max(1, self._machine.resident(SEARCH_TOURS, name, block, 0))
        grid = min(-(-self._ants // SEARCH_WARPS), resident * self._machine.multiprocessors)
        search = SEARCH_TOURS.launch(name, grid, block, arrays, kick=rules.kick, focus=focus)
        lay_trails = TOURS.launch(
            "lay_trails",
            min(65535, -(-self._problem.n * LANES // TOURS_BLOCK)),
            TOURS_BLOCK,
            arrays,
            keep=np.float32(1.0 - rules.rho),
            added=np.float32(rules.rho * STRONGEST / rules.tours),
        )
        update = (self._merge(self._each), self._elect(), self._rewrite(), lay_trails)
        return {"construction": (search,), "update": update}

    def _merge(self, count: int, links: int = MOST_SEGMENTS, name: str = "changes") -> Launch:
        """Choose which of the ``count`` changes of each tour are made.

        They have up to so many links, and lie in the buffer of this name.
        """
        kernel, shared = f"merge_changes<{links}>", PIECE_BYTES * self._most + 5 * count
        changes = self._arrays[name]
        return MERGE_CHANGES.launch(
            kernel, self._tours, MERGERS, self._arrays, shared, ants=count, changes=changes
        )

    def _elect(self) -> Launch:
        """Find the shortest tour."""
        return TOURS.launch("elect", 1, LANES, self._arrays)

    def _rewrite(self) -> Launch:
        """Write the tours with their changes."""
        return self._everywhere(TOURS, "rewrite")

    def _everywhere(self, source: KernelSource, kernel: str) -> Launch:
        """A launch of a thread for each place of all tours."""
        grid = min(65535, -(-self._problem.n * self._tours // TOURS_BLOCK))
        return source.launch(kernel, grid, TOURS_BLOCK, self._arrays)

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        while count > 0:
            self._turn_if_due()
            now = min(count, self._left)
            self._open().run(now, stop)
            self._left -= now
            count -= now
            if count and stop():  # a slice that was made whole need not be looked at
                return

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration, outside the graph; see :class:`gpu.core.colony.Colony`."""
        self._turn_if_due()
        self._left -= 1
        return self._open().timed()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        won, merged = map(int, self._machine.download(self._arrays["wins"]))
        merges = Merges(shot.solutions_built, won, merged)
        return dataclasses.replace(shot, limits=(1.0, STRONGEST), merges=merges)

    def _turn_if_due(self) -> None:
        """Make other tours if it is time."""
        if self._left > 0:
            return
        self._open().settle()
        state = State(self._machine.download(self._arrays["state"]))
        self._left = self._end - state.iteration  # runs that were stopped have not run all
        if self._left <= 0:
            self._turn(state)

    def _iteration_solution(self, state: State) -> Array:
        tour = state.iteration_ant
        return self._arrays["tour_records"][state.iteration & 1, tour, :, 2]

    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        if solution.dtype == np.float32:  # of records; see record_of() in spots.cuh
            solution = np.ascontiguousarray(solution).view(np.int32)
        return self._cities.checked(self._problem.order[solution], cost)
