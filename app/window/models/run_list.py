"""The runs of one window. Today the list holds one run at most."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.window.models.run import RunModel

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session

PATIENCE = 0.8
"""Longest time in seconds that others wait for a thread to end."""


class RunList(QObject):
    """The run that is under way or was the last one, and whether another one is being prepared.

    Attributes
    ----------
    current : RunModel or None
        The run that the window shows.
    current_changed : Signal
        The new current RunModel, not started yet, or None.
    preparing_changed : Signal
        A run is being prepared, or its preparation has failed.
    ended : Signal
        The RunModel that has ended.
    """

    current_changed = Signal(object)
    preparing_changed = Signal()
    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current: RunModel | None = None
        self._preparing = False
        self._former: list[RunModel] = []  # their threads have not ended yet
        self._numbers = itertools.count(1)

    @property
    def preparing(self) -> bool:
        """Whether a run is being prepared: its choices are checked and its log is opened."""
        return self._preparing

    @property
    def active(self) -> RunModel | None:
        """The current run if it has not ended."""
        return self.current if self.current is not None and self.current.active else None

    @property
    def busy(self) -> bool:
        """Whether a run is under way or being prepared."""
        return self._preparing or self.active is not None

    def prepare(self, preparing: bool = True) -> None:
        """Note that a run is being prepared, or that its preparation has failed."""
        self._preparing = preparing
        self.preparing_changed.emit()

    def add(self, instance: Instance, session: Session, recorder: Recorder) -> RunModel:
        """Make a run the current one, and return it; the former one must have ended."""
        self._drop_current()
        for former in self._former:
            former.wait(PATIENCE)
        run = RunModel(instance, session, recorder, next(self._numbers), self)
        run.ended.connect(self.ended)
        run.thread_ended.connect(self._delete_former)
        self._preparing = False
        self.current = run
        self.current_changed.emit(run)
        return run

    def clear(self) -> None:
        """Have no current run; the former one must have ended."""
        self._drop_current()
        self.current_changed.emit(None)

    def shutdown(self, timeout: float) -> bool:
        """End all runs silently; return whether all threads ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        ended = True
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
    def _delete_former(self) -> None:
        for run in [run for run in self._former if run.freed]:
            self._former.remove(run)
            run.wait(PATIENCE)  # for the thread's last instructions
            run.deleteLater()
