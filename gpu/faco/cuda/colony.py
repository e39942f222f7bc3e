"""Focused ACO on a GPU: a warp an ant, whose tour is a list of slices of the source."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import Legacy
from gpu.core.snapshot import MovesMade, Snapshot, Wanted
from gpu.core.trails import (
    LEAST_TRAIL,
)
from gpu.cpu.geometry import geometry_of
from gpu.cuda.colony import DeviceHeir, State
from gpu.cuda.instances import check_cities, distance_numbers, distance_values
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.trails import CudaListedTrails, ListedPictures
from gpu.faco.cpu.bandit import REWARD_SCALE, new_bandit
from gpu.faco.cuda.kernels import (
    BUILD_SLICED,
    FACO_UPDATE,
    MOST_BUILT,
    MOST_KEPT,
    MOST_SLICES,
    Count,
    FacoUpdateRules,
)
from gpu.faco.parameters import FacoCudaParameters, FacoParameters, require_for_faco_cuda, spread_of
from gpu.faco.start import Followed, improved_start, near_cities
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cuda.kernels import metric_of

ROOM = MOST_SLICES
"""Slices that an ant's tour has at most. An ant that would need more stops searching."""

_BLOCK = 128


class FacoCities:
    """The instance as kernels read it, and what is near what.

    Raises
    ------
    DeviceMemoryError
        If the instance has more cities than the GPU colonies take.
    """

    def __init__(self, instance: TspInstance, resolved: FacoParameters) -> None:
        check_cities(instance)
        self.n, self.directed = instance.n, instance.directed
        self._instance, self._near = instance, near_cities(instance, resolved)
        self.lists = self._near.candidates

    @cached_property
    def values(self) -> dict[str, NDArray[Any]]:
        """Host arrays that kernels read, by the name of the buffer that they go into."""
        near, distances = self._near, distance_values(self._instance)
        sites = np.zeros((self.n, 2))
        sites[:, 0] = np.arange(self.n)
        return {
            "candidates": near.candidates,
            "backup": near.backup if near.backup.size else np.zeros((1, 1), np.int32),
            "near": near.near,
            "near_lengths": near.lengths,
            "heuristic": near.heuristic,
            "nearest": np.ones(1, np.int32),  # of an η that is computed on the device
            "sites": np.array(distances.get("coordinates", sites)),
            **distances,
        }


