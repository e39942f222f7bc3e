"""The measurements that the window offers: speedups, hit ratios by memory size, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.comparison import comparing
from app.window.threads.tasks import Task
from gpu import catalog
from gpu.core import devices
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.measure import speedup
from gpu.measure.comparison_report import ComparisonReport
from gpu.measure.contenders import contenders
from gpu.measure.speedup_report import SpeedupReport
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from views.plots.hit_rate_view import HitRate
from views.plots.measure_bar import MeasureBar
from views.plots.speedup_view import MOST_PLACES

if TYPE_CHECKING:
    from app.window.controller import WindowController

MEMORIES = (1, 2, 4, 8, 16, 32)
"""Sizes s of the selective memory whose hit ratios are measured."""

ITERATIONS = 100
"""Iterations for each of them."""

REPEATS = 3
BUDGET = 10.0
"""Runs of each contender, and seconds that one may take to reach the target."""


class WindowMeasurements(QObject):
    """Runs one measurement at a time, and none beside a run, which would disturb it.

    Attributes
    ----------
    idle : Signal
        A measurement has ended, one way or the other.
    """

    idle = Signal()

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._task: Task[Any] | None = None
        self._bar: MeasureBar | None = None
        window = controller.window
        self._bars = (window.speedup.measure, window.hit_rates.measure, window.comparison.measure)
        starts = (self.speedups, self.hit_rates, self.compare)
        for bar, start in zip(self._bars, starts, strict=True):
            bar.started.connect(start)
            bar.cancelled.connect(self.cancel)
        self.enable()

    def enable(self) -> None:
        """Allow what can be measured now."""
        why_not = ""
        if self._controller.active:
            why_not = "Stop the run first: it would disturb the measurement"
        elif self._controller.instance is None:
            why_not = "Open an instance first"
        for bar in self._bars:
            other = self._bar is not None and bar is not self._bar
            bar.allow("Another measurement is going on" if other else why_not)
        self._controller.window.block("A measurement is going on" if self._task is not None else "")

    @Slot()
    def speedups(self, thorough: bool = True) -> None:
        """Measure speedups on the instances and with the colonies that the view names.

        Parameters
        ----------
        thorough : bool
            Also measure the time to reach the same length, and with more repeats.
        """
        window, instance = self._controller.window, self._controller.instance
        system = window.setup.colony.system
        if instance is None or system is None:
            return
        scope = window.speedup.scope.currentData()
        every = window.speedup.contenders.currentData() == "all"
        names = _every_search(instance.problem) if every else (system.name,)
        values = window.setup.parameters.values()
        seed = window.setup.choices().seed if not window.setup.problem else 1
        window.speedup.show_reports([])

        def work(task: Task[list[SpeedupReport]]) -> list[SpeedupReport]:
            among = contenders(names, devices.survey())
            shared = _shared(values, system.parameters, [one.system.parameters for one in among])
            reports: list[SpeedupReport] = []
            paths = _paths(scope, instance.problem)
            for number, path in enumerate(paths):
                one = instance if path is None else load_instance(path)
                report = speedup.measure(
                    one,
                    among,
                    shared,
                    seed=seed,
                    repeats=REPEATS if thorough else 2,
                    iterations=None if thorough else 10,
                    budget=BUDGET if thorough else 0.0,
                    cancelled=lambda: task.cancelled,
                    progress=_reporter(task, one.name, number, len(paths)),
                )
                if not report.complete:
                    break
                reports.append(report)
                task.post(window.speedup.show_reports, list(reports))
            return reports

        self._begin(window.speedup.measure, Task(work, self._measured, self._failed, self._advance))

    @Slot()
    def hit_rates(self) -> None:
        """Measure the mean hit ratios of the selective memory for every size in ``MEMORIES``."""
        window, instance = self._controller.window, self._controller.instance
        device, chosen = window.setup.colony.device, window.setup.colony.system
        if instance is None or device is None or chosen is None:
            return
        system = catalog.find("acs-spm", device)
        values = window.setup.parameters.values()
        given = _given(system.parameters.taken_over(values, chosen.parameters))
        seed = window.setup.choices().seed if not window.setup.problem else 1
        window.hit_rates.show_rates([])

        def work(task: Task[list[HitRate]]) -> list[HitRate]:
            rates: list[HitRate] = []
            for number, memory in enumerate(MEMORIES):
                parameters = system.parameters.from_mapping({**given, "memory": memory})
                with closing(
                    catalog.build(system, instance, parameters.resolved(instance.n), device, seed)
                ) as colony:
                    for done in range(ITERATIONS):
                        if task.cancelled:
                            return rates
                        share = (number + done / ITERATIONS) / len(MEMORIES)
                        task.report(share, f"s = {memory}, iteration {done + 1}")
                        colony.iterate(1, stop=lambda: task.cancelled)
                    updates = colony.snapshot(Wanted.NUMBERS).updates
                assert updates is not None  # the selective memory counts them
                rates.append(HitRate(memory, updates.local_ratio, updates.global_ratio))
                task.post(window.hit_rates.show_rates, list(rates))
            return rates

        def done(_: object) -> None:
            self._end(
                f"{instance.name}, {system.title} on {device.name}, {ITERATIONS} iterations each, "
                f"seed {seed}"
            )

        self._begin(window.hit_rates.measure, Task(work, done, self._failed, self._advance))

    @Slot()
    def compare(self) -> None:
        """Compare the colonies of the chosen search, and the options of the chosen colony."""
        window, instance = self._controller.window, self._controller.instance
        work = None if instance is None else comparing(window, instance)
        if work is None:
            window.tell(window.problem)
            return
        window.comparison.show_report(None)

        def done(report: ComparisonReport) -> None:
            self._end("" if report.complete else "Not all was measured.")

        self._begin(window.comparison.measure, Task(work, done, self._failed, self._advance))

    @Slot()
    def cancel(self) -> None:
        """Give the measurement under way up; what it has shown stays in sight."""
        if self._task is not None:
            self._task.cancel()
            self._end("Cancelled.")

    def _begin(self, bar: MeasureBar, task: Task[Any]) -> None:
        if self._task is not None or self._controller.active:
            return
        self._bar, self._task = bar, task
        bar.begin("Warming up")
        self.enable()
        self._controller.decisions.make_room()
        self._controller.background.start(task)

    def _advance(self, share: float, text: str) -> None:
        if self._bar is not None:
            self._bar.advance(share, text)

    def _measured(self, reports: list[SpeedupReport]) -> None:
        failures = [one.failure for report in reports for one in report.measurements if one.failure]
        self._end(failures[0] if failures else "")

    def _failed(self, sentence: str) -> None:
        self._end("")
        self._controller.window.tell(sentence)

    def _end(self, text: str) -> None:
        bar, self._bar, self._task = self._bar, None, None
        if bar is not None:
            bar.finish(text)
        self.enable()
        self.idle.emit()


def _every_search(problem: Problem) -> tuple[str, ...]:
    """Return the name of each system for ``problem`` that some device here can run."""
    found = devices.survey().devices
    return tuple(
        system.name
        for system in catalog.CATALOG
        if system.problem is problem and any(system.runs_on(device) for device in found)
    )


def _reporter(task: Task[Any], name: str, number: int, count: int) -> Callable[[str, float], None]:
    """Return what tells how much of ``count`` instances is done, at the one of this number."""
    return lambda text, share: task.report((number + share) / count, f"{name}: {text}")


def _given(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _shared(
    values: Mapping[str, object], former: type[Parameters], among: Sequence[type[Parameters]]
) -> dict[str, object]:
    """Return those of ``values``, chosen for ``former``, that mean the same to all who have them.

    What was not changed is left out: each has its own defaults.
    """
    kept = _given(values)
    for kind in among:
        same = kind.taken_over(values, former)
        kept = {
            name: value
            for name, value in kept.items()
            if name in same or (name not in kind.kinds() and name in former.kinds())
        }
    known = {name for kind in among for name in kind.kinds()}
    return {name: value for name, value in kept.items() if name in known}


def _paths(scope: str, problem: Problem) -> list[Path | None]:
    """Return the files of a scope, smallest first; None for the instance in sight."""
    if scope not in MOST_PLACES:
        return [None]
    most = MOST_PLACES[scope]
    chosen = [one for one in bundled() if one.problem is problem and one.n <= most]
    return [one.path for one in sorted(chosen, key=lambda one: one.n)]
