"""Changes the parameters and the limits of the run while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from gpu.core.parameters import Parameters
from gpu.core.snapshot import RunState
from gpu.core.stop_limits import STOP_LIMITS
from gpu.run.changes import Change
from gpu.run.stopping import StopSettings, iterations_left
from views.plots.convergence_view import ConvergenceView
from views.plots.cost_plot import ChangeMark
from views.widgets.labels import plain_tip

TYPING_SETTLED = 700  # milliseconds after the last key until a new value is taken for what is meant
MORE = 30.0  # seconds that a run gets more
FREED = "The run cannot go on: its colony was freed when something else needed the memory"


class _ShownSetup(NamedTuple):
    """What the setup panel shows."""

    kind: type[Parameters] | None  # of the colony that is chosen
    parameters: Mapping[str, object]
    stop: Mapping[str, object]


class LiveController(Controller):
    """Gives the run what the user changes in the setup panel while it goes on."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._shown = _ShownSetup(None, {}, {})  # as far as the run has it, or was asked for it
        self._stop: StopSettings | None = None  # the limits that the run was asked for last
        self._soon = QTimer(self, singleShot=True, interval=TYPING_SETTLED)
        self._soon.timeout.connect(self.apply)
        self._window.closing.connect(self._soon.stop)
        window, runs = self._window, self._runs
        self._more = window.actions_["more-time"]
        self._more.triggered.connect(self.give_time)
        window.setup.changed.connect(self._typed)
        window.setup.committed.connect(self.apply)
        runs.changed.connect(self._show_change)
        runs.current_changed.connect(self._begin)
        self._more_tip = self._more.toolTip()
        for signal in (runs.state_changed, runs.ended, runs.preparing_changed, runs.freed):
            signal.connect(self._offer)
        self._offer()

    @Slot()
    def _typed(self) -> None:
        if self._runs.changeable is not None:
            self._soon.start()

    @Slot()
    def apply(self) -> None:
        """Ask the run for what the user has changed in the panel."""
        self._soon.stop()
        run = self._runs.changeable
        if run is None or self._window.setup.problem:
            return
        before, self._shown = self._shown, self._panel()
        now = self._shown
        values = {
            name: value
            for name, value in now.parameters.items()
            if before.parameters.get(name) != value
        }
        if values and now.kind is not type(run.now.chosen):
            values = {}
            colony = run.session.title
            self._window.tell(f"{colony} is at work: these parameters are another colony's", "info")
        limits = {name: value for name, value in now.stop.items() if before.stop.get(name) != value}
        stop = None
        if limits:
            wanted = {**(self._stop or run.now.stop).to_dict(), **limits}
            stop = self._stop = StopSettings.from_dict(wanted)
        if values or stop is not None:
            run.change(Change(values, stop))

    @Slot()
    def give_time(self) -> None:
        """Give the run more time; one that has ended goes on."""
        run, setup = self._runs.current, self._window.setup
        if run is None:
            return
        now = run.latest
        if run is self._runs.changeable:
            self.apply()
            stop = self._stop or run.now.stop
            self._stop = replace(stop, seconds=max(_spent(now), stop.seconds or 0.0) + MORE)
            run.change(Change(stop=self._stop))
        elif run.can_go_on:
            self._stop = _longer(run.now.stop, run, now)
            self._window.banner.clear()
            run.go_on(Change(stop=self._stop))
            self._runs.preparing_changed.emit()  # the run is busy again
        if self._stop is not None:
            setup.stop.set_values(self._stop.to_dict(), once=True)
            self._shown = self._panel()

    def _panel(self) -> _ShownSetup:
        """Return what the panel shows; there must be no problem with it."""
        setup = self._window.setup
        system = setup.colony.system
        if system is None or setup.problem:
            return _ShownSetup(None, {}, {})
        values = system.parameters.from_mapping(setup.parameters.values()).to_dict()
        return _ShownSetup(system.parameters, values, setup.stop.values())

    @Slot(object)
    def _begin(self, run: RunModel | None) -> None:
        self._stop, self._shown = None, self._panel()
        self._soon.stop()
        self._offer()

    @Slot()
    def _offer(self) -> None:
        """Enable what is possible now."""
        run = self._runs.current
        ended = run is not None and not self._runs.busy
        can = self._runs.changeable is not None or (ended and run is not None and run.can_go_on)
        self._more.setEnabled(can)
        self._more.setToolTip(plain_tip(FREED if ended and not can else self._more_tip))

    @Slot(object)
    def _show_change(self, change: Change | None) -> None:
        """Show in the window what was changed in the run."""
        run, window = self._runs.current, self._window
        if run is None:
            return
        if change is None:  # the run has said why: the fields show again what it works with
            self._stop = None
            if self._shown.kind is type(run.now.chosen):
                window.setup.show_run(run.now.chosen.to_dict(), run.now.stop.to_dict())
                self._shown = self._panel()
            return
        state = run.latest
        built = round(state.solutions_built * change.iteration / max(state.iteration, 1))
        mark = ChangeMark(change.iteration, built, state.elapsed, change.text)
        window.view(ConvergenceView).mark_change(mark)
        window.tell(f"After iteration {change.iteration}: {change.text}", "info")


def _longer(stop: StopSettings, run: RunModel, now: RunState) -> StopSettings:
    """Return ``stop`` without the limits that ended the run, and with more time."""
    instance = run.instance
    longer = replace(stop, seconds=_spent(now) + MORE)
    for name in STOP_LIMITS:
        only = StopSettings(**{name: getattr(longer, name)}, go_on=True)
        if iterations_left(only.criteria(instance), now) <= 0:
            longer = StopSettings.from_dict({**longer.to_dict(), name: None})
    known = StopSettings().criteria(instance)
    return replace(longer, go_on=longer.go_on or iterations_left(known, now) <= 0)


def _spent(now: RunState) -> float:
    """Return the seconds that a run has taken, as a limit that can be read has them.

    A limit of 60 s ends a run after 60.1 s: 30 s more are 90 s.
    """
    return float(round(now.elapsed))
