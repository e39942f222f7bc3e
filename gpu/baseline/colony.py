"""What every colony on the CPU does alike: iterations in slices, by a team, and snapshots."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gpu.baseline import barrier
from gpu.baseline import record as records
from gpu.baseline.team import Team
from gpu.colony import never
from gpu.errors import DeviceError, ParameterError
from gpu.instances.instance import TspInstance
from gpu.random import key_of
from gpu.snapshot import Snapshot, Trails, Updates, Wanted
from gpu.summaries import branching_factor, checked_tour

SLICE = 0.02
"""Seconds of work between two looks at whether to stop."""

FIRST, GROWTH = 16, 8
"""Units of work in the first slice of a stage, and how much larger the next may be."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of an iteration that all threads finish before the next part begins.

    Attributes
    ----------
    bit : int
        Its name in the compiled code: a power of two.
    phase : str
        The phase of a snapshot to which its time counts.
    units : int
        Units of work, such as rows or steps, of the thread that has most of them. Every thread
        works through its own units in order, and may be stopped between any two.
    """

    bit: int
    phase: str
    units: int


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
        self._stages = tuple(stages)
        self._pace = [FIRST] * len(self._stages)  # units a slice
        self._stage = self._unit = 0  # where the iteration stands
        self._spent = dict.fromkeys((stage.phase for stage in stages), 0.0)
        self._phases: Mapping[str, float] = MappingProxyType({})
        self._duration = math.inf  # of an iteration, seconds
        self._team: Team | None = Team(threads)

    @abstractmethod
    def _work(
        self, gate: NDArray[np.int64], member: int, count: int, stages: int, begin: int, end: int
    ) -> None:
        """Do the units from ``begin`` to before ``end`` of these stages, ``count`` times.

        The threads call this at once, each with its number; ``gate`` is a fresh barrier.
        """

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

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations, the last one timed by phase; see :mod:`gpu.colony`.

        Raises
        ------
        DeviceError
            If the colony was closed.
        """
        asked = time.perf_counter()
        while count > 0:
            batch = min(count - 1, int(SLICE / self._duration)) if self._is_between() else 0
            if batch:
                self._run(batch, sum(stage.bit for stage in self._stages), 0, 2**62)
                count -= batch
            else:
                count -= self._advance()
            now = time.perf_counter()
            if now - asked >= SLICE / 2:
                if stop():
                    return
                asked = now

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.colony.Colony.timed_iteration`."""
        while not self._advance():
            pass
        return self._phases

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        record, instance = self._record, self._instance
        numbers = [int(number) for number in record.numbers]
        iteration = numbers[records.ITERATION]
        best_tour = iteration_tour = picture = trails = None
        if iteration and Wanted.TOUR in wanted:
            best_tour = checked_tour(instance, record.best_tour, numbers[records.BEST_LENGTH])
        if iteration and Wanted.ITERATION_TOUR in wanted:
            iteration_tour = checked_tour(instance, record.last_tour, numbers[records.LAST_BEST])
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            order = record.best_tour if iteration else np.arange(instance.n)
            picture, trails = self._draw(wanted, order)
        return Snapshot(
            iteration=iteration,
            tours_built=iteration * self._m,
            best_length=numbers[records.BEST_LENGTH],
            best_iteration=numbers[records.BEST_ITERATION],
            iteration_best=numbers[records.LAST_BEST],
            iteration_mean=numbers[records.LAST_TOTAL] / self._m,
            best_tour=best_tour,
            iteration_tour=iteration_tour,
            pheromone=picture,
            trails=trails,
            updates=self._updates(),
            branching=branching_factor(self._listed()) if Wanted.BRANCHING in wanted else None,
            phases=self._phases,
        )

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._team:
            self._team.close()
        self._team = None

    def _is_between(self) -> bool:
        """Whether no iteration has begun that is not whole."""
        return self._stage == self._unit == 0

    def _advance(self) -> int:
        """Do a slice of the iteration that has begun, or of a new one; return 1 if it is whole."""
        stage, pace = self._stages[self._stage], self._pace[self._stage]
        begin, end = self._unit, min(self._unit + pace, stage.units)
        before = time.perf_counter()
        self._run(1, stage.bit, begin, end)
        seconds = time.perf_counter() - before
        self._spent[stage.phase] += seconds
        if end - begin == pace or seconds > SLICE:
            fitting = int((end - begin) * SLICE / max(seconds, 1e-9))
            self._pace[self._stage] = max(1, min(fitting, GROWTH * pace))
        self._unit = end
        if end < stage.units:
            return 0
        self._unit, self._stage = 0, self._stage + 1
        if self._stage < len(self._stages):
            return 0
        self._stage = 0
        self._duration = sum(self._spent.values())
        self._phases = MappingProxyType({name: 1e3 * took for name, took in self._spent.items()})
        self._spent = dict.fromkeys(self._spent, 0.0)
        return 1

    def _run(self, count: int, stages: int, begin: int, end: int) -> None:
        if self._team is None:
            raise DeviceError("the colony is closed; start a new run")
        gate = barrier.new_gate()
        try:
            self._team.run(lambda member: self._work(gate, member, count, stages, begin, end))
        except BaseException:  # an interrupt, say, before this thread's own part began
            barrier.throw_open(gate)
            self.close()
            raise
