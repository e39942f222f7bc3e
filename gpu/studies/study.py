"""A study at work: it does the cases that are not done yet, and keeps each result as it comes."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from gpu.core.colony import never
from gpu.core.errors import FormicariumError
from gpu.studies.cases import DONE, FAILED, Case, CaseRecord
from gpu.studies.execution.executor import CaseEvent, Executor
from gpu.studies.execution.worker import InProcess
from gpu.studies.plan import Plan
from gpu.studies.store import Store, read_records

TRIED_SECONDS = 1.0  # that each colony is tried on each instance

BY_LIMITS, BY_TRIALS, NOT_KNOWN = "limits", "trials", "unknown"


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is."""

    total: int  # cases of the study
    done: int  # with a result, those of earlier times among them
    failed: int
    running: int  # now
    seconds: float  # since this time of work began
    seconds_left: float | None  # until the last case ends, as far as that can be told
    paused: bool  # whether cases wait, because the user asked for it

    @property
    def waiting(self) -> int:
        """Cases that have not begun."""
        return self.total - self.done - self.failed - self.running

    @property
    def complete(self) -> bool:
        """Whether every case has ended."""
        return self.done + self.failed == self.total


class Study:
    """The cases of a plan that its store has no results of.

    Make it and call :meth:`run` in any thread, which then works on the study. All other methods may
    be called from other threads meanwhile. The plan is adopted by the store here: StoreError if
    that is impossible. Cases that files of other studies, the ``sources``, have results of are
    taken over. With ``retry_failed``, cases that have failed are done again. Where ``on`` names a
    kind of device, only its cases are done, and the others wait. ``changed`` is called in the
    thread that works, whenever a case begins or ends.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        executor: Executor,
        *,
        sources: Sequence[Path] = (),
        retry_failed: bool = False,
        on: str = "",
        changed: Callable[[StudyProgress], object] = lambda progress: None,
    ) -> None:
        self._store = store
        self._executor = executor
        self._changed = changed
        self._lock = threading.Lock()  # of everything below
        self.added = store.adopt(plan)  # cases that the file did not have
        keyed = {case.key: case for case in plan.cases}
        self.taken = 0  # cases that came from ``sources``
        for source in sources:
            for record in read_records(source, {key: keyed[key] for key in store.waiting()}):
                self.taken += store.finish(record)
        waiting = (keyed[key] for key in store.waiting(with_failed=retry_failed))
        self._waiting = {case.key: case for case in waiting if on in ("", case.device)}
        counts = store.counts()
        self._total = len(keyed)
        self._ended = {DONE: counts[DONE], FAILED: counts[FAILED]}
        self._begun: dict[str, float] = {}  # when each case began that is under way
        self._left = Counter(map(_Kind.of, self._waiting.values()))
        self._spent: dict[_Kind, tuple[int, float]] = {}  # cases that have ended, and their seconds
        self._limits = {_Kind.of(case): case.budget.seconds for case in plan.cases}
        self._start = time.monotonic()

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that are still to be done, in their order."""
        with self._lock:
            return tuple(self._waiting.values())

    @property
    def progress(self) -> StudyProgress:
        """How far it is now."""
        with self._lock:
            return StudyProgress(
                total=self._total,
                done=self._ended[DONE],
                failed=self._ended[FAILED],
                running=len(self._begun),
                seconds=time.monotonic() - self._start,
                seconds_left=self._seconds_left(),
                paused=self._executor.control.paused,
            )

    def pause(self) -> None:
        """Let the cases wait, as soon as they can; their time does not go on."""
        self._executor.control.pause()

    def go_on(self) -> None:
        """Let the cases go on after :meth:`pause`."""
        self._executor.control.go_on()

    def cancel(self) -> None:
        """End the work soon: what runs is given up, and waits for the next time."""
        self._executor.control.cancel()

    def run(self) -> None:
        """Do the cases until all have ended, or :meth:`cancel` is called.

        ExecutorError or DeviceError if cases cannot be done at all, StoreError if results cannot be
        kept any more. What was finished before is kept.
        """
        self._start = time.monotonic()
        try:
            if self._waiting and not self._executor.control.cancelled:
                with closing(self._executor.results(self.cases)) as events:
                    for case, event in events:
                        self._note(case, event)
        finally:
            with self._lock:
                self._begun.clear()
            self._store.give_up()

    def _note(self, case: Case, event: CaseEvent) -> None:
        """Keep what has happened to a case."""
        if isinstance(event, CaseRecord):
            if not self._store.finish(event):
                return
        elif event == "begun":
            self._store.begin(case.key)
        with self._lock:
            begun = self._begun.pop(case.key, None)
            if event == "begun":
                self._begun[case.key] = time.monotonic()
            elif isinstance(event, CaseRecord):
                kind = _Kind.of(self._waiting.pop(case.key))
                self._left[kind] -= 1
                self._ended[event.state] += 1
                if begun is not None and event.state == DONE:
                    count, spent = self._spent.get(kind, (0, 0.0))
                    self._spent[kind] = count + 1, spent + time.monotonic() - begun
        self._changed(self.progress)

    def _seconds_left(self) -> float | None:
        """Return the time that is still needed, by the cases so far; None where nobody knows."""
        left: dict[str, float] = defaultdict(float)
        count, spent = map(sum, zip(*self._spent.values(), strict=True)) if self._spent else (0, 0)
        for kind, cases in self._left.items():
            expected = self._limits[kind]
            if kind in self._spent:
                expected = self._spent[kind][1] / self._spent[kind][0]
            elif expected is None and count:
                expected = spent / count
            if expected is None:
                return None if any(self._left.values()) else 0.0
            left[kind.needs] += cases * expected
        now = time.monotonic()
        for key, begun in self._begun.items():
            left[self._waiting[key].needs] -= now - begun
        return self._executor.seconds(left)