class FacoCudaColony(DeviceHeir):
    """Focused ACO on a GPU: the tours of the CPU's, as long as no ant runs out of room.

    Raises
    ------
    ParameterError
        If the instance is directed, or its distances are too long.
    DeviceMemoryError
        If the colony does not fit the device: some 850 bytes a city, 2.6 KB an ant.
    """

    NUMBERS = frozenset({"rho", "p_best", "best_source"})

    def __init__(
        self, instance: TspInstance, parameters: FacoCudaParameters, machine: Machine, seed: int
    ) -> None:
        require_for_faco_cuda(instance)
        p = parameters
        assert p.ants is not None
        self._cities, n = instance, instance.n
        self._parameters = p
        problem = FacoCities(instance, p)
        arms = p.new_edges - p.fewest_edges + 1
        tour = improved_start(instance, geometry_of(instance, p.beta), p.neighbours)
        length = instance.tour_length(tour)
        self._start, self._spread = float(max(length, 1)), spread_of(p.candidates, p.p_best)
        buffers = [
            Buffer("rows", (p.candidates, n, 2), np.int32),
            Buffer("places", (n,), np.int32),
            Buffer("tours", (2, n), np.int32),
            Buffer("tour_sites", (2, n, 2), np.float64),
            Buffer("source_length", (1,), np.int64),
            Buffer("last_tour", (n,), np.int32),
            Buffer("plans", (p.ants, MOST_KEPT, 4), np.int32),
            Buffer("built", (p.ants, MOST_BUILT, 4), np.int32),
            Buffer("lengths", (p.ants, 2), np.int64),
            Buffer("scores", (arms,), np.float64, zeroed=True),
            Buffer("shares", (arms,), np.float32),
            Buffer("counts", (len(Count),), np.uint64, zeroed=True),
        ]
        trails = CudaListedTrails(problem.lists, least=lambda length: self._limits(length)[0])
        super().__init__(machine, instance, p.ants, problem, trails, buffers, ListedPictures)
        arrays = self._arrays
        machine.upload(arrays["shares"], new_bandit(arms).shares)
        machine.upload(arrays["trails"], np.ones((n, p.candidates), np.float32))
        machine.upload(arrays[self.BEST], tour)
        arrays |= distance_numbers(instance, 1.0)
        arrays |= {"seed": Seed.of(seed), "ants": p.ants, "arms": arms, "width": p.candidates}
        reset = FACO_UPDATE.launch("reset_colony", 1, 1, arrays, length=length)
        start = [reset, *self._source_of_best()]
        self._begin(start, self._phases_for(p), divisible=False)

    def _phases_for(self, p: FacoCudaParameters) -> Phases:
        arrays, arms = self._arrays, p.new_edges - p.fewest_edges + 1
        assert p.ants is not None
        self._spread = spread_of(p.candidates, p.p_best)
        arrays["rules"] = FacoUpdateRules.from_arrays(
            arrays,
            start=self._start,
            gain=(1.0 - p.rho) * self._start,
            spread=self._spread,
            reward=self._cities.n * REWARD_SCALE,
            keep=np.float32(p.rho),
            best_source=np.float32(p.best_source),
        )
        build = BUILD_SLICED.launch(
            f"build_tours<{metric_of(self._cities)}>",
            p.ants,
            LANES,
            arrays,
            fewest_edges=p.fewest_edges,
            backups=p.backup,
            near_width=p.neighbours,
            room=ROOM,
        )
        learn = [FACO_UPDATE.launch("learn", 1, LANES, arrays)] if arms > 1 else []
        update = [self._everywhere("follow_winner"), *learn, self._everywhere("renew_trails")]
        return {"construction": (build,), "update": update}

    def _everywhere(self, kernel: str) -> Launch:
        """A launch of a thread for each place of the source."""
        return FACO_UPDATE.launch(kernel, -(-self._cities.n // _BLOCK), _BLOCK, self._arrays)

    def _source_of_best(self) -> list[Launch]:
        """What makes the best tour the source."""
        return [self._everywhere("begin_source"), self._everywhere("list_trails")]

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        machine, arrays, built = self._machine, self._arrays, None
        if shot.iteration > self._inherited and Wanted.BUILT_SOLUTION in wanted:
            state = State(machine.download(arrays["state"]))
            source = machine.download(arrays["tours"][(state.iteration - 1) & 1])
            rows = machine.download(arrays["built"][state.iteration_ant])
            built = self._cities.checked(_tour_of(rows, source))
        moves = int(machine.download(arrays["counts"])[Count.MOVES])
        least, most = self._limits(shot.best_cost or 0)
        return dataclasses.replace(
            shot,
            built_solution=built,
            moves=MovesMade(moves, 0),
            limits=(float(least), float(most)),
        )

    def followed(self) -> Followed:
        """The tour that ants leave and follow, and how likely each number of new edges is."""
        self._open().settle()
        state = State(self._machine.download(self._arrays["state"]))
        tour = self._machine.download(self._arrays["tours"][state.iteration & 1])
        return Followed(tour, self._machine.download(self._arrays["shares"]))

    def _limits(self, length: int) -> tuple[np.float32, np.float32]:
        """τ_min and τ_max for a shortest tour of this length."""
        most = self._start / max(length, 1)
        return max(np.float32(most * self._spread), LEAST_TRAIL), np.float32(most)

    def _take_over(self, legacy: Legacy) -> None:
        """Ants leave the best tour first, and the bandit learns anew."""
        self._machine.run(self._source_of_best())

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays["last_tour"]


def _tour_of(rows: NDArray[np.int32], source: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the tour that is kept as slices of the source; see ``keep`` in build.cu."""
    slices, origin, direction, mirrored = rows[0]
    parts = [
        np.arange(first, first + more + 1)[:: -1 if turned else 1]
        for first, more, turned, _ in rows[1 : 1 + slices]
    ]
    tour: NDArray[np.int32] = source[(origin + direction * np.concatenate(parts)) % source.size]
    return tour[::-1] if mirrored else tour
