"""The batch of runs that a window has under way: a study or a measurement."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Signal

from app.window.threads.tasks import BackgroundTasks, Task
from gpu.studies.execution.executor import BatchControl

T = TypeVar("T")

BatchKind = Literal["", "study", "measurement"]


class BatchState(enum.StrEnum):
    """What a batch does."""

    IDLE = ""
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"


class BatchModel(QObject):
    """Does one batch at a time, in the thread of a task; no run can start meanwhile.

    Whoever does the runs looks at the batch's ``control``, which says whether they pause or end.
    """

    state_changed = Signal(object)  # the new BatchState
    ended = Signal()  # after all that is told at the end of a batch

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind: BatchKind = ""  # of the batch under way; empty while there is none
        self.state = BatchState.IDLE
        self._control = BatchControl()
        self._task: Task[Any] | None = None

    @property
    def busy(self) -> bool:
        """Whether a batch goes on or is being prepared, paused or not."""
        return bool(self.kind)

    @property
    def cancelled(self) -> bool:
        """Whether the batch under way, or the last one, was cancelled."""
        return self._control.cancelled

    def start(
        self,
        background: BackgroundTasks,
        kind: BatchKind,
        work: Callable[[Task[T], BatchControl], T],
        told: Callable[[T | None, str], object],
        progressed: Callable[[float, str], object] | None = None,
    ) -> None:
        """Do a batch; there must be none under way.

        The thread calls ``work``, which lets :meth:`begin` be called when all is prepared. At the
        end ``told`` gets what it returned, or None and a sentence that says why it failed.
        """
        assert not self.busy

        def end(result: T | None, why: str) -> None:
            self._task, self.kind = None, ""
            self._set_state(BatchState.IDLE)
            told(result, why)
            self.ended.emit()

        self.kind, self._control = kind, BatchControl()
        self._set_state(BatchState.PREPARING)
        control = self._control
        self._task = background.start(
            Task(
                lambda task: work(task, control),
                lambda result: end(result, ""),
                lambda why: end(None, why),
                progressed,
            )
        )

    def begin(self) -> None:
        """Note that all is prepared: the runs begin."""
        if self.state is BatchState.PREPARING:
            self._set_state(BatchState.RUNNING)

    def pause(self) -> None:
        """Let the runs wait."""
        if self.state is BatchState.RUNNING:
            self._control.pause()
            self._set_state(BatchState.PAUSED)

    def resume(self) -> None:
        """Let the runs go on."""
        if self.state is BatchState.PAUSED:
            self._control.go_on()
            self._set_state(BatchState.RUNNING)

    def cancel(self) -> None:
        """End the batch soon: what runs is given up, what is finished is kept."""
        if self.busy:
            self._control.cancel()
            self._set_state(BatchState.STOPPING)

    def shutdown(self, timeout: float) -> bool:
        """End the batch silently; return whether its thread ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self.blockSignals(True)
        self.cancel()
        if self._task is None:
            return True
        self._task.cancel()
        return self._task.wait(max(0, round(1000 * (deadline - time.monotonic()))))

    def _set_state(self, state: BatchState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)
