"""Moves through the past of the run in sight, while it may still go on."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.core.moments import Moments
from gpu.run.frames.frames import FRAMES_SUFFIX
from gpu.run.frames.past import Past, Then
from gpu.run.log.recorded import Recorded
from views.plots.convergence_view import ConvergenceView

_FRAMES_EVERY = 700  # milliseconds between two looks for new frames of a run that goes on
_PLAY_EVERY = 40  # milliseconds between two moments that are played


class ReplayController(Controller):
    """Shows moments of the past in the views, as the bar below the large pane asks for them."""

    film_wanted = Signal(object, str)  # the Past that is to be filmed, and its title

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.past: Past | None = None  # of the run in sight
        self.seconds: float | None = None  # the moment that is shown; None for the newest state
        self._bar = self._window.dashboard.replay
        self._looking: Task[Moments] | None = None
        self._reading: Task[Then] | None = None
        self._wanted: float | None = None  # the moment to read next
        self._opened = False  # whether the past is that of a log, whose last frame is to be shown
        self._played_at = 0.0
        self._look_timer = QTimer(self, interval=_FRAMES_EVERY)
        self._look_timer.timeout.connect(self._look)
        self._play_timer = QTimer(self, interval=_PLAY_EVERY)
        self._play_timer.timeout.connect(self._play_on)
        bar = self._bar
        bar.moved.connect(self.show_moment)
        bar.stepped.connect(self.step)
        bar.play_wanted.connect(self.play)
        bar.live_wanted.connect(self.show_newest)
        bar.film_wanted.connect(self._ask_for_film)
        self._window.actions_.connect(
            {
                "past-back": lambda: self.step(-1),
                "past-next": lambda: self.step(1),
                "past-play": self.play,
                "past-live": self.show_newest,
                "film": self._ask_for_film,
            }
        )
        self._runs.current_changed.connect(self._follow_run)
        self._runs.ended.connect(self._look)
        self._runs.state_changed.connect(self._look_on)
        self._instance.changed.connect(self._instance_changed)
        self._enable()

    @Slot(object)
    def show_recorded(self, recorded: Recorded) -> None:
        """Offer the past of a log that was opened."""
        self._follow(recorded.log.path.with_suffix(FRAMES_SUFFIX), recorded.begun_on, opened=True)

    @Slot(float)
    def show_moment(self, seconds: float) -> None:
        """Show the state after so many seconds of the run, as soon as it is read."""
        self._stop_playing()
        self._show(seconds)

    @Slot(int)
    def step(self, way: int) -> None:
        """Show the improvement before (-1) or after (1) the moment that is shown."""
        moments = self._bar.moments
        if self.past is None or not moments.improvements:
            return
        now = moments.length + 1.0 if self.seconds is None else self.seconds
        if way > 0 and self.seconds is None:
            return
        self.show_moment(moments.before(now) if way < 0 else moments.after(now))

    @Slot()
    def play(self) -> None:
        """Play the past from the moment that is shown, or from the beginning; or rest."""
        if self._play_timer.isActive():
            self._stop_playing()
            return
        moments = self._bar.moments
        if self.past is None or not moments.improvements:
            return
        if self.seconds is None or self.seconds >= moments.length:
            self._show(moments.improvements[0])
        self._played_at = time.monotonic()
        self._play_timer.start()
        self._bar.show_playing(playing=True)

    @Slot()
    def show_newest(self) -> None:
        """Show the newest state again."""
        self._stop_playing()
        self._wanted = self.seconds = None
        self._window.dashboard.moments.show_present()
        self._window.view(ConvergenceView).mark(None)
        self._bar.show_moment(None, "")
        self._enable()

    def close(self) -> None:
        """Look for nothing any more."""
        self._look_timer.stop()
        self._play_timer.stop()

    @Slot(object)
    def _instance_changed(self, instance: Instance) -> None:
        """Forget the past of a run on another instance: views cannot show it any more."""
        if self.past is not None and self.past.instance is not instance:
            self._follow(None, None)

    @Slot(object)
    def _follow_run(self, run: RunModel | None) -> None:
        if run is None or not run.recorder.frames_path:
            self._follow(None, None)
        else:
            self._follow(run.recorder.frames_path, run.begun_on)
            self._look_timer.start()

    @Slot()
    def _look_on(self) -> None:
        """Look for new frames of a run that goes on after its end."""
        if self.past is not None and self._runs.active is not None:
            self._look_timer.start()

    def _follow(
        self, path: Path | None, instance: Instance | None, *, opened: bool = False
    ) -> None:
        """Forget the former past, and look for that of another run."""
        self._look_timer.stop()
        self._stop_playing()
        for task in (self._looking, self._reading):
            if task is not None:
                task.cancel()
        self._looking = self._reading = self._wanted = self.seconds = None
        self._opened = opened
        self.past = None if path is None or instance is None else Past(path, instance)
        self._window.view(ConvergenceView).mark(None)
        self._bar.hide()
        self._bar.show_moments(Moments())
        self._bar.show_moment(None, "")
        self._enable()
        if opened:
            self._look()

    @Slot()
    def _look(self) -> None:
        """Look for new frames; after the end of the run for the last time."""
        if self._runs.active is None:
            self._look_timer.stop()
        if self.past is None or self._looking is not None:
            if self._looking is not None and self._runs.active is None:
                self._look_timer.start()  # once more: this look may have begun before the end
            return
        past = self.past
        task = Task[Moments](lambda _: past.refresh(), self._found, self._not_found)
        self._looking = self._background.start(task)

    def _found(self, moments: Moments) -> None:
        self._looking = None
        self._bar.show_moments(moments)
        if moments.improvements and self._bar.isHidden():
            self._bar.show()
            self._enable()
        if self._opened and moments.improvements:
            self._opened = False
            past, end = self.past, moments.length
            assert past is not None
            self._background.start(Task(lambda _: past.at(end), self._complete, self._window.tell))

    def _complete(self, end: Then) -> None:
        """Show what is recorded of the end, unless it is of other cities than the log's."""
        if self._present_of(end.instance) is self._instance.value:
            self._window.dashboard.moments.complete(end.state)

    def _not_found(self, sentence: str) -> None:
        """Say what is wrong with a file of frames; a log without one is no error."""
        self._looking = None
        if self._opened and self.past is not None and self.past.path.exists():
            self._window.tell(sentence, "warning")

    def _show(self, seconds: float) -> None:
        """Read the state of that moment in a thread; of several, only the last one counts."""
        moments = self._bar.moments
        if self.past is None or not moments.improvements:
            return
        seconds = min(max(seconds, moments.improvements[0]), moments.length)
        self.seconds = self._wanted = seconds
        self._bar.show_moment(seconds, self._bar.moment.text())
        self._read()
        self._enable()

    def _read(self) -> None:
        if self._reading is not None or self._wanted is None or self.past is None:
            return
        past, seconds, self._wanted = self.past, self._wanted, None
        task = Task[Then](lambda _: past.at(seconds), self._show_past, self._not_read)
        self._reading = self._background.start(task)

    def _show_past(self, then: Then) -> None:
        self._reading = None
        if self.seconds is None or self.past is None:
            return  # the user went back to the newest state meanwhile
        instance, snapshot = self._present_of(then.instance), then.state
        cost = instance.cost_unit.amount(snapshot.cost)
        text = self._bar.words_of(snapshot.elapsed, snapshot.iteration, cost)
        self._window.dashboard.moments.show_past(snapshot, text, instance)
        self._window.view(ConvergenceView).mark((snapshot.iteration, snapshot.elapsed))
        self._bar.show_moment(self.seconds, text)
        self._read()

    def _present_of(self, instance: Instance) -> Instance:
        """Return the instance in sight if ``instance`` is the same; views know it already."""
        present = self._instance.value
        same = present is not None and present.sha256 == instance.sha256
        return present if same and present is not None and present.n == instance.n else instance

    def _not_read(self, sentence: str) -> None:
        self._reading = None
        if self._runs.active is not None:
            self._look()  # a run that goes on thins its file out; its moments are others then
        else:
            self.show_newest()
            self._window.tell(sentence)

    @Slot()
    def _play_on(self) -> None:
        """Go on by as much of the run as has been played since the last time."""
        now = time.monotonic()
        passed, self._played_at = now - self._played_at, now
        end = self._bar.moments.length
        assert self.seconds is not None
        if self.seconds < end:
            self._show(self.seconds + passed * self._bar.speed_factor)
        elif self._reading is None:
            self.show_newest()

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._bar.show_playing(playing=False)

    @Slot()
    def _ask_for_film(self) -> None:
        if self.past is not None and self._bar.moments.improvements:
            self.film_wanted.emit(self.past, self._window.run_title)

    def _enable(self) -> None:
        """Enable what can be done now."""
        there = self.past is not None and not self._bar.isHidden()
        for name in ("past-back", "past-next", "past-play", "film"):
            self._window.actions_[name].setEnabled(there)
        self._window.actions_["past-live"].setEnabled(there and self.seconds is not None)
