"""A colony on the CPU whose ants build tours, which a local search may improve."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Improvements, Snapshot, Wanted
from gpu.core.trails import branching_factor
from gpu.cpu import record as records
from gpu.cpu.colony import CpuColony
from gpu.cpu.record import Record
from gpu.cpu.stages import Stage, shared
from gpu.local_search.cpu.state import LocalSearch
from gpu.problems.tsp.checks import checked_permutation, checked_tour
from gpu.problems.tsp.instance import TspInstance


class TourColony(CpuColony):
    """A colony on the CPU whose ants build tours.

    Parameters
    ----------
    instance : TspInstance
    search : LocalSearch
        Part of ``state``.
    ants, record, stages, state, workspaces
        As for every :class:`CpuColony`; one of the stages is :meth:`improvement`.
    """

    def __init__(
        self,
        instance: TspInstance,
        search: LocalSearch,
        ants: int,
        record: Record,
        stages: Sequence[Stage],
        state: Any,
        workspaces: Sequence[Any],
    ) -> None:
        self._instance, self._search = instance, search
        super().__init__(ants, record, stages, state, workspaces)

    @staticmethod
    def improvement(number: int, search: LocalSearch, ants: int) -> list[Stage]:
        """The stage in which so many ants' tours are improved, if there is a local search."""
        return [Stage(number, "local search", shared(ants))] if search.is_used else []

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        shot = super().snapshot(wanted)
        if not self._search.is_used:
            return shot
        numbers, built = self._record.numbers, None
        moves = Improvements(int(numbers[records.TWO_OPT]), int(numbers[records.OR_OPT]))
        if shot.iteration and Wanted.BUILT_SOLUTION in wanted:
            built = checked_permutation(self._instance, self._search.searches.best_built)
        return dataclasses.replace(shot, built_solution=built, improvements=moves)

    @abstractmethod
    def _listed(self) -> NDArray[np.float32]:
        """Collect the trails of each city to its nearest, shape (n, k)."""

    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        return checked_tour(self._instance, solution, cost)

    def _picture_order(self, solution: NDArray[np.integer]) -> NDArray[np.integer]:
        return solution

    def _branching(self) -> float:
        return branching_factor(self._listed())
