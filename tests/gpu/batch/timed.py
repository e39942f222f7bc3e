"""Colonies that only state times for their phases, so that comparisons are known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.core.colony import Colony, never
from gpu.core.errors import DeviceError
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters, parameter
from gpu.core.snapshot import RunState, Snapshot, Wanted
from gpu.core.system import Place, System, SystemOf
from gpu.problems.tsp.instance import TspInstance


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
