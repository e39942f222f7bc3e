"""Runs a race, and shows it: the buttons of the window are for all of its lanes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.window.controllers.controller import SHARE_BESIDE_ALL_CORES, Controller, Parts
from app.window.models.race import Opened
from app.window.threads.solver import RunState
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending
from gpu.run.race.race_records import compare
from gpu.run.session import Session
from views.frame.activity import Activity
from views.race.race_view import RaceView

LOOK_EVERY = 500  # milliseconds between two comparisons of the lanes

_ACTIVITIES = {
    RunState.BUILDING: Activity.BUILDING,
    RunState.RUNNING: Activity.RUNNING,
    RunState.PAUSED: Activity.PAUSED,
    RunState.STOPPING: Activity.STOPPING,
    RunState.ENDED: Activity.IDLE,
}


class RaceController(Controller):
    """Connects the window's race with its view and with the buttons of the run bar."""

    begun = Signal()  # the race wants the machine for itself

    def __init__(
        self,
        parts: Parts,
        log_path: Callable[[Session], Path],
        warn: Callable[[str], None],  # shows a sentence; called from any thread
        parent: QObject,
    ) -> None:
        super().__init__(parts, parent)
        self._log_path, self._warn = log_path, warn
        self._model, self._view = parts.runs.race, parts.window.view(RaceView)
        self._timer = QTimer(self, interval=LOOK_EVERY)
        self._timer.timeout.connect(self._compare)
        model = self._model
        model.lane_changed.connect(self._show_lane)
        model.state_changed.connect(self._show_state)
        model.ended.connect(self._ended)
        self._view.table.against_chosen.connect(self._compare)
        self._view.lanes_shown.connect(self._draw)
        self._view.lanes_shown.connect(self._compare)
        self._window.race.tell(self)
        self._window.run_bar.pace.changed.connect(self._set_pace)

    @Slot()
    def start(self, steps: int = 0) -> None:
        """Check the race, and start all lanes; with ``steps``, pause after so many iterations."""
        instance, model = self._instance.value, self._model
        if (
            instance is None
            or self._runs.busy
            or self._view.problem
            or self._window.control.blocked
        ):
            return
        self._window.banner.clear()
        model.pace = self._window.run_bar.pace.value
        model.prepare()
        for _ in range(steps):
            model.step()
        self._view.show_records(model.records)
        self._draw()
        self._view.show_racing(racing=True)
        self._window.steps.after(self._show_no_run)
        self.begun.emit()
        race = model.race

        def refuse(sentence: str) -> None:
            model.give_up()
            self._window.tell(sentence)

        self._start_task(
            lambda: race.check(instance),
            lambda _: model.begin(instance, self._open_logs(instance)),
            refuse,
        )
        self._timer.start()

    def _show_no_run(self) -> None:
        """Show no earlier run any more: what it found would be taken for what the race finds."""
        self._runs.clear()
        self._window.begin_run()
        source = self._view.source
        if source is not None:
            self._window.name_run(f"Race  ·  {source.text}")
        self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the best that a lane has found, and what the race has taken."""
        costs = [one.cost for one in self._model.records if one.cost is not None]
        self._window.readout.show_race(min(costs, default=None), self._model.share_done()[1])

    @Slot()
    def pause(self) -> None:
        """Pause all lanes."""
        self._model.pause()
        self._show_state(self._model.state)

    @Slot()
    def resume(self) -> None:
        """Go on with all lanes."""
        self._model.resume()
        self._show_state(self._model.state)

    @Slot()
    def step(self) -> None:
        """Let every lane make one iteration, then pause; start the race if it has not begun."""
        if self._model.busy:
            self._model.step()
        else:
            self.start(steps=1)

    @Slot()
    def stop(self) -> None:
        """End all lanes."""
        self._model.stop()

    def _open_logs(self, instance: Instance) -> Callable[[Sequence[Session], Opened], object]:
        """Return what opens the logs of lanes in another thread, because disks are slow."""

        def opened(sessions: Sequence[Session]) -> list[Recorder]:
            return [  # one after the other: each takes a name that is free
                Recorder(self._log_path(one), one, instance, self._warn) for one in sessions
            ]

        def refuse(sentence: str) -> None:
            self._model.give_up()
            self._window.tell(sentence)

        def open_them(sessions: Sequence[Session], then: Opened) -> None:
            self._start_task(lambda: opened(sessions), then, refuse)

        return open_them

    def _start_task(
        self,
        work: Callable[[], object],
        done: Callable[..., object],
        failed: Callable[[str], object],
    ) -> None:
        self._background.start(Task(lambda _: work(), done, failed))

    @Slot(float)
    def _set_pace(self, pace: float) -> None:
        if self._model.busy:
            self._model.pace = pace

    @Slot(int)
    def _show_lane(self, lane: int) -> None:
        self._view.take_lane(lane)
        self._draw()

    @Slot()
    def _draw(self) -> None:
        """Have the view draw what it was given, piece by piece."""
        self._window.dashboard.queue.add([self._view])

    @Slot(object)
    def _show_state(self, state: RunState) -> None:
        activity = _ACTIVITIES[state]
        if state is RunState.BUILDING and self._model.rests:
            activity = Activity.BUILDING_TO_PAUSE
        self._window.show_activity(activity, racing=self._model.busy)
        self._leave_time()

    def _leave_time(self) -> None:
        """Draw less often while a lane computes on all cores."""
        queue = self._window.dashboard.queue
        share = SHARE_BESIDE_ALL_CORES if self._model.takes_all_cores else math.inf
        if share != queue.throttle.share:
            queue.limit(share)

    @Slot()
    def _compare(self) -> None:
        """Show how the lanes compare, and how far the race has come."""
        model, instance = self._model, self._instance.value
        if instance is None or not model.records:
            return
        if model.busy:
            model.note_time()
        against = self._view.table.lane
        self._view.take_comparison(compare(model.records, instance, against))
        self._draw()
        if model.busy:
            share, spent = model.share_done()
            left = spent * (1 / share - 1) if share else None
            self._window.run_bar.show_progress(share, left)
            self._show_numbers()
            model.want(Wanted.SOLUTION if self._view.isVisible() else Wanted.NUMBERS)
            self._leave_time()

    @Slot()
    def _ended(self) -> None:
        self._timer.stop()
        self._view.show_racing(racing=False)
        for lane in range(len(self._model.records)):
            self._view.take_lane(lane)
        self._compare()
        self._show_numbers()
        self._view.exports_changed.emit()
        if self._instance.next is None:
            self._tell_end()

    def _tell_end(self) -> None:
        """Say how the race ended, in one sentence."""
        endings = [record.ending for record in self._model.records]
        if Ending.FAILED in endings:
            lanes = [str(at + 1) for at, one in enumerate(endings) if one is Ending.FAILED]
            which = f"lane {lanes[0]}" if len(lanes) == 1 else f"lanes {' and '.join(lanes)}"
            reason = self._model.records[int(lanes[0]) - 1].reason
            self._window.tell(f"The race has ended; {which} failed: {reason}")
        elif all(one is Ending.FINISHED for one in endings):
            self._window.tell("The race has ended", "done")
        elif any(endings):
            self._window.tell("The race was stopped; the lanes' logs are kept", "info")
