"""Runs the measurements of the window: speedups, hit rates by memory size, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu import catalog
from gpu.core.machine import devices
from gpu.core.parameters import Parameters
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.studies.execution.executor import BatchControl
from gpu.studies.hit_rates import HIT_ITERATIONS, measure_hit_rates
from gpu.timing import speedup
from gpu.timing.comparison import compare
from gpu.timing.measured import SpeedupReport
from gpu.timing.speedup import contenders
from views.batch.comparison_view import ComparisonView
from views.batch.speedup_view import MOST_PLACES, SpeedupView
from views.frame.activity import Activity
from views.plots.hit_rate_view import HitRateView
from views.widgets.view import ViewSource

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.core.problem import Problem
    from gpu.core.system import System
    from views.widgets.measure_bar import MeasureBar

T = TypeVar("T")

Progressed = Callable[[str, float], None]  # what is being done, and the share that is done


class ChosenColony(NamedTuple):
    """What the user chose to measure."""

    instance: Instance
    system: System
    values: Mapping[str, object]  # parameters of the system
    seed: int


def measure_speedups(
    chosen: ChosenColony,
    scope: str,
    which: str,
    thorough: bool,
    *,
    cancelled: Callable[[], bool],
    progress: Progressed,
    found: Callable[[list[SpeedupReport]], object],
) -> list[SpeedupReport]:
    """Measure speedups.

    ``scope`` says on which instances: it is a key of ``MOST_PLACES``, or else stands for the chosen
    one alone. ``which`` colonies are measured: ``"one"`` is the chosen one, ``"family"`` those of
    its family, and ``"all"`` are all for its problem. ``thorough`` adds the time to the same
    length, and repeats.
    """
    instance, system, values, seed = chosen
    among = contenders(_names_of(system, which), devices.survey())
    shared = _shared(values, system.parameters, [one.system.parameters for one in among])
    paths = _paths(scope, instance.problem)
    reports: list[SpeedupReport] = []
    for number, path in enumerate(paths):
        one = instance if path is None else load_instance(path)
        report = speedup.measure(
            one,
            among,
            shared,
            seed=seed,
            repeats=3 if thorough else 2,
            iterations=None if thorough else 10,
            budget=10.0 if thorough else 0.0,
            cancelled=cancelled,
            progress=partial(_report, progress, one.name, number, len(paths)),
        )
        if not report.complete:
            break
        reports.append(report)
        found(list(reports))
    return reports


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Return those of ``values`` that are not left to the colony."""
    return {name: value for name, value in values.items() if value is not None}


def _names_of(chosen: System, which: str) -> tuple[str, ...]:
    """Return the names of the chosen system, or of its family or all, as devices here run them."""
    if which == "one":
        return (chosen.name,)
    found, families = devices.survey().devices, catalog.families(chosen.problem)
    return tuple(
        system.name
        for family, systems in families.items()
        if which == "all" or family == catalog.family_of(chosen)
        for system in systems
        if any(system.runs_on(device) for device in found)
    )


def _report(
    progress: Progressed, name: str, number: int, count: int, text: str, share: float
) -> None:
    """Report the progress on all ``count`` instances while one is measured."""
    progress(f"{name}: {text}", (number + share) / count)


def _shared(
    values: Mapping[str, object], former: type[Parameters], among: Sequence[type[Parameters]]
) -> dict[str, object]:
    """Return those of ``values``, chosen for ``former``, that mean the same to all that have them.

    Values that were not chosen are left out: each colony has its own defaults.
    """
    kept = given(values)
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
    """Return the files of a scope, smallest first; None stands for the loaded instance."""
    if scope not in MOST_PLACES:
        return [None]
    most = MOST_PLACES[scope]
    chosen = [one for one in bundled() if one.problem is problem and one.n <= most]
    return [one.path for one in sorted(chosen, key=lambda one: one.n)]


