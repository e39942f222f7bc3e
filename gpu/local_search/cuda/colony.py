"""What all colonies that build tours on a GPU share: a local search may improve the tours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.trails import Single
from gpu.cuda.cities import DeviceCities
from gpu.cuda.heir import DeviceHeir, HeirMemory
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.state import State
from gpu.local_search.cuda.search import LocalSearch
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.instance import TspInstance


class TourColony(DeviceHeir):
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
            self._search = LocalSearch(machine, instance, problem, ants, kind, measures=measures)
            buffers = [*buffers, *self._search.buffers()]
        super().__init__(machine, instance, ants, problem, trails, buffers)
        self._near = problem.lists

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        if not self._search:
            return shot
        begun = shot.iteration > self._inherited
        made = shot.iteration if begun else 0
        moves, built = self._search.made(self._machine, self._arrays, made), None
        if begun and Wanted.BUILT_SOLUTION in wanted:
            tour = self._search.built(self._machine, self._arrays, shot.iteration)
            built = self._cities.checked(tour)
        return dataclasses.replace(shot, built_solution=built, improvements=moves)

    def _improvement(self) -> Mapping[str, Sequence[Launch]]:
        """The phase of an iteration in which tours are improved, if there is one."""
        return {"local search": self._search.launches(self._arrays)} if self._search else {}

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays["iteration_tour"]

    def _single_trails(self) -> Single:
        return self._near, self._pictures.between

    def _branching(self) -> float:
        return self._pictures.branching()
