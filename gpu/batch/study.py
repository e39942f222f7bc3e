"""A study at work: it does the runs that are not done yet, and keeps each result as it comes."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from gpu.batch.executor import Control, Runner
from gpu.batch.plan import Plan, PlannedRun
from gpu.batch.results import DONE, FAILED, Record
from gpu.batch.store import Store, read_records
from gpu.batch.worker import Worker
from gpu.core.colony import never
from gpu.core.errors import FormicariumError

TRIAL = 1.0  # seconds that each colony is tried on each instance

LIMITS, TRIALS, UNKNOWN = "limits", "trials", "unknown"


@dataclass(frozen=True, slots=True)
class Foresight:
    """The time that runs will take."""

    # LIMITS: at most so long, because each run has a limit of seconds; TRIALS: about so long, by a
    # short run of each colony on each instance; UNKNOWN: neither time nor iterations are limited,
    # or a trial was impossible
    basis: str
    seconds: float | None  # of all, with as many at once as the runner does; None if unknown
    why: str = ""  # why a trial was impossible, in a sentence


def foreseen(
    runs: Sequence[PlannedRun],
    runner: Runner,
    *,
    cancelled: Callable[[], bool] = never,
    trying: Callable[[str], object] = lambda what: None,
) -> Foresight:
    """Return how long ``runs`` will take.

    Where their budget has no seconds, but iterations, each colony is tried on each instance in this
    process for about a second, and compiled before; ``trying`` is told which.
    """
    left: dict[str, float] = defaultdict(float)
    basis = LIMITS
    tried: dict[tuple[str, str], float] = {}
    workers: dict[str, Worker] = {}
    for run in runs:
        seconds = run.budget.seconds
        if seconds is None:
            basis = TRIALS
            if run.budget.iterations is None:
                return Foresight(UNKNOWN, None)
            device = run.configuration.device
            kind = run.instance.name, run.configuration.label
            if kind not in tried:
                trying(f"{run.configuration.label} on {run.instance.name}")
                worker = workers.setdefault(device, Worker(device))
                try:
                    tried[kind] = _tried(run, worker, cancelled)
                except FormicariumError as error:
                    return Foresight(UNKNOWN, None, str(error))
            seconds = tried[kind]
        left[run.configuration.device] += seconds
    times = {device: amount / runner.at_once(device) for device, amount in left.items()}
    whole = times.pop("cpu", 0.0)  # they come after the others
    return Foresight(basis, max(times.values(), default=0.0) + whole)


def _tried(run: PlannedRun, worker: Worker, cancelled: Callable[[], bool]) -> float:
    """Return the seconds that ``run`` will take; FormicariumError if it cannot run here."""
    most = run.budget.iterations
    assert most is not None
    trial = replace(run, budget=replace(run.budget, seconds=TRIAL))
    record = worker.perform(trial, lambda: not cancelled())
    if record is None:
        raise FormicariumError("it was cancelled")
    if record.state == FAILED:
        raise FormicariumError(record.reason)
    if not record.iterations or record.seconds < TRIAL:  # it ended by itself, or took long
        return record.seconds if record.iterations else record.seconds * most
    return record.seconds * most / record.iterations


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
        control: Control | None = None,
    ) -> None:
        self._store = store
        self._runner = runner
        self._changed = changed
        self._control = control or Control()
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
