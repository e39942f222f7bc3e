"""Times colonies in this process, in turns, so that none disturbs another.

What all timings share: warm-up, whole iterations and their phases, failures, progress, cancelling.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

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
class TimedColony:
    """A colony to be timed, and what was measured of it so far."""

    label: str
    system: System
    device: Device
    parameters: Parameters
    seconds: list[float] = field(default_factory=list)  # an iteration, for each seed
    phases: dict[str, list[float]] = field(default_factory=dict)  # milliseconds of each phase
    estimate: float = math.inf  # seconds an iteration, by the warm-up
    failure: str = ""  # why it could not be measured

    def build(self, instance: Instance, seed: int) -> closing[Colony]:
        """Build the colony for ``instance``."""
        return closing(catalog.build(self.system, instance, self.parameters, self.device, seed))

    def note_phases(self, times: Mapping[str, float]) -> None:
        """Note the milliseconds of each phase of an iteration."""
        for phase, milliseconds in times.items():
            self.phases.setdefault(phase, []).append(milliseconds)


AnyTimed = TypeVar("AnyTimed", bound=TimedColony)


@dataclass(eq=False, kw_only=True)
class TimedTurns(Generic[AnyTimed]):
    """Colonies that take turns, so that a machine that slows down slows all of them."""

    failures: ClassVar[tuple[type[FormicariumError], ...]] = (DeviceError,)
    """Errors after which the other colonies are still measured."""

    instance: Instance
    colonies: Sequence[AnyTimed]
    turns: int  # of each colony, as far as it is known: for the progress
    cancelled: Callable[[], bool]  # asked between any two steps
    progress: Callable[[str, float], None]
    done: int = 0  # turns

    def each(
        self, what: str, measure: Callable[[AnyTimed, int], None], seeds: Sequence[int]
    ) -> Iterator[AnyTimed]:
        """For each seed, ``measure`` all colonies in turn; yield each when it is done.

        One that fails is left out from then on. CancelledError if it is cancelled.
        """
        for seed in seeds:
            for one in self.colonies:
                if one.failure:
                    continue
                self.check_cancelled()
                share = self.done / max(1, self.turns * len(self.colonies))
                self.progress(f"{one.label}: {what}", min(share, 1.0))
                self.done += 1
                try:
                    measure(one, seed)
                except self.failures as error:
                    one.failure = str(error)
                yield one

    def warm_up(self, colony: Colony, seconds: float) -> float:
        """Work for ``seconds`` to raise the device's clocks; return the seconds an iteration."""
        begin = time.perf_counter()
        count, elapsed = 0, 0.0
        while not count or elapsed < seconds:
            self.iterate(colony, max(1, count))  # twice as many each time
            count = max(1, 2 * count)
            elapsed = time.perf_counter() - begin
        return elapsed / count

    def iterate(self, colony: Colony, count: int, at_once: int = 0) -> Snapshot:
        """Run ``count`` iterations and wait until the device has done them.

        It is asked whether to go on after each ``at_once`` iterations, if that is given.
        """
        for first in range(0, count, at_once or count):
            colony.iterate(min(at_once or count, count - first), self.cancelled)
            self.check_cancelled()
        snapshot = colony.snapshot(Wanted.NUMBERS)
        self.check_cancelled()
        return snapshot

    def check_cancelled(self) -> None:
        """Raise CancelledError if it is so."""
        if self.cancelled():
            raise CancelledError


def time_phases(
    colony: Colony, most: int, going: Callable[[float], bool]
) -> Iterator[Mapping[str, float]]:
    """Make at most ``most`` iterations one by one; yield the milliseconds of each one's phases.

    ``going`` is asked before each iteration, with the milliseconds of all before.
    """
    spent = 0.0
    for _ in range(most):
        if not going(spent):
            return
        times = colony.timed_iteration()
        spent += sum(times.values())
        yield times
