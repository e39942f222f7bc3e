"""One run: a solver thread with its newest snapshot, log and outcome. It knows no window."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.window.threads.solver import SolverState, SolverThread
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.run.changes import Change, Setting
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import RunOutcome
from gpu.run.session import Session
from gpu.run.stopping import StopSettings


class Expected:
    """Counts on it that iterations go on as fast as they were, until the next one has ended."""

    def __init__(self) -> None:
        self._of: tuple[int, StopSettings] | None = None
        self._whole = 0.0  # seconds that the whole run takes, as it seemed when an iteration ended

    def share_and_left(
        self, state: RunState, stop: StopSettings
    ) -> tuple[float | None, float | None]:
        """Return the share that is done, in [0, 1], and seconds that are left, where known."""
        share = stop.share_done(state)
        if not share:
            return share, None
        if self._of != (state.iteration, stop):
            self._of, self._whole = (state.iteration, stop), state.elapsed / share
        if state.iteration and self._whole > 0:  # at most what the next iteration will bring
            most = min(1.0, share * (state.iteration + 1) / state.iteration)
            share = max(share, min(most, state.elapsed / self._whole))
        return share, state.elapsed * (1 / share - 1)


LOOK_EVERY = 33  # milliseconds between two looks for a new snapshot
LOOK_EVERY_ON_ALL_CORES = 200  # while the colony computes there: each look takes time from it


class RunModel(SolverThread):
    """A run of one colony that looks for its newest snapshot at the screen's pace.

    It lives from its start to its outcome, and until its colony is freed. When ``ended`` comes,
    ``snapshot`` is the final state, and ``outcome`` is there.
    """

    # the new RunState; its progress is all that happened since the one before
    snapshot_changed = Signal(object)
    looked = Signal()  # the run has looked for a snapshot; its time goes on even if there is none

    def __init__(
        self,
        instance: Instance,
        session: Session,
        recorder: Recorder,
        number: int = 0,
        parent: QObject | None = None,
        *,
        keep: bool = False,
    ) -> None:
        super().__init__(instance, session, number, recorder, parent, keep=keep)
        self.session, self.recorder = session, recorder
        self.begun_on = instance
        self.now = self.setting  # what it works on and with, as far as ``changed`` has told
        self._edits = 0  # changes of the cities that ``changed`` has told of
        self._early: RunState | None = None  # of cities that it has not told of yet
        self.changed.connect(self._take_over)  # before anybody else
        self.snapshot: RunState | None = None  # the newest state
        self.bettered_at = 0.0  # seconds of solving until the newest improvement
        self.earlier_best: int | None = None  # of the user's own runs before this one
        self.outcome: RunOutcome | None = None  # how the run ended; None before
        self.timer = QTimer(self)
        self.timer.setInterval(LOOK_EVERY)
        self.timer.timeout.connect(self._look)
        self.ended.connect(self._end)

    def start(self, priority: QThread.Priority = QThread.Priority.InheritPriority) -> None:
        """Build the colony and run."""
        self.timer.start()
        super().start(priority)

    def shutdown(self, timeout: float) -> bool:
        """End the run without telling anybody; return whether the thread ended in time."""
        self.timer.stop()
        self.blockSignals(True)
        return super().shutdown(timeout)

    @property
    def instance(self) -> Instance:
        """What is solved: another one than at the beginning once cities have changed."""
        return self.now.instance

    def go_on(self, change: Change) -> None:
        """Go on after the end; see :meth:`SolverThread.go_on`."""
        self.outcome = None
        self.timer.start()
        super().go_on(change)

    @property
    def takes_all_cores(self) -> bool:
        """Whether all cores compute now, so that whoever looks takes time from them."""
        runs = self.state is SolverState.RUNNING and not self.pace
        return runs and self.session.device == "cpu"

    @Slot()
    def _look(self) -> None:
        """Take the newest snapshot, if there is one, and say when to look again."""
        interval = LOOK_EVERY_ON_ALL_CORES if self.takes_all_cores else LOOK_EVERY
        if interval != self.timer.interval():
            self.timer.setInterval(interval)
        snapshot, self._early = self.take() or self._early, None
        shown, latest = self.snapshot, self.latest
        later = latest.iteration > (0 if shown is None else shown.iteration)
        # after an iteration its colony may make a tour shorter
        known = None if shown is None else shown.best_cost
        better = known is not None and latest.cost < known
        if snapshot is None and (later or better):
            snapshot = latest  # between two snapshots the numbers and the tour go on
        if snapshot is not None and snapshot.edits > self._edits:
            self._early = snapshot
        elif snapshot is not None and snapshot.edits == self._edits:
            progress = self.take_progress(snapshot.iteration)
            if progress.improvements:
                self.bettered_at = progress.improvements[-1].seconds
            self.snapshot = snapshot = replace(snapshot, progress=progress)
            self.snapshot_changed.emit(snapshot)
        self.looked.emit()

    @Slot(object, object)
    def _take_over(self, change: Change | None, setting: Setting) -> None:
        self.now = setting
        if change is not None and change.cities:
            self._edits += 1

    @Slot(object)
    def _end(self, outcome: RunOutcome) -> None:
        self.timer.stop()
        self._look()
        if self.snapshot is None:  # it ended before the first look: with what it began with
            self.snapshot = outcome.state
            self.snapshot_changed.emit(outcome.state)
        self.outcome = outcome
        if not self.stays:
            self.wait()
