"""Small colonies for tests that must provoke what a good colony does not do.

They search honestly, by random tours, and misbehave only as their name says. They are reached the
way real ones are: as rows of the catalog, put there by :func:`install`.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.acs.parameters import AcsParameters
from gpu.core.colony import never
from gpu.core.decisions import Rule
from gpu.core.errors import DeviceError
from gpu.core.history import History, Improvement, Progress
from gpu.core.instance import Solution
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.devices import Device
from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.system import SystemOf
from gpu.cpu.first_tours import nearest_neighbour_tour
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.waiting import until


class RandomColony:
    """Random tours, one an iteration; remembers what was asked of it."""

    built: ClassVar[list[RandomColony]] = []

    def __init__(
        self, instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
    ) -> None:
        self.instance = instance
        self.rng = np.random.default_rng(seed)
        self.iteration = 0
        self.best: np.ndarray[Any, np.dtype[np.int32]] | None = None
        self.best_cost = 0
        self.best_iteration = 0
        self.last_length = 0
        self.lengths: list[int] = []
        self.asked: list[Wanted] = []
        self.looked_at: set[int] = set()  # cities whose trails were read
        self.threads = {threading.get_ident()}
        self.closed = 0
        RandomColony.built.append(self)

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        self.threads.add(threading.get_ident())
        for _ in range(count):
            self.once()

    def timed_iteration(self) -> Mapping[str, float]:
        begin = time.perf_counter()
        self.iterate(1)
        return {"everything": 1e3 * (time.perf_counter() - begin)}

    def once(self) -> None:
        time.sleep(0.0005)
        tour = self.rng.permutation(self.instance.n).astype(np.int32)
        self.last_length = self.instance.tour_length(tour)
        self.lengths.append(self.last_length)
        self.iteration += 1
        if self.best is None or self.last_length < self.best_cost:
            self.best, self.best_cost = tour, self.last_length
            self.best_iteration = self.iteration

    def snapshot(self, wanted: Wanted) -> Snapshot:
        self.threads.add(threading.get_ident())
        self.asked.append(wanted)
        return Snapshot(
            iteration=self.iteration,
            solutions_built=self.iteration,
            best_cost=self.best_cost if self.iteration else None,
            best_iteration=self.best_iteration,
            iteration_best=self.last_length if self.iteration else None,
            iteration_mean=float(self.last_length) if self.iteration else float("nan"),
            best_solution=self.best if Wanted.SOLUTION in wanted else None,
            branching=2.0 if Wanted.BRANCHING in wanted else None,
            history=history_of(self.lengths),
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        self.threads.add(threading.get_ident())
        self.looked_at.add(city)
        return np.ones(self.instance.n, np.float32)

    def close(self) -> None:
        self.threads.add(threading.get_ident())
        self.closed += 1


class Failing(RandomColony):
    """The device fails in the tenth iteration."""

    error: type[BaseException] = DeviceError

    def once(self) -> None:
        if self.iteration == 9:
            raise self.error("cuda:0 stopped answering: restart the program")
        super().once()


class FailingSnapshot(RandomColony):
    """Fails when the branching factor is asked for, and in being closed."""

    def snapshot(self, wanted: Wanted) -> Snapshot:
        if Wanted.BRANCHING in wanted:
            raise ZeroDivisionError("no trails")
        return super().snapshot(wanted)

    def close(self) -> None:
        super().close()
        raise DeviceError("the device is gone")


class Lying(RandomColony):
    """Says its best tour is shorter than it is, from the fifth iteration on."""

    def snapshot(self, wanted: Wanted) -> Snapshot:
        honest = super().snapshot(wanted)
        if self.iteration < 5:
            return honest
        return dataclasses.replace(honest, best_cost=self.best_cost - 1)


class Skipping(RandomColony):
    """Visits one city twice."""

    def once(self) -> None:
        super().once()
        self.best = self.best.copy()
        self.best[0] = self.best[1]
        self.best_cost = self.instance.tour_length(self.best)


class Unbuildable(RandomColony):
    """Fails while it is built."""

    def __init__(self, *arguments: Any) -> None:
        raise MemoryError


class Compiling(RandomColony):
    """Is compiled for many seconds before it is built."""

    def __init__(self, *arguments: Any) -> None:
        for _ in range(3000):
            COMPILING.check()
            time.sleep(0.01)
        super().__init__(*arguments)


class Slow(RandomColony):
    """Takes half a second for an iteration, and so to build: long enough to be seen at work."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        time.sleep(0.5)

    def once(self) -> None:
        super().once()
        time.sleep(0.5)


class Awaited(RandomColony):
    """Is not built before it is released."""

    released: ClassVar[threading.Event]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        assert self.released.wait(60)


