"""Colonies that only sleep, so that the results of a measurement are known beforehand."""

import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from gpu.acs.parameters import AcsParameters
from gpu.core.colony import never
from gpu.core.errors import DeviceError
from gpu.core.machine.devices import Device
from gpu.core.snapshot import RunState, Snapshot, Wanted
from gpu.problems.tsp.instance import TspInstance
from tests.waiting import until

FAST, SLOW = 0.001, 0.004


class Sleeper:
    """Takes the same time for each iteration; a lazy one sleeps when its state is asked for.

    Its tours get better by 1 with each iteration, from 1000.
    """

    open_now = 0

    def __init__(self, period: float, *, lazy: bool) -> None:
        self.period = period
        self.lazy = lazy
        self.pending = self.iteration = 0
        Sleeper.open_now += 1

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        self.iteration += count
        self.pending += count
        if not self.lazy:
            self._finish()

    def timed_iteration(self) -> Mapping[str, float]:
        self.iterate(1)
        self._finish()
        return {"construction": 1e3 * self.period}

    def snapshot(self, wanted: Wanted) -> Snapshot:
        self._finish()
        best = 1000 - self.iteration
        return RunState(self.iteration, 0, best, 0, best, 0.0, phases={"construction": 0.5})

    def trails_from(self, city: int) -> NDArray[np.float32]:
        return np.ones(city + 1, np.float32)

    def close(self) -> None:
        Sleeper.open_now -= 1

    def _finish(self) -> None:
        # Sleeping overshoots by some 0.1 ms, so all at once.
        time.sleep(self.period * self.pending)
        self.pending = 0


def build_fast(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Sleeper:
    return Sleeper(FAST, lazy=True)


def build_slow(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Sleeper:
    return Sleeper(SLOW, lazy=False)


def build_broken(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Sleeper:
    raise DeviceError("the device is out of order")


class Endless(Sleeper):
    """Works on one iteration until it is told to stop, and never completes it."""

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        until(stop)


def build_endless(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Endless:
    return Endless(SLOW, lazy=False)
