"""The runs of one window: one alone, or those of a race or a study."""

from __future__ import annotations

import itertools
import time

from PySide6.QtCore import QObject, Signal, Slot

from app.window.models.batch import BatchModel
from app.window.models.race import RaceModel
from app.window.models.run import RunModel
from app.window.threads.solver import SolverState
from gpu.core.instance import Instance
from gpu.run.log.recorder import Recorder
from gpu.run.session import Session

RUNS_PATIENCE = 0.8  # longest time in seconds that others wait for a thread to end
BATCH_PATIENCE = 5.0  # the same for a batch: a study ends its processes and closes its file


class RunList(QObject):
    """The run that is under way or was the last one, and whether another one is being prepared."""

    current_changed = Signal(object)  # the new current RunModel, not started yet, or None
    preparing_changed = Signal()
    state_changed = Signal(object)  # the new SolverState of the current run
    changed = Signal(object)  # the Change that was made in the current run; None if it was refused
    ended = Signal(object)  # the RunModel that has ended
    # all have heard of the end: what waited for it may take the place of what is shown
    left = Signal()
    freed = Signal()  # the colony of the run that has ended is freed: it cannot go on any more

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current: RunModel | None = None  # the run that the window shows
        self.preparing = False  # whether the choices of a run are checked and its log is opened
        self.race = RaceModel(self)
        self.race.busy_changed.connect(self.preparing_changed)
        self.batch = BatchModel(self)  # no run can start while it goes on
        self._former: list[RunModel] = []  # their threads have not ended yet
        self._numbers = itertools.count(1)

    @property
    def active(self) -> RunModel | None:
        """The current run if it has not ended."""
        return self.current if self.current is not None and self.current.outcome is None else None

    @property
    def changeable(self) -> RunModel | None:
        """The current run if its parameters, limits and cities can be changed now."""
        run = self.active
        live = run is not None and run.state in (SolverState.RUNNING, SolverState.PAUSED)
        return run if live else None

    @property
    def busy(self) -> bool:
        """Whether a run or a race is under way or being prepared."""
        return self.preparing or self.race.busy or self.active is not None

    def prepare(self, preparing: bool = True) -> None:
        """Note that a run is being prepared, or that its preparation has failed."""
        self.preparing = preparing
        self.preparing_changed.emit()

    def add(self, instance: Instance, session: Session, recorder: Recorder) -> RunModel:
        """Make a run the current one, and return it; the former one must have ended."""
        self._drop_current()
        for former in self._former:
            former.wait(round(1000 * RUNS_PATIENCE))
        run = RunModel(instance, session, recorder, next(self._numbers), self, keep=True)
        run.changed.connect(lambda change, _: self.changed.emit(change))
        run.state_changed.connect(self.state_changed)
        run.ended.connect(self._tell_end)
        run.finished.connect(self._delete_former)
        self.preparing = False
        self.current = run
        self.current_changed.emit(run)
        return run

    def free(self) -> None:
        """Free the colony of the run that has ended, with its memory on a GPU, too.

        Only the newest run keeps its colony after its end, so that it can go on, and only until
        another run, a race, a study or a measurement begins, or another instance is shown.
        """
        if self.current is not None and self.active is None:
            self.current.release()
            self.freed.emit()

    def clear(self) -> None:
        """Have no current run; the former one must have ended."""
        self._drop_current()
        self.current_changed.emit(None)

    def shutdown(self, timeout: float) -> bool:
        """End all runs silently; return whether all threads ended within ``timeout`` seconds."""
        ended = self.batch.shutdown(BATCH_PATIENCE)  # returns at once where none goes on
        deadline = time.monotonic() + timeout
        ended = self.race.shutdown(max(0.0, deadline - time.monotonic())) and ended
        for run in filter(None, (self.current, *self._former)):
            ended = run.shutdown(max(0.0, deadline - time.monotonic())) and ended
        return ended

    def _drop_current(self) -> None:
        run, self.current = self.current, None
        if run is not None:
            run.release()
            self._former.append(run)
            self._delete_former()

    @Slot()
    def _tell_end(self) -> None:
        self.ended.emit(self.current)
        self.left.emit()

    @Slot()
    def _delete_former(self) -> None:
        for run in [run for run in self._former if run.isFinished()]:
            self._former.remove(run)
            run.wait(round(1000 * RUNS_PATIENCE))  # for the thread's last instructions
            run.deleteLater()