class _Kind(NamedTuple):
    """Cases of one kind take about as long as each other."""

    instance: str
    label: str
    needs: str

    @classmethod
    def of(cls, case: Case) -> Self:
        return cls(case.instance.name, case.configuration.label, case.needs)


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """The time that cases will take."""

    # BY_LIMITS: at most so long, because each case has a limit of seconds; BY_TRIALS: about so
    # long, by a short run of each colony on each instance; NOT_KNOWN: neither time nor iterations
    # are limited, or a trial was impossible
    basis: str
    seconds: float | None  # of all, with as many at once as the executor does; None if unknown
    why: str = ""  # why a trial was impossible, in a sentence


def expected_time(
    cases: Sequence[Case],
    executor: Executor,
    *,
    cancelled: Callable[[], bool] = never,
    trying: Callable[[str], object] = lambda what: None,
) -> ExpectedTime:
    """Return how long ``cases`` will take.

    Where their budget has no seconds, but iterations, each colony is tried on each instance in this
    process for about a second, and compiled before; ``trying`` is told which.
    """
    left: dict[str, float] = defaultdict(float)
    basis = BY_LIMITS
    tried: dict[_Kind, float] = {}
    here = InProcess(stop=cancelled)
    for case in cases:
        seconds = case.budget.seconds
        if seconds is None:
            basis = BY_TRIALS
            if case.budget.iterations is None:
                return ExpectedTime(NOT_KNOWN, None)
            kind = _Kind.of(case)
            if kind not in tried:
                trying(f"{kind.label} on {kind.instance}")
                try:
                    tried[kind] = _tried(case, here)
                except FormicariumError as error:
                    return ExpectedTime(NOT_KNOWN, None, str(error))
            seconds = tried[kind]
        left[case.needs] += seconds
    return ExpectedTime(basis, executor.seconds(left))


def _tried(case: Case, here: InProcess) -> float:
    """Return the seconds that ``case`` will take; FormicariumError if it cannot run here."""
    most = case.budget.iterations
    assert most is not None
    trial = replace(case, budget=replace(case.budget, seconds=TRIED_SECONDS))
    records = [one for _, one in here.results([trial]) if isinstance(one, CaseRecord)]
    if not records:
        raise FormicariumError("it was cancelled")
    (record,) = records
    if not record.iterations and record.seconds >= TRIED_SECONDS:  # one takes longer
        return record.seconds * most
    if record.state == FAILED:
        raise FormicariumError(record.reason)
    if record.seconds < TRIED_SECONDS:  # it ended by itself
        return record.seconds
    return record.seconds * most / record.iterations
