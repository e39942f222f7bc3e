"""Work that would hold up the window: each piece of it runs in its own thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from app.window.threads.priority import lower_priority
from gpu.core.errors import sentence_for

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Task(QThread, Generic[T]):
    """One piece of work. Its listeners are called in the thread that made the task.

    Parameters
    ----------
    work : callable taking Task and returning T
        Does the work in the new thread. It may call :meth:`report` and :meth:`post`, and should
        look at ``cancelled`` now and then.
    done : callable taking T
        Called with the result, unless the task was cancelled.
    failed : callable taking str
        Called with one sentence if the work raised an error, unless the task was cancelled.
    progressed : callable taking float and str, optional
        Called with each progress that :meth:`report` was given.
    parent : QObject, optional
        Qt's parent.

    Attributes
    ----------
    ended : Signal
        The task itself, after the last call of a listener.
    """

    ended = Signal(object)
    _posted = Signal(object)

    def __init__(
        self,
        work: Callable[[Task[T]], T],
        done: Callable[[T], object],
        failed: Callable[[str], object],
        progressed: Callable[[float, str], object] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._work, self._done, self._failed = work, done, failed
        self._progressed = progressed
        self._cancelled = threading.Event()
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Give up the result; no listener is called from now on."""
        self._cancelled.set()

    def report(self, share: float, text: str) -> None:
        """Report the progress: the share that is done, in [0, 1], and what is being done."""
        if self._progressed is not None:
            self.post(self._progressed, share, text)

    def post(self, call: Callable[..., object], *arguments: object) -> None:
        """Call ``call`` in the thread that made the task, unless the task is cancelled."""
        self._posted.emit(lambda: call(*arguments))

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
            self._posted.emit(None)

    @Slot(object)
    def _deliver(self, call: Callable[[], object] | None) -> None:
        if call is None:
            self.ended.emit(self)
        elif not self.cancelled:
            call()


class BackgroundTasks(QObject):
    """Starts tasks, and keeps each one until it has ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: list[Task[Any]] = []

    @property
    def idle(self) -> bool:
        """Whether every task has ended."""
        return not self._tasks

    def start(self, task: Task[T]) -> Task[T]:
        """Start ``task`` and keep it until it has ended."""
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
        for task in self._tasks:
            task.cancel()
        ended = True
        for task in self._tasks:
            left = max(0, int((deadline - time.monotonic()) * 1000))
            ended = task.wait(left) and ended
            QCoreApplication.removePostedEvents(task, QEvent.Type.MetaCall.value)
        self._tasks = [task for task in self._tasks if not task.isFinished()]
        return ended
