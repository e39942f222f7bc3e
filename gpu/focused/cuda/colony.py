"""The focused colony on a GPU: ants change several tours, all changes that fit are merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.snapshot import Merges, Snapshot, Wanted
from gpu.core.trail_table import Single
from gpu.cuda.colony import DeviceColony
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.state import State
from gpu.focused.cpu.crossing import Crossing, crossed
from gpu.focused.cuda.cities import FocusedCities
from gpu.focused.cuda.kernels import (
    CLAIM_BITS,
    MERGE,
    MERGERS,
    MOST_SEGMENTS,
    PIECE_BYTES,
    SEARCH,
    SEARCH_WARPS,
    TOURS,
    Tours,
    change_bytes,
    metric_of,
)
from gpu.focused.cuda.trails import CandidateTrails, HostPictures
from gpu.focused.parameters import FocusedCudaParameters
from gpu.focused.suitable import require_for_focused_cuda
from gpu.problems.tsp.checks import checked_tour
from gpu.problems.tsp.instance import TspInstance

STRONGEST = 100.0  # the trail of an edge that is always in all tours

_BLOCK = 256
_STATIC = 4096  # bytes of static shared memory of the merger, at most
_MOST_PIECES = 4096  # of a tour in one merge

FIRST_CYCLE, FULL_CYCLE = 2, 64
"""Ants a city in the first cycle of cooling, and in the first one that begins with all heat."""


class FocusedCudaColony(DeviceColony):
    """The focused colony on a GPU; see :class:`gpu.core.colony.Colony`.

    After each cycle of cooling tours are crossed with each other, and the next one begins with the
    results. The first tour begins as ``start``, if that is given.

    Raises
    ------
    ParameterError
        If the instance is directed, or its distances are too long.
    DeviceMemoryError
        If the tours do not fit the device: some 60 bytes a city and tour, 536 an ant.
    """

    _LINKS = MOST_SEGMENTS  # new edges of a change, at most

    def __init__(
        self,
        instance: TspInstance,
        parameters: FocusedCudaParameters,
        machine: Machine,
        seed: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        require_for_focused_cuda(instance)
        self._cities = instance
        parameters = parameters.resolved(instance.n)
        assert parameters.ants is not None
        assert parameters.tours is not None
        self._problem = problem = FocusedCities.of(
            instance, parameters.candidates, parameters.nearness, start
        )
        n, tours = problem.n, parameters.tours
        each = max(1, parameters.ants // tours)  # ants of a tour
        ants = each * tours
        room = machine.shared_limit - _STATIC - 5 * each
        self._most = most = min(n + 1, each * self._LINKS + 1, _MOST_PIECES, room // PIECE_BYTES)
        words = -(-n // 32)
        buffers = [
            Buffer("cities", (tours, n, 4), np.float32),
            Buffer("stops", (2, tours, n, 4), np.float32),
            Buffer("changes", (ants, change_bytes(self._LINKS) // 8), np.uint64),
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
            *self._further_buffers(n, tours, ants),
        ]
        trails = CandidateTrails(problem)
        super().__init__(machine, instance, ants, problem, trails, buffers, HostPictures)
        self._tours = Tours.from_arrays(self._arrays, n=n, tours=tours, width=problem.width)
        self._crossing = Crossing(problem.instance)
        self._given = self._starts(seed)  # with which the present cycle began
        self._cycles = 0  # that are over
        self._heat, self._doubling = parameters.heat, parameters.cooling is None
        first, full = (
            max(1, round(ants_a_city * n / each))
            for ants_a_city in (
                parameters.cooling or FIRST_CYCLE,
                parameters.cooling or FULL_CYCLE,
            )
        )
        self._cycle, self._full = first, full
        self._left = 0  # iterations of the present cycle that have not been asked for
        grid = min(1024, -(-n * problem.width // _BLOCK))
        clear = TOURS.launch("start_focused", grid, _BLOCK, self._arrays, count=n * problem.width)
        self._begin([clear], self._phases(parameters, each, seed), divisible=False)
        self._take_over([problem.instance.tour_length(tour) for tour in self._given], 0)

    def _further_buffers(self, n: int, tours: int, ants: int) -> list[Buffer]:
        """What a colony needs that does more than this one."""
        return []

    def _starts(self, seed: int) -> NDArray[np.int32]:
        """Tours to begin with, (tours, n), as the device numbers the cities."""
        return self._problem.starts(self._tours.tours, seed)

    def _phases(
        self, parameters: FocusedCudaParameters, each: int, seed: int
    ) -> Mapping[str, Sequence[Launch]]:
        problem, arrays, tours = self._problem, self._arrays, self._tours.tours
        n, most = problem.n, self._most
        name = f"search_around<{metric_of(problem.instance)}>"
        resident = max(1, self._machine.resident(SEARCH, name, SEARCH_WARPS * 32, 0))
        grid = min(-(-self._ants // SEARCH_WARPS), resident * self._machine.multiprocessors)
        search = SEARCH.launch(
            name,
            grid,
            SEARCH_WARPS * 32,
            arrays,
            all=self._tours,
            geometry=problem.geometry(arrays),
            seed=Seed.of(seed),
            ants=each,
            kick=parameters.kick,
            focus=np.float32(parameters.focus),
        )
        everywhere = min(65535, -(-n * tours // _BLOCK))
        of_cities = min(65535, -(-n * 32 // _BLOCK))
        update = (
            self._merge(each),
            TOURS.launch("elect", 1, 32, arrays, tours=tours, ants=each),
            TOURS.launch("rewrite", everywhere, _BLOCK, arrays, all=self._tours, most=most),
            TOURS.launch(
                "lay_trails",
                of_cities,
                _BLOCK,
                arrays,
                all=self._tours,
                keep=np.float32(1.0 - parameters.rho),
                added=np.float32(parameters.rho * STRONGEST / tours),
            ),
        )
        return {"construction": (search,), "update": update}

    def _merge(self, each: int, links: int = MOST_SEGMENTS) -> Launch:
        """Choose which changes of each tour's ants are made; they have up to so many links."""
        n, most = self._problem.n, self._most
        shared = PIECE_BYTES * most + 5 * each
        return MERGE.launch(
            f"merge_changes<{links}>",
            self._tours.tours,
            MERGERS,
            self._arrays,
            shared,
            n=n,
            ants=each,
            most=most,
        )

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        while count > 0:
            self._turn_if_due()
            now = min(count, self._left)
            self._open().run(now, stop)
            self._left -= now
            count -= now
            if stop():
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
        """Begin another cycle if one is over."""
        if self._left > 0:
            return
        self._open().settle()
        state = State(self._machine.download(self._arrays["state"]))
        self._left = self._end - state.iteration  # runs that were stopped have not run all
        if self._left <= 0:
            self._turn(state)

    def _turn(self, state: State) -> None:
        """Cross all tours, and begin a cycle of cooling with the result."""
        stops = self._machine.download(self._arrays["stops"])[state.iteration & 1]
        self._cycles += 1
        if self._doubling:
            self._cycle *= 2
        found = np.ascontiguousarray(stops[:, :, 2]).view(np.int32)
        self._given, lengths = crossed(self._crossing, self._given, found, self._cycles)
        self._take_over(lengths, state.iteration)

    def _take_over(self, lengths: list[int], iteration: int) -> None:
        """Let the tours become those given, which are so long, and begin a cycle of cooling."""
        arrays, machine = self._arrays, self._machine
        heat = self._heat * min(1.0, (self._cycle / self._full) ** 0.5)
        machine.upload(arrays["cycle"], np.array((iteration, self._cycle, heat), np.float64))
        machine.upload(arrays["given_lengths"], np.array(lengths, np.int64))
        machine.upload(arrays["given"], self._given)
        grid = min(65535, -(-self._problem.n * self._tours.tours // _BLOCK))
        machine.run(
            [
                TOURS.launch("take_over", grid, _BLOCK, arrays, all=self._tours),
                TOURS.launch("count_best", 1, 1, arrays),
            ]
        )
        self._left, self._end = self._cycle, iteration + self._cycle

    def _iteration_solution(self, state: State) -> Array:
        tour = state.iteration_ant
        return self._arrays["stops"][state.iteration & 1, tour, :, 2]

    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        if solution.dtype == np.float32:  # of records; see record_of() in spots.cuh
            solution = np.ascontiguousarray(solution).view(np.int32)
        return checked_tour(self._cities, self._problem.order[solution], cost)

    def _single_trails(self) -> Single:
        return self._problem.lists, self._pictures.between

    def _branching(self) -> float:
        return self._pictures.branching()
