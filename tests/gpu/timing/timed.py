"""Colonies that sleep, or only state times, so that measurements are known beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.acs.parameters import AcsParameters
from gpu.core.colony import Colony, never
from gpu.core.errors import DeviceError
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters, parameter
from gpu.core.snapshot import RunState, Snapshot, Wanted
from gpu.core.system import Place, System, SystemOf
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


@dataclass(frozen=True)
class TimedParameters(Parameters):
    """One parameter of each kind."""

    ants: int = parameter(8, "m", "Ants.", 1, 100)
    update: str = parameter(
        "fast",
        "Δτ",
        "How trails are updated.",
        options={
            "fast": "at once",
            "slow": "by and by",
            "endless": "in n^4 steps",
            "broken": "never",
        },
        phase="update",
    )
    workers: int | None = parameter(
        None, "w", "Threads an ant.", 16, 64, automatic="by size", power_of_two=True,
        phase="construction",
    )  # fmt: skip


@dataclass(frozen=True)
class PlainParameters(Parameters):
    """The same without options; its ``update`` has another meaning."""

    ants: int = parameter(8, "m", "Ants.", 1, 100)
    update: int = parameter(1, "u", "Updates an iteration.", 1, 9)


class Timed:
    """Takes no time, and states the times that its parameters stand for."""

    built: ClassVar[list[tuple[str, int, Parameters, int]]] = []
    open_now = 0

    def __init__(self, name: str, instance: TspInstance, parameters: Parameters, seed: int) -> None:
        Timed.built.append((name, instance.n, parameters, seed))
        values = parameters.to_dict()
        if values["update"] == "broken":
            raise DeviceError("the device is out of order")
        Timed.open_now += 1
        seconds = {"fast": 0.001, "slow": 0.003, "endless": 20 * (instance.n / 1000) ** 4}
        workers = values.get("workers") or 48
        self.phases = {
            "construction": 1000 / float(workers) if name == "timed" else 50.0,
            "update": 1e3 * seconds.get(str(values["update"]), 0.002),
        }
        self.iteration = 0

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        self.iteration += count

    def timed_iteration(self) -> Mapping[str, float]:
        self.iteration += 1
        return {phase: time + 0.01 * (self.iteration % 3) for phase, time in self.phases.items()}

    def snapshot(self, wanted: Wanted) -> Snapshot:
        return RunState(self.iteration, self.iteration, 1000, 1, 1000, 1000.0)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        return np.ones(city + 1, np.float32)

    def close(self) -> None:
        Timed.open_now -= 1


def build(instance: TspInstance, parameters: Parameters, device: Device, seed: int) -> Timed:
    return Timed("timed", instance, parameters, seed)


def build_plain(instance: TspInstance, parameters: Parameters, device: Device, seed: int) -> Timed:
    return Timed("plain", instance, parameters, seed)


def install(patch: pytest.MonkeyPatch) -> System:
    """Put a search of two systems for cpu:1 into the catalog; return the one with options."""
    timed, plain, elsewhere = (
        SystemOf(
            name=f"timed-{name}",
            title=f"Timed {name}",
            paper="none",
            made_of="numbers",
            summary=f"Only says how long it took, {name}.",
            deterministic=True,
            instances=TspInstance,
            parameters=parameters,
            builders={place: builder},
            alias="timed",
        )
        for name, parameters, place, builder in _ROWS
    )
    patch.setattr(catalog, "CATALOG", (*catalog.CATALOG, elsewhere, plain, timed))
    patch.setattr(Timed, "built", [])
    return timed


Build = Callable[[TspInstance, Parameters, Device, int], Colony]

_ROWS: tuple[tuple[str, type[Parameters], Place, Build], ...] = (
    ("options", TimedParameters, "cpu:1", build),
    ("plain", PlainParameters, "cpu:1", build_plain),
    ("elsewhere", TimedParameters, "cuda", build),
)
