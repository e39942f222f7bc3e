"""What both kinds of measurement share: warm-up, failures, progress, and cancelling."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.errors import DeviceError, FormicariumError
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.system import System


class CancelledError(Exception):
    """The measurement was cancelled."""


@dataclass(eq=False)
class Entry:
    """A colony to be measured, and its times so far."""

    label: str
    system: System
    device: Device
    parameters: Parameters
    seconds: list[float] = field(default_factory=list)  # an iteration, for each seed
    failure: str = ""  # why it could not be measured

    def build(self, instance: Instance, seed: int) -> Colony:
        """Build the colony for ``instance``."""
        parameters = self.parameters.resolved(instance.n)
        return catalog.build(self.system, instance, parameters, self.device, seed)


@dataclass(eq=False, kw_only=True)
class Benchmark:
    """A measurement in progress."""

    failures: ClassVar[tuple[type[FormicariumError], ...]] = (DeviceError,)
    """Errors after which the other entries are still measured."""

    instance: Instance
    cancelled: Callable[[], bool]  # asked between any two steps
    progress: Callable[[str, float], None]
    complete: bool = False
    steps: int = 1
    steps_done: int = 0

    def _attempt(self, entry: Entry, what: str, step: Callable[..., None], *more: object) -> None:
        """Do one step for one entry. If it fails, the others go on without it."""
        self._check_cancelled()
        self.progress(f"{entry.label}: {what}", min(self.steps_done / self.steps, 1.0))
        self.steps_done += 1
        try:
            step(entry, *more)
        except self.failures as error:
            entry.failure = str(error)

    def _warm_up(self, colony: Colony, seconds: float) -> float:
        """Work for ``seconds`` to raise the device's clocks; return the seconds an iteration."""
        begin = time.perf_counter()
        count, elapsed = 0, 0.0
        while not count or elapsed < seconds:
            self._iterate(colony, max(1, count))  # twice as many each time
            count = max(1, 2 * count)
            elapsed = time.perf_counter() - begin
        return elapsed / count

    def _iterate(self, colony: Colony, count: int) -> Snapshot:
        """Run ``count`` iterations and wait until the device has done them."""
        colony.iterate(count, self.cancelled)
        snapshot = colony.snapshot(Wanted.NUMBERS)
        self._check_cancelled()
        return snapshot

    def _check_cancelled(self) -> None:
        if self.cancelled():
            raise CancelledError