class Stuck(RandomColony):
    """Does not end its second iteration before it is released."""

    released: ClassVar[threading.Event]

    def once(self) -> None:
        assert not self.iteration or self.released.wait(60)
        super().once()


class Patient(RandomColony):
    """Takes half a second for an iteration, which can be left in its midst."""

    held: ClassVar[bool] = False  # the last part of an iteration is not made
    left = 0

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        for _ in range(count):
            self.left = self.left or 50
            while self.left:
                if stop():
                    return
                time.sleep(0.01)
                self.left -= self.left > 1 or not self.held
            super().iterate(1)


class Asking(RandomColony):
    """Asks after each iteration whether to leave, as colonies do whose last phase is over."""

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        for _ in range(count):
            super().iterate(1)
            if stop():
                return


class Bettering(RandomColony):
    """Each tour is shorter than the one before, at no cost of time, until it finds no more."""

    tours = 3000

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        n = self.instance.n
        tours = self.rng.permuted(np.tile(np.arange(n, dtype=np.int32), (self.tours, 1)), axis=1)
        lengths = self.instance.distances(tours, np.roll(tours, -1, axis=1)).sum(axis=1)
        found, first = np.unique(lengths, return_index=True)
        self.better = list(zip(found.tolist(), tours[first], strict=True))

    def once(self) -> None:
        if len(self.better) > 1:
            self.last_length, self.best = self.better.pop()
            self.best_cost, self.best_iteration = self.last_length, self.iteration + 1
        self.iteration += 1
        self.lengths.append(self.last_length)


class Forgetful(RandomColony):
    """Forgets what its iterations found."""

    def snapshot(self, wanted: Wanted) -> Snapshot:
        return dataclasses.replace(super().snapshot(wanted), history=history_of(self.lengths[-1:]))


class Idle(RandomColony):
    """Ends no iteration."""

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        until(stop)


class Contradicting(RandomColony):
    """Says that an iteration found something shorter than its best tour."""

    def once(self) -> None:
        super().once()
        if self.iteration == 5:
            self.lengths[-1] = 1


def install(
    patch: pytest.MonkeyPatch,
    kind: type[RandomColony],
    rule: Callable[[TspInstance, AcsParameters, int], Rule] | None = None,
) -> str:
    """Put ``kind`` into the catalog, for cpu:1; return its name there.

    Its runs begin without a tour, as random ones are seldom better than the usual one.
    """
    name = f"test-{kind.__name__.lower()}"
    row = SystemOf(
        name=name,
        title=kind.__name__,
        paper="none",
        made_of="random tours",
        summary=kind.__doc__ or "",
        deterministic=True,
        instances=TspInstance,
        parameters=AcsParameters,
        builders={"cpu:1": kind},
        rule=rule,
    )
    patch.setattr(catalog, "CATALOG", (*catalog.CATALOG, row))
    patch.setattr(RandomColony, "built", [])
    patch.setattr(kind, "released", threading.Event(), raising=False)
    patch.setattr("gpu.run.run.starts_of", lambda instance, over: ())
    return name


def nearest_start(instance: TspInstance, over: Callable[[], bool]) -> list[Solution]:
    """Return what real runs begin with."""
    return [nearest_neighbour_tour(instance)]


def some_cities(n: int = 30, optimum: int | None = None) -> TspInstance:
    """Return cities at random places."""
    places = np.random.default_rng(n).uniform(0, 1000, (n, 2))
    return TspInstance("cities", "", Metric.EUC_2D, places, None, places, optimum=optimum)


def progress_of(
    iteration: int, seconds: float, best: int, mean: float, found: Sequence[tuple[int, int]]
) -> Progress:
    """What happened in one iteration; ``found`` has iteration and cost of each improvement."""
    return Progress(
        iteration,
        tuple(Improvement(at, seconds, at, cost, mean) for at, cost in found),
        counts=np.ones(1, np.int64),
        ends=np.array([iteration]),
        seconds=np.array([seconds]),
        best=np.array([best]),
        mean=np.array([mean]),
    )


def history_of(costs: Sequence[int]) -> History:
    """The history of a colony with one ant, whose solutions had these costs."""
    return History(len(costs), np.array(costs, np.int64), np.array(costs, np.float64))


def assert_same_history(one: Snapshot, other: Snapshot) -> None:
    """Both tell the same of all iterations, and end with what they tell of the last."""
    assert one.history.last == other.history.last == one.iteration
    np.testing.assert_array_equal(one.history.best, other.history.best)
    np.testing.assert_array_equal(one.history.mean, other.history.mean)
    if one.iteration:
        assert one.history.best[-1] == one.iteration_best
        assert one.history.mean[-1] == one.iteration_mean
