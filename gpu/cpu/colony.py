"""What all colonies on the CPU have in common: iterations by several threads, and snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.snapshot import Snapshot, Trails, Wanted
from gpu.cpu import record as records
from gpu.cpu.record import Record
from gpu.cpu.stage_loop import Task
from gpu.cpu.stages import Stage, Stages

Painter = Callable[[NDArray[np.integer]], NDArray[np.float32]]
"""Takes the best solution, which gives the order of rows and columns; returns a picture."""


class CpuColony(ABC):
    """A colony on the CPU; see :mod:`gpu.core.colony`.

    The same seed gives the same solutions on every machine and with any number of threads. The
    ``record`` is part of ``state``; for the others see :class:`gpu.cpu.stages.Stages`.

    Raises
    ------
    DeviceError
        If the system does not grant the threads.
    """

    _instance: Any

    def __init__(
        self,
        ants: int,
        record: Record,
        stages: Sequence[Stage],
        state: Any,
        workspaces: Sequence[Any],
    ) -> None:
        self._m, self._record = ants, record
        self._stages = Stages(stages, self._run, state, workspaces)

    @staticmethod
    @abstractmethod
    def _run(state: Any, workspace: Any, barrier: NDArray[np.int64], task: Task, /) -> None:
        """Do a thread's task: the family's :data:`gpu.cpu.stage_loop.Run`."""

    @staticmethod
    @abstractmethod
    def _checked(instance: Any, solution: NDArray[np.integer], cost: int, /) -> NDArray[np.int32]:
        """Return a read-only copy of ``solution``; check that it is valid and has this cost."""

    @abstractmethod
    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        """Return what paints all trails as they stand, and what selects the strongest."""

    @abstractmethod
    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        """Return what a snapshot has that not all colonies know."""
        return {}

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
        numbers = record.numbers.tolist()
        iteration = numbers[records.ITERATION]
        best = last = picture = trails = None
        if iteration and Wanted.SOLUTION in wanted:
            best = self._checked(self._instance, record.best_solution, numbers[records.BEST_COST])
        if iteration and Wanted.ITERATION_SOLUTION in wanted:
            last = self._checked(self._instance, record.last_solution, numbers[records.LAST_BEST])
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            solution = record.best_solution if iteration else np.arange(self._instance.n)
            paint, select = self._painters()
            picture = paint(solution) if Wanted.PHEROMONE in wanted else None
            trails = select() if Wanted.TRAILS in wanted else None
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
            phases=self._stages.times,
            **self._more(wanted),
        )

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        self._stages.close()
