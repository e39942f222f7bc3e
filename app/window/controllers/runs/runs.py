"""Starts a run, and passes the buttons of the window on to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.files.exports import export_solution
from app.files.own_instances import with_file
from app.window.controllers.controller import Controller, Parts
from app.window.controllers.runs.run_text import offers_of, summary_of
from app.window.models.run import RunModel
from app.window.threads.solver import SolverState
from app.window.threads.tasks import Task
from gpu.aims import choice_to_improve
from gpu.core.formats import number_of
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.run.log.recorded import Recorded
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from views.frame.activity import Activity
from views.frame.banner import Offer, Severity
from views.setup.presets import Choices

_ACTIVITIES = {
    SolverState.RUNNING: Activity.RUNNING,
    SolverState.PAUSED: Activity.PAUSED,
    SolverState.STOPPING: Activity.STOPPING,
}

_SEVERITIES: dict[Ending, Severity] = {
    Ending.FINISHED: "done",
    Ending.CANCELLED: "info",
    Ending.FAILED: "error",
}


class RunController(Controller):
    """Starts, pauses, steps and stops the run as the window's buttons ask for it.

    A button may be pressed before there is a run to obey it: while a task still prepares it.
    """

    solving = Signal()  # the run builds solutions: it has just begun to, or goes on after a pause

    def __init__(
        self,
        parts: Parts,
        log_path: Callable[[Session], Path],
        warn: Callable[[str], None],  # shows a sentence; called from any thread
        parent: QObject,
    ) -> None:
        super().__init__(parts, parent)
        self.log_path = log_path  # may be replaced
        self._warn = warn
        self._stop_soon = self._pause_soon = False
        self._recorded: Recorded | None = None  # the log in sight
        self._runs.current_changed.connect(self._forget_recorded)
        self._runs.state_changed.connect(self._show_state)
        self._runs.ended.connect(self._ended)
        window = self._window
        window.run.lead(self)
        window.improve_requested.connect(self.improve)
        window.improve_given_requested.connect(self.improve_given)
        window.run_bar.pace.changed.connect(self._set_pace)

    @Slot()
    @Slot(object)
    def start(self, steps: int | None = None) -> None:
        """Start a run with what is chosen; with ``steps``, pause after so many iterations."""
        instance = self._instance.value
        if self._runs.busy or instance is None or self._window.problem:
            return
        choices = self._window.setup.choices()
        self._launch(instance, lambda: self._prepare(instance, choices), steps)

    @Slot(object)
    def repeat(self, session: Session) -> None:
        """Start the run of a recorded session on the instance in sight."""
        instance = self._instance.value
        if self._runs.busy or instance is None:
            return
        if self._window.problem:
            self._window.tell(self._window.problem)
            return

        def prepare() -> tuple[Session, Recorder]:
            return session, self._recorder(session, instance)

        self._launch(instance, prepare)

    @Slot(object)
    def show_recorded(self, recorded: Recorded) -> None:
        """Offer to go on from the best solution of a log that was opened."""
        self._recorded = recorded
        state, improve = recorded.state, self._window.actions_["improve"]
        if state is None or state.best_solution is None or self._window.banner.text:
            return
        if not improve.isEnabled() or state.proved:
            return
        best = recorded.instance.cost_unit.amount(state.cost)
        text = f"Recorded: best {best}, after {number_of(state.iteration, 'iteration')}"
        tip = "A colony that can begin with a solution goes on from the best one (Ctrl+I)"
        offers = [Offer("Improve", tip, improve.trigger)]
        self._window.tell(text, "info", stays=True, offers=offers)

    @Slot()
    def _forget_recorded(self) -> None:
        self._recorded = None

    @Slot()
    def improve(self) -> None:
        """Begin anew with the best tour of the run in sight, which has ended or is a log's."""
        former, instance, log = self._runs.current, self._instance.value, self._recorded
        if log is not None:
            state, session = log.state, log.log.session
            named = self.log_path(session)  # where the log lies, others may not write
        elif former is not None:
            state, session, named = former.snapshot, former.session, former.recorder.path
        else:
            return
        if self._runs.busy or state is None or instance is None or self._window.problem:
            return
        best, choices = state.best_solution, self._window.setup.choices()
        if best is None:
            self._window.tell(f"No {instance.problem.words.solution} of this run is kept", "info")
            return
        path = named.with_suffix(instance.problem.words.suffix)
        comment = f"by {session.colony}, seed {session.seed}"

        def prepare() -> tuple[Session, Recorder]:
            path.parent.mkdir(parents=True, exist_ok=True)
            export_solution(path, instance, best, comment)
            return self._prepare(instance, _improving(choices, instance), path)

        self._launch(instance, prepare)

    @Slot()
    def improve_given(self) -> None:
        """Begin with the tour that was opened."""
        given, instance = self._instance.given, self._instance.value
        if self._runs.busy or given is None or instance is None or self._window.problem:
            return
        choices, path = self._window.setup.choices(), given.path
        self._launch(instance, lambda: self._prepare(instance, _improving(choices, instance), path))

    def _launch(
        self,
        instance: Instance,
        prepare: Callable[[], tuple[Session, Recorder]],
        steps: int | None = None,
    ) -> None:
        """Begin a run with what ``prepare`` returns in another thread."""
        self._pause_soon = False
        self._window.banner.clear()
        self._window.show_activity(Activity.BUILDING)

        def begin(prepared: tuple[Session, Recorder]) -> None:
            """Empty the views once pictures of the former run are made."""
            self._window.steps.after(lambda: self._begin(instance, *prepared, steps))

        self._background.start(Task(lambda _: prepare(), begin, self._not_prepared))
        self._runs.prepare()

    @Slot()
    def step(self) -> None:
        """Make one iteration and pause; start a run if there is none."""
        if run := self._runs.active:
            run.step()
        else:
            self.start(steps=1)

    @Slot()
    def pause(self) -> None:
        """Pause after the slice that is under way, or as soon as the colony is built."""
        self._pause_once_built(True)
        if run := self._runs.active:
            run.pause()

    @Slot()
    def resume(self) -> None:
        """Go on; do not pause once the colony is built."""
        self._pause_once_built(False)
        if run := self._runs.active:
            run.resume()

    @Slot()
    def stop(self) -> None:
        """End the run, or end it as soon as it begins."""
        self._stop_soon = self._runs.preparing
        if self._stop_soon:
            self._window.show_activity(Activity.STOPPING)
        if run := self._runs.active:
            run.cancel()

    def _pause_once_built(self, wanted: bool) -> None:
        self._pause_soon = wanted
        if self._window.activity.builds:
            self._show_building()

    def _show_building(self) -> None:
        pauses = self._pause_soon
        self._window.show_activity(Activity.BUILDING_TO_PAUSE if pauses else Activity.BUILDING)

    def _prepare(
        self, instance: Instance, choices: Choices, start: Path | None = None
    ) -> tuple[Session, Recorder]:
        """Check the choices and open the log; in a thread, because disks and drivers are slow."""
        instance = with_file(instance)
        session = new_session(
            instance,
            colony=choices.colony,
            device=choices.device,
            parameters=choices.parameters,
            seed=choices.seed,
            stop=StopSettings.from_dict(choices.stop),
            start=start,
        )
        return session, self._recorder(session, instance)

    def _recorder(self, session: Session, instance: Instance) -> Recorder:
        path, limit = self.log_path(session), self._window.record.limit
        return Recorder(path, session, instance, self._warn, limit)

    def _not_prepared(self, sentence: str) -> None:
        self._stop_soon = False
        self._window.show_activity(Activity.IDLE)
        self._window.tell(sentence)
        self._runs.prepare(False)

    def _begin(
        self, instance: Instance, session: Session, recorder: Recorder, steps: int | None
    ) -> None:
        run = self._runs.add(instance, session, recorder)
        run.pace = self._window.run_bar.pace.value
        if steps is not None:
            run.step(steps)
        if self._pause_soon:
            run.pause()
        if self._stop_soon:
            self._stop_soon = False
            run.cancel()
        run.start()

    @Slot(float)
    def _set_pace(self, pace: float) -> None:
        if run := self._runs.active:
            run.pace = pace

    @Slot(object)
    def _show_state(self, state: SolverState) -> None:
        if state is SolverState.BUILDING:
            self._show_building()
        elif state in _ACTIVITIES:
            self._window.show_activity(_ACTIVITIES[state])
        if state is SolverState.RUNNING:
            self.solving.emit()

    @Slot(object)
    def _ended(self, run: RunModel) -> None:
        self._window.show_activity(Activity.IDLE)
        if run.outcome is not None and self._instance.next is None:
            actions, sentence = self._window.actions_, summary_of(run)
            improve = actions["improve"] if actions["improve"].isEnabled() else None
            offers = offers_of(
                run,
                actions["more-time"].trigger,
                None if improve is None else improve.trigger,
                self._stop_sooner,
            )
            severity = _SEVERITIES[run.outcome.ending]
            self._window.tell(sentence, severity, stays=True, offers=offers)

    def _stop_sooner(self, idle: int) -> None:
        """Let later runs end once so many iterations have found nothing better."""
        self._window.setup.stop.set_values(
            {**self._window.setup.stop.values(), "no_improvement": idle}
        )
        text = f"Later runs end after {number_of(idle, 'iteration')} that find nothing better"
        self._window.tell(text, "done")


def _improving(choices: Choices, instance: Instance) -> Choices:
    """Return ``choices`` with the colony that improves a given tour best where they say."""
    device, choice = choice_to_improve(instance, devices.find(choices.device))
    return replace(
        choices, colony=choice.system.name, device=device.name, parameters=choice.parameters
    )
