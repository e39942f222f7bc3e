"""Measures stalls: times in which the event loop was held up and the window did not answer."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer

TICK = 5  # milliseconds between two calls of the timer


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
        self.last, self.worked = time.perf_counter(), time.thread_time()
        self._timer.start(TICK)

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
        now, worked = time.perf_counter(), time.thread_time()
        self._stalls.append(max(0.0, now - self.last - TICK / 1000))
        self.most_work = max(self.most_work, worked - self.worked)
        self.last, self.worked = now, worked