class MeasurementController(Controller):
    """Makes one measurement at a time, and none beside a run, which would disturb it."""

    begun = Signal()  # a measurement begins, and wants the machine for itself

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        runs, instance, _, _, window = parts
        self._model = runs.batch
        self._bar: MeasureBar | None = None  # of the measurement under way
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
        runs.batch.state_changed.connect(self._enable)
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
        chosen = ChosenColony(instance, system, setup.parameters.values(), setup.seed)
        scope, which = view.scope.currentData(), view.contenders.currentData()
        measuring = partial(measure_speedups, chosen, scope, which, thorough)
        self._begin(view.measure, measuring, view.show_reports, _failure)

    @Slot()
    def hit_rates(self) -> None:
        """Measure the mean hit rates of the selective memory for several sizes."""
        setup, view = self._window.setup, self._window.view(HitRateView)
        instance = self._instance.value
        device, former = setup.colony.device, setup.colony.system
        if instance is None or device is None or former is None:
            return
        system = catalog.find("acs-spm", device)
        values = system.parameters.taken_over(setup.parameters.values(), former.parameters)
        view.show_rates([])
        measuring = partial(measure_hit_rates, instance, system, device, given(values), setup.seed)
        text = (
            f"{instance.name}, {system.title} on {device.name}, {HIT_ITERATIONS} iterations each, "
            f"seed {setup.seed}"
        )
        self._begin(view.measure, measuring, view.show_rates, lambda _: text)
        view.measured = ViewSource(instance.name, system.name, setup.seed, text)

    @Slot()
    def compare(self) -> None:
        """Compare the colonies of the chosen family, and the options of the chosen colony."""
        setup, view = self._window.setup, self._window.view(ComparisonView)
        instance = self._instance.value
        system, device = setup.colony.system, setup.colony.device
        if instance is None or system is None or device is None:
            return
        view.show_report(None)
        values = setup.parameters.values()
        measuring = partial(compare, instance, system, device, values, seed=setup.seed)
        self._begin(
            view.measure,
            measuring,
            view.show_report,
            lambda report: "" if report.complete else "Not all was measured.",
        )

    @Slot()
    def cancel(self) -> None:
        """Give up the measurement under way; what it has shown stays in sight.

        Nothing else may run before its thread has ended: that one computes until it hears of it.
        """
        if self._bar is not None and not self._model.cancelled:
            self._model.cancel()
            self._bar.advance(0.0, "Cancelling")

    @Slot()
    def _enable(self) -> None:
        """Allow what can be measured now."""
        measuring, why_not = self._model.kind == "measurement", self._window.setup.measure_problem
        if measuring:
            why_not = "Another measurement is running"  # the bar of that one can cancel it
        elif self._model.kind == "study":
            why_not = "A study is running, and would disturb the measurement"
        elif self._runs.busy:
            what = "race" if self._runs.race.busy else "run"
            why_not = f"Stop the {what} first: it would disturb the measurement"
        for bar in self._bars:
            bar.allow(why_not)
        self._window.block("measurement", "A measurement is running" if measuring else "")

    def _begin(
        self,
        bar: MeasureBar,
        measure: Callable[..., T],
        show: Callable[[T], object],
        said: Callable[[T], str] = lambda _: "",
    ) -> None:
        """Let a thread ``measure``: it gets ``cancelled``, ``progress`` and ``found``.

        ``show`` shows what is found, and ``said`` returns what is to be said of it at the end.
        """
        model = self._model
        if model.busy or self._runs.busy:
            return

        def show_found(found: T) -> None:
            if not model.cancelled:
                show(found)

        def work(task: Task[T], control: BatchControl) -> T:
            return measure(
                cancelled=lambda: control.cancelled,
                progress=lambda text, share: task.report(share, text),
                found=partial(task.post, show_found),
            )

        def advance(share: float, text: str) -> None:
            if not model.cancelled:
                bar.advance(share, text)
                self._window.run_bar.show_progress(share, None)

        def told(found: T | None, why: str) -> None:
            self._bar = None
            if found is not None:
                show_found(found)
            bar.finish("Cancelled." if model.cancelled else "" if found is None else said(found))
            self._window.show_activity(Activity.IDLE)
            if why:
                self._window.tell(why)

        self._bar = bar
        bar.begin("Warming up")
        self._window.show_activity(Activity.MEASURING)
        self._window.run_bar.show_progress(0.0, None)
        self.begun.emit()
        model.start(self._background, "measurement", work, told, advance)
        model.begin()


def _failure(reports: list[SpeedupReport]) -> str:
    """Return why one of the colonies could not be measured, or nothing."""
    failures = (one.failure for report in reports for one in report.measurements)
    return next(filter(None, failures), "")
