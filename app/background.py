"""Work that must not hold up the window: each piece in a thread of its own, and at most one end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from app.notifications import sentence_for

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Task(QThread, Generic[T]):
    """A piece of work; its listeners are called in the thread that made the task.

    Parameters
    ----------
    work : callable taking Task and returning T
        Does the work in the new thread. It may call :meth:`report`, and should look at
        ``cancelled`` now and then.
    done : callable taking T
        Called with the result, unless the task was cancelled.
    failed : callable taking str
        Called with one sentence if the work raised, unless the task was cancelled.
    progressed : callable taking float and str, optional
        Called with what :meth:`report` was told.
    """

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
        """Give the result up; from now on no listener is called."""
        self._cancelled.set()

    def report(self, share: float, text: str) -> None:
        """Tell how much is done, in [0, 1], and what is being done."""
        self._posted.emit(lambda: self._progressed and self._progressed(share, text))

    def run(self) -> None:
        """Do the work; called by Qt in the new thread."""
        try:
            result = self._work(self)
        except Exception as error:
            _log.info("%s failed", self.objectName() or "a task", exc_info=error)
            sentence = sentence_for(error)
            self._posted.emit(lambda: self._failed(sentence))
        else:
            self._posted.emit(lambda: self._done(result))

    @Slot(object)
    def _deliver(self, call: Callable[[], object]) -> None:
        if not self.cancelled:
            call()


class Background(QObject):
    """Keeps the tasks that are under way."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: list[Task] = []

    def start(self, task: Task[T]) -> Task[T]:
        """Start ``task`` and keep it until it has ended."""
        self._tasks = [other for other in self._tasks if not other.isFinished()]
        self._tasks.append(task)
        task.start(QThread.Priority.LowPriority)
        return task

    def shutdown(self, timeout: float) -> bool:
        """Cancel all tasks; return whether all ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        for task in self._tasks:
            task.cancel()
        ended = True
        for task in self._tasks:
            left = max(0, int((deadline - time.monotonic()) * 1000))
            ended = task.wait(left) and ended
            QCoreApplication.removePostedEvents(task, QEvent.Type.MetaCall.value)
        return ended
