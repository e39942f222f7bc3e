"""The base of threads that work beside the window, and their priority."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from gpu.core.machine import priority

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
    priority.lower_priority(NICENESS)
