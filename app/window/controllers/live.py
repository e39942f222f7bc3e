"""Changes the parameters and the limits of the run while it goes on."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from app.window.threads.solver import RunState
from gpu.core.errors import ParameterError
from gpu.core.snapshot import Snapshot
from gpu.run.changes import Change, Setting
from gpu.run.stopping import StopSettings, iterations_left
from views.plots.convergence_view import ConvergenceView
from views.plots.marks import Mark

SETTLED = 700  # milliseconds after the last key until a new value is taken for what is meant
MORE = 30.0  # seconds that a run gets more


class LiveController(Controller):
    """Compares what the setup panel shows with the run, and asks the run for what differs."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._asked: Setting | None = None  # of the run, with all that it was asked for
        self._soon = QTimer(self, singleShot=True, interval=SETTLED)
        self._soon.timeout.connect(self.apply)
        window, runs = self._window, self._runs
        self._more = window.actions_["more-time"]
        self._more.triggered.connect(self.give_time)
        window.setup.changed.connect(self._typed)
        window.setup.committed.connect(self.apply)
        runs.changed.connect(self._show_change)
        runs.current_changed.connect(self._begin)
        for signal in (runs.state_changed, runs.ended, runs.preparing_changed):
            signal.connect(self._offer)
        self._offer()

    @property
    def _run(self) -> RunModel | None:
        """The run, if it can be changed now."""
        run = self._runs.active
        live = run is not None and run.state in (RunState.RUNNING, RunState.PAUSED)
        return run if live else None

    @Slot()
    def _typed(self) -> None:
        if self._run is not None:
            self._soon.start()

    @Slot()
    def apply(self) -> None:
        """Ask the run for the parameters and the limits that the panel shows."""
        self._soon.stop()
        run, setup = self._run, self._window.setup
        if run is None or setup.problem:
            return
        before = self._asked or run.now
        kind = type(before.chosen)
        stop = StopSettings.from_dict({"go_on": False, **setup.stop.values()})
        try:
            shown = kind.from_mapping(setup.parameters.values()).to_dict()
        except ParameterError:  # of another colony, or not valid
            return
        live = {name for name, one in kind.explanations().items() if one.live}
        old = before.chosen.to_dict()
        values = {name: shown[name] for name in live if shown[name] != old[name]}
        if before.instance.optimum is None:
            stop = replace(stop, target_gap=None)
        self._ask(run, before, Change(values, None if stop == before.stop else stop))

    def _ask(self, run: RunModel, before: Setting, change: Change) -> None:
        if not change.parameters and change.stop is None:
            return
        chosen = before.chosen
        chosen = type(chosen).from_mapping({**chosen.to_dict(), **change.parameters})
        self._asked = before._replace(chosen=chosen, stop=change.stop or before.stop)
        run.change(change)

    @Slot()
    def give_time(self) -> None:
        """Give the run more time; one that has ended goes on."""
        run = self._runs.current
        if run is None:
            return
        stop, now = run.now.stop, run.latest
        if run is self._run:
            before = self._asked or run.now
            seconds = max(now.elapsed, before.stop.seconds or 0.0) + MORE
            self._window.setup.stop.set_values({**before.stop.to_dict(), "seconds": seconds})
            self.apply()
        elif run.can_go_on:
            self._window.banner.clear()
            run.go_on(Change(stop=_longer(stop, run, now)))
            self._runs.preparing_changed.emit()  # the run is busy again

    @Slot(object)
    def _begin(self, run: RunModel | None) -> None:
        self._asked = None
        self._soon.stop()
        self._offer()

    @Slot()
    def _offer(self) -> None:
        """Enable what is possible now."""
        run = self._runs.current
        ended = run is not None and run.outcome is not None and not self._runs.busy
        can = self._run is not None or (ended and run is not None and run.can_go_on)
        self._more.setEnabled(can)

    @Slot(object)
    def _show_change(self, change: Change | None) -> None:
        """Show in the window what was changed in the run."""
        run, window = self._runs.current, self._window
        if run is None:
            return
        if change is None or self._asked is None or _same(self._asked, run.now):
            self._asked = None
        if change is None:
            window.setup.show_run(run.now.chosen.to_dict(), run.now.stop.to_dict())
            return
        if self._asked is None:
            window.setup.show_run(run.now.chosen.to_dict(), run.now.stop.to_dict())
        state = run.latest
        built = round(state.solutions_built * change.iteration / max(state.iteration, 1))
        mark = Mark(change.iteration, built, state.elapsed, change.text)
        window.view(ConvergenceView).mark(mark)
        window.tell(f"After iteration {change.iteration}: {change.text}", "info")


def _same(one: Setting, other: Setting) -> bool:
    return (one.chosen, one.stop) == (other.chosen, other.stop)


def _longer(stop: StopSettings, run: RunModel, now: Snapshot) -> StopSettings:
    """Return ``stop`` without the limits that ended the run, and with more time."""
    instance = run.instance
    longer = replace(stop, seconds=now.elapsed + MORE)
    for name in ("iterations", "solutions", "no_improvement", "target_gap", "target_length"):
        only = StopSettings(**{name: getattr(longer, name)}, go_on=True)
        if iterations_left(only.criteria(instance), now) <= 0:
            longer = StopSettings.from_dict({**longer.to_dict(), name: None})
    known = StopSettings().criteria(instance)
    return replace(longer, go_on=longer.go_on or iterations_left(known, now) <= 0)
