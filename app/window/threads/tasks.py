"""Work that would hold up the window: each piece of it runs in a thread of its own."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from gpu.core.errors import sentence_for
from gpu.core.machine import processes

NICENESS = 10  # what is added to the window's niceness for a thread that computes


class WorkerThread(QThread):
    """A thread whose listeners are called where it was made, in the order of what it tells."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Through the event queue of this object's thread:
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[..., object], *arguments: object) -> None:
        """Call ``call`` in the thread that made this object; any thread may use this method."""
        self._posted.emit(lambda: call(*arguments))

    @Slot(object)
    def _deliver(self, call: Callable[[], object]) -> None:
        call()


def lower_priority() -> None:
    """Let the window's thread go before the calling one when all cores are busy.

    Without this, a window that shares two busy cores with a colony waits half of the time.
    """
    processes.lower_priority(NICENESS)


T = TypeVar("T")

_log = logging.getLogger(__name__)


class Task(WorkerThread, Generic[T]):
    """One piece of work. Its listeners are called in the thread that made the task.

    ``work`` may call :meth:`report` and :meth:`post`, and should look at ``cancelled`` now and
    then. ``done`` is called with the result, or ``failed`` with one sentence if the work raised an
    error; no listener is called any more once the task is cancelled.
    """

    ended = Signal(object)  # the task itself, after the last call of a listener

    def __init__(
        self,
        work: Callable[[Task[T]], T],
        done: Callable[[T], object] = lambda _: None,
        failed: Callable[[str], object] = lambda _: None,
        progressed: Callable[[float, str], object] | None = None,
    ) -> None:
        super().__init__()
        self._work, self._done, self._failed = work, done, failed
        self._progressed = progressed
        self.cancelled = False  # whether nobody wants the result any more

    def cancel(self) -> None:
        """Give up the result; no listener is called from now on."""
        self.cancelled = True

    def report(self, share: float, text: str) -> None:
        """Report the progress: the share that is done, in [0, 1], and what is being done."""
        if self._progressed is not None:
            self.post(self._progressed, share, text)

    def post(self, call: Callable[..., object], *arguments: object) -> None:
        """Call ``call`` in the thread that made the task, unless the task is cancelled."""
        super().post(lambda: self.cancelled or call(*arguments))

    def run(self) -> None:
        """Do the work; Qt calls this in the new thread."""
        lower_priority()  # Qt's own priorities have no effect on Linux
        try:
            result = self._work(self)
        except Exception as error:
            _log.info("%s failed", self.objectName() or "a task", exc_info=error)
            self.post(self._failed, sentence_for(error))
        else:
            self.post(self._done, result)
        finally:
            super().post(self.ended.emit, self)


class BackgroundTasks(QObject):
    """Starts tasks, and keeps each one until it has ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: list[Task[Any]] = []
        self._shut_down = False

    @property
    def idle(self) -> bool:
        """Whether every task has ended."""
        return not self._tasks

    def start(self, task: Task[T]) -> Task[T]:
        """Start ``task`` and keep it until it has ended; after a shutdown it is given up."""
        if self._shut_down:
            task.cancel()
            return task
        self._tasks.append(task)
        task.ended.connect(self._forget)
        task.start(QThread.Priority.LowPriority)
        return task

    @Slot(object)
    def _forget(self, task: Task[Any]) -> None:
        task.wait()
        self._tasks = [other for other in self._tasks if other is not task]

    def shutdown(self, timeout: float) -> bool:
        """Cancel all tasks; return whether all of them ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self._shut_down = True
        for task in self._tasks:
            task.cancel()
        ended = True
        for task in self._tasks:
            ended = task.wait(max(0, int((deadline - time.monotonic()) * 1000))) and ended
            QCoreApplication.removePostedEvents(task, QEvent.Type.MetaCall.value)
        self._tasks = [task for task in self._tasks if not task.isFinished()]
        return ended
