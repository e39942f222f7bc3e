"""The contract of whatever does cases: this process, processes of this machine, or a cluster."""

from __future__ import annotations

import abc
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

from gpu.core.errors import FormicariumError
from gpu.core.system import Place
from gpu.studies.cases import Case, CaseRecord

ATTEMPTS = 2  # processes that a case may cost

RESOURCES: Mapping[str, str] = {"cuda": "GPU", "cpu": "CORES"}
"""What a worker of a cluster must have, by kind of device. Cases on one core go to any worker."""

_KINDS: tuple[Place, ...] = get_args(Place)

PROCESS_LOST_TWICE = (
    "the process that did this run ended twice without a result: it was killed, or the memory is "
    "too small"
)
"""Said of a case that has cost two processes."""

CaseEvent = Literal["begun", "lost"] | CaseRecord
"""What happens to a case: it begins; its process has ended without a result, so that it waits to
begin again; or it has ended."""

CaseEvents = Generator[tuple[Case, CaseEvent], None, None]


class ExecutorError(FormicariumError):
    """Cases cannot be done at all; the message says why. What is finished is kept."""


class BatchControl:
    """Switches of a batch that any thread may turn; whoever does the cases looks at them."""

    def __init__(self) -> None:
        self._paused = threading.Event()
        self._cancelled = threading.Event()
        self._turned = threading.Event()  # wakes whoever waits

    @property
    def paused(self) -> bool:
        """Whether cases wait."""
        return self._paused.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether the work must end."""
        return self._cancelled.is_set()

    def pause(self) -> None:
        """Let cases wait, as soon as they can; their time does not go on."""
        self._paused.set()
        self._turned.set()

    def go_on(self) -> None:
        """Let cases go on after :meth:`pause`."""
        self._paused.clear()
        self._turned.set()

    def cancel(self) -> None:
        """End the work soon: the cases under way are given up."""
        self._cancelled.set()
        self._turned.set()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until a switch is turned."""
        self._turned.wait(seconds)
        self._turned.clear()


class Executor(abc.ABC):
    """Does cases, several at once where it can, as the ``control`` lets it."""

    def __init__(self, control: BatchControl | None = None) -> None:
        self.control = control or BatchControl()

    def results(self, cases: Sequence[Case]) -> CaseEvents:
        """Do all ``cases``, about in this order, and yield what happens to them.

        Cases that are alone come later, one by one, and those on all cores last. It ends early if
        it is cancelled, or closed. ExecutorError if nothing more can be done.
        """
        self.check(cases)
        together = [case for case in cases if case.needs != "cpu"]
        parts = [together, *([one for one in cases if _by_itself(one, kind)] for kind in _KINDS)]
        with self._opened({case.device for case in cases}) as place:
            for some in parts:
                if some and not self.control.cancelled:
                    yield from self._results(some, place)

    def seconds(self, left: Mapping[str, float]) -> float:
        """Return how long work takes that needs so many seconds one by one, by what cases need."""
        times = {kind: max(0.0, amount) / self.at_once(kind) for kind, amount in left.items()}
        last = times.pop("cpu", 0.0)  # which come after the others
        return max(times.values(), default=0.0) + last

    @abc.abstractmethod
    def check(self, cases: Sequence[Case]) -> None:
        """Raise ExecutorError or DeviceError if some of ``cases`` cannot be done here."""

    @abc.abstractmethod
    def at_once(self, device: str) -> int:
        """How many cases on this kind of device are done at once."""

    @contextmanager
    def _opened(self, kinds: set[Any]) -> Iterator[Any]:
        """Open what does cases on these kinds of devices."""
        yield None

    @abc.abstractmethod
    def _results(self, cases: Sequence[Case], place: Any) -> CaseEvents:
        """Do ``cases`` at a ``place`` that was opened.

        None of them must wait for others, unless all need the whole machine: they are of one kind
        of device then, and done one by one.
        """


def _by_itself(case: Case, device: Place) -> bool:
    return case.needs == "cpu" and case.device == device
