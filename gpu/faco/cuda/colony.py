"""Focused ACO on a GPU: a warp an ant, whose tour is a list of slices of the source."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import Legacy
from gpu.core.snapshot import Improvements, Snapshot, Wanted
from gpu.core.trails import LEAST_TRAIL, Single
from gpu.cpu.geometry import geometry_of
from gpu.cuda.heir import DeviceHeir
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.state import State
from gpu.faco.cpu.bandit import REWARD_SCALE, new_bandit
from gpu.faco.cuda.cities import FacoCities
from gpu.faco.cuda.kernels import (
    BUILD,
    MOST_BUILT,
    MOST_KEPT,
    MOST_SLICES,
    UPDATE,
    Count,
    FacoRules,
    FollowedTour,
    TrailLists,
)
from gpu.faco.cuda.trails import FacoPictures, FacoTrails
from gpu.faco.parameters import FacoCudaParameters, require_for_faco_cuda, spread_of
from gpu.faco.start import Followed, improved_start
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cuda.kernels import metric_of

ROOM = MOST_SLICES
"""Slices that an ant's tour has at most. An ant that would need more stops searching."""

_BLOCK = 128


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
        self._parameters, self._seed = p, seed
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
        trails = FacoTrails(problem, self._limits)
        super().__init__(machine, instance, p.ants, problem, trails, buffers, FacoPictures)
        self._lists = problem.near.candidates
        arrays = self._arrays
        machine.upload(arrays["shares"], new_bandit(arms).shares)
        machine.upload(arrays["trails"], np.ones((n, p.candidates), np.float32))
        machine.upload(arrays[self.BEST], tour)
        self._followed = FollowedTour.from_arrays(arrays, n=n)
        self._trail_lists = TrailLists.from_arrays(arrays, width=p.candidates)
        self._geometry = problem.geometry(arrays)
        reset = UPDATE.launch("reset_colony", 1, 1, arrays, length=length)
        start = [reset, *self._source_of_best()]
        self._begin(start, self._phases_for(p), divisible=False)

    def _phases_for(self, p: FacoCudaParameters) -> Phases:
        n, arrays, arms = self._cities.n, self._arrays, p.new_edges - p.fewest_edges + 1
        assert p.ants is not None
        self._spread = spread_of(p.candidates, p.p_best)
        rules = FacoRules(
            seed=Seed.of(self._seed),
            start=self._start,
            gain=(1.0 - p.rho) * self._start,
            spread=self._spread,
            reward=n * REWARD_SCALE,
            keep=np.float32(p.rho),
            best_source=np.float32(p.best_source),
        )
        build = BUILD.launch(
            f"build_tours<{metric_of(self._cities)}>",
            p.ants,
            LANES,
            arrays,
            followed=self._followed,
            geometry=self._geometry,
            seed=Seed.of(self._seed),
            fewest_edges=p.fewest_edges,
            arms=arms,
            width=p.candidates,
            backups=p.backup,
            near_width=p.neighbours,
            room=ROOM,
        )
        update = [self._everywhere("follow_winner", rules=rules)]
        if arms > 1:
            update.append(
                UPDATE.launch("learn", 1, LANES, arrays, rules=rules, ants=p.ants, arms=arms)
            )
        update.append(self._everywhere("renew_trails", rules=rules, lists=self._trail_lists))
        return {"construction": (build,), "update": update}

    def _everywhere(self, kernel: str, **values: Any) -> Launch:
        """A launch of a thread for each place of the source."""
        grid, followed = -(-self._cities.n // _BLOCK), self._followed
        return UPDATE.launch(kernel, grid, _BLOCK, self._arrays, followed=followed, **values)

    def _source_of_best(self) -> list[Launch]:
        """What makes the best tour the source."""
        begin = self._everywhere("begin_source")
        return [begin, self._everywhere("list_trails", lists=self._trail_lists)]

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
            improvements=Improvements(moves, 0),
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

    def _single_trails(self) -> Single:
        return self._lists, self._pictures.between

    def _branching(self) -> float:
        return self._pictures.branching()


def _tour_of(rows: NDArray[np.int32], source: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the tour that is kept as slices of the source; see ``keep`` in build.cu."""
    slices, origin, direction, mirrored = rows[0]
    parts = [
        np.arange(first, first + more + 1)[:: -1 if turned else 1]
        for first, more, turned, _ in rows[1 : 1 + slices]
    ]
    tour: NDArray[np.int32] = source[(origin + direction * np.concatenate(parts)) % source.size]
    return tour[::-1] if mirrored else tour
