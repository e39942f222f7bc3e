"""A colony on the CPU whose ants build tours, which a local search may improve."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Improvements, Snapshot, Wanted
from gpu.core.trails import branching_factor
from gpu.cpu import record as records
from gpu.cpu.colony import TeamColony
from gpu.cpu.stages import Stage, shared
from gpu.local_search.cpu.tables import Rule, no_rule, searches_of
from gpu.problems.tsp.checks import checked_permutation, checked_tour
from gpu.problems.tsp.instance import TspInstance


def improvement(moves: Rule | None, bit: int, ants: int) -> list[Stage]:
    """The stage of the local search of so many ants' tours, if there is one."""
    return [Stage(bit, "local search", shared(ants))] if moves else []


class TourColony(TeamColony):
    """A colony on the CPU whose ants build tours, which a local search may improve.

    Parameters
    ----------
    instance, ants, threads, stages
        As for every colony on the CPU; with ``moves``, one of the stages is :func:`improvement`.
    moves : Rule or None
        The local search.
    """

    def __init__(
        self,
        instance: TspInstance,
        ants: int,
        threads: int,
        stages: Sequence[Stage],
        moves: Rule | None,
    ) -> None:
        self._instance, self._improves = instance, moves is not None
        self._moves = moves or no_rule()
        self._searches = searches_of(instance.n if moves else 1, threads)
        super().__init__(instance, ants, threads, stages)

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        shot = super().snapshot(wanted)
        if not self._improves:
            return shot
        numbers, built = self._record.numbers, None
        moves = Improvements(int(numbers[records.TWO_OPT]), int(numbers[records.OR_OPT]))
        if shot.iteration and Wanted.BUILT_SOLUTION in wanted:
            built = checked_permutation(self._instance, self._searches.best_built)
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
