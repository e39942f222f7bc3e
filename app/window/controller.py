"""What the window's wishes come to: runs are started, paused and ended, files opened."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.files.loading import warm_up
from app.notifications import Notifications
from app.window.controllers.decisions import WindowDecisions
from app.window.controllers.exports import WindowExports
from app.window.controllers.graphs import WindowGraphs
from app.window.controllers.instances import WindowInstances
from app.window.controllers.measurements import WindowMeasurements
from app.window.controllers.run_display import RunDisplay
from app.window.controllers.session_choices import session_of
from app.window.current_run import CurrentRun
from app.window.process import garbage_collection as garbage
from app.window.threads.solver import RunState, SolverThread
from app.window.threads.tasks import Background, Task
from gpu.core import devices
from gpu.core.devices import Survey
from gpu.core.instance import Instance
from gpu.run.outcome import Ending, Outcome
from gpu.run.recorder import Recorder, default_log_path
from gpu.run.session import Session
from views.frame.activity import Activity
from views.frame.banner import Severity
from views.setup.setup_panel import Choices

if TYPE_CHECKING:
    from views.frame.main_window import MainWindow

PATIENCE = 0.8
"""Seconds that an iteration under way gets when the window closes."""

_ACTIVITIES = {
    RunState.BUILDING: Activity.BUILDING,
    RunState.RUNNING: Activity.RUNNING,
    RunState.PAUSED: Activity.PAUSED,
    RunState.STOPPING: Activity.STOPPING,
}

_SEVERITIES: dict[Ending, Severity] = {
    Ending.FINISHED: "done",
    Ending.CANCELLED: "info",
    Ending.FAILED: "error",
}


class WindowController(QObject):
    """Connects one window with sessions, solver threads, logs and exports.

    Parameters
    ----------
    window : MainWindow
        What to serve.
    log_path : callable taking Session and returning Path, optional
        Where a run's log goes.

    Attributes
    ----------
    told : Signal
        A sentence for the user; may be emitted from any thread.
    instance : Instance or None
        The one in sight.
    run : CurrentRun or None
        The run in sight: under way, or the last one.
    solver : SolverThread or None
        The thread of the run under way.
    log_path : callable taking Session and returning Path
        Where a run's log goes.
    run_ended : Signal
        The Outcome of a run, after everything shows it.
    solving : Signal
        A run has begun to build solutions, or goes on after a pause.
    warm : Signal
        What runs need is imported and compiled; the first run need not wait for it, but it will
        hold up the window a little less.
    ready : Signal
        An instance and the devices are there: a run can start.
    """

    told = Signal(str)
    run_ended = Signal(object)
    solving = Signal()
    ready = Signal()
    warm = Signal()

    def __init__(
        self, window: MainWindow, log_path: Callable[[Session], Path] = default_log_path
    ) -> None:
        super().__init__()
        self.window = window
        self.instance: Instance | None = None
        self.run: CurrentRun | None = None
        self.background = Background(self)
        self.log_path = log_path
        self.solver: SolverThread | None = None
        self._generation = 0
        self._preparing: Task[tuple[Session, Recorder]] | None = None
        self._deafen: Callable[[], None] = _ignore
        self._stop_soon = self._pause_soon = False
        self.display = RunDisplay(window, self)
        self.decisions = WindowDecisions(self)
        self.exports = WindowExports(self)
        self.graphs = WindowGraphs(self)
        self.instances = WindowInstances(self)
        self.measurements = WindowMeasurements(self)
        self.told.connect(window.tell, Qt.ConnectionType.QueuedConnection)
        window.open_requested.connect(self.open)
        window.start_requested.connect(self.start)
        window.step_requested.connect(self.step)
        window.pause_requested.connect(self.pause)
        window.resume_requested.connect(self.resume)
        window.stop_requested.connect(self.stop)
        self.background.start(Task(lambda _: devices.survey(), self._surveyed, self._not_surveyed))

    @property
    def active(self) -> bool:
        """Whether a run is under way or about to begin."""
        return self.solver is not None or self._preparing is not None

    @Slot(object)
    def open(self, path: Path) -> None:
        """Load the instance, or the recorded session, at ``path``; that ends the run under way."""
        self.instances.open(path)

    def show_instance(self, instance: Instance) -> None:
        """Show another instance, and nothing of the last run."""
        self.instance, self.run = instance, None
        self.decisions.let_go()
        self.display.forget()
        self.graphs.show_instance(instance)
        self.window.show_instance(instance)
        self.window.where.setText("")

    def announce(self) -> None:
        """Say so if an instance and the devices are there."""
        if self.instance is not None and self.window.setup.colony.device is not None:
            self.ready.emit()

    @Slot()
    def start(self, steps: int | None = None) -> None:
        """Start a run with what is chosen; with ``steps``, rest after so many iterations."""
        instance = self.instance
        if self.active or instance is None or self.window.problem:
            return
        choices = self.window.setup.choices()
        self._pause_soon = False
        self.window.banner.clear()
        self.window.show_activity(Activity.BUILDING)
        self._preparing = self.background.start(
            Task(
                lambda _: self._prepare(instance, choices),
                lambda prepared: self._begin(instance, *prepared, steps),
                self._not_prepared,
            )
        )
        self.decisions.make_room()  # the last run's colony may hold much memory

    @Slot()
    def step(self) -> None:
        """Make one iteration and rest; begins a run if there is none."""
        if self.solver is not None:
            self.solver.step()
        else:
            self.start(steps=1)

    @Slot()
    def pause(self) -> None:
        """Rest after the slice that is being worked on, or as soon as the colony is built."""
        self._pause_once_built(True)
        if self.solver is not None:
            self.solver.pause()

    @Slot()
    def resume(self) -> None:
        """Go on, or do not rest once the colony is built."""
        self._pause_once_built(False)
        if self.solver is not None:
            self.solver.resume()

    @Slot()
    def stop(self) -> None:
        """End the run under way, or as soon as it begins."""
        self._stop_soon = self._preparing is not None
        if self._stop_soon:
            self.window.show_activity(Activity.STOPPING)
        if self.solver is not None:
            self.solver.cancel()

    def listen_to(self, notifications: Notifications) -> None:
        """Show the sentences of ``notifications`` from now until :meth:`shutdown`."""
        notifications.listen(self._hear)
        self._deafen = lambda: notifications.unlisten(self._hear)

    def shutdown(self) -> bool:
        """End all that is under way; return whether every thread has ended."""
        self._deafen()
        self._deafen = _ignore
        self.display.forget()
        begin = time.monotonic()
        solver, self.solver = self.solver, None
        ended = True
        if solver is not None:
            solver.blockSignals(True)
            ended = solver.shutdown(PATIENCE)
        ended = self.decisions.end(max(0.1, PATIENCE - (time.monotonic() - begin))) and ended
        left = max(0.1, PATIENCE - (time.monotonic() - begin))
        return self.background.shutdown(left) and ended

    def _pause_once_built(self, wanted: bool) -> None:
        self._pause_soon = wanted
        if self.window.activity.builds:
            self.window.show_activity(self._building)

    @property
    def _building(self) -> Activity:
        return Activity.BUILDING_TO_PAUSE if self._pause_soon else Activity.BUILDING

    def _surveyed(self, survey: Survey) -> None:
        # What the first run needs is compiled or loaded now; if that fails, the run will say why.
        warming = Task(lambda _: warm_up(survey), _ignore, _ignore)
        warming.ended.connect(self._warmed)
        self.background.start(warming)
        self.window.setup.colony.show_survey(survey)
        self.display.show_device()
        self.announce()

    def _not_surveyed(self, sentence: str) -> None:
        garbage.take_up()
        self.told.emit(sentence)

    @Slot(object)
    def _warmed(self, _: object) -> None:
        garbage.take_up()
        self.warm.emit()

    def _prepare(self, instance: Instance, choices: Choices) -> tuple[Session, Recorder]:
        """Check what was chosen and open the log; in a thread, for disks and drivers may rest."""
        session = session_of(instance, choices)
        return session, Recorder(self.log_path(session), session, instance, self.told.emit)

    def _not_prepared(self, sentence: str) -> None:
        self._preparing = None
        self._stop_soon = False
        self.window.show_activity(Activity.IDLE)
        self.decisions.refresh()
        self.window.tell(sentence)
        self.instances.show_what_waits()

    def _begin(
        self, instance: Instance, session: Session, recorder: Recorder, steps: int | None
    ) -> None:
        self._preparing = None
        self._generation += 1
        self.run = CurrentRun(session, instance, recorder)
        self.display.begin(self.run)
        self.decisions.end(PATIENCE)
        replayable = bool(session.system.rule)
        self.solver = SolverThread(
            instance, session, self._generation, recorder, self, stays=replayable
        )
        self.solver.state_changed.connect(self._state_changed)
        self.solver.ended.connect(self._ended)
        self.display.follow(self.solver)
        if steps is not None:
            self.solver.step(steps)
        if self._pause_soon:
            self.solver.pause()
        self.measurements.enable()
        if self._stop_soon:
            self._stop_soon = False
            self.solver.cancel()
        self.solver.start()

    @Slot(object)
    def _state_changed(self, state: RunState) -> None:
        run = self.run
        if self.solver is not None and run is not None and state in _ACTIVITIES:
            building = state is RunState.BUILDING
            self.window.show_activity(self._building if building else _ACTIVITIES[state])
            self.decisions.refresh()
            self.display.make_room(state is RunState.RUNNING and run.session.device == "cpu")
            if state is RunState.RUNNING:
                self.solving.emit()

    @Slot(object)
    def _ended(self, outcome: Outcome) -> None:
        solver, run = self.solver, self.run
        if solver is None or run is None or self.sender() is not solver:
            return
        self.display.end()
        self.solver = None
        run.outcome = outcome
        run.snapshot = outcome.state if run.snapshot is None else run.snapshot
        self.decisions.keep(solver)
        self.window.show_activity(Activity.IDLE)
        if not self.instances.waits:  # or the sentence would stand beside another instance
            self.window.tell(run.summary, _SEVERITIES[outcome.ending])
        self.measurements.enable()
        self.run_ended.emit(outcome)
        self.instances.show_what_waits()

    def _hear(self, sentence: str) -> None:
        self.told.emit(sentence)


def _ignore(*_: object) -> None:
    """Do nothing, whatever comes."""
