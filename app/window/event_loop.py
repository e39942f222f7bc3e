"""Qt's event loop: signals that end the process, and stalls in which nothing is answered."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer

from app.termination import termination_signals
from gpu.core.machine.processes import thread_seconds


@contextmanager
def on_termination(listener: Callable[[], object]) -> Iterator[None]:
    """Call ``listener`` in the event loop when somebody asks the process to end.

    Python runs its signal handlers between two bytecodes, but an idle event loop executes none.
    So Python also writes a byte to a socket at each signal, and that wakes the event loop.
    """
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: (reader.recv(64), listener()))
    former = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        with termination_signals(lambda _: None):
            yield
    finally:
        signal.set_wakeup_fd(former)
        notifier.setEnabled(False)
        reader.close()
        writer.close()


STALL_TICK = 5  # milliseconds between two calls of the timer


class StallMeter(QObject):
    """Measures how late a timer is called; meanwhile no key press and no click is answered."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.last = 0.0  # when the timer was called last
        self.worked = 0.0  # seconds that the thread had worked until then
        self._stalls: list[float] = []
        # Seconds that the thread itself worked between two calls, at most: what a stall would be
        # on a machine with nothing else to do
        self.most_work = 0.0

    def start(self) -> None:
        """Begin to measure, and forget earlier stalls."""
        self._stalls, self.most_work = [], 0.0
        self.last, self.worked = time.perf_counter(), thread_seconds()
        self._timer.start(STALL_TICK)

    def stop(self) -> None:
        """Stop measuring."""
        self._timer.stop()

    @property
    def longest(self) -> float:
        """Longest stall since :meth:`start`, in seconds."""
        return max(self._stalls, default=0.0)

    def share_above(self, seconds: float) -> float:
        """Return the share of calls that were more than ``seconds`` late, in [0, 1]."""
        late = sum(stall > seconds for stall in self._stalls)
        return late / len(self._stalls) if self._stalls else 0.0

    def _tick(self) -> None:
        now, worked = time.perf_counter(), thread_seconds()
        self._stalls.append(max(0.0, now - self.last - STALL_TICK / 1000))
        self.most_work = max(self.most_work, worked - self.worked)
        self.last, self.worked = now, worked
