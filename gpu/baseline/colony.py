"""What every colony of tours on the CPU does alike: iterations by a team, and snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.baseline import record as records
from gpu.baseline.stages import Stage, Stages
from gpu.colony import never
from gpu.errors import ParameterError
from gpu.instances.instance import TspInstance
from gpu.random import key_of
from gpu.snapshot import Snapshot, Trails, Updates, Wanted
from gpu.summaries import branching_factor, checked_tour


def checked_key(seed: int) -> tuple[int, int]:
    """Return the two words of the random numbers' key.

    Raises
    ------
    ParameterError
        If the seed is out of range.
    """
    try:
        return key_of(seed)
    except ValueError as error:
        raise ParameterError(str(error)) from None


class TeamColony(ABC):
    """A colony on the CPU, at work on a travelling-salesman instance; see :mod:`gpu.colony`.

    Parameters
    ----------
    instance : TspInstance
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
        self, instance: TspInstance, ants: int, threads: int, stages: Sequence[Stage]
    ) -> None:
        self._instance = instance
        self._m = ants
        self._record = records.record_of(instance.n)
        self._stages = Stages(threads, stages, self._work)

    @abstractmethod
    def _work(
        self, gate: NDArray[np.int64], member: int, count: int, stages: int, begin: int, end: int
    ) -> None:
        """Do a part of some stages; see :data:`gpu.baseline.stages.Work`."""

    @abstractmethod
    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        """Draw all trails, cities in this order, and select the strongest, where wanted."""

    @abstractmethod
    def _listed(self) -> NDArray[np.float32]:
        """Collect the trails of each city to its nearest, shape (n, k)."""

    @abstractmethod
    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.colony.Colony.trails_from`."""

    def _updates(self) -> Updates | None:
        """Counts of a selective memory."""
        return None

    def _limits(self) -> tuple[float, float] | None:
        """The least and the largest trail, where they are bounded."""
        return None

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations, the last one timed by phase; see :mod:`gpu.colony`.

        Raises
        ------
        DeviceError
            If the colony was closed.
        """
        self._stages.run(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.colony.Colony.timed_iteration`."""
        return self._stages.timed()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        record, instance = self._record, self._instance
        numbers = [int(number) for number in record.numbers]
        iteration = numbers[records.ITERATION]
        best_tour = iteration_tour = picture = trails = None
        if iteration and Wanted.SOLUTION in wanted:
            best_tour = checked_tour(instance, record.best_tour, numbers[records.BEST_LENGTH])
        if iteration and Wanted.ITERATION_SOLUTION in wanted:
            iteration_tour = checked_tour(instance, record.last_tour, numbers[records.LAST_BEST])
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            order = record.best_tour if iteration else np.arange(instance.n)
            picture, trails = self._draw(wanted, order)
        return Snapshot(
            iteration=iteration,
            solutions_built=iteration * self._m,
            best_cost=numbers[records.BEST_LENGTH],
            best_iteration=numbers[records.BEST_ITERATION],
            iteration_best=numbers[records.LAST_BEST],
            iteration_mean=numbers[records.LAST_TOTAL] / self._m,
            best_solution=best_tour,
            iteration_solution=iteration_tour,
            pheromone=picture,
            trails=trails,
            updates=self._updates(),
            branching=branching_factor(self._listed()) if Wanted.BRANCHING in wanted else None,
            limits=self._limits(),
            phases=self._stages.times,
        )

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        self._stages.close()
