"""The contract of whatever does the runs of a study: processes of this machine, or a cluster."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

from gpu.batch.plan import PlannedRun
from gpu.batch.results import Record
from gpu.core.errors import FormicariumError

ATTEMPTS = 2  # processes that a run may cost

RESOURCES: Mapping[str, str] = {"cuda": "GPU", "cpu": "CORES"}
"""What a worker of a cluster must have, by kind of device. Runs on one core go to any worker."""

GIVEN_UP = (
    "the process that did this run ended twice without a result: it was killed, or the memory is "
    "too small"
)
"""Said of a run that has cost two processes."""


class RunnerError(FormicariumError):
    """Runs cannot be done at all; the message says why. What is finished is kept."""


class Listener(Protocol):
    """Hears what happens to runs, in the thread that works on the study."""

    def begun(self, run: PlannedRun) -> None:
        """A run begins; after the end of its process, perhaps for the second time."""

    def lost(self, run: PlannedRun) -> None:
        """The process of a run has ended without a result: the run waits to begin again."""

    def ended(self, record: Record) -> None:
        """A run has ended."""


class Runner(Protocol):
    """Does runs, several at once where it can."""

    def check(self, runs: Sequence[PlannedRun]) -> None:
        """Raise RunnerError or DeviceError if some of ``runs`` cannot be done here."""

    def at_once(self, device: str) -> int:
        """How many runs on this kind of device are done at once."""

    def perform(self, runs: Sequence[PlannedRun], control: Control, listener: Listener) -> None:
        """Do all ``runs`` in this thread's time, about in this order; return when all have ended.

        It returns earlier if the ``control`` has been cancelled; runs that were under way are given
        up then. RunnerError if nothing more can be done.
        """


class Control:
    """Switches that any thread may turn; the thread of the study looks at them."""

    def __init__(self) -> None:
        self._paused = threading.Event()
        self._cancelled = threading.Event()
        self._turned = threading.Event()  # wakes whoever waits

    @property
    def paused(self) -> bool:
        """Whether runs wait."""
        return self._paused.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether the study must end."""
        return self._cancelled.is_set()

    def pause(self) -> None:
        """Ask runs to wait."""
        self._paused.set()
        self._turned.set()

    def go_on(self) -> None:
        """Let runs go on."""
        self._paused.clear()
        self._turned.set()

    def cancel(self) -> None:
        """Ask for the end: what runs is given up."""
        self._cancelled.set()
        self._turned.set()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until a switch is turned."""
        self._turned.wait(seconds)
        self._turned.clear()
