"""Runs the measurements of the window: speedups, hit ratios by memory size, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.comparing import measurement_work as work
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu import catalog
from gpu.measure.comparison_report import ComparisonReport
from gpu.measure.speedup_report import SpeedupReport
from views.frame.activity import Activity
from views.measure.comparison_view import ComparisonView
from views.measure.speedup_view import SpeedupView
from views.plots.hit_rate_view import HitRateView
from views.widgets.view import ViewSource

if TYPE_CHECKING:
    from views.measure.measure_bar import MeasureBar


class MeasurementController(Controller):
    """Makes one measurement at a time, and none beside a run, which would disturb it."""

    begun = Signal()  # a measurement begins, and wants the machine for itself
    idle = Signal()  # a measurement has ended: it is complete, cancelled or failed

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        runs, instance, _, window = parts
        self._task: Task[Any] | None = None
        self._bar: MeasureBar | None = None
        starts = {
            window.view(SpeedupView).measure: self.speedups,
            window.view(HitRateView).measure: self.hit_rates,
            window.view(ComparisonView).measure: self.compare,
        }
        self._bars = tuple(starts)
        for bar, start in starts.items():
            bar.started.connect(start)
            bar.cancelled.connect(self.cancel)
        instance.changed.connect(self.cancel)
        changes = instance.changed, runs.current_changed, runs.preparing_changed, runs.ended
        for change in changes:
            change.connect(self._enable)
        runs.study.state_changed.connect(self._enable)
        window.setup.changed.connect(self._enable)
        window.run.stop.connect(self.cancel)
        self._enable()

    @Slot()
    def speedups(self, thorough: bool = True) -> None:
        """Measure speedups on the instances and with the colonies that the view names.

        If ``thorough``, measure the time to the same length too, and with more repeats.
        """
        setup, view = self._window.setup, self._window.view(SpeedupView)
        instance = self._instance.value
        system = setup.colony.system
        if instance is None or system is None:
            return
        view.show_reports([])
        chosen = work.Chosen(instance, system, setup.parameters.values(), setup.seed)
        scope, every = view.scope.currentData(), view.contenders.currentData() == "all"
        measuring = partial(
            work.measure_speedups, chosen, scope, every, thorough, view.show_reports
        )
        self._begin(view.measure, measuring, self._speedups_measured)

    @Slot()
    def hit_rates(self) -> None:
        """Measure the mean hit ratios of the selective memory for several sizes."""
        setup, view = self._window.setup, self._window.view(HitRateView)
        instance = self._instance.value
        device, former = setup.colony.device, setup.colony.system
        if instance is None or device is None or former is None:
            return
        system = catalog.find("acs-spm", device)
        values = system.parameters.taken_over(setup.parameters.values(), former.parameters)
        chosen = work.Chosen(instance, system, work.given(values), setup.seed)
        view.show_rates([])
        measuring = partial(work.measure_hit_rates, chosen, device, view.show_rates)
        text = (
            f"{instance.name}, {system.title} on {device.name}, {work.ITERATIONS} iterations each, "
            f"seed {setup.seed}"
        )
        self._begin(view.measure, measuring, lambda _: self._end(text))
        view.measured = ViewSource(instance.name, system.name, setup.seed, text)

    @Slot()
    def compare(self) -> None:
        """Compare the colonies of the chosen search, and the options of the chosen colony."""
        setup, view = self._window.setup, self._window.view(ComparisonView)
        instance = self._instance.value
        system, device = setup.colony.system, setup.colony.device
        if instance is None or system is None or device is None:
            return
        chosen = work.Chosen(instance, system, setup.parameters.values(), setup.seed)
        view.show_report(None)
        measuring = partial(work.measure_options, chosen, device, view.show_report)
        self._begin(view.measure, measuring, self._compared)

    @Slot()
    def cancel(self) -> None:
        """Give up the measurement under way; what it has shown stays in sight.

        Nothing else may run before its thread has ended: that one computes until it hears of it.
        """
        if self._task is not None and not self._task.cancelled:
            self._task.cancel()
            self._advance(0.0, "Cancelling")

    @Slot()
    def _enable(self) -> None:
        """Allow what can be measured now."""
        why_not = ""
        if self._runs.busy:
            what = "race" if self._runs.race.busy else "run"
            why_not = f"Stop the {what} first: it would disturb the measurement"
        elif self._runs.study.busy:
            why_not = "A study goes on, and would disturb the measurement"
        elif problem := self._window.setup.measure_problem:
            why_not = problem
        if self._bar is not None:
            why_not = "Another measurement is going on"  # the bar of that one can cancel it
        for bar in self._bars:
            bar.allow(why_not)
        going_on = "A measurement is going on" if self._task is not None else ""
        self._window.block("measurement", going_on)

    def _begin(
        self,
        bar: MeasureBar,
        measuring: Callable[[Task[Any]], Any],
        measured: Callable[[Any], object],
    ) -> None:
        if self._task is not None or self._runs.busy or self._runs.study.busy:
            return
        self._bar = bar
        self._task = Task(measuring, measured, self._failed, self._advance)
        self._task.ended.connect(self._over)
        bar.begin("Warming up")
        self._window.show_activity(Activity.MEASURING)
        self._window.run_bar.show_progress(0.0, None)
        self._enable()
        self.begun.emit()
        self._background.start(self._task)

    def _advance(self, share: float, text: str) -> None:
        if self._bar is not None:
            self._bar.advance(share, text)
            self._window.run_bar.show_progress(share, None)

    def _speedups_measured(self, reports: list[SpeedupReport]) -> None:
        failures = [one.failure for report in reports for one in report.measurements if one.failure]
        self._end(failures[0] if failures else "")

    def _compared(self, report: ComparisonReport) -> None:
        self._end("" if report.complete else "Not all was measured.")

    def _failed(self, sentence: str) -> None:
        self._end("")
        self._window.tell(sentence)

    @Slot(object)
    def _over(self, task: Task[Any]) -> None:
        """Make room for the next one when the thread of a cancelled measurement has ended."""
        if task is self._task:
            self._end("Cancelled.")

    def _end(self, text: str) -> None:
        bar, self._bar, self._task = self._bar, None, None
        if bar is not None:
            bar.finish(text)
            self._window.show_activity(Activity.IDLE)
        self._enable()
        self.idle.emit()
