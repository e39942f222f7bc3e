"""A study at work: it does the runs that are not done yet, and keeps each result as it comes."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from gpu.batch.control import Control
from gpu.batch.plan import Plan, PlannedRun
from gpu.batch.reading import read_records
from gpu.batch.record import Record
from gpu.batch.results import DONE, FAILED
from gpu.batch.runner import Runner
from gpu.batch.store import Store


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a study is."""

    total: int  # runs of the study
    done: int  # with a result, those of earlier times among them
    failed: int
    running: int  # now
    seconds: float  # since this time of work began
    seconds_left: float | None  # until the last run ends, as far as that can be told
    paused: bool  # whether runs wait, because the user asked for it

    @property
    def waiting(self) -> int:
        """Runs that have not begun."""
        return self.total - self.done - self.failed - self.running

    @property
    def complete(self) -> bool:
        """Whether every run has ended."""
        return self.done + self.failed == self.total


class Study:
    """The runs of a plan that its store has no results of.

    Make it and call :meth:`run` in any thread, which then works on the study. All other methods may
    be called from other threads meanwhile. The plan is adopted by the store here: StoreError if
    that is impossible. Runs that files of other studies, the ``sources``, have results of are taken
    over. With ``retry_failed``, runs that have failed are done again. ``changed`` is called in the
    thread that works, whenever a run begins or ends.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        runner: Runner,
        *,
        sources: Sequence[Path] = (),
        retry_failed: bool = False,
        changed: Callable[[Progress], object] = lambda progress: None,
    ) -> None:
        self._store = store
        self._runner = runner
        self._changed = changed
        self._control = Control()
        self._lock = threading.Lock()  # of everything below
        self.added = store.adopt(plan)  # runs that the file did not have
        keyed = {run.key: run for run in plan.runs}
        self.taken = 0  # runs that came from ``sources``
        for source in sources:
            for record in read_records(source, store.waiting()):
                self.taken += store.finish(record)
        self._waiting = {key: keyed[key] for key in store.waiting(with_failed=retry_failed)}
        counts = store.counts()
        self._total = len(keyed)
        self._ended = {DONE: counts[DONE], FAILED: counts[FAILED]}
        self._begun: dict[str, float] = {}  # when each run began that is under way
        self._left = Counter(map(_Kind.of, self._waiting.values()))
        self._spent: dict[_Kind, tuple[int, float]] = {}  # runs that have ended, and their seconds
        self._limits = {_Kind.of(run): run.budget.seconds for run in plan.runs}
        self._start = time.monotonic()

    @property
    def runs(self) -> tuple[PlannedRun, ...]:
        """The runs that are not done yet, in their order."""
        with self._lock:
            return tuple(self._waiting.values())

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        with self._lock:
            return Progress(
                total=self._total,
                done=self._ended[DONE],
                failed=self._ended[FAILED],
                running=len(self._begun),
                seconds=time.monotonic() - self._start,
                seconds_left=self._seconds_left(),
                paused=self._control.paused,
            )

    def pause(self) -> None:
        """Let the runs wait, as soon as they can; their time does not go on."""
        self._control.pause()

    def go_on(self) -> None:
        """Let the runs go on after :meth:`pause`."""
        self._control.go_on()

    def cancel(self) -> None:
        """End the work soon: what runs is given up, and waits for the next time."""
        self._control.cancel()

    def run(self) -> None:
        """Do the runs until all have ended, or :meth:`cancel` is called.

        RunnerError or DeviceError if runs cannot be done at all, StoreError if results cannot be
        kept any more. What was finished before is kept.
        """
        self._start = time.monotonic()
        try:
            if self._waiting and not self._control.cancelled:
                self._runner.perform(self.runs, self._control, self)
        finally:
            with self._lock:
                self._begun.clear()
            self._store.give_up()

    def begun(self, run: PlannedRun) -> None:
        """Note that a run begins; the runner calls it."""
        self._store.begin(run.key)
        with self._lock:
            self._begun[run.key] = time.monotonic()
        self._changed(self.progress)

    def lost(self, run: PlannedRun) -> None:
        """Note that a run must begin again; the runner calls it."""
        with self._lock:
            self._begun.pop(run.key, None)
        self._changed(self.progress)

    def ended(self, record: Record) -> None:
        """Keep the end of a run; the runner calls it."""
        if not self._store.finish(record):
            return
        with self._lock:
            kind = _Kind.of(self._waiting.pop(record.key))
            self._left[kind] -= 1
            self._ended[record.state] += 1
            begun = self._begun.pop(record.key, None)
            if begun is not None and record.state == DONE:
                count, spent = self._spent.get(kind, (0, 0.0))
                self._spent[kind] = count + 1, spent + time.monotonic() - begun
        self._changed(self.progress)

    def _seconds_left(self) -> float | None:
        """Return the time that is still needed, by the runs so far; None where nobody knows."""
        left: dict[str, float] = defaultdict(float)
        count, spent = map(sum, zip(*self._spent.values(), strict=True)) if self._spent else (0, 0)
        for kind, runs in self._left.items():
            expected = self._limits[kind]
            if kind in self._spent:
                expected = self._spent[kind][1] / self._spent[kind][0]
            elif expected is None and count:
                expected = spent / count
            if expected is None:
                return None if any(self._left.values()) else 0.0
            left[kind.device] += runs * expected
        now = time.monotonic()
        for key, begun in self._begun.items():
            left[self._waiting[key].configuration.device] -= now - begun
        times = {
            device: max(0.0, amount) / self._runner.at_once(device)
            for device, amount in left.items()
        }
        last = times.pop("cpu", 0.0)  # which come after the others
        return max(times.values(), default=0.0) + last


class _Kind(NamedTuple):
    """Runs of one kind take about as long as each other."""

    instance: str
    label: str
    device: str

    @classmethod
    def of(cls, run: PlannedRun) -> Self:
        return cls(run.instance.name, run.configuration.label, run.configuration.device)
