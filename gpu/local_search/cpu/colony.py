"""A colony on the CPU whose ants build tours, which a local search may improve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gpu.cpu.heir import CpuHeir
from gpu.local_search.cpu.search import ANT
from numpy.typing import NDArray

from gpu.core.snapshot import Improvements, Wanted
from gpu.core.trails import branching_factor
from gpu.cpu import main_memory as memory
from gpu.cpu import record as records
from gpu.cpu.stages import EVERYTHING, Stage, each
from gpu.local_search.cpu import state as searches
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.instance import TspInstance


class TourColony(CpuHeir):
    """A colony on the CPU whose ants build tours; see :class:`CpuHeir`.

    A subclass calls :meth:`_prepare` first.
    """

    _instance: TspInstance

    def _prepare(
        self, instance: TspInstance, ants: int, kind: str, threads: int, needed: dict[str, int]
    ) -> searches.LocalSearch:
        """Prepare the local search, if all that the colony needs fits into memory.

        Raises
        ------
        ParameterError
            If the local search is not for this instance.
        DeviceMemoryError
            If the colony would not fit into free memory.
        """
        if kind != NO_LOCAL_SEARCH:
            needed["local search"] = searches.bytes_needed(instance, threads)
        what = f"this colony on {instance.name} ({instance.n} cities, {ants} ants)"
        memory.require(what, needed, ants)
        self._instance = instance
        self._search = searches.local_search_of(instance, kind, threads)
        return self._search

    def _with_searches(self, ants: Sequence[Any]) -> list[searches.TourWorkspace]:
        """Complete the threads' workspaces for building tours."""
        return [
            searches.TourWorkspace(own, searches.workspace_of(self._search, thread))
            for thread, own in enumerate(ants)
        ]

    def _improvement(self, number: int, ants: int) -> list[Stage]:
        """Return the stage in which tours are improved, if there is a local search."""
        done = self._search.numbers[:, ANT]

        def left(workers: int) -> float:
            ends = [ants * (thread + 1) // workers for thread in range(workers)]
            return float((ends - done[:workers]).sum() / ants)

        stage = Stage(number, "local search", each(EVERYTHING), left=left)
        return [stage] if self._search.is_used else []

    @abstractmethod
    def _listed(self) -> NDArray[np.float32]:
        """Collect the trails of each city to its nearest, shape (n, k)."""

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more: dict[str, Any] = super()._more(wanted)
        numbers = self._record.numbers
        if Wanted.BRANCHING in wanted and not self.midway:
            more["branching"] = branching_factor(self._listed())
        if self._search.is_used:
            moves = numbers[[records.TWO_OPT, records.OR_OPT]].tolist()
            more["improvements"] = Improvements(*moves)
            begun = numbers[records.ITERATION] > self._inherited
            if begun and Wanted.BUILT_SOLUTION in wanted:
                built = self._search.best_built
                more["built_solution"] = self._instance.checked(built)
        return more
