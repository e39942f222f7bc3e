"""The base of threads that work beside the window, and their priority."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

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

    On Linux each thread has its own niceness, and the threads that it starts inherit it. Without
    this, a window that shares two busy cores with a colony waits half of the time.
    """
    if sys.platform == "linux":
        windows = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(windows + NICENESS, 19))
