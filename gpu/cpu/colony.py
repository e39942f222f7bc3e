"""What all colonies on the CPU do alike: iterations by a team, and snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot, Trails, Updates, Wanted
from gpu.cpu import record as records
from gpu.cpu.stages import Shift, Stage, Stages


class TeamColony(ABC):
    """A colony on the CPU; see :mod:`gpu.core.colony`.

    Parameters
    ----------
    instance : Instance
    ants : int
    threads : int
    stages : sequence of Stage
        The parts of an iteration, in order.

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    def __init__(
        self, instance: Instance, ants: int, threads: int, stages: Sequence[Stage]
    ) -> None:
        self._m = ants
        self._record = records.record_of(instance.n)
        self._stages = Stages(threads, stages, self._work)

    @abstractmethod
    def _work(self, gate: NDArray[np.int64], shift: Shift) -> None:
        """Do a part of some stages; see :data:`gpu.cpu.stages.Work`."""

    @abstractmethod
    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        """Draw all trails, rows in this order, and select the strongest, where wanted."""

    @abstractmethod
    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        """Return a read-only copy of ``solution``, proved to be one and to cost so much."""

    @abstractmethod
    def _picture_order(self, solution: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the order of rows of a picture that goes with the best ``solution``."""

    def _branching(self) -> float | None:
        """The λ-branching factor, where there are candidate lists."""
        return None

    @abstractmethod
    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""

    def _updates(self) -> Updates | None:
        """Counts of a selective memory."""
        return None

    def _limits(self) -> tuple[float, float] | None:
        """The least and the largest trail, where they are bounded."""
        return None

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations, the last one timed by phase; see :mod:`gpu.core.colony`.

        Raises
        ------
        DeviceError
            If the colony was closed.
        """
        self._stages.run(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        return self._stages.timed()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        record = self._record
        numbers = [int(number) for number in record.numbers]
        iteration = numbers[records.ITERATION]
        best = last = picture = trails = None
        if iteration and Wanted.SOLUTION in wanted:
            best = self._checked(record.best_solution, numbers[records.BEST_COST])
        if iteration and Wanted.ITERATION_SOLUTION in wanted:
            last = self._checked(record.last_solution, numbers[records.LAST_BEST])
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            everyone = np.arange(record.best_solution.size)
            order = self._picture_order(record.best_solution) if iteration else everyone
            picture, trails = self._draw(wanted, order)
        return Snapshot(
            iteration=iteration,
            solutions_built=iteration * self._m,
            best_cost=numbers[records.BEST_COST],
            best_iteration=numbers[records.BEST_ITERATION],
            iteration_best=numbers[records.LAST_BEST],
            iteration_mean=numbers[records.LAST_TOTAL] / self._m,
            best_solution=best,
            iteration_solution=last,
            pheromone=picture,
            trails=trails,
            updates=self._updates(),
            branching=self._branching() if Wanted.BRANCHING in wanted else None,
            limits=self._limits(),
            phases=self._stages.times,
        )

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        self._stages.close()
